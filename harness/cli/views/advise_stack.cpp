// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/cli/views/advise_view.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/workload/sum_workload.h"

namespace qb {
namespace {

constexpr double kTie = 0.10;  // what the model of attention over links is off by (docs/model.md)

// A layout with an exchange, whose parts are modelled once for all that have them.
struct Choice {
  using Known = std::map<std::string, std::pair<Sample, SentBytes>>;
  Choice(const Case& c, Known& known)
      : name(fmt::format("{}, {}", word(c.stack.layout), word(c.mixer.scan))),
        sent_bytes(static_cast<std::size_t>(c.workers), 0) {
    for (const CasePart& part : stack_parts(c)) {
      const auto [place, is_new] = known.try_emplace(case_id(part.of));
      auto& [sample, sent] = place->second;
      if (is_new) {
        const std::unique_ptr<Workload> workload = plan_workload(part.of);
        sample = workload->run(false);
        sent = workload->sent();
      }
      (part.of.workload == WorkloadKind::attention ? attention_s : others_s) +=
          part.count * sample.wall_s;
      exposed_s += part.count * sample.exposed_communication_s;
      for (std::size_t w = 0; w < sent_bytes.size(); ++w) sent_bytes[w] += part.count * sent.all[w];
    }
  }
  [[nodiscard]] double time_s() const { return attention_s + others_s; }

  std::string name;
  double attention_s = 0.0;
  double others_s = 0.0;
  double exposed_s = 0.0;
  std::vector<std::int64_t> sent_bytes;
};

}  // namespace

std::string stack_advice(const Case& asked) {
  Choice::Known known;
  std::vector<Choice> choices;
  std::string refused;
  for (const auto& row : kWords<StackLayout>.rows)
    for (const ScanKind scan : {ScanKind::chain, ScanKind::all_gather, ScanKind::tree,
                                ScanKind::all_scan, ScanKind::all_to_all}) {
      if (row.first == StackLayout::best ||
          (row.first == StackLayout::zigzag_heads) != (scan == ScanKind::all_to_all))
        continue;
      Case c = asked;
      c.stack.layout = row.first;
      c.mixer.scan = scan;
      try {
        choices.emplace_back(c, known);
      } catch (const Unsupported& reason) {
        refused += fmt::format("{}: {}\n", row.second, reason.what());
      }
    }
  if (choices.empty()) throw Unsupported(refused);
  std::ranges::stable_sort(choices, {}, &Choice::time_s);
  TextTable table(
      {"layout, exchange", "time", "of attention", "exposed", "busiest sends", "all send"}, 1);
  std::string ties;
  for (const Choice& choice : choices) {
    const auto bytes = [](std::int64_t count) {
      return format_si(static_cast<double>(count)) + "B";
    };
    const auto& sent = choice.sent_bytes;
    table.add({choice.name, format_seconds(choice.time_s()), format_seconds(choice.attention_s),
               format_seconds(choice.exposed_s), bytes(std::ranges::max(sent)),
               bytes(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}))});
    if (&choice != &choices.front() && choice.time_s() <= (1.0 + kTie) * choices.front().time_s())
      ties += fmt::format("{}{}", ties.empty() ? "; within 10 % of it: " : "; ", choice.name);
  }
  return fmt::format(
      "{}\n{}{} takes {} for all layers of {}{}.\nOnly attention has rates of kernels: the rest is "
      "a lower bound, of products at the datasheet's rate and of messages without packing.\n",
      table.terminal(), refused, choices.front().name, format_seconds(choices.front().time_s()),
      asked.stack.layers, ties);
}

}  // namespace qb
