// SPDX-License-Identifier: Apache-2.0
#include "kernels/mask/mask_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

using Argument = PatternNode::Argument;

// fraction: a real number in (0, 1]; seed: the bits of a uint64
enum class ArgumentType { integer, seed, fraction, list };

struct ArgumentRule {
  std::string_view name;
  std::int64_t least;
  std::optional<std::int64_t> otherwise = std::nullopt;  // where it is left out
  ArgumentType type = ArgumentType::integer;
};

constexpr ArgumentRule kLeft{"left", -1};
constexpr ArgumentRule kRight{"right", -1};
constexpr ArgumentRule kTokens{"tokens", 1};
constexpr ArgumentRule kIndices{"indices", 0, std::nullopt, ArgumentType::list};
constexpr ArgumentRule kSeed{"seed", 0, 1, ArgumentType::seed};

struct PatternRule {
  std::string_view name;
  std::vector<ArgumentRule> arguments;
  // Exactly one of these is given; they are among the arguments.
  std::vector<std::string_view> one_of{};
};

const std::vector<PatternRule>& rules() {
  static const std::vector<PatternRule> kRules = {
      {"block_local", {{"block", 1}}},
      {"sliding_window", {kLeft, kRight}},
      {"variable_window", {{"sizes", 1, std::nullopt, ArgumentType::list}}},
      {"dilated_window", {kLeft, kRight, {"dilation", 1}}},
      {"global", {kTokens, kIndices}, {"tokens", "indices"}},
      {"random",
       {{"fraction", 0, std::nullopt, ArgumentType::fraction},
        {"blocks", 1},
        {"block", 1, 1},
        kSeed},
       {"fraction", "blocks"}},
      {"strided", {{"stride", 1}}},
      {"fixed", {{"block", 1}, {"summary", 1}}},
      {"longformer", {kLeft, kRight, {"dilation", 1, 1}, kTokens, kIndices}, {"tokens", "indices"}},
      {"bigbird",
       {kLeft, kRight, kTokens, kIndices, {"random_blocks", 1}, {"block", 1}, kSeed},
       {"tokens", "indices"}},
  };
  return kRules;
}

constexpr std::string_view kAnyOf = "any_of";
constexpr std::string_view kAllOf = "all_of";

bool is_word(std::string_view name) { return parse_word<MaskKind>(name).has_value(); }

template <class... Values>
[[noreturn]] void fail(std::string_view pattern, fmt::format_string<Values...> message,
                       Values&&... values) {
  throw UsageError(
      fmt::format("mask {}: {}", pattern, fmt::format(message, std::forward<Values>(values)...)));
}

const PatternRule& rule_of(const PatternNode& node) {
  for (const PatternRule& rule : rules())
    if (rule.name == node.name) return rule;
  throw UsageError(unknown_word("mask", node.name, pattern_names()));
}

const Argument* find(const PatternNode& node, std::string_view name) {
  const auto found = std::ranges::find(node.arguments, name, &Argument::name);
  return found == node.arguments.end() ? nullptr : &*found;
}

double real_of(const Argument& argument) {
  return argument.real ? *argument.real : static_cast<double>(argument.integers.front());
}

void check_value(const PatternNode& node, const ArgumentRule& rule, const Argument& argument) {
  if (rule.type == ArgumentType::fraction) {
    const bool one = argument.real || argument.integers.size() == 1;
    const double value = one ? real_of(argument) : -1.0;
    if (argument.list || !(value > 0.0 && value <= 1.0))
      fail(node.name, "{} must be above 0 and at most 1, got {}", rule.name, value);
    return;
  }
  const bool is_seed = rule.type == ArgumentType::seed;
  if (argument.real)
    fail(node.name, "{} must be a whole number{}, got {}", rule.name,
         is_seed ? " from 0 to 2^64 - 1" : "", *argument.real);
  if (argument.list != (rule.type == ArgumentType::list))
    fail(node.name, "{} must be {}", rule.name,
         argument.list ? "one whole number, got a list" : "a list such as [1, 2], got a number");
  if (argument.integers.empty()) fail(node.name, "{} must hold at least one number", rule.name);
  if (is_seed) return;
  for (const std::int64_t value : argument.integers) {
    if (value < rule.least)
      fail(node.name, "{} must be at least {}, got {}", rule.name, rule.least, value);
    if (value > kUnbounded)
      fail(node.name, "{} is {}, more than any sequence has; {}", rule.name, value,
           rule.least < 0 ? "-1 has no end" : "make it smaller");
  }
}

void check_arguments(const PatternNode& node, const PatternRule& rule) {
  std::vector<std::string_view> known;
  for (const ArgumentRule& argument : rule.arguments) known.push_back(argument.name);
  for (const Argument& argument : node.arguments)
    if (std::ranges::find(known, argument.name) == known.end())
      fail(node.name, "{}", unknown_word("key", argument.name, known));
  const auto given = std::ranges::count_if(
      rule.one_of, [&](std::string_view name) { return find(node, name) != nullptr; });
  if (!rule.one_of.empty() && given != 1)
    fail(node.name, "needs one of {}, got {}", join(rule.one_of, " and "),
         given == 0 ? "none" : "both");
  for (const ArgumentRule& argument : rule.arguments) {
    if (const Argument* value = find(node, argument.name)) {
      check_value(node, argument, *value);
      continue;
    }
    if (!argument.otherwise && std::ranges::find(rule.one_of, argument.name) == rule.one_of.end())
      fail(node.name, "needs {}; its keys are {}", argument.name, join(known, ", "));
  }
}

// Returns the one number of an argument, which has been checked.
std::int64_t integer(const PatternNode& node, std::string_view name) {
  if (const Argument* argument = find(node, name)) return argument->integers.front();
  for (const ArgumentRule& argument : rule_of(node).arguments)
    if (argument.name == name) return argument.otherwise.value_or(0);
  return 0;
}

void check_node(const PatternNode& node) {
  if (is_word(node.name)) return;
  if (node.name == kAnyOf || node.name == kAllOf) {
    if (node.parts.empty()) fail(node.name, "needs at least one pattern");
    std::int64_t not_causal = 0;
    for (const PatternNode& part : node.parts) {
      check_node(part);
      not_causal += is_word(part.name) ? 0 : 1;
    }
    if (node.name == kAllOf && not_causal > 1)
      fail(kAllOf, "takes causal and one other pattern; write a union as any_of inside it");
    return;
  }
  check_arguments(node, rule_of(node));
  if (node.name == "fixed" && integer(node, "summary") > integer(node, "block"))
    fail(node.name, "a summary of {} tokens does not fit a block of {}; make it shorter",
         integer(node, "summary"), integer(node, "block"));
}

std::string text_of(const Argument& argument, ArgumentType type) {
  if (argument.real) return shortest_text(*argument.real);
  if (type == ArgumentType::seed)
    return fmt::to_string(static_cast<std::uint64_t>(argument.integers.front()));
  if (!argument.list) return to_text(argument.integers.front());
  return fmt::format("[{}]", fmt::join(argument.integers, ", "));
}

// Writes arguments in the order of the rules, so that the order in a spec makes no difference.
std::string text_of(const PatternNode& node) {
  if (is_word(node.name)) return node.name;
  std::vector<std::string> inside;
  if (node.name == kAnyOf || node.name == kAllOf) {
    for (const PatternNode& part : node.parts) inside.push_back(text_of(part));
    return fmt::format("{{{}: [{}]}}", node.name, fmt::join(inside, ", "));
  }
  for (const ArgumentRule& rule : rule_of(node).arguments)
    if (const Argument* argument = find(node, rule.name))
      inside.push_back(fmt::format("{}: {}", rule.name, text_of(*argument, rule.type)));
  return fmt::format("{{{}: {{{}}}}}", node.name, fmt::join(inside, ", "));
}

// Adds the shapes of a pattern over n positions.
class AtomMaker {
 public:
  AtomMaker(std::int64_t n, std::vector<Pattern::Atom>& atoms) : n_(n), atoms_(atoms) {}

  void add(const PatternNode& node, bool causal) {
    causal_ = causal;
    if (node.name == "full" || node.name == "causal")
      return put(Pattern::Band{kUnbounded, node.name == "full" ? kUnbounded : 0, 1});
    if (node.name == kAnyOf) {
      for (const PatternNode& part : node.parts) add(part, causal);
      return;
    }
    if (node.name == kAllOf) return add_all_of(node, causal);
    node_ = &node;
    add_named(node.name);
  }

 private:
  void add_all_of(const PatternNode& node, bool causal) {
    const PatternNode* other = nullptr;
    for (const PatternNode& part : node.parts) {
      causal = causal || part.name == "causal";
      if (!is_word(part.name)) other = &part;
    }
    add(other != nullptr ? *other : PatternNode{"full"}, causal);
  }

  void add_named(std::string_view name) {
    if (name == "block_local") return put(Pattern::Cells{value("block"), {}});
    if (name == "variable_window") return put_sizes();
    if (name == "strided") return put_strided();
    if (name == "fixed") {
      put(Pattern::Cells{value("block"), {}});
      return put(Pattern::Columns{value("block"), value("block") - value("summary")});
    }
    if (find(*node_, "left") != nullptr)
      put_window(name == "sliding_window" || name == "bigbird" ? 1 : value("dilation"));
    if (find(*node_, "tokens") != nullptr || find(*node_, "indices") != nullptr) put_global();
    if (name == "random") put_random(find(*node_, "blocks"));
    if (name == "bigbird") put_random(find(*node_, "random_blocks"));
  }

  template <class Shape>
  void put(Shape shape) {
    atoms_.push_back({std::move(shape), causal_});
  }
  [[nodiscard]] std::int64_t value(std::string_view name) const { return integer(*node_, name); }

  void put_window(std::int64_t dilation) {
    if (dilation >= n_ && dilation > 1)
      fail(node_->name, "a dilation of {} reaches beyond the {} tokens there are; make it smaller",
           dilation, n_);
    const auto side = [&](std::string_view name) {
      const std::int64_t keys = value(name);
      return keys < 0 || keys > kUnbounded / dilation ? kUnbounded : keys * dilation;
    };
    put(Pattern::Band{side("left"), side("right"), dilation});
  }

  void put_sizes() {
    Pattern::Cells cells;
    std::int64_t end = 0;
    for (const std::int64_t size : find(*node_, "sizes")->integers)
      cells.ends.push_back(end = std::min(end + size, kUnbounded));
    if (end != n_)
      fail(node_->name,
           "the sizes add up to {} and not to the {} tokens there are; change them or n_tokens",
           end, n_);
    put(std::move(cells));
  }

  void put_strided() {
    const std::int64_t stride = value("stride");
    put(Pattern::Band{stride - 1, stride - 1, 1});
    put(Pattern::Band{kUnbounded, kUnbounded, stride});
  }

  void put_global() {
    Pattern::Global global;
    if (const Argument* indices = find(*node_, "indices")) {
      std::vector<std::int64_t> sorted = indices->integers;
      std::ranges::sort(sorted);
      for (const std::int64_t index : sorted)
        if (!global.runs.empty() && global.runs.back().end >= index)
          global.runs.back().end = index + 1;
        else
          global.runs.push_back({index, index + 1});
      if (sorted.back() >= n_)
        fail(node_->name,
             "index {} is beyond the {} tokens there are; counted from 0, the last is {}",
             sorted.back(), n_, n_ - 1);
    } else {
      global.runs = {{0, value("tokens")}};
    }
    if (global.runs.back().end > n_ || global.runs[0] == Range{0, n_})
      fail(node_->name, "{} global tokens of the {} there are; name fewer, or use mask: full",
           global.runs.back().end, n_);
    put(std::move(global));
  }

  void put_random(const Argument* blocks) {
    Pattern::Random random;
    random.block = value("block");
    random.seed = static_cast<std::uint64_t>(value("seed"));
    random.n_blocks = ceil_divide(n_, random.block);
    if (blocks != nullptr) {
      random.count = std::min(blocks->integers.front(), random.n_blocks);
    } else {
      const double count =
          real_of(*find(*node_, "fraction")) * static_cast<double>(random.n_blocks);
      random.count = std::clamp<std::int64_t>(std::llround(count), 1, random.n_blocks);
    }
    put(random);
  }

  std::int64_t n_;
  std::vector<Pattern::Atom>& atoms_;
  const PatternNode* node_ = nullptr;
  bool causal_ = false;
};

}  // namespace

std::vector<std::string_view> pattern_names() {
  std::vector<std::string_view> names = all_words<MaskKind>();
  for (const PatternRule& rule : rules()) names.push_back(rule.name);
  names.insert(names.end(), {kAnyOf, kAllOf});
  return names;
}

MaskSpec::MaskSpec(MaskKind kind) : kind_(kind), text_(word(kind)) {}

MaskSpec::MaskSpec(const PatternNode& node) {
  if (const auto kind = parse_word<MaskKind>(node.name)) {
    *this = MaskSpec(*kind);
    return;
  }
  check_node(node);
  kind_ = MaskKind::pattern;
  text_ = text_of(node);
  node_ = std::make_shared<const PatternNode>(node);
}

Mask MaskSpec::mask(std::int64_t q_len, std::int64_t kv_len) const {
  if (kind_ == MaskKind::full) return Mask::full();
  Mask mask = Mask::causal(q_len, kv_len);
  if (kind_ == MaskKind::causal) return mask;
  auto pattern = std::make_shared<Pattern>();
  pattern->text = text_;
  AtomMaker(kv_len, pattern->atoms).add(*node_, false);
  mask.kind = MaskKind::pattern;
  mask.pattern = std::move(pattern);
  return mask;
}

}  // namespace qb
