// SPDX-License-Identifier: Apache-2.0
// The backward pass of gated_delta in chunks, from the last to the first; the states before each
// are made first. With A, P, U, S and D as in delta_rows-inl.h, G = c dO, T the gradient of the
// state after the chunk and E = V - (D K) S - A U, so that U = beta E:
//
//   dU = P^T G + (D_c. K) T - A^T dE, dE = beta dU from the last row to the first
//   dV = dE, dbeta_i = dU_i.E_i
//   dP = G U^T, dA = -dE U^T, both masked
//   d(D Q) = G S^T, d(D K) = -dE S^T, d(D_c. K) = U T^T
//   T := D_c T + (D Q)^T G - (D K)^T dE
//
// The gradient of a token's decay is the sum over all products that it is a factor of, which are
// pairs j < t <= i of this chunk, rows of D Q and D K from t on, rows of D_c. K before t, and D_c.
// Of each channel the first two are sums from t on of q dq + k dk, dk of the key as the later of a
// pair, less k dk of the key as the earlier one. One decay a head has the sum over its channels.
#include "kernels/mixer/backward.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mixer/delta_backward.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mixer/delta_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class DeltaBackward : DeltaRows {
 public:
  DeltaBackward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more)
      : DeltaRows(task.chunks, scratch, false), task_(task), g_(more) {}

  void run() {
    const std::int64_t n = t_.a.k.extent.length;
    const std::int64_t chunk = t_.chunk();
    const std::int64_t last = ceil_div(n, chunk) - 1;
    std::fill_n(s_.state, f_ * p_, 0.0f);
    std::fill_n(g_.later, f_ * p_, 0.0f);
    attends_ = false;
    for (std::int64_t at = 0; at < last; ++at) {
      std::copy_n(s_.state, f_ * p_, g_.states + at * f_ * p_);
      load_chunk(at * chunk, chunk);
      weigh(chunk);
      solve(chunk, nullptr);
      absorb(chunk);
    }
    attends_ = true;
    for (std::int64_t at = last; at >= 0; --at) {
      if (at < last) std::copy_n(g_.states + at * f_ * p_, f_ * p_, s_.state);
      step(at * chunk, std::min(chunk, n - at * chunk));
    }
  }

 private:
  void step(std::int64_t first, std::int64_t count) {
    load_chunk(first, count);
    std::copy_n(s_.q, count * f_, g_.q);
    std::copy_n(s_.k, count * f_, g_.k);
    weigh(count);
    solve(count, g_.errors);
    load_rows(task_.gradients.d_out, t_.batch, t_.head, first, count, p_, g_.d_out);
    multiply_row(g_.d_out, count * p_, hn::Set(Floats(), static_cast<float>(t_.a.scale)));
    transpose(s_.state, p_, features_, values_, f_, g_.state_transposed);
    transpose(g_.later, p_, features_, values_, f_, g_.later_transposed);
    transpose(s_.updates, p_, count, values_, pitch_, g_.v_transposed);
    solve_back(first, count);
    differentiate_weights(count);
    differentiate_rows(count);
    write(first, count);
    for (std::int64_t r = 0; r < features_; ++r)
      multiply_row(g_.later + r * p_, p_, hn::Set(Floats(), s_.rescaling[r]));
    sum_products<true>(ahead_, features_, values_, g_.later, p_,
                       ColumnsTerm{{s_.q, f_, g_.d_out, p_, count}},
                       ColumnsTerm{{s_.k, f_, g_.d_updates, p_, count}});
  }

  // d_updates := -dE
  void solve_back(std::int64_t first, std::int64_t count) {
    const Floats d;
    sum_products<false>(ahead_, count, values_, g_.d_updates, p_,
                        ColumnsTerm{{s_.k_transposed, pitch_, g_.later, p_, features_}});
    add_columns_of(s_.weights, g_.d_out, p_, values_, count, g_.d_updates);
    for (std::int64_t row = (count - 1) / kSolved * kSolved; row >= 0; row -= kSolved) {
      const std::int64_t end = std::min(count, row + kSolved);
      sum_products<true>(ahead_, kSolved, values_, g_.d_updates + row * p_, p_,
                         ColumnsTerm{{s_.key_weights + end * c_ + row, c_, g_.d_updates + end * p_,
                                      p_, count - end}});
      for (std::int64_t i = end - 1; i >= row; --i) {
        float* const update = g_.d_updates + i * p_;
        for (std::int64_t j = i + 1; j < end; ++j) {
          const Vector weight = hn::Set(d, s_.key_weights[j * c_ + i]);
          change_row(update, values_, [&](std::int64_t x, Vector sum) {
            return hn::MulAdd(weight, hn::Load(d, g_.d_updates + j * p_ + x), sum);
          });
        }
        *task_.gradients.d_beta.row_as<float>(t_.batch, t_.head, first + i) =
            row_dot(update, g_.errors + i * p_, values_);
        multiply_row(update, p_, hn::Set(d, -s_.beta[i]));
      }
    }
  }

  // Of pairs j < i, with one decay a head times that of the pair; d_sum := dP_ii.
  void differentiate_weights(std::int64_t count) {
    const Floats d;
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
      const auto weigh = [&](const float* of, float* to) {
        sum_products<false>(ahead_, rows, seen, to + row * c_, c_,
                            RowsTerm{of + row * p_, p_, g_.v_transposed, pitch_, values_});
      };
      weigh(g_.d_out, g_.d_weights);
      weigh(g_.d_updates, g_.d_key_weights);
    });
    for (std::int64_t i = 0; i < count; ++i) {
      g_.d_sum[i] = g_.d_weights[i * c_ + i];
      change_row(g_.d_weights + i * c_, end_of_row(i, count), [&](std::int64_t j, Vector of_q) {
        const Vector factor =
            has_channels_ ? hn::Set(d, 1.0f)
                          : gate(i, hn::Load(d, s_.gate + j), hn::Load(d, s_.gate + c_ + j));
        const auto seen = seen_by(i - 1, j);
        change_row(g_.d_key_weights + i * c_ + j, 1, [&](std::int64_t, Vector of_k) {
          return hn::IfThenElseZero(seen, hn::Mul(factor, of_k));
        });
        return hn::IfThenElseZero(seen, hn::Mul(factor, of_q));
      });
    }
  }

  // Makes d_q, d_k and d_columns, and gradients := what the later state gives to keys.
  void differentiate_rows(std::int64_t count) {
    const auto of_state = [&](const float* rows, const float* state, float* to) {
      sum_products<false>(ahead_, count, features_, to, f_, RowsTerm{rows, p_, state, f_, values_});
    };
    of_state(g_.d_out, g_.state_transposed, g_.d_q);
    of_state(g_.d_updates, g_.state_transposed, g_.d_k);
    of_state(s_.updates, g_.later_transposed, g_.gradients);
    std::fill_n(g_.d_columns, c_ * f_, 0.0f);
    if (has_channels_) {
      decay_by_channels(count);
      for (std::int64_t x = 0; x < f_; x += lanes())
        for (std::int64_t j = 0; j < count; ++j) add_pairs_of(j, count, x);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      for (float* const row : {g_.d_q + i * f_, g_.d_k + i * f_}) multiply_row(row, f_, gate(i));
      multiply_row(g_.gradients + i * f_, f_, gate_to_end(i, count));
    }
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
      const auto add = [&](const float* weights, float* to) {
        sum_products<true>(ahead_, rows, features_, to + row * f_, f_,
                           RowsTerm{weights + row * c_, c_, g_.k, f_, seen});
      };
      add(g_.d_weights, g_.d_q);
      add(g_.d_key_weights, g_.d_k);
    });
    add_columns_of(g_.d_weights, g_.q, f_, features_, count, g_.d_columns);
    add_columns_of(g_.d_key_weights, g_.k, f_, features_, count, g_.d_columns);
  }

  void decay_by_channels(std::int64_t count) {
    std::fill_n(g_.later_sums, f_, 1.0f);
    for (std::int64_t i = 0; i < count; ++i) {
      decay_row(g_.later_sums, s_.factors + i * f_, f_);
      decay_row(g_.d_q + i * f_, g_.later_sums, f_);
      decay_row(g_.d_k + i * f_, g_.later_sums, f_);
    }
    std::fill_n(g_.later_sums, f_, 1.0f);
    for (std::int64_t i = count - 1; i >= 0; --i) {
      decay_row(g_.gradients + i * f_, g_.later_sums, f_);
      decay_row(g_.later_sums, s_.factors + i * f_, f_);
    }
  }

  // Pairs of key j with the rows [j, count), of the channels from x on.
  HWY_INLINE void add_pairs_of(std::int64_t j, std::int64_t count, std::int64_t x) {
    const Floats d;
    const auto add = [&](float* to, Vector a, Vector b) {
      hn::Store(hn::MulAdd(a, b, hn::Load(d, to)), d, to);
    };
    const Vector key = hn::Load(d, g_.k + j * f_ + x);
    Vector decay = hn::Set(d, 1.0f);
    Vector column = hn::Zero(d);
    for (std::int64_t i = j + 1; i < count; ++i) {
      decay = without_tiny(hn::Mul(decay, hn::Load(d, s_.factors + i * f_ + x)));
      const Vector of_q = hn::Mul(decay, hn::Set(d, g_.d_weights[i * c_ + j]));
      const Vector of_k = hn::Mul(decay, hn::Set(d, g_.d_key_weights[i * c_ + j]));
      add(g_.d_q + i * f_ + x, of_q, key);
      add(g_.d_k + i * f_ + x, of_k, key);
      column = hn::MulAdd(of_q, hn::Load(d, g_.q + i * f_ + x), column);
      column = hn::MulAdd(of_k, hn::Load(d, g_.k + i * f_ + x), column);
    }
    hn::Store(column, d, g_.d_columns + j * f_ + x);
  }

  // Writes all but d_beta and adds up what a decay is a factor of, from the last token to the
  // first.
  void write(std::int64_t first, std::int64_t count) {
    const Floats d;
    float* const sums = g_.later_sums;  // begins with what all tokens leave to later chunks
    for (std::int64_t r = 0; r < f_; ++r)
      sums[r] = r < features_ ? s_.rescaling[r] * row_dot(s_.state + r * p_, g_.later + r * p_, p_)
                              : 0.0f;
    for (std::int64_t i = 0; i < count; ++i)
      change_row(sums, features_, [&](std::int64_t x, Vector sum) {
        const std::int64_t at = i * f_ + x;
        const Vector own = hn::Set(d, g_.d_sum[i]);  // which no decay is a factor of
        const Vector query = hn::Load(d, g_.q + at);
        const Vector key = hn::Load(d, g_.k + at);
        const Vector d_query = hn::Load(d, g_.d_q + at);
        const Vector as_later = hn::Load(d, g_.d_k + at);
        const Vector by_state = hn::Load(d, g_.gradients + at);
        const Vector as_key = hn::Add(hn::Load(d, g_.d_columns + at), by_state);
        hn::Store(hn::MulAdd(own, key, d_query), d, g_.d_q + at);
        hn::Store(hn::MulAdd(own, query, hn::Add(as_later, as_key)), d, g_.d_k + at);
        hn::Store(hn::MulAdd(query, d_query, hn::Mul(key, hn::Sub(as_later, as_key))), d,
                  g_.d_columns + at);
        return hn::MulAdd(key, by_state, sum);
      });
    for (std::int64_t i = count - 1; i >= 0; --i) {
      Vector all = hn::Zero(d);
      change_row(sums, features_, [&](std::int64_t x, Vector sum) {
        sum = hn::Add(sum, hn::Load(d, g_.d_columns + i * f_ + x));
        all = hn::Add(all, sum);
        return sum;
      });
      float* const out = task_.gradients.d_decay.row_as<float>(t_.batch, t_.head, first + i);
      if (has_channels_)
        store_row(sums, features_, 1.0f, out);
      else
        *out = hn::GetLane(hn::SumOfLanes(d, all));
    }
    put(g_.d_q, f_, 1.0f, task_.gradients.d_q, t_.head, first, count, false);
    put(g_.d_k, f_, 1.0f, task_.gradients.d_k, t_.kv_head(), first, count, task_.adds);
    put(g_.d_updates, p_, -1.0f, task_.gradients.d_v, t_.kv_head(), first, count, task_.adds);
  }
  void put(const float* rows, std::int64_t stride, float factor, const TensorView& to,
           std::int64_t head, std::int64_t first, std::int64_t count, bool adds) const {
    for (std::int64_t i = 0; i < count; ++i, rows += stride) {
      float* const out = to.row_as<float>(t_.batch, head, first + i);
      if (!adds) store_row(rows, to.extent.head_dim, factor, out);
      for (std::int64_t x = 0; x < to.extent.head_dim && adds; ++x) out[x] += factor * rows[x];
    }
  }

  const BackwardTask& task_;
  const MixerScratch& g_;
};

void delta_backward(const BackwardTask& task, const ChunkScratch& scratch,
                    const MixerScratch& more) {
  DeltaBackward(task, scratch, more).run();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(delta_backward);
}  // namespace

void run_delta_backward(const BackwardTask& task, const ChunkScratch& scratch,
                        const MixerScratch& more) {
  HWY_DYNAMIC_DISPATCH(delta_backward)(task, scratch, more);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
