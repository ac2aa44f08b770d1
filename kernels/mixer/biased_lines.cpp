// SPDX-License-Identifier: Apache-2.0
// Computes one line of one key-value head at a time, whose keys are transposed once for all query
// heads that read them. A block of query rows has its scores S of the whole line in the cache:
//
//   S = B + (c Q) K^T,   P = 2^(log2(e) (S - the largest of the row)),   O = P V over the sums of P
//
// Scores stay natural until the largest is subtracted: beside a bias of 10^4 the factor log2(e)
// would round them once more. Lines of a head follow one another, so that its B stays in the cache.
#include "kernels/mixer/mix_parts.h"

#include <algorithm>
#include <numbers>

#include "kernels/mixer/chunks.h"
#include "kernels/parallel.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// row [count] := e^(row - the largest), and 0 up to a whole vector. Less than 2^-100 is 0: products
// below 2^-126 would slow the sums down. Returns 1 over the sum; 0 where all are -inf.
HWY_INLINE float exponentiate(float* row, std::int64_t count) {
  const Floats d;
  const Vector none = hn::Set(d, kMinusInfinity);
  Vector most = none;
  change_row(row, count, [&](std::int64_t j, Vector score) {
    score = hn::IfThenElse(hn::FirstN(d, static_cast<std::size_t>(count - j)), score, none);
    most = hn::Max(most, score);
    return score;
  });
  most = hn::MaxOfLanes(d, most);
  most = hn::IfThenElse(hn::Eq(most, none), hn::Zero(d), most);
  const Vector log2e = hn::Set(d, static_cast<float>(std::numbers::log2e));
  Vector sum = hn::Zero(d);
  change_row(row, count, [&](std::int64_t, Vector score) {
    const Vector exponent = hn::Mul(log2e, hn::Sub(score, most));
    const auto vanishes = hn::Lt(exponent, hn::Set(d, -100.0f));  // NaN is kept
    const Vector weight = exp2_fast(d, hn::IfThenElse(vanishes, none, exponent));
    sum = hn::Add(sum, weight);
    return weight;
  });
  const float total = hn::GetLane(hn::SumOfLanes(d, sum));
  return total == 0.0f ? 0.0f : 1.0f / total;
}

constexpr std::int64_t kKeys = 64;  // of a block; transposed it stays in the first-level cache
constexpr std::int64_t kMostRows = 24;

// Takes views of one line of one key-value head and its query heads.
class BiasedLine {
 public:
  std::int64_t floats = 0;  // of its scratch memory

  // has_next: another line of these heads follows in memory. Without memory it counts floats.
  BiasedLine(const MixerArguments& a, bool has_next, float* memory) : a_(a), has_next_(has_next) {
    const std::int64_t rows = rows_ + kRowsBehind;
    floats = carve_floats(memory, {{&k_, kKeys * f_},
                                   {&k_transposed_, c_ * f_},
                                   {&v_, n_ * p_},
                                   {&q_, rows * f_},
                                   {&scores_, rows * c_},
                                   {&out_, rows * p_}});
  }

  void run() {
    for (std::int64_t key = 0; key < n_; key += kKeys) {
      load_rows(a_.k, 0, 0, key, keys_from(key), f_, k_);
      transpose_in([&](std::int64_t j) { return k_ + j * f_; }, keys_from(key), f_, kKeys, 0u,
                   k_transposed_ + key * f_);
    }
    values_ = rows_in_place(a_.v, 0, 0, 0, n_, p_, v_);
    for (std::int64_t h = 0; h < a_.q.extent.heads; ++h) {
      look_ahead(h);
      for (std::int64_t first = 0; first < n_; first += rows_)
        attend(h, first, std::min(rows_, n_ - first));
    }
  }

 private:
  [[nodiscard]] std::int64_t keys_from(std::int64_t key) const { return std::min(kKeys, n_ - key); }

  // Fetches the rows of the next line between the products of this one.
  void look_ahead(std::int64_t h) {
    next_line_ = {};
    if (!has_next_) return;
    for (const TensorView& view : {a_.q.heads(h, 1), a_.out.heads(h, 1), a_.k, a_.v}) {
      if (h > 0 && next_line_.count == 2) break;  // the first head has fetched keys and values
      const std::int64_t size = size_of(view.dtype);
      next_line_.rows[next_line_.count++] = {view.row(0, 0, n_), view.token_stride * size,
                                             view.extent.head_dim * size};
    }
    next_line_.end = n_;
    next_line_.at_once = ceil_div(3 * kKeys, n_);  // products have blocks of 6 rows or fewer
  }

  void attend(std::int64_t h, std::int64_t first, std::int64_t rows) {
    const Vector scale = hn::Set(Floats(), static_cast<float>(a_.scale));
    load_changed(a_.q, 0, h, first, rows, f_, q_, [&](Vector x) { return hn::Mul(x, scale); });
    load_rows(a_.pair_bias, 0, h, first, rows, c_, scores_);
    for (std::int64_t key = 0; key < n_; key += kKeys)
      sum_products<true>(next_line_, rows, keys_from(key), scores_ + key, c_,
                         RowsTerm{q_, f_, k_transposed_ + key * f_, kKeys, d_});
    float inverse[kMostRows];
    for (std::int64_t r = 0; r < rows; ++r) inverse[r] = exponentiate(scores_ + r * c_, n_);
    std::fill_n(out_, rows * p_, 0.0f);
    for (std::int64_t key = 0; key < n_; key += kKeys)
      sum_products<true>(next_line_, rows, a_.v.extent.head_dim, out_, p_,
                         RowsTerm{scores_ + key, c_, values_ + key * p_, p_, keys_from(key)});
    for (std::int64_t r = 0; r < rows; ++r)
      store_row(out_ + r * p_, a_.v.extent.head_dim, inverse[r],
                a_.out.row_as<float>(0, h, first + r));
  }

  const MixerArguments& a_;
  const bool has_next_;
  const std::int64_t n_ = a_.k.extent.length;
  const std::int64_t d_ = a_.k.extent.head_dim;
  const std::int64_t f_ = round_up(d_, kMixerColumns);
  const std::int64_t p_ = round_up(a_.v.extent.head_dim, kMixerColumns);
  const std::int64_t c_ = round_up(n_, kKeys);
  // The queries of a block, whose scores take 256 KiB, or are those of 6 rows.
  const std::int64_t rows_ = std::clamp<std::int64_t>(65536 / n_, 6, kMostRows);
  float* k_;                       // [kKeys][f]
  float* k_transposed_;            // for each block of keys [f][kKeys]
  float* v_;                       // [n][p]
  float* q_;                       // [rows][f], times the scale
  float* scores_;                  // [rows][c]
  float* out_;                     // [rows][p]
  const float* values_ = nullptr;  // [n][p], where they lie or v_
  Ahead next_line_;
};

std::int64_t attend_line(const MixerArguments& a, bool has_next, float* memory) {
  BiasedLine line(a, has_next, memory);
  if (memory != nullptr) line.run();
  return line.floats;
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(attend_line);

void attend_biased_lines(const MixerArguments& a, std::int64_t length,
                         const KernelContext& context) {
  const std::int64_t lines = a.k.extent.length / length;
  const std::int64_t of_head = a.k.extent.batch * lines;
  const std::int64_t group = a.q.extent.heads / a.k.extent.heads;
  const auto attend = [&](std::int64_t item, bool has_next, float* scratch) {
    const std::int64_t head = item / of_head;
    const auto part = [&](const TensorView& view, std::int64_t count) {
      return heads_of(view, item % of_head / lines, head * count, count)
          .tokens(item % lines * length, length);
    };
    MixerArguments line = a;
    for (TensorView* const view : {&line.q, &line.out}) *view = part(*view, group);
    for (TensorView* const view : {&line.k, &line.v}) *view = part(*view, 1);
    line.pair_bias = a.pair_bias.heads(head * group, group);
    return HWY_DYNAMIC_DISPATCH(attend_line)(line, has_next && (item + 1) % lines != 0, scratch);
  };
  const std::int64_t floats = attend(0, false, nullptr);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats * context.threads),
                      "axial", context.worker);
  if (!context.computes) return;
  const std::int64_t items = a.k.extent.heads * of_head;
  parallel_for(items, context.threads, std::max<std::int64_t>(1, items / context.threads / 8),
               [&](std::int64_t begin, std::int64_t end, int thread) {
                 for (std::int64_t item = begin; item < end; ++item)
                   attend(item, item + 1 < end, memory.as<float>() + thread * floats);
               });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
