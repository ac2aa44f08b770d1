// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_pattern.h"

#include <algorithm>

namespace qb {
namespace {

// Says how many of the positions lie in the runs: none, all, or perhaps some of them.
Coverage inside(const Pattern::Global& global, const TokenGroup& positions) {
  const auto run = std::ranges::upper_bound(global.runs, positions.first, {}, &Range::end);
  if (run == global.runs.end() || run->begin > positions.last()) return Coverage::none;
  return run->begin <= positions.first && positions.last() < run->end ? Coverage::all
                                                                      : Coverage::partial;
}

Coverage both(Coverage a, Coverage b) {
  if (a == Coverage::none || b == Coverage::none) return Coverage::none;
  return a == Coverage::all && b == Coverage::all ? Coverage::all : Coverage::partial;
}

// These say `all` or `none` of a single pair.
Coverage coverage(const Pattern::Band& band, const TokenGroup& q, const TokenGroup& k) {
  if (k.last() < q.first - band.left || k.first > q.last() + band.right) return Coverage::none;
  const bool within = k.first >= q.last() - band.left && k.last() <= q.first + band.right;
  if (within && band.dilation == 1) return Coverage::all;
  if (q.count > 1 || k.count > 1) return Coverage::partial;
  return (k.first - q.first) % band.dilation == 0 ? Coverage::all : Coverage::none;
}

Coverage coverage(const Pattern::Cells& cells, const TokenGroup& q, const TokenGroup& k) {
  const Range first = cells.cell(q.first);
  const Range last = cells.cell(q.last());
  if (k.last() < first.begin || k.first >= last.end) return Coverage::none;
  return first == last && k.first >= first.begin && k.last() < first.end ? Coverage::all
                                                                         : Coverage::partial;
}

Coverage coverage(const Pattern::Columns& columns, const TokenGroup&, const TokenGroup& k) {
  if (k.count > 1 && k.stride % columns.period != 0) return Coverage::partial;
  return k.first % columns.period >= columns.first ? Coverage::all : Coverage::none;
}

Coverage coverage(const Pattern::Global& global, const TokenGroup& q, const TokenGroup& k) {
  const Coverage rows = inside(global, q);
  const Coverage columns = inside(global, k);
  if (rows == Coverage::all || columns == Coverage::all) return Coverage::all;
  return rows == Coverage::none && columns == Coverage::none ? Coverage::none : Coverage::partial;
}

Coverage coverage(const Pattern::Random& random, const TokenGroup& q, const TokenGroup& k) {
  if (random.count == random.n_blocks) return Coverage::all;
  const bool one_block =
      floor_divide(q.first, random.block) == floor_divide(q.last(), random.block) &&
      k.first / random.block == k.last() / random.block;
  if (!one_block) return Coverage::partial;
  const std::uint64_t place = random.order_of(floor_divide(q.first, random.block))
                                  .place_of(static_cast<std::uint64_t>(k.first / random.block));
  return place < static_cast<std::uint64_t>(random.count) ? Coverage::all : Coverage::none;
}

}  // namespace

Range Pattern::Cells::cell(std::int64_t p) const {
  if (p < 0) return {p, p};
  if (block > 0) return {p - p % block, p - p % block + block};
  const auto end = std::ranges::upper_bound(ends, p);
  if (end == ends.end()) return {p, p};
  return {end == ends.begin() ? 0 : *std::prev(end), *end};
}

bool Pattern::allows(std::int64_t p, std::int64_t k) const {
  return coverage({p, 1, 1}, {k, 1, 1}) == Coverage::all;
}

Coverage Pattern::coverage(const TokenGroup& q, const TokenGroup& k) const {
  if (q.count == 0 || k.count == 0) return Coverage::none;
  constexpr Pattern::Band kCausal{kUnbounded, 0, 1};
  Coverage together = Coverage::none;
  for (const Pattern::Atom& atom : atoms) {
    const Coverage cut = atom.causal ? qb::coverage(kCausal, q, k) : Coverage::all;
    if (cut == Coverage::none) continue;
    const Coverage one = both(
        cut, std::visit([&](const auto& shape) { return qb::coverage(shape, q, k); }, atom.shape));
    if (one == Coverage::all) return Coverage::all;
    if (one == Coverage::partial) together = Coverage::partial;
  }
  return together;
}

bool Pattern::looks_back_only() const {
  return std::ranges::all_of(atoms, [](const Pattern::Atom& atom) {
    const auto* band = std::get_if<Pattern::Band>(&atom.shape);
    return atom.causal || (band != nullptr && band->right <= 0);
  });
}

}  // namespace qb
