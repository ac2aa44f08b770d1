// SPDX-License-Identifier: Apache-2.0
// The backward pass of linear and ssd in chunks. With W, S and the decay as in chunks.cpp, G the
// gradients of out (of its numerators for linear) and s those of linear's sums of weights:
//
//   dW = G V^T + s, masked and with the decay                T = sum of phi(q) g^T of later tokens
//   dphi(Q) = dW phi(K) + G S^T + s (sum of earlier phi(k))^T
//   dphi(K) = dW^T phi(Q) + V T^T + (sum of s phi(q) of later tokens)^T
//   dV      = W^T G + phi(K) T
//
// So chunks go from the last to the first, and the states before each are made first. Where linear
// is not causal, there is no W: one pass over queries makes T, a second one goes over keys.
//
// The gradient of an ssd's decay at token t is the sum of w_ij dw_ij over the pairs j < t <= i.
// Pairs within the chunk are sums of rows less sums of columns, pairs with one end in it are
// products of what S gave to dQ with Q and of what T gave to dK with K, and pairs around it are
// products of S and T. So no sums over the whole sequence are subtracted.
#include <algorithm>

#include "kernels/mixer/backward.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/mixer/chunk_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Backward : ChunkRows {
 public:
  Backward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more)
      : ChunkRows(task.chunks, scratch),
        task_(task),
        g_(more),
        causal_(task.chunks.options.causal) {}

  void run() {
    begin();
    const std::int64_t n = t_.a.k.extent.length;
    const std::int64_t chunk = t_.chunk();
    for (std::int64_t at = ceil_div(n, chunk) - 1; at >= 0; --at) {
      if (!task_.states.empty())
        load_state(
            task_.states[causal_ ? static_cast<std::size_t>(at) : task_.states.size() - 1].view);
      step(at * chunk, std::min(chunk, n - at * chunk));
    }
    if (task_.earlier.matrix.data != nullptr) end();
    for (std::int64_t first = 0; first < n && !causal_; first += chunk) {
      load_pairs(first, std::min(chunk, n - first));
      differentiate_keys(first, std::min(chunk, n - first));
    }
  }

 private:
  void begin() {
    std::fill_n(g_.later, f_ * p_, 0.0f);
    std::fill_n(g_.later_sums, f_, 0.0f);
    if (task_.later.matrix.data == nullptr || task_.adds_to_state()) return;
    load_rows(task_.later.matrix, t_.batch, t_.state_head(), 0, features_, p_, g_.later);
    for (std::int64_t r = 0; r < features_ && kind_ == Mixer::linear; ++r)
      g_.later_sums[r] = *task_.later.vector.row_as<float>(t_.batch, t_.state_head(), r);
  }
  void end() const {
    const bool adds = task_.adds_to_state();
    put_rows(g_.later, p_, 1.0f, task_.earlier.matrix, t_.state_head(), 0, features_, adds);
    for (std::int64_t r = 0; r < features_ && kind_ == Mixer::linear; ++r) {
      float& sum = *task_.earlier.vector.row_as<float>(t_.batch, t_.state_head(), r);
      sum = g_.later_sums[r] + (adds ? sum : 0.0f);
    }
  }

  void step(std::int64_t first, std::int64_t count) {
    load_queries(first, count);
    load_rows(task_.gradients.d_out, t_.batch, t_.head, first, count, p_, g_.d_out);
    if (causal_) {
      load_pairs(first, count);
      transpose_keys(count);
      for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
        weigh_keys(s_.q + row * f_, rows, seen, count, s_.weights + row * c_);
      });
    }
    if (kind_ == Mixer::linear) divide(count);
    if (causal_ && task_.wants_all()) {
      differentiate_weights(count);
      differentiate_keys(first, count);
    }
    for (std::int64_t i = 0; i < count && kind_ == Mixer::ssd; ++i)
      multiply_row(g_.d_out + i * p_, p_, gate(i));
    if (task_.wants_all()) {
      differentiate_queries(first, count);
      if (kind_ == Mixer::ssd) differentiate_decay(first, count);
    }
    add_later(count);
  }

  void load_state(const MixerState& state) const {
    load_rows(state.matrix, t_.batch, t_.state_head(), 0, features_, p_, s_.state);
    transpose(s_.state, p_, features_, values_, f_, g_.state_transposed);
    std::fill_n(s_.sums, f_, 0.0f);
    for (std::int64_t r = 0; r < features_ && kind_ == Mixer::linear; ++r)
      s_.sums[r] = *state.vector.row_as<float>(t_.batch, t_.state_head(), r);
  }

  void load_pairs(std::int64_t first, std::int64_t count) {
    load_keys(first, count);
    load_rows(t_.a.v, t_.batch, t_.kv_head(), first, count, p_, s_.v);
    if (kind_ == Mixer::ssd) load_decay(first, count);
  }

  // d_out := d_out over the sum of weights; d_sum := the gradient of that sum.
  void divide(std::int64_t count) {
    const Floats d;
    sum_products<false>(ahead_, count, values_, s_.out, p_,
                        RowsTerm{s_.q, f_, s_.state, p_, features_});
    for_triangle_rows(causal_ ? count : 0,
                      [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
                        for (std::int64_t i = row; i < row + rows; ++i) mask(i, count);
                        sum_products<true>(ahead_, rows, values_, s_.out + row * p_, p_,
                                           RowsTerm{s_.weights + row * c_, c_, s_.v, p_, seen});
                      });
    for (std::int64_t i = 0; i < count; ++i) {
      float total = row_dot(s_.q + i * f_, s_.sums, f_);
      for (std::int64_t j = 0; j <= i && causal_; ++j) total += s_.weights[i * c_ + j];
      const Vector inverse = hn::Set(d, total == 0.0f ? 0.0f : 1.0f / total);
      float* const row = g_.d_out + i * p_;
      multiply_row(row, p_, inverse);
      g_.d_sum[i] = -hn::GetLane(inverse) * row_dot(row, s_.out + i * p_, values_);
    }
  }

  HWY_INLINE void mask(std::int64_t i, std::int64_t count) {
    change_row(s_.weights + i * c_, end_of_row(i, count),
               [&](std::int64_t j, Vector weight) { return seen_weight(i, j, weight); });
  }

  void differentiate_weights(std::int64_t count) {
    const Floats d;
    const std::int64_t width = round_up(count, kMixerColumns);
    transpose(s_.v, p_, count, values_, width, g_.v_transposed);
    std::fill_n(g_.column_pairs, c_, 0.0f);
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
      sum_products<false>(ahead_, rows, seen, g_.d_weights + row * c_, c_,
                          RowsTerm{g_.d_out + row * p_, p_, g_.v_transposed, width, values_});
    });
    for (std::int64_t i = 0; i < count; ++i) {
      if (kind_ == Mixer::ssd) mask(i, count);
      const float* const weights = s_.weights + i * c_;
      const Vector of_sum = hn::Set(d, kind_ == Mixer::linear ? g_.d_sum[i] : 0.0f);
      Vector pairs = hn::Zero(d);
      change_row(g_.d_weights + i * c_, end_of_row(i, count), [&](std::int64_t j, Vector x) {
        const Vector pair = hn::IfThenElseZero(seen_by(i, j), hn::Mul(hn::Load(d, weights + j), x));
        pairs = hn::Add(pairs, pair);
        hn::Store(hn::Add(hn::Load(d, g_.column_pairs + j), pair), d, g_.column_pairs + j);
        return seen_weight(i, j, hn::Add(x, of_sum));
      });
      g_.row_pairs[i] = hn::GetLane(hn::SumOfLanes(d, pairs));
    }
  }

  void differentiate_keys(std::int64_t first, std::int64_t count) {
    transpose(g_.later, p_, features_, values_, f_, g_.later_transposed);
    sum_products<false>(ahead_, count, features_, g_.gradients, f_,
                        RowsTerm{s_.v, p_, g_.later_transposed, f_, values_});
    for (std::int64_t j = 0; j < count; ++j) {
      finish_later(j, count, f_, g_.later_sums);
      g_.later_pairs[j] = row_dot(g_.gradients + j * f_, s_.k + j * f_, features_);
    }
    if (causal_) add_columns_of(g_.d_weights, s_.q, f_, features_, count, g_.gradients);
    put(s_.k, task_.gradients.d_k, t_.kv_head(), first, count, task_.adds);
    sum_products<false>(ahead_, count, values_, g_.gradients, p_,
                        RowsTerm{s_.k, f_, g_.later, p_, features_});
    for (std::int64_t j = 0; j < count; ++j) finish_later(j, count, p_, nullptr);
    if (causal_) add_columns_of(s_.weights, g_.d_out, p_, values_, count, g_.gradients);
    put_rows(g_.gradients, p_, 1.0f, task_.gradients.d_v, t_.kv_head(), first, count, task_.adds);
  }

  // Gives row j of the gradients, which T made, its decay, or adds the sums of linear.
  HWY_INLINE void finish_later(std::int64_t j, std::int64_t count, std::int64_t width,
                               const float* sums) {
    const Floats d;
    const bool decays = kind_ == Mixer::ssd;
    const Vector factor = decays ? gate_to_end(j, count) : hn::Set(d, 1.0f);
    change_row(g_.gradients + j * width, width, [&](std::int64_t x, Vector value) {
      return decays || sums == nullptr ? hn::Mul(value, factor)
                                       : hn::Add(value, hn::Load(d, sums + x));
    });
  }

  void differentiate_queries(std::int64_t first, std::int64_t count) {
    const Floats d;
    sum_products<false>(ahead_, count, features_, g_.gradients, f_,
                        RowsTerm{g_.d_out, p_, g_.state_transposed, f_, values_});
    for (std::int64_t i = 0; i < count; ++i) {
      float* const row = g_.gradients + i * f_;
      g_.earlier_pairs[i] = row_dot(row, s_.q + i * f_, features_);
      if (kind_ == Mixer::ssd) continue;
      const Vector of_sum = hn::Set(d, g_.d_sum[i]);
      change_row(row, f_, [&](std::int64_t r, Vector x) {
        return hn::MulAdd(of_sum, hn::Load(d, s_.sums + r), x);
      });
    }
    for_triangle_rows(causal_ ? count : 0,
                      [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
                        sum_products<true>(ahead_, rows, features_, g_.gradients + row * f_, f_,
                                           RowsTerm{g_.d_weights + row * c_, c_, s_.k, f_, seen});
                      });
    put(s_.q, task_.gradients.d_q, t_.head, first, count, false);
  }

  // Writes gradients of features, or adds them; those of linear become gradients of what they were
  // made from: the slope of elu(x) + 1 is 1 where that is above 1, else itself.
  void put(const float* features, const TensorView& to, std::int64_t head, std::int64_t first,
           std::int64_t count, bool adds) {
    const Floats d;
    if (kind_ == Mixer::linear)
      change_row(g_.gradients, count * f_, [&](std::int64_t r, Vector x) {
        return hn::Mul(x, hn::Min(hn::Load(d, features + r), hn::Set(d, 1.0f)));
      });
    put_rows(g_.gradients, f_, 1.0f, to, head, first, count, adds);
  }

  void differentiate_decay(std::int64_t first, std::int64_t count) {
    const auto write = [&](std::int64_t t) {
      return task_.gradients.d_decay.row_as<float>(t_.batch, t_.head, first + t);
    };
    double after = 0.0;  // pairs that end at t or later, in this chunk
    for (std::int64_t t = count - 1; t >= 0; --t) {
      after += static_cast<double>(g_.row_pairs[t]) - static_cast<double>(g_.column_pairs[t]) +
               static_cast<double>(g_.earlier_pairs[t]);
      *write(t) = static_cast<float>(after);
    }
    double before = static_cast<double>(hn::GetLane(gate_of_chunk(count))) *
                    static_cast<double>(row_dot(s_.state, g_.later, features_ * p_));
    for (std::int64_t t = 0; t < count; ++t) {
      *write(t) += static_cast<float>(before);
      before += static_cast<double>(g_.later_pairs[t]);
    }
  }

  // T := T times the chunk's decay + phi(Q)^T G, and likewise the sums.
  void add_later(std::int64_t count) {
    const Floats d;
    if (kind_ == Mixer::ssd) multiply_row(g_.later, features_ * p_, gate_of_chunk(count));
    sum_products<true>(ahead_, features_, values_, g_.later, p_,
                       ColumnsTerm{{s_.q, f_, g_.d_out, p_, count}});
    for (std::int64_t i = 0; i < count && kind_ == Mixer::linear; ++i)
      change_row(g_.later_sums, f_, [&](std::int64_t r, Vector sum) {
        return hn::MulAdd(hn::Set(d, g_.d_sum[i]), hn::Load(d, s_.q + i * f_ + r), sum);
      });
  }

  const BackwardTask& task_;
  const MixerScratch& g_;
  const bool causal_;
};

void backward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more) {
  Backward(task, scratch, more).run();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(backward);

void run_backward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more) {
  if (task.chunks.is_delta()) return run_delta_backward(task, scratch, more);
  HWY_DYNAMIC_DISPATCH(backward)(task, scratch, more);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
