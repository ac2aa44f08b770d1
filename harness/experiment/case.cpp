#include "harness/experiment/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/numbers.h"
#include "harness/experiment/hash.h"
#include "harness/experiment/listed.h"
#include "harness/experiment/mask_reader.h"

namespace qb {
namespace {

using Json = nlohmann::json;

template <class E>
std::string name(E value) {
  return std::string(word(value));
}

template <class E>
E enum_at(const Json& json, const char* key) {
  const auto text = json.at(key).get<std::string>();
  const auto value = parse_word<E>(text);
  if (!value) throw UsageError(unknown_word(Words<E>::what, text, all_words<E>()));
  return *value;
}

Json measure_to_json(const Measure& m) {
  return {{"warmups", m.warmups},
          {"min_repeats", m.min_repeats},
          {"max_repeats", m.max_repeats},
          {"relative_interval", m.relative_interval},
          {"max_time_s", m.max_time_s},
          {"timeout_s", m.timeout_s},
          {"verify_rows", m.verify_rows},
          {"memory_timeline", m.memory_timeline},
          {"device_memory", m.device_memory}};
}

Measure measure_from_json(const Json& json) {
  Measure m;
  json.at("warmups").get_to(m.warmups);
  json.at("min_repeats").get_to(m.min_repeats);
  json.at("max_repeats").get_to(m.max_repeats);
  json.at("relative_interval").get_to(m.relative_interval);
  json.at("max_time_s").get_to(m.max_time_s);
  json.at("timeout_s").get_to(m.timeout_s);
  json.at("verify_rows").get_to(m.verify_rows);
  json.at("memory_timeline").get_to(m.memory_timeline);
  json.at("device_memory").get_to(m.device_memory);
  return m;
}

Json shape_to_json(const Shape& s) {
  return {{"batch", s.batch},        {"q_heads", s.q_heads}, {"kv_heads", s.kv_heads},
          {"q_len", s.q_len},        {"kv_len", s.kv_len},   {"head_dim", s.head_dim},
          {"value_dim", s.value_dim}};
}

Shape shape_from_json(const Json& json) {
  Shape s;
  json.at("batch").get_to(s.batch);
  json.at("q_heads").get_to(s.q_heads);
  json.at("kv_heads").get_to(s.kv_heads);
  json.at("q_len").get_to(s.q_len);
  json.at("kv_len").get_to(s.kv_len);
  json.at("head_dim").get_to(s.head_dim);
  json.at("value_dim").get_to(s.value_dim);
  return s;
}

std::string optional_text(const std::optional<double>& value) {
  return value ? to_text(*value) : std::string();
}

template <class T>
Json optional_to_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c) {
  return {{"algorithm", c.algorithm},
          {"kernel", name(c.kernel)},
          {"device", name(c.device)},
          {"ranks", name(c.ranks)},
          {"workers", fmt::format("{}", c.workers)},
          {"threads", fmt::format("{}", c.threads)},
          {"n_tokens", to_text(c.shape.q_len)},
          {"kv_len", to_text(c.shape.kv_len)},
          {"batch", to_text(c.shape.batch)},
          {"q_heads", to_text(c.shape.q_heads)},
          {"kv_heads", to_text(c.shape.kv_heads)},
          {"head_dim", to_text(c.shape.head_dim)},
          {"dtype", name(c.dtype)},
          {"mask", c.mask.text()},
          {"seed", fmt::format("{}", c.seed)},
          {"interest_set", c.interest_set.value_or("")},
          {"scale", optional_text(c.scale)},
          {"memory_budget_bytes", c.memory_budget_bytes == 0 ? "" : to_text(c.memory_budget_bytes)},
          {"cpu_isa", c.cpu_isa ? name(*c.cpu_isa) : "auto"},
          {"sequences", c.sequences.value_or("")},
          {"new_key_owner", name(c.new_key_owner)},
          {"link_bandwidth_byte_per_s", optional_text(c.link_bandwidth_byte_per_s)},
          {"link_latency_s", optional_text(c.link_latency_s)},
          {"link_mode", name(c.link_mode)},
          {"model_device", c.model_device.value_or("")},
          {"model_cores", fmt::format("{}", c.model_cores)},
          {"distillation", name(c.distillation)},
          {"workload", name(c.workload)},
          {"layer_feed_forward_dim", to_text(c.layer_feed_forward_dim)},
          {"layer_block_tokens", c.layer_block_tokens == 0 ? "" : to_text(c.layer_block_tokens)},
          {"layer_weights", c.layer_weights.value_or("")},
          {"allocator", name(c.allocator)},
          {"launch", name(c.launch)},
          {"clock", name(c.clock)},
          {"l2_cache", name(c.l2_cache)},
          {"cuda_path", name(c.cuda_path)},
          {"worker_speeds", c.worker_speeds.value_or("")},
          {"group_sizes", name(c.group_sizes)},
          {"product_row_groups", to_text(c.product_row_groups)},
          {"product_depth", to_text(c.product_depth)}};
}

std::string case_id(const Case& c) {
  // Runs from before there were these parameters ran with their defaults.
  constexpr std::size_t kFirstParameters = 18;
  const auto parameters = case_parameters(c);
  const auto defaults = case_parameters(Case{});
  std::string key;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (i >= kFirstParameters && parameters[i] == defaults[i]) continue;
    key += parameters[i].first + '=' + parameters[i].second + '\n';
  }
  Json measure = measure_to_json(c.measure);
  if (!c.measure.device_memory) measure.erase("device_memory");  // the same for this one
  // value_dim is no column, but a case of another value_dim is another case.
  key += fmt::format("value_dim={}\n", c.shape.value_dim) + measure.dump();
  // The low bits of FNV-1a mix best; the high ones are folded in.
  const std::uint64_t hash = fnv1a(key);
  return fmt::format("{:012x}", (hash ^ (hash >> 48)) & 0xffffffffffffu);
}

std::string case_to_json(const Case& c) {
  const Json json = {{"experiment", c.experiment},
                     {"algorithm", c.algorithm},
                     {"kernel", word(c.kernel)},
                     {"device", word(c.device)},
                     {"ranks", word(c.ranks)},
                     {"workers", c.workers},
                     {"threads", c.threads},
                     {"shape", shape_to_json(c.shape)},
                     {"mask", c.mask.text()},
                     {"dtype", word(c.dtype)},
                     {"seed", c.seed},
                     {"interest_set", optional_to_json(c.interest_set)},
                     {"scale", optional_to_json(c.scale)},
                     {"memory_budget_bytes", c.memory_budget_bytes},
                     {"cpu_isa", c.cpu_isa ? Json(word(*c.cpu_isa)) : Json(nullptr)},
                     {"sequences", optional_to_json(c.sequences)},
                     {"new_key_owner", word(c.new_key_owner)},
                     {"link_bandwidth_byte_per_s", optional_to_json(c.link_bandwidth_byte_per_s)},
                     {"link_latency_s", optional_to_json(c.link_latency_s)},
                     {"link_mode", word(c.link_mode)},
                     {"model_device", optional_to_json(c.model_device)},
                     {"model_cores", c.model_cores},
                     {"distillation", word(c.distillation)},
                     {"workload", word(c.workload)},
                     {"layer_feed_forward_dim", c.layer_feed_forward_dim},
                     {"layer_block_tokens", c.layer_block_tokens},
                     {"layer_weights", optional_to_json(c.layer_weights)},
                     {"allocator", word(c.allocator)},
                     {"launch", word(c.launch)},
                     {"clock", word(c.clock)},
                     {"l2_cache", word(c.l2_cache)},
                     {"cuda_path", word(c.cuda_path)},
                     {"worker_speeds", optional_to_json(c.worker_speeds)},
                     {"group_sizes", word(c.group_sizes)},
                     {"product_row_groups", c.product_row_groups},
                     {"product_depth", c.product_depth},
                     {"measure", measure_to_json(c.measure)},
                     {"gpu_peak_flop_per_s", optional_to_json(c.gpu_peak_flop_per_s)}};
  return json.dump();
}

Case case_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Case c;
    json.at("experiment").get_to(c.experiment);
    json.at("algorithm").get_to(c.algorithm);
    c.kernel = enum_at<Kernel>(json, "kernel");
    c.device = enum_at<Device>(json, "device");
    c.ranks = enum_at<Ranks>(json, "ranks");
    json.at("workers").get_to(c.workers);
    json.at("threads").get_to(c.threads);
    c.shape = shape_from_json(json.at("shape"));
    c.mask = parse_mask(json.at("mask").get<std::string>());
    c.dtype = enum_at<DType>(json, "dtype");
    json.at("seed").get_to(c.seed);
    c.interest_set = optional_at<std::string>(json, "interest_set");
    c.scale = optional_at<double>(json, "scale");
    json.at("memory_budget_bytes").get_to(c.memory_budget_bytes);
    if (!json.at("cpu_isa").is_null()) c.cpu_isa = enum_at<InstructionSet>(json, "cpu_isa");
    c.sequences = optional_at<std::string>(json, "sequences");
    c.new_key_owner = enum_at<NewKeyOwner>(json, "new_key_owner");
    c.link_bandwidth_byte_per_s = optional_at<double>(json, "link_bandwidth_byte_per_s");
    c.link_latency_s = optional_at<double>(json, "link_latency_s");
    c.link_mode = enum_at<LinkMode>(json, "link_mode");
    c.model_device = optional_at<std::string>(json, "model_device");
    json.at("model_cores").get_to(c.model_cores);
    c.distillation = enum_at<Distillation>(json, "distillation");
    c.workload = enum_at<Workload>(json, "workload");
    json.at("layer_feed_forward_dim").get_to(c.layer_feed_forward_dim);
    json.at("layer_block_tokens").get_to(c.layer_block_tokens);
    c.layer_weights = optional_at<std::string>(json, "layer_weights");
    c.allocator = enum_at<AllocatorKind>(json, "allocator");
    c.launch = enum_at<Launch>(json, "launch");
    c.clock = enum_at<ClockKind>(json, "clock");
    c.l2_cache = enum_at<L2Cache>(json, "l2_cache");
    c.cuda_path = enum_at<CudaPath>(json, "cuda_path");
    c.worker_speeds = optional_at<std::string>(json, "worker_speeds");
    c.group_sizes = enum_at<GroupSizes>(json, "group_sizes");
    json.at("product_row_groups").get_to(c.product_row_groups);
    json.at("product_depth").get_to(c.product_depth);
    c.measure = measure_from_json(json.at("measure"));
    c.gpu_peak_flop_per_s = optional_at<double>(json, "gpu_peak_flop_per_s");
    return c;
  } catch (const Json::exception& problem) {
    throw UsageError(fmt::format("cannot read the case: {}", problem.what()));
  }
}

std::vector<Sequence> parse_sequences(std::string_view text) {
  std::vector<Sequence> sequences;
  for (const std::string_view item : listed(text)) {
    const std::size_t plus = item.find('+');
    const bool cached = plus != std::string_view::npos;
    const auto first = parse_integer(item.substr(0, std::min(plus, item.size())));
    const auto second = cached ? parse_integer(item.substr(plus + 1)) : first;
    if (!first || !second || *first < 0 || *second < 1)
      throw UsageError(fmt::format(
          "sequences: '{}' is no sequence; write cached+new tokens such as 100+8, or 64", item));
    sequences.push_back({cached ? *first : 0, *second});
  }
  if (sequences.empty())
    throw UsageError("sequences needs at least one, written as cached+new tokens such as 100+8");
  return sequences;
}

std::string to_string(const std::vector<Sequence>& sequences) {
  std::string text;
  for (const Sequence& sequence : sequences)
    text += fmt::format("{}{}+{}", text.empty() ? "" : " ", sequence.cached_tokens,
                        sequence.new_tokens);
  return text;
}

}  // namespace qb
