// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/row_permutation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mask/row_permutation.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::uint32_t>;
using Vector = hn::Vec<Tag>;

// Computes the rounds of RowPermutation::at in 32 bits: only the low bits of its numbers count.
class Rounds {
 public:
  explicit Rounds(const RowPermutation& row)
      : shift_(row.shift()), mask_(low(row.mask())), inverse_(low(RowPermutation::kInverse)) {
    for (int round = 0; round < RowPermutation::kRounds; ++round)
      keys_[round] = low(row.key(round));
  }

  HWY_INLINE Vector operator()(Vector x) const {
    const Tag d;
    for (int round = RowPermutation::kRounds - 1; round >= 0; --round) {
      x = hn::Xor(x, hn::ShiftRightSame(x, shift_));
      x = hn::And(hn::Mul(hn::Sub(x, hn::Set(d, keys_[round])), hn::Set(d, inverse_)),
                  hn::Set(d, mask_));
    }
    return x;
  }

 private:
  static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

  int shift_;
  std::uint32_t mask_;
  std::uint32_t inverse_;
  std::uint32_t keys_[RowPermutation::kRounds];
};

// Writes whole vectors: the chosen lanes, then anything. CompressStore takes a hundred cycles on
// Zen 4 and 5. Returns how many are chosen.
HWY_INLINE std::size_t append(Vector x, hn::Mask<Tag> chosen, std::uint32_t* to) {
  const Tag d;
  hn::StoreU(hn::Compress(x, chosen), d, to);
  return hn::CountTrue(d, chosen);
}

// A place that the rounds map to n or more goes through them again: such places are set aside and
// handled together, so that no vector waits for its last lane.
void draw(const RowPermutation& row, std::uint64_t first, std::size_t count, DrawnElements& drawn) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  const Rounds rounds(row);
  const auto lane = hn::Iota(d, static_cast<std::uint32_t>(first));
  const auto places = [&](std::size_t i) {
    return hn::Add(lane, hn::Set(d, static_cast<std::uint32_t>(i)));
  };
  if (row.size() == row.mask() + 1) {  // all stay
    for (std::size_t i = 0; i < count; i += lanes) hn::Store(rounds(places(i)), d, drawn.at + i);
    return;
  }
  DrawnElements again;
  for (std::size_t i = 0; i < count; i += lanes) hn::Store(places(i), d, again.at + i);
  const auto size = hn::Set(d, static_cast<std::uint32_t>(row.size()));
  std::size_t n_drawn = 0;
  for (std::size_t left = count; left > 0;) {
    std::size_t n_again = 0;
    for (std::size_t i = 0; i < left; i += lanes) {
      const Vector x = rounds(hn::Load(d, again.at + i));
      const auto there = hn::FirstN(d, std::min(lanes, left - i));
      const auto stays = hn::Lt(x, size);
      n_drawn += append(x, hn::And(there, stays), drawn.at + n_drawn);
      n_again += append(x, hn::AndNot(stays, there), again.at + n_again);
    }
    left = n_again;
  }
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {
HWY_EXPORT(draw);
}  // namespace

void draw_elements(const RowPermutation& row, std::uint64_t first, std::size_t count,
                   DrawnElements& drawn) {
  HWY_DYNAMIC_DISPATCH(draw)(row, first, count, drawn);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
