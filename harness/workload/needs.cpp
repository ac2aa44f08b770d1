// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/schema/parameter_fields.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/workload/case_text.h"

namespace qb {
namespace {

constexpr std::size_t kCount = std::size(kParameterFields);

constexpr std::size_t place_of(std::string_view column) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (kParameterFields[i].column == column) return i;
  return kCount;
}

template <auto... Path>
std::string text_at(const Case& c, Held<Path...>, const Field& field) {
  return text_of(member_of<Path...>(c), field);
}

class Values {
 public:
  explicit Values(const Case& c) {
    std::apply(
        [&](auto... held) {
          std::size_t i = 0;
          ((texts_[i] = text_at(c, held, kParameterFields[i]), ++i), ...);
        },
        kHeldParameters);
  }
  [[nodiscard]] const std::string& of(std::size_t i) const { return texts_[i]; }
  [[nodiscard]] bool is_standard(std::size_t i) const {
    const Field& field = kParameterFields[i];
    return field.follows.empty() ? texts_[i] == field.standard
                                 : texts_[i] == texts_[place_of(field.follows)];
  }
  // columns: one, or several where any one may hold.
  [[nodiscard]] bool holds(std::string_view columns, std::string_view words) const {
    return std::ranges::any_of(split_words(columns, " "),
                               [&](std::string_view column) { return holds_one(column, words); });
  }

 private:
  [[nodiscard]] bool holds_one(std::string_view column, std::string_view words) const {
    const std::size_t i = place_of(column);
    if (words.empty()) return !is_standard(i);
    return KernelRow::lists(words, texts_[i]) ||
           (column == "device" && texts_[i] == word(Device::automatic));
  }

  std::array<std::string, kCount> texts_;
};

// `ranks: threads, mpi or model`, or `link.latency or cluster`.
std::string choices(std::string_view columns, std::string_view words) {
  std::string key;
  for (const std::string_view column : split_words(columns, " "))
    key += fmt::format("{}{}", key.empty() ? "" : " or ", kParameterFields[place_of(column)].key);
  if (words.empty()) return key;
  const auto all = split_words(words, " ");
  std::string text(all.front());
  for (std::size_t i = 1; i < all.size(); ++i)
    text += fmt::format("{}{}", i + 1 == all.size() ? " or " : ", ", all[i]);
  return fmt::format("{}: {}", key, text);
}

std::string reason(const Values& values, std::size_t i, const ParameterNeed& need) {
  std::string text = fmt::format("{}: {} needs {}", kParameterFields[i].key, values.of(i),
                                 choices(need.column, need.words));
  std::string here;
  const auto add_here = [&](std::string_view column, std::string_view words) {
    if (!words.empty())
      here += fmt::format("{}{}: {}", here.empty() ? ", and this case has " : " and ",
                          kParameterFields[place_of(column)].key, values.of(place_of(column)));
  };
  add_here(need.column, need.words);
  if (!need.or_column.empty()) {
    text += " or " + choices(need.or_column, need.or_words);
    add_here(need.or_column, need.or_words);
  }
  text += here;
  if (!need.hint.empty()) text += fmt::format("; {}", need.hint);
  return text;
}

}  // namespace

std::vector<UnmetNeed> unmet_needs(const Case& c) {
  const Values values(c);
  std::vector<UnmetNeed> unmet;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (values.is_standard(i)) continue;
    for (const ParameterNeed& need : kParameterFields[i].needs) {
      if (need.column.empty()) break;
      const bool concerned =
          need.values.empty() || values.holds(kParameterFields[i].column, need.values);
      if (!concerned || values.holds(need.column, need.words) ||
          values.holds(need.or_column, need.or_words))
        continue;
      unmet.push_back({&kParameterFields[i], &need, reason(values, i, need)});
      break;
    }
  }
  return unmet;
}

std::string needs_text(const Field& parameter) {
  std::string text;
  for (const ParameterNeed& need : parameter.needs) {
    if (need.column.empty() || !need.values.empty()) continue;
    text += fmt::format("{}`{}`", text.empty() ? "" : " and ", choices(need.column, need.words));
    if (!need.or_column.empty())
      text += fmt::format(" or `{}`", choices(need.or_column, need.or_words));
  }
  return text;
}

void require_needs(const Case& c) {
  if (const auto unmet = unmet_needs(c); !unmet.empty()) throw Unsupported(unmet.front().reason);
}

}  // namespace qb
