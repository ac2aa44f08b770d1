// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/schema/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <type_traits>

#include "base/numbers.h"
#include "base/schema/column.h"
#include "base/words.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/workload/case_text.h"
#include "harness/workload/needs.h"

namespace qb {
namespace {

[[noreturn]] void fail_number(const Field& field, std::string_view text) {
  throw UsageError(fmt::format("{} is not a number: {}", field.column, text));
}

template <class T>
requires std::is_enum_v<T>
void set_from(T& member, const Field& field, std::string_view text) {
  const auto value = parse_word<T>(text);
  if (!value) throw UsageError(unknown_word(field.column, text, all_words<T>()));
  member = *value;
}
template <class T>
requires std::is_integral_v<T>
void set_from(T& member, const Field& field, std::string_view text) {
  const auto number = text.empty() ? std::optional<std::int64_t>(0) : parse_integer(text);
  if (!number || !std::in_range<T>(*number)) fail_number(field, text);
  member = static_cast<T>(*number);
}
void set_from(std::uint64_t& seed, const Field& field, std::string_view text) {
  const auto number = parse_seed(text);
  if (!number) fail_number(field, text);
  seed = *number;
}
void set_from(double& member, const Field& field, std::string_view text) {
  const auto number = parse_real(text);
  if (!number) fail_number(field, text);
  member = *number;
}
// A file, or a strategy's key of any kind.
void set_from(std::string& member, const Field& field, std::string_view text) {
  if (field.kind == FieldKind::integer && !parse_integer(text)) fail_number(field, text);
  if (field.kind == FieldKind::word)
    if (const auto words = split_words(field.words, " ");
        std::ranges::find(words, text) == words.end())
      throw UsageError(unknown_word(field.column, text, words));
  member = text;
}
void set_from(MaskSpec& member, const Field&, std::string_view text) { member = parse_mask(text); }
void set_from(std::vector<int>& residues, const Field&, std::string_view text) {
  residues = text.empty() ? std::vector<int>() : parse_interest_set(text, 0).residues;
}
void set_from(std::vector<Sequence>& sequences, const Field&, std::string_view text) {
  sequences = text.empty() ? std::vector<Sequence>() : parse_sequences(text);
}
template <class T>
void set_from(std::optional<T>& member, const Field& field, std::string_view text) {
  member.reset();
  const bool absent = text.empty() || text == kNoneOf<T>;
  if (!absent) set_from(member.emplace(), field, text);
}

// These return the words that a member of each type can be.

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const Strategy& strategy : strategies()) names.push_back(strategy.name);
  names.push_back(kTensorParallel);
  return names;
}

template <class T>
std::vector<std::string_view> words_or_none() {
  std::vector<std::string_view> names = all_words<T>();
  names.insert(names.begin(), kNoneOf<T>);
  return names;
}

template <class T>
constexpr std::vector<std::string_view> (*words_of(const T*))() {
  if constexpr (std::is_enum_v<T>)
    return all_words<T>;
  else
    return nullptr;
}
template <class T>
constexpr std::vector<std::string_view> (*words_of(const std::optional<T>*))() {
  if constexpr (!kNoneOf<T>.empty())
    return words_or_none<T>;
  else
    return nullptr;
}

// A strategy's key is a text at an index (held_keys() in case.h), whose words its field lists.
template <class T, auto... Path>
constexpr auto words_at() -> std::vector<std::string_view> (*)() {
  if constexpr (sizeof...(Path) == 3 && std::is_same_v<T, std::string>)
    return [] {
      return split_words(fields::kStrategyKeys[std::get<2>(std::tuple{Path...})].words, " ");
    };
  else
    return words_of(static_cast<const T*>(nullptr));
}

// These build the table of parameters.

template <auto... Path>
constexpr Parameter joined(const Field& field, Held<Path...>) {
  using T = std::remove_cvref_t<decltype(member_of<Path...>(std::declval<Case&>()))>;
  return {field, words_at<T, Path...>(),
          [](const Case& c, const Field& f) { return text_of(member_of<Path...>(c), f); },
          [](Case& c, const Field& f, std::string_view text) {
            set_from(member_of<Path...>(c), f, text);
          }};
}

void set_algorithm(Case& c, const Field& field, std::string_view text) {
  const auto names = algorithm_names();
  if (std::ranges::find(names, text) == names.end() && !is_recipe_file(text))
    throw UsageError(unknown_word(field.column, text, names));
  c.algorithm = text;
}

void set_head_dim(Case& c, const Field& field, std::string_view text) {
  set_from(c.shape.head_dim, field, text);
  c.shape.value_dim = c.shape.head_dim;
}

constexpr auto kParameters = [] {
  constexpr std::size_t kCount = std::tuple_size_v<decltype(kHeldParameters)>;
  return std::apply(
      [](auto... held) {
        std::size_t i = 0;
        std::array<Parameter, kCount> all = {joined(kParameterFields[i++], held)...};
        for (Parameter& parameter : all) {
          if (parameter.column == "head_dim") parameter.set = set_head_dim;
          if (parameter.column != "algorithm") continue;
          parameter.words = algorithm_names;
          parameter.set = set_algorithm;
        }
        return all;
      },
      kHeldParameters);
}();

static_assert(std::apply(
                  [](auto... held) {
                    return std::ranges::equal(kParameterFields, std::array{held.column...}, {},
                                              &Field::column);
                  },
                  kHeldParameters),
              "a Case has each of kParameterFields, in their order");
static_assert(find_parameter_field("n_tokens")->max == kMaxTokens);

constexpr std::string_view kInEveryLabel[] = {"algorithm", "workers", "n_tokens", "kernel",
                                              "dtype"};

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

std::vector<std::pair<std::string, std::string>> case_parameters(const Case& c) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const Parameter& parameter : kParameters)
    values.emplace_back(parameter.column, parameter.get(c, parameter));
  return values;
}

Case with_needs_met(Case c) {
  for (auto unmet = unmet_needs(c); !unmet.empty(); unmet = unmet_needs(c)) {
    const Parameter& parameter = parameters()[*find_parameter(unmet.front().parameter->key)];
    parameter.set(c, parameter, parameter.standard);
  }
  return c;
}

std::vector<std::string> varying_parameters(std::span<const Case> cases) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::pair<std::string, int>, std::vector<int>> set_of;
  bool cached = false;
  bool one_set = true;  // for each algorithm and number of workers
  for (const Case& c : cases) {
    cached = cached || c.shape.kv_len != c.shape.q_len;
    const auto& set = set_of.try_emplace({c.algorithm, c.workers}, c.interest_set).first->second;
    one_set = one_set && set == c.interest_set;
    for (const auto& [name, value] : case_parameters(c)) values[name].insert(value);
  }
  std::vector<std::string> varying;
  for (const Parameter& parameter : kParameters) {
    const std::string name(parameter.column);
    const bool labelled = std::ranges::find(kInEveryLabel, name) != std::end(kInEveryLabel);
    const bool follows_n = name == "kv_len" && !cached;
    const bool follows_w = name == "interest_set" && one_set;
    if (!labelled && !follows_n && !follows_w && values[name].size() > 1) varying.push_back(name);
  }
  return varying;
}

std::string case_label(const Case& c, std::span<const std::string> varying) {
  std::string label = fmt::format("{} W={} N={} {} {}", c.algorithm, c.workers, c.shape.q_len,
                                  word(c.kernel), word(c.dtype));
  for (const auto& [name, value] : case_parameters(c))
    if (!value.empty() && std::ranges::find(varying, name) != varying.end())
      label += fmt::format(" {}={}", name, value);
  return label;
}

}  // namespace qb
