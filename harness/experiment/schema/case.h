// A case: one tuple of parameters. Specs expand to cases; a child process runs one and answers with
// a row.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/execute/memory/block_keeper.h"
#include "harness/execute/player/device_executor.h"
#include "harness/execute/player/executor.h"
#include "harness/plan/problem.h"
#include "harness/plan/strategies/strategy.h"
#include "kernels/cpu/instruction_set.h"

namespace qb {

enum class Device { automatic, cpu, cuda };

template <>
struct Words<Device> {
  static constexpr std::string_view what = "device";
  static constexpr std::pair<Device, std::string_view> table[] = {
      {Device::automatic, "auto"}, {Device::cpu, "cpu"}, {Device::cuda, "cuda"}};
};

// What a case computes: attention alone, an encoder layer of a transformer around it, or the
// product of two matrices, its blocks dealt out as CQS deals those of attention.
enum class Workload { attention, transformer_layer, matrix_product };

template <>
struct Words<Workload> {
  static constexpr std::string_view what = "workload";
  static constexpr std::pair<Workload, std::string_view> table[] = {
      {Workload::attention, "attention"},
      {Workload::transformer_layer, "transformer_layer"},
      {Workload::matrix_product, "matrix_product"}};
};

// Tokens of the groups that cqs deals out: alike, or fewer for slower workers.
enum class GroupSizes { equal, by_speed };

template <>
struct Words<GroupSizes> {
  static constexpr std::string_view what = "group_sizes";
  static constexpr std::pair<GroupSizes, std::string_view> table[] = {
      {GroupSizes::equal, "equal"}, {GroupSizes::by_speed, "by_speed"}};
};

// What the second-level cache of a GPU holds when a repeat begins.
enum class L2Cache {
  automatic,  // flushed on a GPU; nothing is done to the CPU's
  flushed,    // nothing of the inputs: something larger was written over it
  rotated,    // inputs of another repeat: several sets take turns
  warm,       // what the repeat before left
};

template <>
struct Words<L2Cache> {
  static constexpr std::string_view what = "l2_cache";
  static constexpr std::pair<L2Cache, std::string_view> table[] = {{L2Cache::automatic, "auto"},
                                                                   {L2Cache::flushed, "flushed"},
                                                                   {L2Cache::rotated, "rotated"},
                                                                   {L2Cache::warm, "warm"}};
};

// The instructions of the flash kernel on a GPU: the newest that it has, or those of an A100.
enum class CudaPath { automatic, sm_80 };

template <>
struct Words<CudaPath> {
  static constexpr std::string_view what = "cuda.path";
  static constexpr std::pair<CudaPath, std::string_view> table[] = {{CudaPath::automatic, "auto"},
                                                                    {CudaPath::sm_80, "sm_80"}};
};

// What a link is taken for: `overlap` moves messages while workers compute, `blocking` adds their
// time (ranks: model), `nocomm` moves them in no time (ranks: model).
enum class LinkMode { overlap, blocking, nocomm };

template <>
struct Words<LinkMode> {
  static constexpr std::string_view what = "link.mode";
  static constexpr std::pair<LinkMode, std::string_view> table[] = {
      {LinkMode::overlap, "overlap"},
      {LinkMode::blocking, "blocking"},
      {LinkMode::nocomm, "nocomm"}};
};

// How a case is timed. Sampling ends at `max_repeats`, or from `min_repeats` on as soon as the 95 %
// interval of the median is narrower than `relative_interval` of it or `max_time_s` is used up.
struct Measure {
  int warmups = 1;
  int min_repeats = 5;
  int max_repeats = 5;
  double relative_interval = 0.02;
  double max_time_s = 600.0;
  double timeout_s = 1800.0;       // of the whole case, in its child process
  std::int64_t verify_rows = 256;  // query rows a head held against float64; 0: none
  bool memory_timeline = false;    // write the events of the memory pass
  bool device_memory = false;      // count a GPU's memory with CUPTI, that of libraries too
};

struct Case {
  std::string experiment;
  std::string algorithm = "dense";
  Kernel kernel = Kernel::flash;
  Device device = Device::automatic;
  Ranks ranks = Ranks::serial;
  int workers = 1;
  int threads = 0;  // 0: all cores
  Shape shape;
  MaskSpec mask;
  DType dtype = DType::f32;
  std::uint64_t seed = 1;
  std::optional<std::string> interest_set;  // `0,1,3`
  std::optional<double> scale;
  std::int64_t memory_budget_bytes = 0;   // 0: none
  std::optional<InstructionSet> cpu_isa;  // none: the best that the CPU has
  std::optional<std::string> sequences;   // a packed batch: `100+8 64+1`, cached + new tokens each
  NewKeyOwner new_key_owner = NewKeyOwner::round_robin;  // decode
  std::optional<double> link_bandwidth_byte_per_s;       // none: no limit
  std::optional<double> link_latency_s;
  LinkMode link_mode = LinkMode::overlap;
  std::optional<std::string> model_device;  // a file, or `here`: measured when the case begins
  int model_cores = 0;                      // devices that the workers share; 0: as the device says
  Distillation distillation = Distillation::published;  // cqs
  Workload workload = Workload::attention;
  std::int64_t layer_feed_forward_dim = 0;   // 0: 4 x the hidden width
  std::int64_t layer_block_tokens = 0;       // 0: the plain layer
  std::optional<std::string> layer_weights;  // a folder; none: random ones
  AllocatorKind allocator = AllocatorKind::automatic;
  // The rest is of device: cuda.
  Launch launch = Launch::alone;
  ClockKind clock = ClockKind::synchronized;
  L2Cache l2_cache = L2Cache::automatic;
  CudaPath cuda_path = CudaPath::automatic;
  std::optional<std::string> worker_speeds;    // `0.5 1`, of the first workers; none: all 1
  GroupSizes group_sizes = GroupSizes::equal;  // cqs
  // Of matrix_product: n_tokens rows, kv_len columns.
  std::int64_t product_row_groups = 0;  // W1; 0: half of W
  std::int64_t product_depth = 0;       // 0: as n_tokens
  Measure measure;
  // No parameter: what an earlier case of the run measured of one such GPU; none: the case
  // measures.
  std::optional<double> gpu_peak_flop_per_s;
};

// 12 hex digits of a hash over the parameters and the measure settings; the key for resuming.
[[nodiscard]] std::string case_id(const Case& c);

// `100+8 64+1`, separated by spaces or commas; a number alone has nothing cached. Throws
// UsageError.
[[nodiscard]] std::vector<Sequence> parse_sequences(std::string_view text);
[[nodiscard]] std::string to_string(const std::vector<Sequence>& sequences);

// Written to and read by the child process. JSON text, one line.
[[nodiscard]] std::string case_to_json(const Case& c);
[[nodiscard]] Case case_from_json(std::string_view text);

}  // namespace qb
