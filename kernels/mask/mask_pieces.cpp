// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_pieces.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace qb {
namespace {

// A pattern's borders cut tiles into no fewer rows than this: fewer do not fill vectors.
constexpr std::int64_t kLeastRows = 16;

// Groups of one token fit any stride, so the other group's is taken.
std::int64_t common_stride(const MaskBlock& block) {
  if (block.q.count <= 1) return block.k.stride;
  if (block.k.count <= 1 || block.k.stride == block.q.stride) return block.q.stride;
  throw std::logic_error(fmt::format("groups of strides {} and {} have no common diagonal",
                                     block.q.stride, block.k.stride));
}

std::int64_t modulo(std::int64_t a, std::int64_t m) { return (a % m + m) % m; }

// Returns x with a * x = 1 mod m, for coprime a and m.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  std::int64_t r = m;
  std::int64_t next_r = modulo(a, m);
  std::int64_t t = 0;
  std::int64_t next_t = 1;
  while (next_r != 0) {
    const std::int64_t quotient = r / next_r;
    r = std::exchange(next_r, r - quotient * next_r);
    t = std::exchange(next_t, t - quotient * next_t);
  }
  return modulo(t, m);
}

}  // namespace

std::optional<PieceMaker::Steps> PieceMaker::steps_of(std::int64_t dilation) const {
  const std::int64_t apart = first_ - key_first_;
  const std::int64_t common = std::gcd(stride_, dilation);
  if (apart % common != 0) return std::nullopt;
  Steps steps{dilation / common, 0};
  if (steps.step > 1) {
    const auto phase = static_cast<__int128>(modulo(apart / common, steps.step)) *
                       inverse(stride_ / common, steps.step);
    steps.phase = static_cast<std::int64_t>(phase % steps.step);
  }
  return steps;
}

Range PieceMaker::Piece::live(std::int64_t row) const {
  if (row < rows.begin || row >= rows.end) return {keys.begin, keys.begin};
  return intersection(keys, {row + low, row + high + 1});
}

PieceMaker::PieceMaker(const Mask& mask, const MaskBlock& block)
    : pattern_(mask.pattern),
      first_(block.q.first + mask.offset),
      key_first_(block.k.first),
      stride_(common_stride(block)),
      n_rows_(block.q.count),
      n_keys_(block.k.count) {
  if (mask.kind != MaskKind::pattern) {
    const std::int64_t right = mask.kind == MaskKind::full ? kUnbounded : 0;
    pattern_ = std::make_shared<const Pattern>(
        Pattern{{}, {{Pattern::Band{kUnbounded, right, 1}, false}}});
  }
  scatters_ = std::ranges::any_of(pattern_->atoms,
                                  [this](const Pattern::Atom& atom) { return scatters(atom); });
}

// Returns the indices of the positions [begin, end).
Range PieceMaker::keys_between(std::int64_t begin, std::int64_t end) const {
  return intersection({0, n_keys_}, {ceil_divide(begin - key_first_, stride_),
                                     ceil_divide(end - key_first_, stride_)});
}

Range PieceMaker::rows_between(std::int64_t begin, std::int64_t end) const {
  return intersection({0, n_rows_},
                      {ceil_divide(begin - first_, stride_), ceil_divide(end - first_, stride_)});
}

std::vector<std::int64_t> PieceMaker::cuts() const {
  std::vector<std::int64_t> wanted;
  std::vector<std::int64_t> needed;  // always cut: a global row sees all keys
  std::int64_t coarsest = 0;
  const auto every = [&](std::int64_t block) {
    // Cuts at two periods that do not divide each other would leave very small tiles.
    if (block / stride_ < kLeastRows || (coarsest != 0 && block % coarsest != 0)) return;
    if (coarsest == 0) coarsest = block;
    for (std::int64_t p = (floor_divide(first_, block) + 1) * block;
         rows_between(p, kUnbounded).begin < n_rows_; p += block)
      wanted.push_back(rows_between(p, kUnbounded).begin);
  };
  for (const Pattern::Atom& atom : pattern_->atoms) {
    if (const auto* cells = std::get_if<Pattern::Cells>(&atom.shape)) {
      if (cells->block > 0) every(cells->block);
      for (const std::int64_t end : cells->ends)
        wanted.push_back(rows_between(end, kUnbounded).begin);
    }
    if (const auto* random = std::get_if<Pattern::Random>(&atom.shape)) every(random->block);
    if (const auto* global = std::get_if<Pattern::Global>(&atom.shape))
      for (const Range& run : global->runs) {
        const Range rows = rows_between(run.begin, run.end);
        if (rows.count() > 0) needed.insert(needed.end(), {rows.begin, rows.end});
      }
  }
  std::ranges::sort(wanted);
  std::vector<std::int64_t> cuts;
  for (const std::int64_t row : wanted)
    if (row >= kLeastRows && row < n_rows_ && (cuts.empty() || row - cuts.back() >= kLeastRows))
      cuts.push_back(row);
  cuts.insert(cuts.end(), needed.begin(), needed.end());
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

void PieceMaker::make(const Range& rows, std::vector<Piece>& pieces) const {
  for (const Pattern::Atom& atom : pattern_->atoms)
    if (!scatters(atom))
      std::visit([&](const auto& shape) { make(shape, {rows, atom.causal, pieces}); }, atom.shape);
}

// Cuts the piece by the causal mask and to the keys that its rows can see.
void PieceMaker::add(Piece piece, const Target& to) const {
  if (to.causal) piece.high = std::min(piece.high, floor_divide(first_ - key_first_, stride_));
  if (piece.rows.count() <= 0) return;
  piece.keys =
      intersection(piece.keys, {piece.rows.begin + piece.low, piece.rows.end - 1 + piece.high + 1});
  if (piece.keys.count() > 0 && piece.low <= piece.high) to.pieces.push_back(piece);
}

// key_first + j stride - first - i stride is in [-left, right] and a multiple of the dilation.
void PieceMaker::make(const Pattern::Band& band, const Target& to) const {
  const std::int64_t apart = first_ - key_first_;
  Piece piece{to.rows, {0, n_keys_}};
  piece.low = ceil_divide(apart - band.left, stride_);
  piece.high = floor_divide(apart + band.right, stride_);
  const auto steps = steps_of(band.dilation);
  if (!steps) return;
  piece.step = steps->step;
  piece.phase = steps->phase;
  add(piece, to);
}

void PieceMaker::make(const Pattern::Cells& cells, const Target& to) const {
  for (std::int64_t row = std::max(to.rows.begin, rows_between(0, kUnbounded).begin);
       row < to.rows.end;) {
    const Range cell = cells.cell(position(row));
    if (cell.count() == 0) return;
    const Range of_cell = intersection({row, to.rows.end}, rows_between(cell.begin, cell.end));
    add({of_cell, keys_between(cell.begin, cell.end)}, to);
    row = of_cell.end;
  }
}

void PieceMaker::make(const Pattern::Columns& columns, const Target& to) const {
  const auto seen = [&](std::int64_t key) {
    return (key_first_ + key * stride_) % columns.period >= columns.first;
  };
  if (stride_ == 1) {
    for (std::int64_t at = key_first_ - key_first_ % columns.period + columns.first;
         at - columns.period < key_first_ + n_keys_; at += columns.period)
      add({to.rows, keys_between(at, at + columns.period - columns.first)}, to);
    return;
  }
  for (std::int64_t key = 0; key < n_keys_; ++key) {
    const std::int64_t begin = key;
    while (key < n_keys_ && seen(key)) ++key;
    if (key > begin) add({to.rows, {begin, key}}, to);
  }
}

void PieceMaker::make(const Pattern::Global& global, const Target& to) const {
  for (const Range& run : global.runs) {
    add({intersection(to.rows, rows_between(run.begin, run.end)), {0, n_keys_}}, to);
    add({to.rows, keys_between(run.begin, run.end)}, to);
  }
}

void PieceMaker::make(const Pattern::Random& random, const Target& to) const {
  if (random.count == random.n_blocks) return add({to.rows, {0, n_keys_}}, to);
  for (std::int64_t row = to.rows.begin; row < to.rows.end;) {
    const std::int64_t row_block = floor_divide(position(row), random.block);
    const Range of_block = intersection(
        {row, to.rows.end}, rows_between(row_block * random.block, (row_block + 1) * random.block));
    random.for_each_block(row_block, [&](std::int64_t block) {
      add({of_block, keys_between(block * random.block, (block + 1) * random.block)}, to);
    });
    row = of_block.end;
  }
}

bool PieceMaker::scatters(const Pattern::Atom& atom) const {
  const auto* random = std::get_if<Pattern::Random>(&atom.shape);
  return random != nullptr && random->block < kLeastRows && random->count < random->n_blocks;
}

}  // namespace qb
