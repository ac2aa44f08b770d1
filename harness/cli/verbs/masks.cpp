// SPDX-License-Identifier: Apache-2.0
// qb masks: counts the pairs of tokens that sparse patterns keep.
#include <fmt/format.h>

#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

constexpr std::int64_t kLeastTokens = 64;  // needed by the patterns that are shown by default

struct MaskWords {
  std::int64_t n_tokens = kLeastTokens;
  std::vector<std::string> masks;
};

// Makes one pattern of each kind; widths scale with N from those at 64 tokens.
std::vector<std::string> one_of_each(std::int64_t n_tokens) {
  if (n_tokens < kLeastTokens)
    throw UsageError(
        fmt::format("--n-tokens {}: the patterns shown by default need {} or more; "
                    "name others by --mask",
                    n_tokens, kLeastTokens));
  const std::int64_t s = n_tokens / kLeastTokens;
  const std::int64_t rest = n_tokens - 52 * s;
  return {
      fmt::format("{{block_local: {{block: {}}}}}", 8 * s),
      fmt::format("{{sliding_window: {{left: {}, right: {}}}}}", 4 * s, 4 * s - 1),
      fmt::format("{{variable_window: {{sizes: [{}, {}, {}, {}]}}}}", 4 * s, 32 * s, 16 * s, rest),
      fmt::format("{{dilated_window: {{left: {0}, right: {0}, dilation: 4}}}}", 4 * s),
      fmt::format("{{global: {{tokens: {}}}}}", 4 * s),
      fmt::format("{{random: {{fraction: 0.1, block: {}}}}}", s),
      fmt::format("{{random: {{blocks: 2, block: {}}}}}", 8 * s),
      fmt::format("{{strided: {{stride: {}}}}}", 8 * s),
      fmt::format("{{fixed: {{block: {}, summary: {}}}}}", 8 * s, 2 * s),
      fmt::format("{{longformer: {{left: {0}, right: {1}, tokens: {0}}}}}", 4 * s, 4 * s - 1),
      fmt::format("{{bigbird: {{left: {0}, right: {1}, tokens: {0}, random_blocks: 2, block: "
                  "{0}}}}}",
                  4 * s, 4 * s - 1),
      fmt::format("{{all_of: [causal, {{longformer: {{left: {}, right: 0, tokens: {}}}}}]}}", 8 * s,
                  4 * s)};
}

void show(const MaskWords& words) {
  const std::vector<std::string> masks =
      words.masks.empty() ? one_of_each(words.n_tokens) : words.masks;
  TextTable table({"mask", "pairs kept", "% of N x N", "executed/kept", "rows without keys"});
  const auto n = static_cast<double>(words.n_tokens);
  for (const std::string& text : masks) {
    const MaskSpec mask = parse_mask(text, "--mask");
    const Problem problem = with_mask_option([&] {
      return make_problem({1, 1, 1, words.n_tokens, words.n_tokens, 64, 64}, mask, DType::f32, 0);
    });
    const Plan plan = make_plan("dense", problem, {});
    const Work work = model_work(plan, Kernel::flash);
    const double share = static_cast<double>(work.unmasked_pairs) / (n * n);
    table.add({mask.text(), format_grouped(work.unmasked_pairs), fmt::format("{:.4g}", 100 * share),
               fmt::format("{:.2f}", static_cast<double>(work.executed_pairs) /
                                         static_cast<double>(work.unmasked_pairs)),
               format_grouped(work.rows_without_keys)});
  }
  print_answer(
      "N = {}. The counts are those of one head; the kernel flash executes the pairs on this "
      "machine.\n\n{}",
      format_grouped(words.n_tokens), table.terminal());
}

}  // namespace

void add_masks(Verb app) {
  auto [verb, words] = add_verb<MaskWords>(
      app, "masks", "Counts the pairs of tokens that sparse patterns keep.", show, R"(Examples:
  qb masks
  qb masks --n-tokens 32Ki --mask '{sliding_window: {left: 128, right: 127}}' \
    --mask '{bigbird: {left: 128, right: 127, tokens: 64, random_blocks: 3, block: 64}}')");
  verb.add_repeated("--mask", words.masks,
                    "Shows this mask, as a spec writes it (default: one of each kind of pattern).");
  add_integer(verb, "--n-tokens", words.n_tokens, "Sets N, the number of tokens (default: 64).");
}

}  // namespace qb
