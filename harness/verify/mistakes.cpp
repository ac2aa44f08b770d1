// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "base/integers.h"
#include "harness/plan/builder.h"

namespace qb::mistakes {
namespace {

// Adds mistakes beside what was asked for.
struct Adder {
  const Mistake& asked;
  Mistakes& all;

  Mistake& operator()(std::string name) const {
    all.push_back(asked);
    all.back().name = std::move(name);
    return all.back();
  }
  void mask(std::string name, const Mask& other) const {
    (*this)(std::move(name)).allows = [other](Token q, Token k) { return other.allows(q, k); };
  }
};

// A pattern with one shape changed.
void add_patterns(const Problem& problem, const Adder& add) {
  const Mask& mask = problem.mask;
  const auto changed = [&](const std::string& name, std::size_t atom, const auto& change) {
    auto pattern = std::make_shared<Pattern>(*mask.pattern);
    change(*pattern, pattern->atoms[atom].shape);
    Mask other = mask;
    other.pattern = std::move(pattern);
    add.mask(name, other);
  };
  const std::vector<Pattern::Atom>& atoms = mask.pattern->atoms;
  if (atoms.front().causal)
    changed("the causal mask is missing, the pattern is there", 0, [](Pattern& of, auto&) {
      for (Pattern::Atom& one : of.atoms) one.causal = false;
    });
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms.size() > 1)
      changed(fmt::format("part {} of the pattern is missing", i + 1), i, [&](Pattern& of, auto&) {
        of.atoms.erase(of.atoms.begin() + static_cast<std::ptrdiff_t>(i));
      });
    for (const Token by : {-1, 1}) {
      if (const auto* const band = std::get_if<Pattern::Band>(&atoms[i].shape))
        for (const auto& [side, of] :
             {std::pair{"left", &Pattern::Band::left}, {"right", &Pattern::Band::right}})
          if (const Token now = band->*of + by * band->dilation; band->*of < kUnbounded && now >= 0)
            changed(
                fmt::format("the window is off by one: {} {} in place of {}", side, now, band->*of),
                i, [&](Pattern&, auto& shape) { std::get<Pattern::Band>(shape).*of = now; });
      if (std::holds_alternative<Pattern::Cells>(atoms[i].shape))
        changed("documents or blocks begin one token off", i, [&](Pattern&, auto& shape) {
          auto& [block, ends] = std::get<Pattern::Cells>(shape);
          const Token keys = problem.shape.kv_len;
          for (Token end = block; block > 0 && end - block < keys; end += block)
            ends.push_back(std::min(end, keys));
          block = 0;
          for (std::size_t j = 0; j + 1 < ends.size(); ++j) ends[j] += by;
        });
    }
  }
}

void add_masks(const Problem& problem, const Adder& add) {
  const Mask& mask = problem.mask;
  const bool is_pattern = mask.kind == MaskKind::pattern;
  const Token offset = problem.shape.kv_len - problem.shape.q_len;
  const auto diagonal = [mask, offset](Token q) {
    return q + (mask.segments.empty() ? offset : mask.offset_of(q));
  };
  if (!mask.segments.empty())
    add.mask("packed sequences are not kept apart", {mask.kind, offset, {}, {}});
  if (mask.kind == MaskKind::causal || (is_pattern && mask.pattern->looks_back_only())) {
    add("a query does not see the key of its own position").allows = [=](Token q, Token k) {
      return mask.allows(q, k) && k != diagonal(q);
    };
    add("a query sees one key too many, the next").allows = [=](Token q, Token k) {
      return mask.allows(q, k) || k == diagonal(q) + 1;
    };
  } else {
    add("keys after the query are masked").allows = [=](Token q, Token k) {
      return mask.allows(q, k) && k <= diagonal(q);
    };
  }
  if (mask.kind == MaskKind::full) return;
  add.mask("the mask is missing: every key is seen", {MaskKind::full, 0, mask.segments, {}});
  add("the mask begins at the first key (top-left), not at the last").allows = [=](Token q,
                                                                                   Token k) {
    const Segment* const of = mask.segment_of(q);
    if (of == nullptr) return mask.allows(q - mask.offset, k);
    return k >= of->k_begin && k < of->k_end && k - of->k_begin <= q - of->q_begin;
  };
  if (!is_pattern) return;
  add.mask("the pattern is missing: every key up to the query is seen",
           {MaskKind::causal, offset, {}, {}});
  add_patterns(problem, add);
}

Tokens tokens_of_groups(const std::vector<TokenGroup>& groups, const std::vector<int>& chosen) {
  Tokens tokens;
  for (const int group : chosen)
    for (Token i = 0; i < group_at(groups, group).count; ++i)
      tokens.push_back(group_at(groups, group).token(i));
  return tokens;
}

// The tokens of one worker after another.
Tokens in_order(const std::vector<TokenGroup>& groups,
                const std::vector<std::vector<int>>& shards) {
  Tokens order;
  for (const std::vector<int>& shard : shards)
    for (const Token token : tokens_of_groups(groups, shard)) order.push_back(token);
  return order;
}

Tokens inverse(const Tokens& order) {
  Tokens places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[at(order[i])] = static_cast<Token>(i);
  return places;
}

void add_layouts(const Problem& problem, int workers, const Adder& add) {
  const Mask& mask = problem.mask;
  for (const char* const layout : {"striped", "zigzag"}) {
    Plan dealt;
    dealt.problem = problem;
    const Shards shards = deal_called(layout)(dealt, workers);
    const Tokens q = in_order(dealt.q_groups, shards.q);
    const Tokens k = in_order(dealt.kv_groups, shards.kv);
    for (const bool is_back : {false, true}) {
      const Tokens of_q = is_back ? inverse(q) : q;
      const Tokens of_k = is_back ? inverse(k) : k;
      const auto add_order = [&](const char* what) -> Mistake& {
        return add(fmt::format("{} in the order of the {} layout of {} workers{}", what, layout,
                               workers, is_back ? ", undone once too often" : ""));
      };
      add_order("the rows stand").row = of_q;
      add_order("the rows of V, not those of K, stand").value = of_k;
      if (mask.kind == MaskKind::full && mask.segments.empty()) continue;
      add_order("the mask takes the tokens to be").allows = [=](Token row, Token key) {
        return mask.allows(of_q[at(row)], of_k[at(key)]);
      };
    }
  }
}

// The shards of keys that workers begin with; none where one worker has all keys.
std::vector<std::vector<int>> key_shards(const Plan& plan) {
  std::vector<std::vector<int>> shards;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const std::vector<int> groups = plan.workers.share(w).kv_groups;
    if (!groups.empty() && groups.size() < plan.kv_groups.size() &&
        std::ranges::find(shards, groups) == shards.end())
      shards.push_back(groups);
  }
  return shards;
}

// Adds that K or V of shard `only`, or of every one, are those of a neighbour.
void add_neighbours(const Plan& plan, std::optional<std::size_t> only, const Adder& add) {
  const std::vector<std::vector<int>> shards = key_shards(plan);
  for (std::size_t by = 1; by < shards.size(); by += std::max<std::size_t>(shards.size() - 2, 1)) {
    Tokens other = integers_below(plan.problem.shape.kv_len);
    for (std::size_t s = 0; s < shards.size(); ++s) {
      const Tokens own = tokens_of_groups(plan.kv_groups, shards[s]);
      const Tokens next = tokens_of_groups(plan.kv_groups, shards[(s + by) % shards.size()]);
      for (std::size_t i = 0; i < own.size() && !next.empty() && only.value_or(s) == s; ++i)
        other[at(own[i])] = next[std::min(i, next.size() - 1)];
    }
    for (const auto& [what, key, value] :
         {std::tuple{"K and V", true, true}, {"V", false, true}, {"K", true, false}}) {
      Mistake& mistake = add(fmt::format(
          "{} of the {} shard in place of {} of {}", what, by == 1 ? "next" : "previous",
          only ? fmt::format("shard {}", *only) : "its own", shards.size()));
      if (key) mistake.key = other;
      if (value) mistake.value = other;
    }
  }
}

// Which groups of the other side are computed with a group in one step, or by one worker.
std::set<std::vector<int>> partials_of(const Plan& plan, int group, bool of_keys) {
  std::set<std::vector<int>> partials;
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const Worker worker = plan.workers[w];
    std::set<int> of_worker;
    for (const Step& step : worker.steps) {
      std::set<int> of_step;
      for (const PairTask& task : step.tasks)
        if ((of_keys ? task.kv_group : task.q_group) == group)
          of_step.insert(of_keys ? task.q_group : task.kv_group);
      for (const int one : of_step) partials.insert({one});
      partials.insert({of_step.begin(), of_step.end()});
      of_worker.merge(of_step);
    }
    partials.insert({of_worker.begin(), of_worker.end()});
  }
  const std::size_t all = (of_keys ? plan.q_groups : plan.kv_groups).size();
  std::erase_if(partials, [all](const auto& one) { return one.empty() || one.size() == all; });
  return partials;
}

}  // namespace

std::string tokens_text(const TokenGroup& group) {
  return fmt::format("{} to {}{}", group.first, group.last(),
                     group.stride > 1 ? fmt::format(" (every {}th)", group.stride) : "");
}

Mistakes known_mistakes(const Problem& problem, const Mistake& asked,
                        const std::vector<Plan>& splits) {
  Mistakes all;
  const Adder add{asked, all};
  add("the scale is missing").scale = 1.0;
  add("the scale is applied twice").scale = asked.scale * asked.scale;
  add("the exponential has base 2, and the scale no log2(e)").scale =
      asked.scale * std::numbers::ln2;
  add("the scale has log2(e), and the exponential base e").scale =
      asked.scale * std::numbers::log2e;
  if (problem.shape.kv_heads > 1 && problem.shape.kv_heads < problem.shape.q_heads)
    add("query heads share key heads interleaved (h mod G), not in blocks").interleaved = true;
  if (asked.softcap > 0.0) {
    add("the softcap is missing").softcap = 0.0;
    add("the softcap is applied after the mask, so that masked scores are -softcap").caps_masked =
        true;
  }
  add("rows without keys are the mean of V").is_mean_without_keys = true;
  add_masks(problem, add);
  if (!problem.sinks.empty()) add("the sink is missing").sinks = 0.0;
  for (const Plan& split : splits) {
    const auto n = static_cast<int>(split.workers.size());
    if (!problem.sinks.empty())
      add(fmt::format("the sink counts in each of {} partials, not once", n)).sinks = n;
    if (2 * n <= std::min(problem.shape.q_len, problem.shape.kv_len)) add_layouts(problem, n, add);
    add_neighbours(split, std::nullopt, add);
  }
  return all;
}

Mistakes mistakes_of_group(const Plan& plan, const Mistake& asked, int group, bool of_keys) {
  Mistakes all;
  const Adder add{asked, all};
  const std::vector<TokenGroup>& groups = of_keys ? plan.q_groups : plan.kv_groups;
  for (const std::vector<int>& partial : partials_of(plan, group, of_keys)) {
    const Tokens tokens = tokens_of_groups(groups, partial);
    const std::set<Token> within(tokens.begin(), tokens.end());
    std::string text;
    for (const int one : partial)
      text += (text.empty() ? "" : ", ") + tokens_text(group_at(groups, one));
    for (const auto& [what, times] : {std::pair{"is left out", 0.0}, {"counts twice", 2.0}})
      add(fmt::format("the partial of {} {} {}", of_keys ? "queries" : "keys", text, what)).times =
          [=](Token row, Token key) { return within.contains(of_keys ? row : key) ? times : 1.0; };
  }
  for (std::size_t s = 0; !of_keys && s < key_shards(plan).size(); ++s)
    add_neighbours(plan, s, add);
  return all;
}

Mistakes lse_mistakes(const Mistake& asked) {
  Mistakes all;
  const Adder add{asked, all};
  add("it is in base 2: multiply it by ln 2").lse = [](double lse) {
    return lse * std::numbers::log2e;
  };
  add("rows without keys have 0, not -inf").lse = [](double lse) {
    return std::isinf(lse) ? 0.0 : lse;
  };
  add("the sink is missing").sinks = 0.0;
  add("it is the sum, not its logarithm").lse = [](double lse) { return std::exp(lse); };
  return all;
}

Mistakes gradient_mistakes(const Mistake& asked, std::int64_t heads) {
  Mistakes all;
  const Adder add{asked, all};
  add("the scale is missing in the last product").last_scale = 1.0 / asked.scale;
  add("the scale is applied twice in the last product").last_scale = asked.scale;
  add("D, the row sums of dO O, is not subtracted from dP").drops_delta = true;
  for (std::int64_t one = 0; heads > 1 && one < heads; ++one)
    add(fmt::format("it is that of query head {} of the {} that share a key, not their sum",
                    one + 1, heads))
        .of_heads = [one](std::int64_t head, std::int64_t) { return head == one ? 1.0 : 0.0; };
  if (heads > 1)
    add("it is the mean of the query heads that share a key, not their sum").of_heads =
        [](std::int64_t, std::int64_t n) { return 1.0 / static_cast<double>(n); };
  return all;
}

}  // namespace qb::mistakes
