#include "harness/experiment/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "harness/base/numbers.h"
#include "harness/experiment/mask_reader.h"
#include "harness/experiment/worker_speeds.h"
#include "harness/plan/strategy.h"

namespace qb {
namespace {

constexpr std::int64_t kMaxWorkers = 1'000'000;
constexpr std::int64_t kMaxThreads = 4096;
constexpr std::int64_t kMaxHeads = 65'536;
constexpr std::int64_t kMaxHeadDim = 256;
constexpr std::int64_t kMaxWidth = 1'000'000;
constexpr std::int64_t kMaxInteger = INT64_MAX;

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : strategies()) names.push_back(strategy.name);
  return names;
}

// In place of an instruction set: the best that the CPU has.
constexpr std::string_view kBestInstructionSet = "auto";

std::vector<std::string_view> instruction_set_names() {
  std::vector<std::string_view> names = all_words<InstructionSet>();
  names.insert(names.begin(), kBestInstructionSet);
  return names;
}

void store_instruction_set(Case& c, const Value& value) {
  c.cpu_isa = parse_word<InstructionSet>(std::get<std::string>(value.data));
}

template <auto Member>
void store_word(Case& c, const Value& value) {
  using E = std::remove_reference_t<decltype(c.*Member)>;
  c.*Member = *parse_word<E>(std::get<std::string>(value.data));
}

template <auto Member>
void store_integer(Case& c, const Value& value) {
  using T = std::remove_reference_t<decltype(c.*Member)>;
  // Nothing (no budget) is 0.
  const auto* number = std::get_if<std::int64_t>(&value.data);
  c.*Member = number != nullptr ? static_cast<T>(*number) : T{0};
}

template <auto Member>
void store_size(Case& c, const Value& value) {
  c.shape.*Member = std::get<std::int64_t>(value.data);
}

template <auto Member>
void store_optional(Case& c, const Value& value) {
  using T = typename std::remove_reference_t<decltype(c.*Member)>::value_type;
  const auto* held = std::get_if<T>(&value.data);
  c.*Member = held != nullptr ? std::optional<T>(*held) : std::nullopt;
}

void store_algorithm(Case& c, const Value& value) {
  c.algorithm = std::get<std::string>(value.data);
}

void store_mask(Case& c, const Value& value) {
  c.mask = parse_mask(std::get<std::string>(value.data));
}

void store_head_dim(Case& c, const Value& value) {
  c.shape.head_dim = std::get<std::int64_t>(value.data);
  c.shape.value_dim = c.shape.head_dim;
}

constexpr Parameter word_parameter(std::string_view name, std::string_view default_text,
                                   std::vector<std::string_view> (*words)(),
                                   void (*store)(Case&, const Value&)) {
  return {name, name, ParameterType::word, 0, 0, default_text, "", false, words, store};
}

constexpr Parameter integer_parameter(std::string_view name, std::int64_t min, std::int64_t max,
                                      std::string_view default_text, std::string_view follows,
                                      void (*store)(Case&, const Value&)) {
  return {name,    name, ParameterType::integer, min, max, default_text, follows, false,
          nullptr, store};
}

using enum ParameterType;
constexpr Parameter kParameters[] = {
    word_parameter("algorithm", "dense", algorithm_names, store_algorithm),
    word_parameter("kernel", "flash", all_words<Kernel>, store_word<&Case::kernel>),
    word_parameter("device", "auto", all_words<Device>, store_word<&Case::device>),
    word_parameter("ranks", "serial", all_words<Ranks>, store_word<&Case::ranks>),
    integer_parameter("workers", 1, kMaxWorkers, "1", "", store_integer<&Case::workers>),
    integer_parameter("threads", 0, kMaxThreads, "0", "", store_integer<&Case::threads>),
    integer_parameter("n_tokens", 1, kMaxTokens, "", "", store_size<&Shape::q_len>),
    integer_parameter("kv_len", 1, kMaxTokens, "", "n_tokens", store_size<&Shape::kv_len>),
    integer_parameter("batch", 1, kMaxHeads, "1", "", store_size<&Shape::batch>),
    integer_parameter("q_heads", 1, kMaxHeads, "1", "", store_size<&Shape::q_heads>),
    integer_parameter("kv_heads", 1, kMaxHeads, "", "q_heads", store_size<&Shape::kv_heads>),
    integer_parameter("head_dim", 1, kMaxHeadDim, "64", "", store_head_dim),
    word_parameter("dtype", "f32", all_words<DType>, store_word<&Case::dtype>),
    {"mask", "mask", mask, 0, 0, "full", "", false, nullptr, store_mask},
    integer_parameter("seed", 0, kMaxInteger, "1", "", store_integer<&Case::seed>),
    {"interest_set", "interest_set", interest_set, 0, 0, "", "", true, nullptr,
     store_optional<&Case::interest_set>},
    {"scale", "scale", real, 0, 0, "", "", true, nullptr, store_optional<&Case::scale>},
    {"memory_budget", "memory_budget_bytes", integer, 1, kMaxInteger, "", "", true, nullptr,
     store_integer<&Case::memory_budget_bytes>},
    {"cpu.isa", "cpu_isa", word, 0, 0, kBestInstructionSet, "", false, instruction_set_names,
     store_instruction_set},
    {"sequences", "sequences", sequences, 0, 0, "", "", true, nullptr,
     store_optional<&Case::sequences>},
    word_parameter("new_key_owner", "round_robin", all_words<NewKeyOwner>,
                   store_word<&Case::new_key_owner>),
    {"link.bandwidth", "link_bandwidth_byte_per_s", real, 0, 0, "", "", true, nullptr,
     store_optional<&Case::link_bandwidth_byte_per_s>},
    {"link.latency", "link_latency_s", real, 0, 0, "", "", true, nullptr,
     store_optional<&Case::link_latency_s>},
    {"link.mode", "link_mode", word, 0, 0, "overlap", "", false, all_words<LinkMode>,
     store_word<&Case::link_mode>},
    {"model.device", "model_device", file, 0, 0, "", "", true, nullptr,
     store_optional<&Case::model_device>},
    {"model.cores", "model_cores", integer, 0, kMaxThreads, "0", "", false, nullptr,
     store_integer<&Case::model_cores>},
    word_parameter("distillation", "published", all_words<Distillation>,
                   store_word<&Case::distillation>),
    word_parameter("workload", "attention", all_words<Workload>, store_word<&Case::workload>),
    {"layer.feed_forward_dim", "layer_feed_forward_dim", integer, 0, kMaxWidth, "0", "", false,
     nullptr, store_integer<&Case::layer_feed_forward_dim>},
    {"layer.block_tokens", "layer_block_tokens", integer, 1, kMaxTokens, "", "", true, nullptr,
     store_integer<&Case::layer_block_tokens>},
    {"layer.weights", "layer_weights", file, 0, 0, "", "", true, nullptr,
     store_optional<&Case::layer_weights>},
    word_parameter("allocator", "auto", all_words<AllocatorKind>, store_word<&Case::allocator>),
    word_parameter("launch", "alone", all_words<Launch>, store_word<&Case::launch>),
    word_parameter("clock", "synchronized", all_words<ClockKind>, store_word<&Case::clock>),
    word_parameter("l2_cache", "auto", all_words<L2Cache>, store_word<&Case::l2_cache>),
    {"cuda.path", "cuda_path", word, 0, 0, "auto", "", false, all_words<CudaPath>,
     store_word<&Case::cuda_path>},
    {"worker_speeds", "worker_speeds", speeds, 0, 0, "", "", true, nullptr,
     store_optional<&Case::worker_speeds>},
    word_parameter("group_sizes", "equal", all_words<GroupSizes>, store_word<&Case::group_sizes>),
    {"product.row_groups", "product_row_groups", integer, 0, kMaxWorkers, "0", "", false, nullptr,
     store_integer<&Case::product_row_groups>},
    {"product.depth", "product_depth", integer, 0, kMaxTokens, "0", "", false, nullptr,
     store_integer<&Case::product_depth>},
};

// What the node is, for "must be …, got …".
std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::null:
      return "nothing";
    case YamlKind::list:
      return "a list";
    case YamlKind::map:
      return "a map";
    case YamlKind::scalar:
      break;
  }
  if (node.quoted) return fmt::format("the text \"{}\"", node.text);
  return fmt::format("'{}'", node.text);
}

[[noreturn]] void fail_type(std::string_view name, std::string_view wanted, const YamlNode& node) {
  fail_at(node.place, fmt::format("{} must be {}, got {}", name, wanted, describe(node)));
}

bool is_plain(const YamlNode& node) { return node.kind == YamlKind::scalar && !node.quoted; }

std::int64_t read_any_integer(std::string_view name, const YamlNode& node) {
  if (is_plain(node))
    if (const auto value = parse_integer(node.text)) return *value;
  fail_type(name, "a whole number", node);
}

std::string read_word(const Parameter& parameter, const YamlNode& node) {
  const auto words = parameter.words();
  if (node.kind != YamlKind::scalar)
    fail_type(parameter.name, fmt::format("one of {}", join(words, ", ")), node);
  if (std::find(words.begin(), words.end(), node.text) == words.end())
    fail_at(node.place, unknown_word(parameter.name, node.text, words));
  return node.text;
}

// `0,1,3` or a list of numbers; the residues are held against W where the two meet.
std::string read_interest_set(const YamlNode& node) {
  std::string text;
  if (node.kind == YamlKind::scalar) {
    text = node.text;
  } else if (node.kind == YamlKind::list) {
    for (const YamlNode& item : node.items)
      text += fmt::format("{}{}", text.empty() ? "" : ",",
                          read_integer("a residue of interest_set", item, 0, kMaxWorkers - 1));
  } else {
    fail_type("interest_set", "a list such as [0, 1, 3] or \"0,1,3\"", node);
  }
  try {
    // The modulus is that of the case, later; it plays no part in the parsing.
    return to_string(parse_interest_set(text, 0));
  } catch (const UsageError& problem) {
    fail_at(node.place, problem.what());
  }
}

// `100+8 64+1`.
std::string read_sequences(const YamlNode& node) {
  if (node.kind != YamlKind::scalar)
    fail_type("sequences", "cached+new tokens of each sequence such as \"100+8 64+1\"", node);
  try {
    return to_string(parse_sequences(node.text));
  } catch (const UsageError& problem) {
    fail_at(node.place, problem.what());
  }
}

// `0.5 1`, or 0.5 alone.
std::string read_speeds(const YamlNode& node) {
  if (node.kind != YamlKind::scalar)
    fail_type("worker_speeds", "the speeds of the first workers such as \"0.5 1\"", node);
  try {
    return to_string(parse_worker_speeds(node.text));
  } catch (const UsageError& problem) {
    fail_at(node.place, problem.what());
  }
}

}  // namespace

std::span<const Parameter> parameters() { return kParameters; }

std::optional<std::size_t> find_parameter(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kParameters); ++i)
    if (kParameters[i].name == name) return i;
  return std::nullopt;
}

std::vector<std::string_view> parameter_names() {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : kParameters) names.push_back(parameter.name);
  return names;
}

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return to_text(*number);
  if (const auto* number = std::get_if<double>(&value.data)) return to_text(*number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  return {};
}

Value read_operand(const Parameter& parameter, const YamlNode& node) {
  if (node.kind == YamlKind::null && parameter.nullable) return {std::monostate{}, node.place};
  switch (parameter.type) {
    case ParameterType::word:
      return {read_word(parameter, node), node.place};
    case ParameterType::integer:
      return {read_any_integer(parameter.name, node), node.place};
    case ParameterType::real:
      return {read_real(parameter.name, node), node.place};
    case ParameterType::sequences:
      return {read_sequences(node), node.place};
    case ParameterType::speeds:
      return {read_speeds(node), node.place};
    case ParameterType::mask:
      return {read_mask(node).text(), node.place};
    case ParameterType::file:
      if (node.kind != YamlKind::scalar || node.text.empty())
        fail_type(parameter.name,
                  parameter.name == "layer.weights" ? "a folder" : "a file, or here", node);
      return {node.text, node.place};
    case ParameterType::interest_set:
      break;
  }
  return {read_interest_set(node), node.place};
}

Value read_value(const Parameter& parameter, const YamlNode& node) {
  if (parameter.type == ParameterType::integer && is_plain(node))
    return {read_integer(parameter.name, node, parameter.min, parameter.max), node.place};
  Value value = read_operand(parameter, node);
  if (const auto* number = std::get_if<double>(&value.data); number != nullptr && !(*number > 0.0))
    fail_at(node.place, fmt::format("{} must be above 0, got {}", parameter.name, node.text));
  return value;
}

Value default_value(const Parameter& parameter) {
  if (parameter.default_text.empty()) return {};
  return read_value(parameter, plain_scalar(std::string(parameter.default_text), {}));
}

std::int64_t read_integer(std::string_view name, const YamlNode& node, std::int64_t min,
                          std::int64_t max) {
  const std::int64_t value = read_any_integer(name, node);
  if (value >= min && value <= max) return value;
  const std::string range = max == INT64_MAX
                                ? fmt::format("at least {}", min)
                                : fmt::format("from {} to {}", min, format_grouped(max));
  fail_at(node.place, fmt::format("{} must be {}, got {}", name, range, node.text));
}

double read_real(std::string_view name, const YamlNode& node) {
  // parse_real also takes sizes and times, which are no plain numbers.
  if (is_plain(node) && !node.text.empty() &&
      std::string_view("0123456789.").find(node.text.back()) != std::string_view::npos)
    if (const auto value = parse_real(node.text)) return *value;
  fail_type(name, "a number", node);
}

double read_seconds(std::string_view name, const YamlNode& node) {
  // The last letters of numbers, `s`, `min` and `h`: `2M` would be two million seconds.
  if (is_plain(node) && !node.text.empty() &&
      std::string_view("0123456789.snh").find(node.text.back()) != std::string_view::npos)
    if (const auto value = parse_real(node.text)) {
      if (*value > 0.0) return *value;
      fail_at(node.place, fmt::format("{} must be above 0, got {}", name, node.text));
    }
  fail_type(name, "a time such as 90s, 15min or 2h", node);
}

bool read_bool(std::string_view name, const YamlNode& node) {
  if (is_plain(node) && node.text == "true") return true;
  if (is_plain(node) && node.text == "false") return false;
  fail_type(name, "true or false", node);
}

void fail_unknown_key(const Place& place, std::string_view key,
                      std::span<const std::string_view> known) {
  std::string message = unknown_word("key", key, known);
  std::vector<std::string_view> parts;  // of a group that somebody wrote as a map
  const std::string group = std::string(key) + ".";
  for (const std::string_view name : known)
    if (name.starts_with(group)) parts.push_back(name);
  if (!parts.empty())
    message =
        fmt::format("unknown key '{}'; write its keys with a dot: {}", key, join(parts, ", "));
  if (place.line == 0) {
    const std::string quoted = fmt::format(" '{}'", key);
    message.erase(message.find(quoted), quoted.size());
  }
  fail_at(place, message);
}

void check_keys(const YamlNode& map, std::span<const std::string_view> known) {
  for (const YamlEntry& entry : map.entries)
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      fail_unknown_key(entry.place, entry.key, known);
}

}  // namespace qb
