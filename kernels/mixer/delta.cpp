// SPDX-License-Identifier: Apache-2.0
// gated_delta in chunks: forward as delta_rows-inl.h says, and backward from the last chunk to the
// first, with the states before each made first. With A, P, U, S and D as there, G = c dO, T the
// gradient of the state after the chunk and E = V - (D K) S - A U, so that U = beta E:
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

#include "kernels/cpu/every_set-inl.h"

#include "kernels/mixer/delta_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Delta : DeltaRows {
 public:
  Delta(const ChunkTask& task, const ChunkScratch& scratch)
      : DeltaRows(task, scratch, task.after != nullptr) {}

  void run() {
    begin();
    const std::int64_t n = t_.a.k.extent.length;
    for (std::int64_t first = 0; first < n; first += t_.chunk()) {
      const std::int64_t count = std::min(t_.chunk(), n - first);
      look_ahead(first + count);
      load_chunk(first, count);
      weigh(count);
      solve(count, nullptr);
      if (t_.attends) attend(first, count);
      absorb(count);
    }
    if (t_.after != nullptr) end();
  }

 private:
  void begin() const {
    std::fill_n(s_.state, features_ * width_, 0.0f);
    for (std::int64_t r = 0; r < features_; ++r) {
      float* const row = s_.state + r * width_;
      if (width_ > p_) row[p_ + r] = 1.0f;
      if (t_.before == nullptr) continue;
      std::copy_n(t_.before->matrix.row_as<float>(t_.batch, t_.head, r), values_, row);
      if (width_ > p_)
        std::copy_n(t_.before->vector.row_as<float>(t_.batch, t_.head, r), features_, row + p_);
    }
  }
  void end() const {
    for (std::int64_t r = 0; r < features_; ++r) {
      const float* const row = s_.state + r * width_;
      store_row(row, values_, 1.0f, t_.after->matrix.row_as<float>(t_.batch, t_.head, r));
      store_row(row + p_, features_, 1.0f, t_.after->vector.row_as<float>(t_.batch, t_.head, r));
    }
  }

  void attend(std::int64_t first, std::int64_t count) {
    for_triangle_rows(count, [&](std::int64_t row, std::int64_t rows, std::int64_t seen) {
      sum_products<false>(ahead_, rows, values_, s_.out, p_,
                          RowsTerm{s_.weights + row * c_, c_, s_.updates, width_, seen},
                          RowsTerm{s_.q + row * f_, f_, s_.state, width_, features_});
      put_rows(s_.out, p_, static_cast<float>(t_.a.scale), t_.a.out, t_.head, first + row, rows,
               false);
    });
  }
};

class DeltaBackward : DeltaRows {
 public:
  DeltaBackward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more)
      : DeltaRows(task.chunks, scratch, false), task_(task), g_(more) {}

  void run() {
    const std::int64_t n = t_.a.k.extent.length;
    const std::int64_t chunk = t_.chunk();
    const std::int64_t last = ceil_div(n, chunk) - 1;
    load_matrix(t_.before == nullptr ? TensorView{} : t_.before->matrix, s_.state);
    load_matrix(task_.later.matrix, g_.later);
    attends_ = false;
    for (std::int64_t at = 0; at < last && task_.wants_all(); ++at) {
      std::copy_n(s_.state, f_ * p_, g_.states + at * f_ * p_);
      load_chunk(at * chunk, chunk);
      weigh(chunk);
      solve(chunk, nullptr);
      absorb(chunk);
    }
    attends_ = true;
    for (std::int64_t at = last; at >= 0; --at) {
      if (at < last && task_.wants_all()) std::copy_n(g_.states + at * f_ * p_, f_ * p_, s_.state);
      step(at * chunk, std::min(chunk, n - at * chunk));
    }
    if (task_.earlier.matrix.data != nullptr)
      put_rows(g_.later, p_, 1.0f, task_.earlier.matrix, t_.head, 0, features_, false);
  }

 private:
  // Without data it is 0.
  void load_matrix(const TensorView& from, float* to) const {
    std::fill_n(to, f_ * p_, 0.0f);
    if (from.data != nullptr) load_rows(from, t_.batch, t_.head, 0, features_, p_, to);
  }

  void step(std::int64_t first, std::int64_t count) {
    load_chunk(first, count);
    std::copy_n(s_.q, count * f_, g_.q);
    std::copy_n(s_.k, count * f_, g_.k);
    weigh(count);
    load_rows(task_.gradients.d_out, t_.batch, t_.head, first, count, p_, g_.d_out);
    multiply_row(g_.d_out, count * p_, hn::Set(Floats(), static_cast<float>(t_.a.scale)));
    if (task_.wants_all()) {
      solve(count, g_.errors);
      transpose(s_.state, p_, features_, values_, f_, g_.state_transposed);
      transpose(g_.later, p_, features_, values_, f_, g_.later_transposed);
      transpose(s_.updates, p_, count, values_, pitch_, g_.v_transposed);
    }
    solve_back(first, count);
    if (task_.wants_all()) {
      differentiate_weights(count);
      differentiate_rows(count);
      write(first, count);
    }
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
        if (task_.wants_all())
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
        for (std::int64_t j = 0; j < count; j += kSolved) add_pairs_of(j, count, x);
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

  // Pairs of some keys from j on with later rows, of the channels from x on.
  HWY_NOINLINE void add_pairs_of(std::int64_t j, std::int64_t count, std::int64_t x) const {
    const Floats d;
    Vector key[kSolved];
    Vector decay[kSolved];
    Vector column[kSolved];
#pragma GCC unroll 4
    for (std::int64_t n = 0; n < kSolved; ++n) {
      key[n] = hn::Load(d, g_.k + (j + n) * f_ + x);
      decay[n] = hn::Set(d, 1.0f);
      column[n] = hn::Zero(d);
    }
    for (std::int64_t i = j + 1; i < count; ++i) {
      const std::int64_t at = i * f_ + x;
      const Vector factor = hn::Load(d, s_.factors + at);
      const Vector query = hn::Load(d, g_.q + at);
      const Vector later = hn::Load(d, g_.k + at);
      Vector d_query = hn::Load(d, g_.d_q + at);
      Vector d_later = hn::Load(d, g_.d_k + at);
#pragma GCC unroll 4
      for (std::int64_t n = 0; n < kSolved; ++n) {
        if (j + n >= i) continue;
        decay[n] = without_tiny(hn::Mul(decay[n], factor));
        const Vector of_q = hn::Mul(decay[n], hn::Set(d, g_.d_weights[i * c_ + j + n]));
        const Vector of_k = hn::Mul(decay[n], hn::Set(d, g_.d_key_weights[i * c_ + j + n]));
        d_query = hn::MulAdd(of_q, key[n], d_query);
        d_later = hn::MulAdd(of_k, key[n], d_later);
        column[n] = hn::MulAdd(of_q, query, hn::MulAdd(of_k, later, column[n]));
      }
      hn::Store(d_query, d, g_.d_q + at);
      hn::Store(d_later, d, g_.d_k + at);
    }
#pragma GCC unroll 4
    for (std::int64_t n = 0; n < kSolved; ++n)  // with some behind the last row, which are not used
      hn::Store(column[n], d, g_.d_columns + (j + n) * f_ + x);
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
    put_rows(g_.d_q, f_, 1.0f, task_.gradients.d_q, t_.head, first, count, false);
    put_rows(g_.d_k, f_, 1.0f, task_.gradients.d_k, t_.kv_head(), first, count, task_.adds);
    put_rows(g_.d_updates, p_, -1.0f, task_.gradients.d_v, t_.kv_head(), first, count, task_.adds);
  }
  const BackwardTask& task_;
  const MixerScratch& g_;
};

void forward(const ChunkTask& task, const ChunkScratch& scratch) { Delta(task, scratch).run(); }

void backward(const BackwardTask& task, const ChunkScratch& scratch, const MixerScratch& more) {
  DeltaBackward(task, scratch, more).run();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(forward);
HWY_EXPORT(backward);

void run_delta(const ChunkTask& task, const ChunkScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(forward)(task, scratch);
}

void run_delta_backward(const BackwardTask& task, const ChunkScratch& scratch,
                        const MixerScratch& more) {
  HWY_DYNAMIC_DISPATCH(backward)(task, scratch, more);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
