#include "kernels/cuda/flash_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "harness/base/status.h"
#include "kernels/cuda/flash_layout.h"

namespace qb::cuda {
namespace {

constexpr std::int64_t kMaxHeadDim = 256;
constexpr std::int64_t kMergeTileRows = 32;
constexpr std::int64_t kFarAway = std::int64_t{1} << 30;  // from every column of a block

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

std::int32_t near(std::int64_t value) { return narrow(std::clamp(value, -kFarAway, kFarAway)); }

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// ---- Groups: local rows and tokens --------------------------------------------------------------

struct LocalGroup {
  std::int64_t begin = 0;  // first local row
  RowGroup rows;
  [[nodiscard]] std::int64_t end() const { return begin + rows.count; }
  [[nodiscard]] std::int64_t token(std::int64_t local) const {
    return rows.first + (local - begin) * rows.stride;
  }
};

// Groups without rows are left out. With `join`, a group that goes on where the one before ended
// becomes one with it.
std::vector<LocalGroup> local_groups(const std::vector<RowGroup>& groups, bool join) {
  std::vector<LocalGroup> result;
  std::int64_t begin = 0;
  for (const RowGroup& group : groups) {
    if (group.count == 0) continue;
    if (join && !result.empty()) {
      RowGroup& last = result.back().rows;
      const bool goes_on = last.first + last.count * last.stride == group.first &&
                           (last.stride == group.stride || group.count == 1);
      if (goes_on) {
        last.count += group.count;
        begin += group.count;
        continue;
      }
    }
    result.push_back({begin, group});
    begin += group.count;
  }
  return result;
}

void check_groups(const char* what, const std::vector<RowGroup>& groups, std::int64_t n_local,
                  std::int64_t n_tokens) {
  std::int64_t rows = 0;
  for (const RowGroup& group : groups) {
    const std::int64_t last = group.first + (group.count - 1) * group.stride;
    if (group.count < 0 || group.stride < 1 ||
        (group.count > 0 && (group.first < 0 || last >= n_tokens)))
      throw std::invalid_argument(
          fmt::format("flash: {} group of {} tokens from {} on, stride {}, is outside [0, {})",
                      what, group.count, group.first, group.stride, n_tokens));
    rows += group.count;
  }
  if (rows != n_local)
    throw std::invalid_argument(
        fmt::format("flash: {} groups of {} tokens, a schedule of {}", what, rows, n_local));
}

// The stride of all groups of more than one token, as the copy engine needs it: 0 where they
// differ.
std::int64_t common_stride(const GroupedCall& call, std::vector<RowGroup> GroupedWorker::*groups) {
  std::int64_t stride = 0;
  for (const GroupedWorker& worker : call.workers)
    for (const RowGroup& group : worker.*groups) {
      if (group.count < 2 || group.stride == stride) continue;
      if (stride != 0) return 0;
      stride = group.stride;
    }
  return std::max<std::int64_t>(stride, 1);
}

// 16-byte rows and strides, and a stride of tokens that divides their number.
bool box_readable(const TensorView& view, std::int64_t stride) {
  const auto aligned = [](std::int64_t elements) { return elements % 8 == 0; };
  return stride != 0 && view.extent.length % stride == 0 && aligned(view.token_stride) &&
         aligned(view.head_stride) && aligned(view.batch_stride) &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

// One read of the keys for all heads of a group comes first, in the smallest tile that holds them.
FlashVariant choose_variant(const GroupedCall& call, FlashPath path, std::int64_t dim) {
  std::int64_t rows = 0;
  for (const GroupedWorker& worker : call.workers)
    rows = std::max(rows, worker.schedule->n_queries);
  const int thin_rows = flash_shape(FlashVariant::thin, dim).tile_rows;
  const int wide_rows = flash_shape(FlashVariant::wide, dim).tile_rows;
  if (heads_to_pack(call, thin_rows) > 1) return FlashVariant::thin;
  if (heads_to_pack(call, wide_rows) > 1) return FlashVariant::wide;
  if (rows <= thin_rows) return FlashVariant::thin;
  if (path != FlashPath::sm90 || dim > flash_shape(FlashVariant::hopper, dim).padded_dim)
    return FlashVariant::wide;
  const std::int64_t q_stride = common_stride(call, &GroupedWorker::q_groups);
  const std::int64_t k_stride = common_stride(call, &GroupedWorker::kv_groups);
  return box_readable(call.q, q_stride) && box_readable(call.k, k_stride) &&
                 box_readable(call.v, k_stride)
             ? FlashVariant::hopper
             : FlashVariant::wide;
}

// ---- Tiles: live blocks of keys -----------------------------------------------------------------

// A tile before it is split: its rows, and the lists of its blocks.
struct Tile {
  std::size_t worker = 0;
  std::size_t group = 0;   // of the worker's q groups
  std::int64_t begin = 0;  // local rows
  std::int64_t end = 0;
  std::vector<MaskedStep> masked;
  std::vector<FullRun> runs;
  std::int64_t n_full = 0;
  [[nodiscard]] std::int64_t n_steps() const {
    return static_cast<std::int64_t>(masked.size()) + n_full;
  }
};

class TileBuilder {
 public:
  TileBuilder(const TileSchedule& schedule, const std::vector<LocalGroup>& keys,
              std::int64_t key_block, std::vector<std::uint64_t>& bits)
      : schedule_(schedule), keys_(keys), key_block_(key_block), bits_(bits) {}

  // Blocks do not straddle groups of keys.
  void add_span(Tile& tile, const KeySpan& span) const {
    const KeyRange live = span.live(tile.begin, tile.end - 1);
    auto group =
        std::upper_bound(keys_.begin(), keys_.end(), live.begin,
                         [](std::int64_t key, const LocalGroup& g) { return key < g.end(); });
    for (; group != keys_.end() && group->begin < live.end; ++group) {
      const std::int64_t end = std::min(live.end, group->end());
      for (std::int64_t key = std::max(live.begin, group->begin); key < end; key += key_block_)
        add_block(tile, span, {key, std::min(end, key + key_block_)}, *group);
    }
  }

 private:
  void add_block(Tile& tile, const KeySpan& span, const KeyRange& keys,
                 const LocalGroup& group) const {
    MaskedStep step{narrow(group.token(keys.begin)),
                    narrow(group.rows.stride),
                    narrow(keys.count()),
                    narrow(-kFarAway),
                    narrow(kFarAway),
                    -1};
    bool every_pair = true;
    if (span.kind == SpanKind::bits) {
      const auto [some, all] = add_bits(tile, span, keys, step);
      if (!some) return;
      every_pair = all;
    } else {
      every_pair =
          span.live(tile.begin).end >= keys.end && span.live(tile.end - 1).begin <= keys.begin;
      if (span.kind != SpanKind::full) step.hi = near(tile.begin + span.offset - keys.begin);
      if (span.kind == SpanKind::band) step.lo = near(tile.begin + span.low - keys.begin);
    }
    if (every_pair && keys.count() == key_block_)
      add_full(tile, step.k_token, step.k_stride);
    else
      tile.masked.push_back(step);
  }

  struct Seen {
    bool some = false;
    bool all = true;
  };

  // The bits of a block, a row of words for each row of the tile; none where they are all the same.
  Seen add_bits(const Tile& tile, const KeySpan& span, const KeyRange& keys,
                MaskedStep& step) const {
    const std::size_t first = bits_.size();
    const std::int64_t shift = (keys.begin - span.begin) % 64;
    const std::int64_t first_word = (keys.begin - span.begin) / 64;
    Seen seen;
    for (std::int64_t row = tile.begin; row < tile.end; ++row) {
      const std::uint64_t* const words = schedule_.row_bits(span, row);
      for (std::int64_t begin = 0; begin < key_block_; begin += 64) {
        const std::int64_t n_bits = std::clamp<std::int64_t>(keys.count() - begin, 0, 64);
        const std::int64_t at = first_word + begin / 64;
        std::uint64_t word = n_bits == 0 ? 0 : words[at] >> shift;
        if (shift != 0 && n_bits > 64 - shift) word |= words[at + 1] << (64 - shift);
        const std::uint64_t every = n_bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - n_bits);
        word &= every;
        seen.some = seen.some || word != 0;
        seen.all = seen.all && word == every;
        bits_.push_back(word);
      }
    }
    if (seen.some && !seen.all) {
      if (bits_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Unsupported("flash on CUDA: more than 2^31 words of mask bits");
      step.bits = narrow(static_cast<std::int64_t>(first));
    } else {
      bits_.resize(first);
    }
    return seen;
  }

  void add_full(Tile& tile, std::int64_t token, std::int64_t stride) const {
    ++tile.n_full;
    if (!tile.runs.empty()) {
      FullRun& last = tile.runs.back();
      if (last.k_stride == stride && last.k_token + last.n_blocks * key_block_ * stride == token) {
        ++last.n_blocks;
        return;
      }
    }
    tile.runs.push_back({narrow(token), narrow(stride), 1});
  }

  const TileSchedule& schedule_;
  const std::vector<LocalGroup>& keys_;
  std::int64_t key_block_;
  std::vector<std::uint64_t>& bits_;
};

// All tiles of a worker: rows of the schedule's tiles, cut to the kernel's tile and where a group
// ends; rows in no tile of the schedule get tiles without blocks, which write the identity.
void add_tiles(const GroupedWorker& worker, std::size_t worker_index, const FlashShape& shape,
               std::int64_t tile_tokens, std::vector<Tile>& tiles,
               std::vector<std::uint64_t>& bits) {
  const TileSchedule& schedule = *worker.schedule;
  const std::vector<LocalGroup> queries = local_groups(worker.q_groups, false);
  const std::vector<LocalGroup> keys = local_groups(worker.kv_groups, true);
  const TileBuilder builder(schedule, keys, shape.key_block, bits);
  std::size_t group = 0;
  const auto add_rows = [&](std::int64_t begin, std::int64_t end, const QueryTile* of) {
    while (begin < end) {
      while (queries[group].end() <= begin) ++group;
      Tile tile;
      tile.worker = worker_index;
      tile.group = group;
      tile.begin = begin;
      tile.end = std::min({end, begin + tile_tokens, queries[group].end()});
      if (of != nullptr)
        for (std::int64_t s = of->first_span; s < of->first_span + of->n_spans; ++s)
          builder.add_span(tile, schedule.spans[index(s)]);
      begin = tile.end;
      tiles.push_back(std::move(tile));
    }
  };
  std::int64_t row = 0;
  for (const QueryTile& tile : schedule.tiles) {
    add_rows(row, tile.begin, nullptr);
    add_rows(tile.begin, tile.end, &tile);
    row = tile.end;
  }
  add_rows(row, schedule.n_queries, nullptr);
}

// ---- Outputs: who writes where, and what is merged ----------------------------------------------

// A group of query tokens, whichever workers compute it.
struct OutputGroup {
  RowGroup rows;
  std::int64_t heads_covered = 0;  // over its workers
  std::vector<bool> head_seen;
  bool direct = true;
  struct Source {
    std::int64_t begin = 0;  // rows of the group
    std::int64_t end = 0;
    MergeSource source;  // its row belongs to `begin`
  };
  std::vector<Source> sources;
};

class OutputMap {
 public:
  OutputMap(const GroupedCall& call) : call_(call), heads_(call.q.extent.heads) {
    owner_.assign(index(call.q.extent.length), -1);
    for (const GroupedWorker& worker : call.workers)
      for (const LocalGroup& group : local_groups(worker.q_groups, false)) add(worker, group.rows);
    for (OutputGroup& group : groups_)
      if (call.accumulate || group.heads_covered != heads_) group.direct = false;
  }

  OutputGroup& of(const RowGroup& rows) { return groups_[index(ids_.at(key(rows)))]; }

  std::int64_t add_partial_rows(std::int64_t count) {
    const std::int64_t first = n_partial_rows_;
    n_partial_rows_ += count;
    if (n_partial_rows_ > std::numeric_limits<std::int32_t>::max())
      throw Unsupported("flash: more than 2^31 rows of partials");
    return first;
  }
  [[nodiscard]] std::int64_t n_partial_rows() const { return n_partial_rows_; }

  void list_merges(WorkLists& lists) const {
    for (const OutputGroup& group : groups_)
      if (!group.direct) list_group(group, lists);
    if (call_.accumulate) return;
    const std::int64_t n = call_.q.extent.length;
    for (std::int64_t begin = 0; begin < n;) {
      std::int64_t end = begin;
      while (end < n && owner_[index(end)] < 0) ++end;
      list_rows({begin, end - begin, 1}, 0, end - begin, 0, 0, lists);
      begin = end + 1;
    }
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  static Key key(const RowGroup& rows) { return {rows.first, rows.count, rows.stride}; }

  void add(const GroupedWorker& worker, const RowGroup& rows) {
    const auto [at, is_new] = ids_.try_emplace(key(rows), narrow(std::ssize(groups_)));
    if (is_new) {
      OutputGroup group;
      group.rows = rows;
      group.head_seen.assign(index(heads_), false);
      for (std::int64_t i = 0; i < rows.count; ++i) {
        std::int32_t& owner = owner_[index(rows.first + i * rows.stride)];
        if (owner >= 0)
          throw std::invalid_argument(fmt::format(
              "flash: token {} is in two query groups that differ", rows.first + i * rows.stride));
        owner = at->second;
      }
      groups_.push_back(std::move(group));
    }
    OutputGroup& group = groups_[index(at->second)];
    const std::int64_t head_end = worker.head_end == 0 ? heads_ : worker.head_end;
    for (std::int64_t head = worker.head_begin; head < head_end; ++head) {
      if (group.head_seen[index(head)]) group.direct = false;
      group.head_seen[index(head)] = true;
    }
    group.heads_covered = std::count(group.head_seen.begin(), group.head_seen.end(), true);
  }

  // Between two neighbouring row boundaries the sources are the same.
  static void list_group(const OutputGroup& group, WorkLists& lists) {
    std::vector<std::int64_t> cuts{0, group.rows.count};
    for (const OutputGroup::Source& source : group.sources) {
      cuts.push_back(source.begin);
      cuts.push_back(source.end);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const std::int64_t first_source = std::ssize(lists.merge_sources);
      for (const OutputGroup::Source& source : group.sources)
        if (source.begin <= cuts[c] && cuts[c + 1] <= source.end) {
          MergeSource rows = source.source;
          rows.row = narrow(rows.row + cuts[c] - source.begin);
          lists.merge_sources.push_back(rows);
        }
      list_rows(group.rows, cuts[c], cuts[c + 1], first_source,
                std::ssize(lists.merge_sources) - first_source, lists);
    }
  }

  static void list_rows(const RowGroup& rows, std::int64_t begin, std::int64_t end,
                        std::int64_t first_source, std::int64_t n_sources, WorkLists& lists) {
    for (std::int64_t row = begin; row < end; row += kMergeTileRows)
      lists.merge_tiles.push_back({narrow(rows.first + row * rows.stride), narrow(rows.stride),
                                   narrow(std::min(kMergeTileRows, end - row)), narrow(row - begin),
                                   narrow(first_source), narrow(n_sources)});
  }

  const GroupedCall& call_;
  std::int64_t heads_;
  std::map<Key, std::int32_t> ids_;
  std::vector<OutputGroup> groups_;
  std::vector<std::int32_t> owner_;  // of each token; -1: no group
  std::int64_t n_partial_rows_ = 0;
};

// Steps [begin, end) of a tile: masked ones first.
void list_steps(const Tile& tile, std::int64_t begin, std::int64_t end, std::int64_t key_block,
                TileWork& work, WorkLists& lists) {
  const auto n_masked = static_cast<std::int64_t>(tile.masked.size());
  work.first_masked = narrow(std::ssize(lists.masked));
  work.first_run = narrow(std::ssize(lists.runs));
  for (std::int64_t i = begin; i < std::min(end, n_masked); ++i)
    lists.masked.push_back(tile.masked[index(i)]);
  work.n_masked = narrow(std::ssize(lists.masked)) - work.first_masked;
  std::int64_t block = n_masked;  // step of the run's first block
  for (const FullRun& run : tile.runs) {
    const std::int64_t first = std::max(begin, block);
    const std::int64_t last = std::min(end, block + run.n_blocks);
    if (first < last)
      lists.runs.push_back({narrow(run.k_token + (first - block) * key_block * run.k_stride),
                            run.k_stride, narrow(last - first)});
    block += run.n_blocks;
  }
  work.n_full = narrow(std::max<std::int64_t>(0, end - std::max(begin, n_masked)));
}

std::string text(const Extent& extent) {
  return fmt::format("[{}, {}, {}, {}]", extent.batch, extent.heads, extent.length,
                     extent.head_dim);
}

void require_extent(const char* name, const Extent& found, const Extent& expected) {
  if (found != expected)
    throw std::invalid_argument(
        fmt::format("flash: {} is {}, expected {}", name, text(found), text(expected)));
}

void check_worker(const GroupedCall& call, const GroupedWorker& worker) {
  if (worker.schedule == nullptr) throw std::invalid_argument("flash: no tile schedule");
  worker.schedule->validate();
  check_groups("query", worker.q_groups, worker.schedule->n_queries, call.q.extent.length);
  check_groups("key", worker.kv_groups, worker.schedule->n_keys, call.k.extent.length);
  const std::int64_t head_end = worker.head_end == 0 ? call.q.extent.heads : worker.head_end;
  if (worker.head_begin < 0 || worker.head_begin >= head_end || head_end > call.q.extent.heads)
    throw std::invalid_argument(fmt::format("flash: query heads [{}, {}) of {}", worker.head_begin,
                                            head_end, call.q.extent.heads));
}

}  // namespace

void check_call(const GroupedCall& call) {
  const Extent& q = call.q.extent;
  const Extent& k = call.k.extent;
  const std::int64_t e = call.v.extent.head_dim;
  if (call.k.dtype != call.q.dtype || call.v.dtype != call.q.dtype)
    throw std::invalid_argument(fmt::format("flash: q, k and v are of different types: {}, {}, {}",
                                            word(call.q.dtype), word(call.k.dtype),
                                            word(call.v.dtype)));
  if (call.q.dtype != DType::f16 && call.q.dtype != DType::bf16)
    throw Unsupported(
        fmt::format("flash on CUDA takes f16 and bf16, not {}; kernel materialized takes f32 there",
                    word(call.q.dtype)));
  if (call.out.dtype != DType::f32 || call.lse.dtype != DType::f32)
    throw std::invalid_argument("flash: out and lse must be f32");
  for (const std::int64_t dim : {q.head_dim, e})
    if (dim < 1 || dim > kMaxHeadDim)
      throw Unsupported(
          fmt::format("head_dim {} is outside the range 1..{} of flash on CUDA", dim, kMaxHeadDim));
  if (k.heads < 1 || q.heads % k.heads != 0)
    throw std::invalid_argument(fmt::format(
        "flash: {} query heads are no multiple of {} key-value heads", q.heads, k.heads));
  require_extent("k", k, {q.batch, k.heads, k.length, q.head_dim});
  require_extent("v", call.v.extent, {q.batch, k.heads, k.length, e});
  require_extent("out", call.out.extent, {q.batch, q.heads, q.length, e});
  require_extent("lse", call.lse.extent, {q.batch, q.heads, q.length, 1});
  for (const std::int64_t n : {q.length, k.length})
    if (n > std::numeric_limits<std::int32_t>::max())
      throw Unsupported(fmt::format("flash on CUDA: {} tokens, the most are 2^31 - 1", n));
  for (const GroupedWorker& worker : call.workers) check_worker(call, worker);
}

AlignedInputs align_inputs(const GroupedCall& call) {
  const auto input = [](const TensorView& view, float factor) {
    const auto whole = [](std::int64_t elements) { return elements % kChunkColumns == 0; };
    const Extent& x = view.extent;
    const bool aligned = whole(x.head_dim) && (x.length < 2 || whole(view.token_stride)) &&
                         (x.heads < 2 || whole(view.head_stride)) &&
                         (x.batch < 2 || whole(view.batch_stride)) &&
                         reinterpret_cast<std::uintptr_t>(view.data) % kChunkBytes == 0;
    AlignedInput result{!aligned || factor != 1.0F, x, factor};
    result.extent.head_dim = (x.head_dim + kChunkColumns - 1) / kChunkColumns * kChunkColumns;
    return result;
  };
  const float factor = call.scale > 0.0 ? 1.0F : call.scale < 0.0 ? -1.0F : 0.0F;
  return {input(call.q, factor), input(call.k, 1.0F), input(call.v, 1.0F),
          factor == 0.0F ? 1.0 : std::abs(call.scale)};
}

ListOffsets list_offsets(const WorkLists& lists) {
  std::size_t end = 0;
  const auto place = [&end](const auto& list) {
    const std::size_t begin = end;
    end += (list.size() * sizeof(list[0]) + 255) / 256 * 256;
    return begin;
  };
  ListOffsets at;
  at.tiles = place(lists.tiles);
  at.masked = place(lists.masked);
  at.runs = place(lists.runs);
  at.bits = place(lists.bits);
  at.merge_tiles = place(lists.merge_tiles);
  at.merge_sources = place(lists.merge_sources);
  at.bytes = end;
  return at;
}

Extent partial_extent(const GroupedCall& call, const WorkLists& lists) {
  return {call.q.extent.batch, call.q.extent.heads, lists.n_partial_rows,
          (call.v.extent.head_dim + 3) / 4 * 4};
}

BoxedTensor boxed_tensor(const TensorView& view, std::int64_t stride, int rows) {
  const Extent& x = view.extent;
  return {view.data,
          {x.head_dim, stride, x.length / stride, x.heads, x.batch},
          {1, view.token_stride, view.token_stride * stride, view.head_stride, view.batch_stride},
          rows};
}

FlashParameters flash_parameters(const GroupedCall& call, const WorkLists& lists, double scale) {
  const auto address = [](const TensorView& view) {
    return TensorAddress{view.data, view.batch_stride, view.head_stride, view.token_stride};
  };
  const Extent& q = call.q.extent;
  FlashParameters p;
  p.q = address(call.q);
  p.k = address(call.k);
  p.v = address(call.v);
  p.out[0] = address(call.out);
  p.lse[0] = address(call.lse);
  p.n_tiles = narrow(std::ssize(lists.tiles));
  p.pack = lists.pack;
  p.n_heads = narrow(q.batch * q.heads / lists.pack);
  p.heads_per_kv = narrow(q.heads / call.k.extent.heads);
  const std::int64_t kv_bytes =
      call.k.extent.length * (q.head_dim + call.v.extent.head_dim) * size_of(call.q.dtype);
  p.heads_at_once = heads_at_once(p.n_heads, p.heads_per_kv / p.pack, kv_bytes);
  p.q_heads = narrow(q.heads);
  p.head_dim = narrow(q.head_dim);
  p.value_dim = narrow(call.out.extent.head_dim);
  p.q_map_stride = lists.q_map_stride;
  p.k_map_stride = lists.k_map_stride;
  p.scale_log2 = static_cast<float>(scale * 1.4426950408889634);
  return p;
}

FlashShape flash_shape(FlashVariant variant, std::int64_t head_dim) {
  const int padded = head_dim <= 64 ? 64 : head_dim <= 128 ? 128 : 256;
  switch (variant) {
    case FlashVariant::wide:
      if (padded == 64) return {variant, 64, 128, 64, 2};
      return padded == 128 ? FlashShape{variant, 128, 128, 64, 2}
                           : FlashShape{variant, 256, 64, 64, 1};
    case FlashVariant::thin:
      return {variant, padded, 16, 64, padded == 256 ? 1 : 2};
    case FlashVariant::hopper:
      return padded == 64 ? FlashShape{variant, 64, 192, 128, 1}
                          : FlashShape{variant, 128, 128, 128, 1};
  }
  return {};
}

std::int32_t heads_to_pack(const GroupedCall& call, int tile_rows) {
  if (call.k.extent.heads < 1) return 1;
  const std::int64_t group = call.q.extent.heads / call.k.extent.heads;
  for (const GroupedWorker& worker : call.workers)
    if (worker.schedule->n_queries * group > tile_rows || worker.head_begin % group != 0 ||
        worker.head_end % group != 0)
      return 1;
  return narrow(group);
}

std::int64_t steps_per_split(std::int64_t n_tiles, std::int64_t total_steps,
                             std::int64_t longest_tile, std::int64_t places) {
  constexpr std::int64_t kFewestSteps = 4;
  constexpr std::int64_t kMostSplits = 128;
  if (n_tiles >= places || longest_tile <= kFewestSteps)
    return std::max<std::int64_t>(longest_tile, 1);
  const std::int64_t even = (total_steps + places - 1) / places;
  return std::max({kFewestSteps, even, (longest_tile + kMostSplits - 1) / kMostSplits});
}

std::int32_t heads_at_once(std::int64_t n_heads, std::int64_t heads_per_kv,
                           std::int64_t bytes_per_kv_head) {
  constexpr std::int64_t kCacheBytes = 24 << 20;
  const std::int64_t kv_heads =
      std::max<std::int64_t>(1, kCacheBytes / std::max<std::int64_t>(1, bytes_per_kv_head));
  return narrow(
      std::clamp<std::int64_t>(kv_heads * heads_per_kv, 1, std::max<std::int64_t>(n_heads, 1)));
}

WorkLists lower(const GroupedCall& call, FlashPath path, int n_sms) {
  const std::int64_t dim = std::max(call.q.extent.head_dim, call.v.extent.head_dim);
  WorkLists lists;
  lists.shape = flash_shape(choose_variant(call, path, dim), dim);
  if (lists.shape.variant != FlashVariant::hopper)
    lists.pack = heads_to_pack(call, lists.shape.tile_rows);
  lists.q_map_stride = narrow(common_stride(call, &GroupedWorker::q_groups));
  lists.k_map_stride = narrow(common_stride(call, &GroupedWorker::kv_groups));

  std::vector<Tile> tiles;
  for (std::size_t w = 0; w < call.workers.size(); ++w)
    add_tiles(call.workers[w], w, lists.shape, lists.shape.tile_rows / lists.pack, tiles,
              lists.bits);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const Tile& a, const Tile& b) { return a.n_steps() > b.n_steps(); });
  std::int64_t total_steps = 0;
  for (const Tile& tile : tiles) total_steps += tile.n_steps();
  const std::int64_t slots = call.q.extent.batch * call.q.extent.heads / lists.pack;
  const std::int64_t split = steps_per_split(
      std::ssize(tiles) * slots, total_steps * slots, tiles.empty() ? 0 : tiles.front().n_steps(),
      static_cast<std::int64_t>(n_sms) * lists.shape.blocks_per_sm);

  OutputMap outputs(call);
  std::vector<std::vector<LocalGroup>> queries;
  std::map<std::pair<std::size_t, std::size_t>, std::int64_t> base_rows;
  for (const GroupedWorker& worker : call.workers)
    queries.push_back(local_groups(worker.q_groups, false));
  for (const Tile& tile : tiles)
    if (tile.n_steps() > split) outputs.of(queries[tile.worker][tile.group].rows).direct = false;

  for (const Tile& tile : tiles) {
    const GroupedWorker& worker = call.workers[tile.worker];
    const LocalGroup& group = queries[tile.worker][tile.group];
    OutputGroup& output = outputs.of(group.rows);
    const std::int64_t first_row = tile.begin - group.begin;
    TileWork work;
    work.q_token = narrow(group.token(tile.begin));
    work.q_stride = narrow(group.rows.stride);
    work.n_rows = narrow(tile.end - tile.begin);
    work.head_begin = narrow(worker.head_begin);
    work.head_end = narrow(worker.head_end == 0 ? call.q.extent.heads : worker.head_end);
    for (std::int64_t step = 0; step == 0 || step < tile.n_steps(); step += split) {
      if (output.direct) {
        work.out_row = work.q_token;
        work.out_stride = work.q_stride;
      } else {
        work.to_partial = 1;
        work.out_stride = 1;
        OutputGroup::Source source{0, group.rows.count, {0, work.head_begin, work.head_end}};
        if (step == 0) {
          const auto [at, is_new] = base_rows.try_emplace({tile.worker, tile.group}, 0);
          if (is_new) {
            at->second = outputs.add_partial_rows(group.rows.count);
            source.source.row = narrow(at->second);
            output.sources.push_back(source);
          }
          work.out_row = narrow(at->second + first_row);
        } else {
          work.out_row = narrow(outputs.add_partial_rows(work.n_rows));
          source.begin = first_row;
          source.end = first_row + work.n_rows;
          source.source.row = work.out_row;
          output.sources.push_back(source);
        }
      }
      list_steps(tile, step, std::min(step + split, tile.n_steps()), lists.shape.key_block, work,
                 lists);
      lists.tiles.push_back(work);
    }
  }
  lists.n_partial_rows = narrow(outputs.n_partial_rows());
  outputs.list_merges(lists);
  return lists;
}

KernelTiles flash_tiles(std::int64_t head_dim, FlashPath path) {
  if (head_dim < 1 || head_dim > kMaxHeadDim)
    throw Unsupported(fmt::format("head_dim {} is outside the range 1..{} of flash on CUDA",
                                  head_dim, kMaxHeadDim));
  const bool hopper = path == FlashPath::sm90 && head_dim <= 128;
  const FlashShape shape =
      flash_shape(hopper ? FlashVariant::hopper : FlashVariant::wide, head_dim);
  return {shape.tile_rows, shape.key_block};
}

std::int64_t flash_workspace_bytes(const GroupedCall& call, FlashPath path, int n_sms) {
  check_call(call);
  const AlignedInputs inputs = align_inputs(call);
  GroupedCall aligned = call;
  std::int64_t bytes = 0;
  const auto align = [&bytes](TensorView& view, const AlignedInput& input) {
    if (!input.copied) return;
    view = contiguous_view(nullptr, view.dtype, input.extent);
    bytes += view.bytes();
  };
  align(aligned.q, inputs.q);
  align(aligned.k, inputs.k);
  align(aligned.v, inputs.v);
  const WorkLists lists = lower(aligned, path, n_sms);
  const Extent partial = partial_extent(call, lists);
  const std::int64_t rows = partial.batch * partial.heads * partial.length;
  return bytes + static_cast<std::int64_t>(list_offsets(lists).bytes) +
         rows * (partial.head_dim + 1) * size_of(DType::f32);
}

}  // namespace qb::cuda
