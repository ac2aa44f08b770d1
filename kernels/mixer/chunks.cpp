// SPDX-License-Identifier: Apache-2.0
// Linear attention, performer and ssd in chunks of tokens. In a chunk, with the keys before it
// summed up in a state S = sum of phi(k) v^T,
//
//   W = phi(Q) phi(K)^T, only its lower triangle, times the decay between the tokens of an ssd
//   O = W V + phi(Q) S, over the row sums of W and phi(Q) (sum of phi(k)) unless it is an ssd
//   S := S + phi(K)^T V
//
// Where the operator is not causal, W does not exist: one pass sums up all keys, a second one
// multiplies all queries by the sum.
//
// Factors of an ssd's decay are 2 to differences of sums of a chunk, which are kept as two floats:
// where a token resets the state, the sum is far from 0 for all later ones.
//
// A feature of performer is 2^(its exponent - m), m for a key the largest of its feature so far,
// for a query that of its row plus m: whatever the inputs are, some products of a row are near 1.
// Only a key later in the chunk may have made an m so large that a row lost all it sees; then the
// chunk is cut in halves.
#include "kernels/mixer/chunks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mixer/chunks.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Chunks {
 public:
  Chunks(const ChunkTask& task, const ChunkScratch& scratch)
      : t_(task),
        s_(scratch),
        kind_(task.options.kind),
        features_(task.features()),
        values_(task.a.v.extent.head_dim),
        f_(round_up(features_, kMixerColumns)),
        p_(round_up(values_, kMixerColumns)),
        c_(round_up(task.chunk(), kMixerColumns)) {}

  void run() {
    begin();
    const std::int64_t n = t_.a.k.extent.length;
    for (std::int64_t first = 0; first < n; first += t_.chunk())
      step(first, std::min(t_.chunk(), n - first));
    if (t_.after != nullptr) end();
  }

 private:
  void begin() {
    std::fill_n(s_.sums, f_, 0.0f);
    std::fill_n(s_.largest, f_, kMinusInfinity);
    if (t_.before == nullptr) {
      std::fill_n(s_.state, f_ * p_, 0.0f);
      return;
    }
    load_rows(t_.before->matrix, t_.batch, t_.state_head(), 0, features_, p_, s_.state);
    const auto vector = [&](std::int64_t r) {
      return *t_.before->vector.row_as<float>(t_.batch, t_.state_head(), r);
    };
    if (kind_ == Mixer::ssd) decay_ = vector(0);
    for (std::int64_t r = 0; r < features_ && kind_ != Mixer::ssd; ++r) {
      s_.sums[r] = kind_ == Mixer::performer ? 1.0f : vector(r);
      s_.largest[r] = vector(r) * static_cast<float>(std::numbers::log2e);
    }
  }

  void end() const {
    const std::int64_t head = t_.state_head();
    for (std::int64_t r = 0; r < features_; ++r) {
      const bool mean = kind_ == Mixer::performer && s_.sums[r] != 0.0f;
      store_row(s_.state + r * p_, values_, mean ? 1.0f / s_.sums[r] : 1.0f,
                t_.after->matrix.row_as<float>(t_.batch, head, r));
      if (kind_ == Mixer::ssd) continue;
      *t_.after->vector.row_as<float>(t_.batch, head, r) =
          kind_ == Mixer::performer
              ? (s_.largest[r] + std::log2(s_.sums[r])) * static_cast<float>(std::numbers::ln2)
              : s_.sums[r];
    }
    if (kind_ == Mixer::ssd)
      *t_.after->vector.row_as<float>(t_.batch, head, 0) = static_cast<float>(decay_);
  }

  void step(std::int64_t first, std::int64_t count) {
    load(first, count);
    if (t_.attends) {
      if (t_.options.causal) weigh_keys(count);
      sum_weights(count);
      if (kind_ == Mixer::performer && count > 1 && underflows(count)) {
        step(first, count / 2);
        return step(first + count / 2, count - count / 2);
      }
    }
    if (kind_ == Mixer::performer) rescale();
    if (t_.attends) attend(first, count);
    if (t_.absorbs) absorb(count);
  }

  void load(std::int64_t first, std::int64_t count) {
    const MixerArguments& a = t_.a;
    const std::int64_t kv_head = t_.kv_head();
    if (kind_ == Mixer::performer) {
      load_key_features(first, count, kv_head);
      if (t_.attends) load_query_features(first, count);
    } else {
      if (t_.attends) load_rows(a.q, t_.batch, t_.head, first, count, f_, s_.q);
      if (t_.absorbs) load_rows(a.k, t_.batch, kv_head, first, count, f_, s_.k);
    }
    if (kind_ == Mixer::linear) {
      if (t_.attends) elu_features(count, features_, f_, s_.q);
      if (t_.absorbs) elu_features(count, features_, f_, s_.k);
    }
    if (kind_ == Mixer::ssd) load_decay(first, count);
    if (t_.absorbs) load_rows(a.v, t_.batch, kv_head, first, count, p_, s_.v);
  }

  // exponents [count][f] := rows omega in units of log 2; inputs := the rows.
  void multiply_omega(const TensorView& view, std::int64_t head, std::int64_t first,
                      std::int64_t count, float* exponents) {
    const std::int64_t dim = view.extent.head_dim;
    const std::int64_t d = round_up(dim, kMixerColumns);
    load_rows(view, t_.batch, head, first, count, d, s_.inputs);
    sum_products<false>(count, f_, exponents, f_, RowsTerm{s_.inputs, d, t_.omega, f_, dim});
  }

  void load_key_features(std::int64_t first, std::int64_t count, std::int64_t kv_head) {
    multiply_omega(t_.a.k, kv_head, first, count, s_.k);
    const std::int64_t d = round_up(t_.a.k.extent.head_dim, kMixerColumns);
    const Floats tag;
    std::copy_n(s_.largest, f_, s_.next_largest);
    for (std::int64_t j = 0; j < count; ++j) {
      const float* const x = s_.inputs + j * d;
      const auto half = hn::Set(
          tag, static_cast<float>(0.5 * t_.a.scale * std::numbers::log2e) * row_dot(x, x, d));
      change_row(s_.k + j * f_, f_, [&](std::int64_t r, Vector exponent) {
        const Vector lower = hn::Sub(exponent, half);
        float* const most = s_.next_largest + r;
        hn::Store(hn::Max(hn::Load(tag, most), lower), tag, most);
        return lower;
      });
    }
    for (std::int64_t j = 0; j < count; ++j)
      change_row(s_.k + j * f_, f_, [&](std::int64_t r, Vector exponent) {
        return exp2_fast(tag, hn::Sub(exponent, hn::Load(tag, s_.next_largest + r)));
      });
    // No query has a feature behind the last one.
    std::fill(s_.next_largest + features_, s_.next_largest + f_, kMinusInfinity);
    std::copy_n(s_.sums, f_, s_.next_sums);
    change_row(s_.next_sums, f_,
               [&](std::int64_t r, Vector sum) { return hn::Mul(sum, rescaling(r)); });
  }

  // Returns what becomes of sums with `largest` when it becomes `next_largest`.
  [[nodiscard]] Vector rescaling(std::int64_t r) const {
    const Floats tag;
    const Vector before = hn::Load(tag, s_.largest + r);
    const auto none = hn::Eq(before, hn::Set(tag, kMinusInfinity));
    return hn::IfThenZeroElse(none,
                              exp2_fast(tag, hn::Sub(before, hn::Load(tag, s_.next_largest + r))));
  }

  void load_query_features(std::int64_t first, std::int64_t count) {
    multiply_omega(t_.a.q, t_.head, first, count, s_.q);
    const Floats tag;
    for (std::int64_t i = 0; i < count; ++i) {
      float* const row = s_.q + i * f_;
      Vector most = hn::Set(tag, kMinusInfinity);
      change_row(row, f_, [&](std::int64_t r, Vector exponent) {
        const Vector whole = hn::Add(exponent, hn::Load(tag, s_.next_largest + r));
        most = hn::Max(most, whole);
        return whole;
      });
      most = hn::MaxOfLanes(tag, most);
      change_row(row, f_,
                 [&](std::int64_t, Vector whole) { return exp2_fast(tag, hn::Sub(whole, most)); });
    }
  }

  void load_decay(std::int64_t first, std::int64_t count) {
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double log2_factor =
          std::numbers::log2e * *t_.a.decay.row_as<float>(t_.batch, t_.head, first + i);
      sum += std::max(log2_factor, kReset);
      s_.gate[i] = static_cast<float>(sum);
      s_.gate[c_ + i] = static_cast<float>(sum - static_cast<double>(s_.gate[i]));
      decay_ += *t_.a.decay.row_as<float>(t_.batch, t_.head, first + i);
    }
  }

  // W := the products of the chunk's queries and keys up to the last one of each block of rows.
  void weigh_keys(std::int64_t count) {
    transpose_in([&](std::int64_t j) { return s_.k + j * f_; }, count, round_up(features_, 4),
                 round_up(count, kMixerColumns), 0u, s_.k_transposed);
    for (std::int64_t row = 0; row < count; row += kProductRows)
      sum_products<false>(kProductRows, std::min(count, row + kProductRows), s_.weights + row * c_,
                          c_,
                          RowsTerm{s_.q + row * f_, f_, s_.k_transposed,
                                   round_up(count, kMixerColumns), features_});
  }

  // Masks W and gives it its decay; inverse := 1 over the sums of weights, and q := its decay.
  void sum_weights(std::int64_t count) {
    const Floats tag;
    const float* const sums = kind_ == Mixer::performer ? s_.next_sums : s_.sums;
    for (std::int64_t i = 0; i < count; ++i) {
      const Vector high = hn::Set(tag, s_.gate[i]);
      const Vector low = hn::Set(tag, s_.gate[c_ + i]);
      Vector sum = hn::Zero(tag);
      const std::int64_t end = t_.options.causal ? round_up(i + 1, kProductRows) : 0;
      change_row(s_.weights + i * c_, end, [&](std::int64_t j, Vector weight) {
        if (kind_ == Mixer::ssd) {
          const Vector exponent = hn::Add(hn::Sub(high, hn::Load(tag, s_.gate + j)),
                                          hn::Sub(low, hn::Load(tag, s_.gate + c_ + j)));
          weight = hn::Mul(weight, exp2_fast(tag, exponent));
        }
        const auto seen = static_cast<std::size_t>(std::max<std::int64_t>(0, i + 1 - j));
        weight = hn::IfThenElseZero(hn::FirstN(tag, seen), weight);
        sum = hn::Add(sum, weight);
        return weight;
      });
      change_row(s_.q + i * f_, f_, [&](std::int64_t r, Vector feature) {
        if (kind_ == Mixer::ssd) return hn::Mul(feature, exp2_fast(tag, hn::Add(high, low)));
        sum = hn::MulAdd(feature, hn::Load(tag, sums + r), sum);
        return feature;
      });
      if (kind_ == Mixer::ssd) {
        s_.inverse[i] = 1.0f;
        continue;
      }
      const float total = hn::GetLane(hn::SumOfLanes(tag, sum));
      s_.inverse[i] = total == 0.0f ? 0.0f : 1.0f / total;
    }
  }

  // Returns whether the sums of some row are so small that lost terms would show.
  [[nodiscard]] bool underflows(std::int64_t count) const {
    return std::any_of(s_.inverse, s_.inverse + count,
                       [](float inverse) { return !(inverse > 0.0f && inverse < 0x1p60f); });
  }

  void rescale() {
    for (std::int64_t r = 0; r < features_; ++r) {
      const Floats tag;
      const Vector factor = hn::Set(tag, s_.largest[r] == kMinusInfinity
                                             ? 0.0f
                                             : std::exp2(s_.largest[r] - s_.next_largest[r]));
      change_row(s_.state + r * p_, p_,
                 [&](std::int64_t, Vector value) { return hn::Mul(value, factor); });
    }
    std::copy_n(s_.next_largest, f_, s_.largest);
    std::copy_n(s_.next_sums, f_, s_.sums);
  }

  void attend(std::int64_t first, std::int64_t count) {
    const auto of_state = [&](std::int64_t row) {
      return RowsTerm{s_.q + row * f_, f_, s_.state, p_, features_};
    };
    if (!t_.options.causal) sum_products<false>(count, values_, s_.out, p_, of_state(0));
    for (std::int64_t row = 0; row < count && t_.options.causal; row += kProductRows)
      sum_products<false>(
          kProductRows, values_, s_.out + row * p_, p_,
          RowsTerm{s_.weights + row * c_, c_, s_.v, p_, std::min(count, row + kProductRows)},
          of_state(row));
    for (std::int64_t i = 0; i < count; ++i)
      store_row(s_.out + i * p_, values_, s_.inverse[i],
                t_.a.out.row_as<float>(t_.batch, t_.head, first + i));
  }

  void absorb(std::int64_t count) {
    const Floats tag;
    if (kind_ == Mixer::ssd) {
      const Vector high = hn::Set(tag, s_.gate[count - 1]);
      const Vector low = hn::Set(tag, s_.gate[c_ + count - 1]);
      // In double and rounded once: a state that lasts is multiplied by it in every chunk.
      const Vector kept =
          hn::Set(tag, static_cast<float>(std::exp2(static_cast<double>(s_.gate[count - 1]) +
                                                    static_cast<double>(s_.gate[c_ + count - 1]))));
      change_row(s_.state, features_ * p_,
                 [&](std::int64_t, Vector x) { return hn::Mul(x, kept); });
      for (std::int64_t j = 0; j < count; ++j) {
        const Vector factor = exp2_fast(tag, hn::Add(hn::Sub(high, hn::Set(tag, s_.gate[j])),
                                                     hn::Sub(low, hn::Set(tag, s_.gate[c_ + j]))));
        change_row(s_.k + j * f_, f_, [&](std::int64_t, Vector x) { return hn::Mul(x, factor); });
      }
    } else {
      for (std::int64_t j = 0; j < count; ++j)
        change_row(s_.sums, f_, [&](std::int64_t r, Vector sum) {
          return hn::Add(sum, hn::Load(tag, s_.k + j * f_ + r));
        });
    }
    sum_products<true>(features_, values_, s_.state, p_, ColumnsTerm{{s_.k, f_, s_.v, p_, count}});
  }

  // A factor of 2^-1000 and less is 0, even times that of a whole sequence.
  static constexpr double kReset = -1000.0;

  const ChunkTask& t_;
  const ChunkScratch& s_;
  const Mixer kind_;
  const std::int64_t features_;
  const std::int64_t values_;
  const std::int64_t f_;
  const std::int64_t p_;
  const std::int64_t c_;
  double decay_ = 0.0;  // the sum of all logarithms
};

void run(const ChunkTask& task, const ChunkScratch& scratch) { Chunks(task, scratch).run(); }

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(run);
}  // namespace

void run_chunks(const ChunkTask& task, const ChunkScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(run)(task, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
