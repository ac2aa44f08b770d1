#include "harness/experiment/schema/parameters.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "base/numbers.h"
#include "harness/experiment/schema/mask_reader.h"
#include "harness/plan/strategies/strategy.h"

namespace qb {
namespace {

// In place of an instruction set: the best that the CPU has.
constexpr std::string_view kBestInstructionSet = "auto";

// ---- How a member of each type becomes a value and is set from one. Nothing stands for 0 where a
// field says that a number may be missing.

template <class T>
requires std::is_enum_v<T> Value to_value(T member, const Field&) {
  return {std::string(word(member)), {}};
}
template <class T>
requires std::is_integral_v<T> Value to_value(T member, const Field& field) {
  if (field.nullable && member == 0) return {};
  return {static_cast<std::int64_t>(member), {}};
}
Value to_value(const std::string& member, const Field&) { return {member, {}}; }
Value to_value(const MaskSpec& member, const Field&) { return {member.text(), {}}; }
Value to_value(const std::optional<InstructionSet>& member, const Field&) {
  return {std::string(member ? word(*member) : kBestInstructionSet), {}};
}
template <class T>
Value to_value(const std::optional<T>& member, const Field&) {
  if (!member) return {};
  return {*member, {}};
}

template <class T>
requires std::is_enum_v<T>
void from_value(T& member, const Value& value) {
  member = *parse_word<T>(std::get<std::string>(value.data));
}
template <class T>
requires std::is_integral_v<T>
void from_value(T& member, const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value.data);
  member = number != nullptr ? static_cast<T>(*number) : T{0};
}
void from_value(std::string& member, const Value& value) {
  member = std::get<std::string>(value.data);
}
void from_value(MaskSpec& member, const Value& value) {
  member = parse_mask(std::get<std::string>(value.data));
}
void from_value(std::optional<InstructionSet>& member, const Value& value) {
  member = parse_word<InstructionSet>(std::get<std::string>(value.data));
}
template <class T>
void from_value(std::optional<T>& member, const Value& value) {
  const auto* held = std::get_if<T>(&value.data);
  member = held != nullptr ? std::optional<T>(*held) : std::nullopt;
}

// ---- Words of a member's type -----------------------------------------------------------------

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : strategies()) names.push_back(strategy.name);
  return names;
}

std::vector<std::string_view> instruction_set_names() {
  std::vector<std::string_view> names = all_words<InstructionSet>();
  names.insert(names.begin(), kBestInstructionSet);
  return names;
}

template <class T>
constexpr auto words_of() -> std::vector<std::string_view> (*)() {
  if constexpr (std::is_enum_v<T>)
    return all_words<T>;
  else if constexpr (std::is_same_v<T, std::optional<InstructionSet>>)
    return instruction_set_names;
  else
    return nullptr;
}

// ---- The table --------------------------------------------------------------------------------

template <auto Member>
auto& member_of(auto& holder) {
  return holder.*Member;
}
template <auto First, auto Second>
auto& member_of(auto& holder) {
  return holder.*First.*Second;
}

// The parameter of that column, held by Case::*Path. A column that is no parameter's does not
// compile.
template <auto... Path>
constexpr Parameter held(std::string_view column) {
  using T = std::remove_cvref_t<decltype(member_of<Path...>(std::declval<Case&>()))>;
  return {*find_parameter_field(column), words_of<T>(),
          [](const Case& c, const Field& field) { return to_value(member_of<Path...>(c), field); },
          [](Case& c, const Value& value) { from_value(member_of<Path...>(c), value); }};
}

constexpr Parameter algorithm() {
  Parameter parameter = held<&Case::algorithm>("algorithm");
  parameter.words = algorithm_names;
  return parameter;
}

constexpr Parameter head_dim() {
  Parameter parameter = held<&Case::shape, &Shape::head_dim>("head_dim");
  parameter.set = [](Case& c, const Value& value) {
    from_value(c.shape.head_dim, value);
    c.shape.value_dim = c.shape.head_dim;
  };
  return parameter;
}

constexpr Parameter kParameters[] = {
    algorithm(),
    held<&Case::kernel>("kernel"),
    held<&Case::device>("device"),
    held<&Case::ranks>("ranks"),
    held<&Case::workers>("workers"),
    held<&Case::threads>("threads"),
    held<&Case::shape, &Shape::q_len>("n_tokens"),
    held<&Case::shape, &Shape::kv_len>("kv_len"),
    held<&Case::shape, &Shape::batch>("batch"),
    held<&Case::shape, &Shape::q_heads>("q_heads"),
    held<&Case::shape, &Shape::kv_heads>("kv_heads"),
    head_dim(),
    held<&Case::dtype>("dtype"),
    held<&Case::mask>("mask"),
    held<&Case::seed>("seed"),
    held<&Case::interest_set>("interest_set"),
    held<&Case::scale>("scale"),
    held<&Case::memory_budget_bytes>("memory_budget_bytes"),
    held<&Case::cpu_isa>("cpu_isa"),
    held<&Case::sequences>("sequences"),
    held<&Case::new_key_owner>("new_key_owner"),
    held<&Case::link_bandwidth_byte_per_s>("link_bandwidth_byte_per_s"),
    held<&Case::link_latency_s>("link_latency_s"),
    held<&Case::link_mode>("link_mode"),
    held<&Case::model_device>("model_device"),
    held<&Case::model_cores>("model_cores"),
    held<&Case::distillation>("distillation"),
    held<&Case::workload>("workload"),
    held<&Case::layer_feed_forward_dim>("layer_feed_forward_dim"),
    held<&Case::layer_block_tokens>("layer_block_tokens"),
    held<&Case::layer_weights>("layer_weights"),
    held<&Case::allocator>("allocator"),
    held<&Case::launch>("launch"),
    held<&Case::clock>("clock"),
    held<&Case::l2_cache>("l2_cache"),
    held<&Case::cuda_path>("cuda_path"),
    held<&Case::worker_speeds>("worker_speeds"),
    held<&Case::group_sizes>("group_sizes"),
    held<&Case::product_row_groups>("product_row_groups"),
    held<&Case::product_depth>("product_depth"),
};

constexpr bool every_field_is_held_in_order() {
  if (std::size(kParameters) != std::size(kParameterFields)) return false;
  for (std::size_t i = 0; i < std::size(kParameters); ++i)
    if (kParameters[i].column != kParameterFields[i].column) return false;
  return true;
}
static_assert(every_field_is_held_in_order(),
              "each of kParameterFields needs its line in kParameters, at the same place");
static_assert(find_parameter_field("n_tokens")->max == kMaxTokens);

}  // namespace

std::span<const Parameter> parameters() { return kParameters; }

std::optional<std::size_t> find_parameter(std::string_view key) {
  for (std::size_t i = 0; i < std::size(kParameters); ++i)
    if (kParameters[i].key == key) return i;
  return std::nullopt;
}

std::vector<std::string_view> parameter_keys() {
  std::vector<std::string_view> keys;
  for (const Parameter& parameter : kParameters) keys.push_back(parameter.key);
  return keys;
}

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return to_text(*number);
  if (const auto* number = std::get_if<double>(&value.data)) return to_text(*number);
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  return {};
}

std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Parameter& parameter : kParameters)
    values.emplace_back(parameter.column, to_string(parameter.get(c, parameter)));
  return values;
}

Value value_of_text(const Parameter& parameter, const std::string& text) {
  if (text.empty()) return {};
  if (parameter.kind == FieldKind::integer) {
    if (const auto number = parse_integer(text)) return {*number, {}};
  } else if (parameter.kind == FieldKind::real) {
    if (const auto number = parse_real(text)) return {*number, {}};
  } else if (parameter.words == nullptr) {
    return {text, {}};
  } else {
    const auto words = parameter.words();
    if (std::ranges::find(words, text) != words.end()) return {text, {}};
    throw UsageError(unknown_word(parameter.column, text, words));
  }
  throw UsageError(std::string(parameter.column) + " is no number: " + text);
}

}  // namespace qb
