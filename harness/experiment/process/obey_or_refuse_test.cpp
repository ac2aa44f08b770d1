// SPDX-License-Identifier: Apache-2.0
// Obey or refuse, over the whole schema: in a case drawn at random, a value of a parameter changes
// what the case comes to, or it is refused. What a case comes to is what is predicted of it, or
// else its row but for its times, what its device was asked for, and whether something made it
// slow.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/schema/column.h"
#include "base/schema/column_fields.h"
#include "base/source_root.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/testing/gpu_cases.h"
#include "harness/experiment/testing/skipped_waits.h"
#include "harness/workload/needs.h"
#include "harness/workload/workload.h"

namespace qb {
namespace {

// Values beside the standard one. A link and a speed are so slow that a byte takes hours, which
// nothing else makes them; a budget is too small for the case.
const std::map<std::string, std::vector<std::string>>& candidates() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"algorithm",
       {"cqs", "cqs_sharded", "ring", "zigzag", "burst", "ulysses", "all_gather_kv", "pass_q",
        "grid", "usp", "mesh", "decode", "flash_decoding", "tree_decode", "helix",
        "tensor_parallel"}},
      {"kernel", {"reference", "materialized", "staged"}},
      {"device", {"cpu", "cuda"}},
      {"ranks", {"threads", "model"}},
      {"workers", {"2", "4", "7"}},
      {"threads", {"2", "3"}},
      {"n_tokens", {"64", "67"}},
      {"kv_len", {"96"}},
      {"batch", {"2"}},
      {"q_heads", {"4", "8"}},
      {"kv_heads", {"1"}},
      {"head_dim", {"16"}},
      {"dtype", {"bf16", "f64"}},
      {"mask", {"causal"}},
      {"seed", {"2"}},
      {"interest_set", {"0,1,5"}},
      {"scale", {"0.3"}},
      {"memory_budget", {"4000"}},
      {"cpu.isa", {"scalar", "sse4"}},  // Debian 13 has no scalar
      {"sequences", {"10+30 5+34"}},
      {"new_key_owner", {"fixed"}},
      {"link.bandwidth", {"1e-5"}},
      {"link.latency", {"1e5"}},
      {"link.mode", {"blocking", "nocomm"}},
      {"model.device", {source_path("data/devices/epyc-zen3-2-cores.csv")}},
      {"model.cores", {"1"}},
      {"distillation", {"balanced"}},
      {"workload",
       {"transformer_layer", "sequence_mixer", "pipeline", "relayout", "stack", "chunked_prefill"}},
      {"layer.feed_forward_dim", {"48"}},
      {"layer.block_tokens", {"16"}},
      {"allocator", {"same_size", "direct", "caching", "pool"}},
      {"launch", {"together", "graph"}},
      {"clock", {"unsynchronized"}},
      {"l2_cache", {"flushed", "rotated", "warm"}},
      {"cuda.path", {"sm_80"}},
      {"pass", {"backward", "both"}},
      {"gradient_dtype", {"bf16", "f16"}},
      {"lse", {"two"}},
      {"partial_dtype", {"bf16", "f16"}},
      {"resident_tokens", {"8", "16"}},
      {"inputs", {"tied", "peaked"}},
      {"sinks", {"true"}},
      {"grid.heads", {"1", "2"}},
      {"grid.rows", {"1", "2"}},
      {"grid.layout", {"striped", "contiguous"}},
      {"helix.exchange", {"reduce_scatter"}},
      {"cluster", {"2x2", "2x3"}},
      {"cluster.inside", {"1e-5", "1e12"}},
      {"cluster.between", {"1e-5", "1e12"}},
      {"cluster.nics", {"1", "2"}},
      {"cluster.order", {"chr", "rch"}},
      {"mixer.operator",
       {"linear", "performer", "nystrom", "linformer", "perceiver", "axial", "ssd", "gated_delta",
        "selective_scan", "short_convolution"}},
      {"mixer.depth", {"1"}},
      {"mixer.rows", {"1", "4"}},
      {"mixer.pair_bias", {"random"}},
      {"mixer.gate", {"channel"}},
      {"mixer.rank", {"5", "24"}},
      {"mixer.chunk", {"16"}},
      {"mixer.layout", {"zigzag"}},
      {"mixer.scan", {"all_gather", "tree", "all_scan", "all_reduce", "all_to_all"}},
      {"mixer.blocks", {"1", "2"}},
      {"pipeline.schedule", {"gpipe", "interleaved"}},
      {"pipeline.stages", {"1"}},
      {"pipeline.layers", {"4", "8"}},
      {"pipeline.microbatches", {"1", "4"}},
      {"pipeline.virtual_stages", {"2"}},
      {"pipeline.chunks", {"2", "3"}},
      {"pipeline.cut", {"tokens"}},
      {"relayout.from", {"contiguous", "interleaved"}},
      {"relayout.to", {"contiguous", "zigzag"}},
      {"relayout.block", {"2", "5"}},
      {"relayout.tensors", {"qkv", "hidden"}},
      {"stack.layers", {"small"}},
      {"stack.layout", {"zigzag_home", "zigzag", "contiguous", "zigzag_heads", "contiguous_qkv"}},
      {"prefill.chunk", {"20", "40"}},
      {"prefill.pass", {"kv", "q"}},
  };
  return all;
}

Case ordinary() {
  Case c;
  c.experiment = "obey";
  c.shape = {.batch = 1,
             .q_heads = 2,
             .kv_heads = 2,
             .q_len = 79,
             .kv_len = 79,
             .head_dim = 64,  // the device file has its rates
             .value_dim = 64};
  c.measure = {.warmups = 0, .min_repeats = 1, .max_repeats = 1, .retakes = 0, .verify_rows = 8};
  return c;
}

// Lengths and heads follow as in a spec.
void set(Case& c, const Parameter& parameter, const std::string& value) {
  const bool keys_follow = c.shape.kv_len == c.shape.q_len;
  const bool heads_follow = c.shape.kv_heads == c.shape.q_heads;
  parameter.set(c, parameter, value);
  if (parameter.key == "n_tokens" && keys_follow) c.shape.kv_len = c.shape.q_len;
  if (parameter.key == "q_heads" && heads_follow) c.shape.kv_heads = c.shape.q_heads;
}

// What is known of a case before it runs; no text where it is refused.
std::optional<std::string> prediction(const Case& c) {
  if (!unmet_needs(c).empty()) return std::nullopt;
  std::string text;
  try {
    const Case resolved = resolve_case(c);
    const auto workload = plan_workload(resolved);
    for (const auto& [field, value] : workload->predict(nullptr))
      text += std::string(field->column) + "=" + value + " ";
    text += std::to_string(workload->threads()) + " threads";
    if (resolved.workload != WorkloadKind::attention) return text;
    const Problem problem = problem_of(resolved);
    return text + " " + std::to_string(problem.seed) + " " + std::to_string(problem.scale);
  } catch (const Unsupported&) {
    return std::nullopt;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

// A GPU that also says which clock it was read by.
class ClockedProbe final : public DeviceProbe {
 public:
  double seconds(int from, int to, ClockKind clock) const override {
    on_request(word(clock));
    return DeviceProbe::seconds(from, to, clock);
  }
};

// What a run comes to; no text where it is refused.
std::optional<std::string> effect(const Case& c) {
  const testing_support::SkippedWaits waits;
  if (!unmet_needs(c).empty()) return std::nullopt;
  use_instruction_set(available_instruction_sets().front());  // a case before may have forced one
  std::string text;
  const CaseResult result =
      run_open_case(c, "", [&](const Case& gpu) -> std::unique_ptr<ComputeDevice> {
        auto probe = std::make_unique<ClockedProbe>();
        text += gpu.cuda_path == CudaPath::sm_80 ? "sm_80 " : "";
        probe->on_request = [&](std::string_view name) { text += std::string(name) + " "; };
        return probe;
      });
  if (result.status == Status::unsupported) return std::nullopt;
  text += word(result.status);
  if (result.status == Status::error) return text + result.message;
  const bool modelled = c.ranks == Ranks::model;
  for (const Field& field : kResultFields) {
    const bool timed = field.group == FieldGroup::time && field.column != "modelled_wall_time_s";
    const std::string& value = result.values.at(field.column);
    if (value.empty() || (timed && !modelled) || field.column == "resident_peak_bytes") continue;
    text += " " + std::string(field.column) + "=" + value;
  }
  if (!modelled && c.device != Device::cuda)
    for (const Sample& sample : result.samples)
      text += sample.critical_path_s > testing_support::SkippedWaits::kHoursS ? " slow" : "";
  return text;
}

class ObeyOrRefuse : public testing::Test {
 protected:
  // A case with the value and some others. In most, what the value needs is granted, and what the
  // others lack makes them standard ones.
  Case draw(const Parameter& parameter, const std::string& value) {
    Case c = ordinary();
    for (const Parameter& other : parameters()) {
      const auto found = candidates().find(std::string(other.key));
      if (found == candidates().end() || other.key == parameter.key || pick(5) > 0) continue;
      set(c, other, found->second[pick(found->second.size())]);
    }
    set(c, parameter, value);
    help(c, parameter);
    const bool repaired = pick(8) > 0;
    for (int i = 0; repaired && i < 20; ++i) {
      const auto unmet = unmet_needs(c);
      if (unmet.empty()) break;
      const Parameter& lacking = parameters()[*find_parameter(unmet.front().parameter->key)];
      if (lacking.key != parameter.key) {
        set(c, lacking, lacking.get(ordinary(), lacking));
        continue;
      }
      const ParameterNeed& need = *unmet.front().need;
      const Parameter& granted = parameter_of(need.column);
      const auto words = split_words(words_of(need), " ");
      set(c, granted,
          words.empty() ? candidates().at(std::string(granted.key)).front()
                        : std::string(words[pick(words.size())]));
      help(c, parameter);
    }
    return c;
  }
  std::size_t pick(std::size_t n) { return random_() % n; }

 private:
  static const Parameter& parameter_of(std::string_view column) {
    return *std::ranges::find(parameters(), column, &Parameter::column);
  }
  // Most cases drawn could not be; this makes some of them possible.
  void help(Case& c, const Parameter& parameter) {
    const auto is_free = [&](std::string_view key) { return parameter.key != key; };
    if (parameter.key == "cluster.nics") c.algorithm = "all_gather_kv";  // others may not contend
    if (parameter.key.starts_with("relayout.") || parameter.key.starts_with("stack.") ||
        parameter.key.starts_with("prefill.")) {
      c.algorithm = "dense";
      c.kernel = Kernel::flash;
      c.workers = 2;
      c.mixer.kind.reset();
      c.mask = MaskKind::causal;
      if (parameter.key.starts_with("relayout.")) {
        c.workload = WorkloadKind::relayout;
        c.workers = 5;  // of fewer, blocks of other sizes may send as many bytes
        c.mask = MaskKind::full;
      } else if (parameter.key.starts_with("stack.")) {
        c.workload = WorkloadKind::stack;
        if (parameter.key != "stack.layers") c.stack.layers = "small";
        c.shape = {1, 1, 1, 64, 64, 64, 64};
      } else {
        c.workload = WorkloadKind::chunked_prefill;
        c.shape = {1, 4, 1, 80, 80, 64, 64};
        if (parameter.key != "prefill.chunk") c.prefill.chunk = 20;
      }
      return;
    }
    if (parameter.key == "mixer.scan" || parameter.key == "mixer.blocks" ||
        parameter.key == "mixer.layout" || parameter.key == "mixer.gate") {
      c.workload = WorkloadKind::sequence_mixer;
      const bool reduces = !is_free("mixer.scan") && c.mixer.scan == ScanKind::all_reduce;
      c.mixer.kind = reduces                         ? Mixer::nystrom
                     : parameter.key == "mixer.gate" ? Mixer::gated_delta
                                                     : Mixer::ssd;
      c.mask = reduces ? MaskKind::full : MaskKind::causal;
      c.algorithm = "dense";
      c.workers = 4;
      if (is_free("mixer.scan")) c.mixer.scan = ScanKind::all_scan;
      if (c.mixer.scan == ScanKind::all_to_all) c.shape.q_heads = c.shape.kv_heads = 4;
      return;
    }
    if (parameter.key.starts_with("pipeline.")) {
      c.workload = WorkloadKind::pipeline;
      c.mask = MaskKind::causal;
      c.algorithm = "dense";
      c.workers = 2;
      c.shape.batch = 8;
      // One microbatch alone passes in the same order whatever the schedule is.
      const std::string value = parameter.get(c, parameter);
      c.pipeline = {};
      set(c, parameter, value);
      if (parameter.key == "pipeline.virtual_stages")
        c.pipeline.schedule = PipelineSchedule::interleaved;
      if (parameter.key == "pipeline.cut") c.pipeline.chunks = 3;
      if (parameter.key == "pipeline.stages") c.algorithm = "zigzag";
      c.ranks = Ranks::model;
      set(c, parameter_of("model_device"), candidates().at("model.device").front());
      return;
    }
    const bool alone = c.algorithm == "dense" || c.workload == WorkloadKind::transformer_layer;
    if (is_free("workers")) c.workers = alone ? 1 : std::max(c.workers, 4);
    if (!is_free("workers") && alone) set(c, parameter_of("algorithm"), "ring");
    if (c.algorithm == "decode" && c.shape.q_len > 4) {
      c.shape.q_len = 4;
      c.mask = MaskKind::causal;
    }
    if (c.device == Device::cuda && c.kernel == Kernel::flash && is_free("dtype"))
      c.dtype = DType::bf16;
    // These would end a case before others act.
    if (is_free("memory_budget")) c.memory_budget_bytes = 0;
    if (!c.interest_set.empty()) c.workers = 7;
    if (c.cluster != kNoCluster) {  // it needs links
      if (!c.cluster_inside && is_free("cluster.inside")) c.cluster_inside = "1e12";
      if (!c.cluster_between && is_free("cluster.between")) c.cluster_between = "1e9";
    }
    if (parameter.key == "helix.exchange") c.algorithm = "helix";
    // With as many head shares as workers helix sends nothing.
    if (c.algorithm == "helix" && is_free("grid.heads")) set(c, parameter_of("grid_heads"), "1");
    if ((c.algorithm == "ulysses" || c.algorithm == "helix") && is_free("q_heads") &&
        is_free("kv_heads"))
      c.shape.q_heads = c.shape.kv_heads = c.workers;
    if (!c.sequences.empty()) c.shape.q_len = c.shape.kv_len = 64;
    // To measure this machine takes seconds.
    if (c.ranks == Ranks::model && is_free("model.device"))
      set(c, parameter_of("model_device"), candidates().at("model.device").front());
  }
  std::mt19937 random_{20261125};
};

TEST_F(ObeyOrRefuse, EveryParameterOfEveryCase) {
  constexpr int kContexts = 3;
  constexpr int kMost = 240;                          // where all before were refused
  std::map<std::string, std::pair<int, int>> counts;  // obeyed, refused
  for (const Parameter& parameter : parameters()) {
    const auto found = candidates().find(std::string(parameter.key));
    ASSERT_NE(found, candidates().end()) << parameter.key << " needs candidates";
    for (const std::string& value : found->second)
      for (int i = 0; i < kMost; ++i) {
        auto& [obeyed, refused] = counts[std::string(parameter.key)];
        if (i >= kContexts && obeyed > 0) break;
        const Case c = draw(parameter, value);
        // One worker sends and shares nothing, and with odd W the published rule is balanced, too.
        const bool of_several =
            parameter.group == FieldGroup::link || parameter.key == "gradient_dtype" ||
            parameter.key == "lse" || parameter.key == "partial_dtype" ||
            parameter.key == "model.cores" || parameter.key == "resident_tokens" ||
            parameter.key == "helix.exchange";
        if (c.workers == 1 && of_several) continue;
        if (c.workers % 2 == 1 && parameter.key == "distillation") continue;
        // With one group of heads it is a ring, whose partials stay where they are.
        if (parameter.key == "lse" && c.algorithm == "usp" && c.shape.kv_heads == 1) continue;
        // Under a full mask the tokens of every layout have as many pairs.
        if (parameter.key == "grid.layout" && c.mask.kind() == MaskKind::full) continue;
        // What a CPU's cache holds, and who shares a NIC, shows in times only.
        if (c.device != Device::cuda && parameter.key == "l2_cache") continue;
        // A graph has no parts, and of its wall clock the probe knows nothing.
        if (c.launch == Launch::graph && parameter.key == "clock") continue;
        const bool of_nics = parameter.key == "cluster.nics" || parameter.key == "cluster.order";
        if ((c.ranks != Ranks::model || c.link_mode == LinkMode::nocomm) && of_nics) continue;
        const auto before = prediction(c);
        if (!before) {
          ++refused;
          continue;
        }
        std::vector<Case> others;  // with other values of the parameter
        for (const std::string& other : found->second)
          set(others.emplace_back(c), parameter, other);
        set(others.emplace_back(c), parameter, parameter.get(ordinary(), parameter));
        const auto differ = [&](const auto& what, const std::optional<std::string>& from) {
          return std::ranges::any_of(others,
                                     [&](const Case& other) { return what(other) != from; });
        };
        if (!differ(prediction, before)) {
          const auto with = effect(c);
          if (!with) {
            ++refused;
            continue;
          }
          EXPECT_TRUE(differ(effect, with))
              << parameter.key << ": " << value << " has no effect in " << case_to_json(c) << "\n"
              << *with;
        }
        ++obeyed;
      }
  }
  for (const auto& [key, count] : counts) {
    RecordProperty(
        key, std::to_string(count.first) + " obeyed, " + std::to_string(count.second) + " refused");
    EXPECT_GT(count.first, 0) << key << " is never obeyed";
  }
}

TEST(Needs, NameParametersAndTheirWords) {
  for (const Field& field : kParameterFields)
    for (const ParameterNeed& need : field.needs)
      for (const std::string_view columns : {need.column, need.or_column})
        for (const std::string_view column : split_words(columns, " "))
          EXPECT_NE(find_parameter_field(column), nullptr) << column;
}

}  // namespace
}  // namespace qb
