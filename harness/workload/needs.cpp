// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/schema/parameter_fields.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/plan/work/work.h"
#include "harness/workload/case_text.h"

namespace qb {
namespace {

constexpr std::size_t kCount = std::size(kParameterFields);

constexpr std::size_t place_of(std::string_view column) {
  for (std::size_t i = 0; i < kCount; ++i)
    if (kParameterFields[i].column == column) return i;
  return kCount;
}

bool has(PlanFact fact, const Plan& plan) {
  if (fact == PlanFact::sends_lse) return rounds_lse(plan);
  return fact == PlanFact::takes_resident_tokens ||
         std::ranges::any_of(moved_tensors(plan), [](const MovedTensor& moved) {
           return (moved.what == TensorRole::partial || moved.what == TensorRole::weighted) &&
                  moved.kind != TransferKind::gather && moved.kind != TransferKind::write_back;
         });
}

// Asks plans of small problems. A grid of many key-value heads shares them out, and helix does so
// unless there are as many as workers. That a backward pass is lacking is said where it is planned.
bool holds(PlanFact fact, std::string_view algorithm, int workers, Passes passes) {
  for (const int kv_heads : {8, 2})
    for (Pass pass : passes_of(passes))
      for (bool planned = false; !planned;) try {
          Case c;
          c.algorithm = algorithm;
          c.workers = workers;
          c.shape = {1, 8, kv_heads, 16 * workers, 16 * workers, 8, 8};
          c.mask = MaskKind::causal;
          c.resident_tokens = fact == PlanFact::takes_resident_tokens ? workers : 0;
          if (has(fact, plan_of(c, pass))) return true;
          planned = true;
        } catch (const Unsupported&) {
          planned = pass == Pass::forward;  // there is none to ask
          pass = Pass::forward;
        } catch (const UsageError&) {
          return true;  // whoever plans the case says what is wrong with its file
        }
  return false;
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
          texts_ = {text_at(c, held, kParameterFields[i++])...};
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

std::string_view words_of(const ParameterNeed& need, Passes passes) {
  if (need.fact == PlanFact::any) return need.words;
  thread_local std::map<std::pair<PlanFact, Passes>, std::string> known;
  std::string& names = known[{need.fact, passes}];
  if (names.empty())
    for (const Strategy& strategy : strategies())
      if (holds(need.fact, strategy.name, 4, passes))
        names += fmt::format("{}{}", names.empty() ? "" : " ", strategy.name);
  return names;
}

std::vector<UnmetNeed> unmet_needs(const Case& c) {
  const Values values(c);
  std::vector<UnmetNeed> unmet;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (values.is_standard(i)) continue;
    for (const ParameterNeed& declared : kParameterFields[i].needs) {
      ParameterNeed need = declared;
      need.words = words_of(declared, c.pass);
      if (need.column.empty()) break;
      const bool concerned =
          need.values.empty() || values.holds(kParameterFields[i].column, need.values);
      if (!concerned || values.holds(need.column, need.words) ||
          values.holds(need.or_column, need.or_words) ||
          (need.fact != PlanFact::any && is_recipe_file(c.algorithm) &&
           (c.workers == 1 || holds(need.fact, c.algorithm, c.workers, c.pass))))
        continue;
      unmet.push_back({&kParameterFields[i], &declared, reason(values, i, need)});
      break;
    }
  }
  return unmet;
}

std::string needs_text(const Field& parameter) {
  std::string text;
  for (const ParameterNeed& need : parameter.needs) {
    if (need.column.empty() || !need.values.empty()) continue;
    text +=
        fmt::format("{}`{}`", text.empty() ? "" : " and ", choices(need.column, words_of(need)));
    if (!need.or_column.empty())
      text += fmt::format(" or `{}`", choices(need.or_column, need.or_words));
  }
  return text;
}

void require_needs(const Case& c) {
  if (const auto unmet = unmet_needs(c); !unmet.empty()) throw Unsupported(unmet.front().reason);
}

}  // namespace qb
