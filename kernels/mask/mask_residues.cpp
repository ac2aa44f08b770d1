#include "kernels/mask/mask_pieces.h"

#include <algorithm>

namespace qb {
namespace {

// With fewer rows than this, a class's tiles do not fill the vectors.
constexpr std::int64_t kLeastRows = 16;

Mask with_atoms(const Mask& mask, std::vector<Atom> atoms) {
  Mask part = mask;
  part.pattern = std::make_shared<const Pattern>(Pattern{{}, std::move(atoms)});
  return part;
}

}  // namespace

MaskBlock ResidueSplit::class_block(const MaskBlock& whole, std::int64_t first) const {
  const auto every = [this](const Positions& all, std::int64_t begin) -> Positions {
    const std::int64_t count = std::max<std::int64_t>(0, ceil_divide(all.count - begin, stride));
    return {all.at(begin), count, all.stride * stride};
  };
  return {0, 0, every(whole.q, first), every(whole.k, (first + phase) % stride)};
}

std::optional<ResidueSplit> split_by_residue(const Mask& mask, const MaskBlock& block) {
  if (mask.kind != MaskKind::pattern || block.q.count < 2 * kLeastRows) return std::nullopt;
  std::optional<ResidueSplit> split;
  std::int64_t dilation = 0;
  std::vector<Atom> near;
  std::vector<Atom> far;
  for (const Atom& atom : mask.pattern->atoms) {
    const auto* band = std::get_if<BandAtom>(&atom.shape);
    if (band != nullptr && !split) {
      const auto steps = band_steps(mask, block, band->dilation);
      if (steps && steps->step > 1 && block.q.count / steps->step >= kLeastRows) {
        split.emplace();
        split->stride = steps->step;
        split->phase = steps->phase;
        dilation = band->dilation;
      }
    }
    (band != nullptr && split && band->dilation == dilation ? far : near).push_back(atom);
  }
  if (!split) return std::nullopt;
  split->near = with_atoms(mask, std::move(near));
  split->far = with_atoms(mask, std::move(far));
  // Scattered keys cannot be taken out of a class.
  if (PieceMaker(split->near, block).scatters()) return std::nullopt;
  return split;
}

}  // namespace qb
