// SPDX-License-Identifier: Apache-2.0
// Cases that are sums of others: a stack of layers, each in a layout, with the changes of layout
// between them, and a prefill in chunks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/source_root.h"
#include "base/status.h"
#include "harness/workload/sum_workload.h"

namespace qb {
namespace {

const std::string kStackFolder = "data/stacks/";
const std::vector<std::string> kStackColumns = {
    "layer", "count", "q_heads", "kv_heads", "head_dim", "gate", "taps", "hidden_dim", "source"};
constexpr std::string_view kAttention = "attention";
constexpr std::int64_t kHiddenHead = 64;  // hidden states move as heads of this width

Stack parse_stack(std::string_view text, const std::string& name) {
  const CsvTable table = CsvTable::parse(text, name);
  if (table.header() != kStackColumns)
    throw UsageError(
        fmt::format("{}:1: the header must be {}", name, fmt::join(kStackColumns, ",")));
  Stack stack{{}, 0};
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto fail = [&](const std::string& what) {
      throw UsageError(fmt::format("{}:{}: {}", name, row + 2, what));
    };
    const auto number = [&](std::string_view column, std::int64_t most) {
      const auto value = parse_integer(table.text(row, column));
      if (!value || *value < 1 || *value > most)
        fail(fmt::format("{} must be an integer from 1 to {}", column, most));
      return value.value_or(1);
    };
    const auto is_given = [&](std::string_view column) { return !table.text(row, column).empty(); };
    StackLayer& layer = stack.layers.emplace_back();
    const std::string& kind = table.text(row, "layer");
    if (kind != kAttention) layer.kind = parse_word<Mixer>(kind);
    if (kind != kAttention &&
        (!layer.kind || !has_causal_form(*layer.kind) || *layer.kind == Mixer::performer ||
         *layer.kind == Mixer::selective_scan))
      fail("layer must be attention, gated_delta, ssd or linear, not " + kind);
    layer.count = static_cast<int>(number("count", 10'000));
    layer.q_heads = number("q_heads", 65'536);
    layer.kv_heads = number("kv_heads", 65'536);
    layer.head_dim = number("head_dim", 256);
    if (is_given("gate")) {
      const auto gate = parse_word<DecayGate>(table.text(row, "gate"));
      if (!gate) fail(unknown_word("gate", table.text(row, "gate"), all_words<DecayGate>()));
      layer.gate = *gate;
    }
    if (is_given("taps")) layer.taps = number("taps", 64);
    const std::int64_t hidden_dim = number("hidden_dim", 1'000'000);
    if (hidden_dim % kHiddenHead != 0 || (stack.hidden_dim > 0 && hidden_dim != stack.hidden_dim))
      fail("hidden_dim must be a multiple of 64, the same in each record");
    stack.hidden_dim = hidden_dim;
    if (!is_given("source")) fail("a layer needs its source");
  }
  if (stack.layers.empty()) throw UsageError(name + ": a stack needs a layer");
  return stack;
}

struct Placement {
  TokenLayout home;
  TokenLayout recurrence;
  TokenLayout attention;
};

Placement placement_of(StackLayout layout) {
  constexpr TokenLayout kContiguous = TokenLayout::contiguous;
  constexpr TokenLayout kZigzag = TokenLayout::zigzag;
  switch (layout) {
    case StackLayout::zigzag_home:
      return {kZigzag, kContiguous, kZigzag};
    case StackLayout::zigzag:
    case StackLayout::zigzag_heads:
      return {kZigzag, kZigzag, kZigzag};
    case StackLayout::contiguous:
      return {kContiguous, kContiguous, kContiguous};
    case StackLayout::contiguous_home:
    case StackLayout::contiguous_qkv:
    case StackLayout::best:
      break;
  }
  return {kContiguous, kContiguous, kZigzag};
}

// The case without what makes it a sum.
Case part_of(const Case& c, WorkloadKind workload) {
  Case part = c;
  part.workload = workload;
  part.stack = {};
  part.prefill = {};
  part.mixer = {};
  return part;
}

Case moving_case(const Case& c) {
  Case moving = part_of(c, WorkloadKind::relayout);
  moving.pass = Passes::forward;
  moving.mask = MaskKind::full;
  moving.cpu_isa.reset();
  return moving;
}

Case layer_case(const Case& c, const StackLayer& layer, TokenLayout layout) {
  Case part = part_of(c, layer.kind ? WorkloadKind::sequence_mixer : WorkloadKind::attention);
  part.shape.q_heads = layer.q_heads;
  part.shape.kv_heads = layer.kv_heads;
  part.shape.head_dim = part.shape.value_dim = layer.head_dim;
  if (!layer.kind) {
    if (c.workers > 1) part.algorithm = layout == TokenLayout::zigzag ? "zigzag" : "ring";
    return part;
  }
  part.mixer = {.kind = layer.kind, .gate = layer.gate, .chunk = c.mixer.chunk};
  if (c.workers == 1) return part;
  part.mixer.layout = layout;
  part.mixer.scan =
      c.stack.layout == StackLayout::zigzag_heads ? ScanKind::all_to_all : c.mixer.scan;
  part.mixer.blocks = c.mixer.blocks;
  return part;
}

int passes_of(const Case& c) { return c.pass == Passes::both ? 2 : 1; }

// The short convolution of queries, keys and values.
CasePart convolution(const Case& computing, const StackLayer& layer) {
  Case part = computing;
  part.mixer = {
      .kind = Mixer::short_convolution, .rank = layer.taps, .layout = computing.mixer.layout};
  part.shape.q_heads += 2 * part.shape.kv_heads;
  part.shape.kv_heads = part.shape.q_heads;
  return {fmt::format("{} convolution", word(*layer.kind)), resolve_case(part), layer.count};
}

}  // namespace

Stack read_stack(const std::string& name) {
  const std::string path = find_data_file(kStackFolder, name);
  if (path.empty())
    throw UsageError(fmt::format("stack.layers: {} is no file and none of {}", name,
                                 fmt::join(names_in_data(kStackFolder), ", ")));
  return parse_stack(read_text(path), path);
}

std::vector<CasePart> stack_parts(const Case& c) {
  const Stack stack = read_stack(c.stack.layers);
  const Placement placement = placement_of(c.stack.layout);
  std::vector<CasePart> parts;
  for (const StackLayer& layer : stack.layers) {
    const std::string name(layer.kind ? word(*layer.kind) : kAttention);
    const TokenLayout own = layer.kind ? placement.recurrence : placement.attention;
    const Case computing = layer_case(c, layer, own);
    const auto change = [&](TokenLayout from, TokenLayout to, bool enters) {
      Case moving = moving_case(c);
      moving.relayout = {.from = from, .to = to, .tensors = MovedTensors::hidden};
      moving.shape.q_heads = moving.shape.kv_heads = stack.hidden_dim / kHiddenHead;
      moving.shape.head_dim = moving.shape.value_dim = kHiddenHead;
      if (c.stack.layout == StackLayout::contiguous_qkv) {
        moving.shape = computing.shape;
        if (enters) moving.relayout.tensors = MovedTensors::qkv;
      }
      // A backward pass moves the gradients back.
      parts.push_back({fmt::format("{} {}", name, enters ? "enters" : "leaves"),
                       resolve_case(moving), layer.count * passes_of(c)});
    };
    const bool moves = c.workers > 1 && own != placement.home;
    if (moves) change(placement.home, own, true);
    if (layer.taps > 1) parts.push_back(convolution(computing, layer));
    parts.push_back({name, resolve_case(computing), layer.count});
    if (moves) change(own, placement.home, false);
  }
  return parts;
}

std::unique_ptr<Workload> plan_layer_stack(const Case& c) {
  if (c.stack.layout != StackLayout::best) return sum_of(c, stack_parts(c));
  std::unique_ptr<Workload> best;
  double least_s = 0.0;
  for (const auto& [layout, name] : kWords<StackLayout>.rows) {
    if (layout == StackLayout::best) continue;
    Case one = c;
    one.stack.layout = layout;
    try {
      std::unique_ptr<Workload> workload = plan_layer_stack(one);
      const double modelled_s = workload->run(false).wall_s;
      if (best && modelled_s >= least_s) continue;
      least_s = modelled_s;
      best = plan_layer_stack(one);
    } catch (const Unsupported&) {
      // A layout that these workers cannot have is not the best.
    }
  }
  if (!best) throw Unsupported("no layout of a stack fits; the nearest is workers: 1");
  return best;
}

std::unique_ptr<Workload> plan_chunked_prefill(const Case& c) {
  std::vector<CasePart> parts;
  const std::int64_t chunk = c.prefill.chunk == 0 ? c.shape.q_len : c.prefill.chunk;
  for (std::int64_t t = 0; t * chunk < c.shape.q_len; ++t) {
    Case part = part_of(c, WorkloadKind::attention);
    part.shape.kv_len = std::min(c.shape.q_len, (t + 1) * chunk);
    part.shape.q_len = part.shape.kv_len - t * chunk;
    const bool sends_q =
        c.prefill.pass == PrefillPass::q || (c.prefill.pass == PrefillPass::fewer_bytes &&
                                             2 * (t + 1) * c.shape.kv_heads > c.shape.q_heads);
    if (c.workers > 1) part.algorithm = sends_q ? "pass_q" : "pass_kv";
    parts.push_back({fmt::format("chunk {}", t), resolve_case(part), 1});
  }
  return sum_of(c, std::move(parts));
}

}  // namespace qb
