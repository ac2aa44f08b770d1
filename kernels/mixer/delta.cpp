// SPDX-License-Identifier: Apache-2.0
// gated_delta forward, chunk after chunk (delta_rows-inl.h).
#include "kernels/mixer/chunks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mixer/delta.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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
      if (t_.before != nullptr)
        std::copy_n(t_.before->matrix.row_as<float>(t_.batch, t_.head, r), values_, row);
      if (t_.before != nullptr && t_.after != nullptr)
        std::copy_n(t_.before->vector.row_as<float>(t_.batch, t_.head, r), features_, row + p_);
      else if (t_.after != nullptr)
        row[p_ + r] = 1.0f;
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
      for (std::int64_t i = 0; i < rows; ++i)
        store_row(s_.out + i * p_, values_, static_cast<float>(t_.a.scale),
                  t_.a.out.row_as<float>(t_.batch, t_.head, first + row + i));
    });
  }
};

void run_delta_head(const ChunkTask& task, const ChunkScratch& scratch) {
  Delta(task, scratch).run();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(run_delta_head);
}  // namespace

void run_delta(const ChunkTask& task, const ChunkScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(run_delta_head)(task, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
