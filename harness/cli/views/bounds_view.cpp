#include "harness/cli/views/bounds_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/numbers.h"
#include "base/status.h"

namespace qb {
namespace {

constexpr DenseCount kCounts[] = {DenseCount::layers, DenseCount::layers_and_vocabulary};

double speed_up(const PublishedSpeedUp& row, DenseCount count) {
  return max_speed_up(row.step, count, default_weight(count));
}

// People see one digit more than printed: this shows which way a rounding went.
ViewTable::Cell ours(double value, const Printed& printed) {
  return {value, static_cast<int>(std::lround(-std::log10(printed.unit))) + 2};
}

ViewTable::Cell rate(double per_s) { return {to_text(per_s), format_si(per_s)}; }

std::string verdict_word(double value, const Printed& printed) {
  return std::string(word(judge(value, printed)));
}

std::string count_sentence(std::span<const PublishedSpeedUp> rows, DenseCount count) {
  std::map<Verdict, std::size_t> counted;
  for (const PublishedSpeedUp& row : rows) ++counted[judge(speed_up(row, count), row.printed)];
  const WeightFit fit = fit_weight(rows, count);
  return fmt::format(
      "{} of {} agree: dense products of the {}, w = {}; {} one unit off, {} differ.\n"
      "  Fitted: least squares w = {:.4f} (rms difference {:.4f}); the most that agree at once are "
      "{}, for w = {:.4f} to {:.4f}.\n",
      counted[Verdict::agrees], rows.size(),
      count == DenseCount::layers ? "layers" : "layers and of the projection to the vocabulary",
      default_weight(count), counted[Verdict::one_unit_off], counted[Verdict::differs],
      fit.least_squares, fit.rms_difference, fit.most_agreeing, fit.from, fit.to);
}

// Computes the table's own case, in thousands of tokens: 16-bit full multi-head attention, every
// block whole.
double block_kilotokens(const PublishedMinBlock& row) {
  return 1e-3 * min_block_tokens(row.peak_flop_per_s, row.link_byte_per_s, 2, 1, 1, false);
}

}  // namespace

std::string speed_up_table(std::span<const PublishedSpeedUp> rows, TableForm form) {
  ViewTable table({{"paper_table", "table"},
                   {"hardware", "hardware"},
                   {"model", "model"},
                   {"mesh", "mesh"},
                   {"tokens_per_worker", "tokens a worker"},
                   {"published_max_speed_up_ratio", "printed"},
                   {"layers_max_speed_up_ratio", fmt::format("layers, w = {}", kLayersWeight)},
                   {"layers_verdict", "verdict"},
                   {"layers_and_vocabulary_max_speed_up_ratio",
                    fmt::format("+ vocabulary, w = {}", kLayersAndVocabularyWeight)},
                   {"layers_and_vocabulary_verdict", "verdict"}});
  for (const PublishedSpeedUp& row : rows) {
    std::vector<ViewTable::Cell> cells = {
        std::string(row.table),
        std::string(row.hardware),
        std::string(row.step.model.name),
        fmt::format("{}x{}", row.model_parallel, row.step.workers),
        to_text(row.step.tokens_per_worker),
        row.printed.text};
    for (const DenseCount count : kCounts) {
      cells.push_back(ours(speed_up(row, count), row.printed));
      cells.emplace_back(verdict_word(speed_up(row, count), row.printed));
    }
    table.add(std::move(cells));
  }
  return table.text(form);
}

std::string speed_up_summary(std::span<const PublishedSpeedUp> rows) {
  std::string text;
  for (const DenseCount count : kCounts) text += count_sentence(rows, count);
  return text;
}

std::string min_block_table(std::span<const PublishedMinBlock> rows, TableForm form) {
  ViewTable table({{"host", "host"},
                   {"peak_flop_per_s", "FLOP/s"},
                   {"link_bandwidth_byte_per_s", "bytes/s"},
                   {"published_min_block_kilotokens", "c printed (K)"},
                   {"min_block_kilotokens", "c = C/B"},
                   {"min_block_verdict", "verdict"},
                   {"published_min_sequence_kilotokens", "s printed (K)"},
                   {"min_sequence_kilotokens", "s = 6c"},
                   {"min_sequence_verdict", "verdict"}});
  for (const PublishedMinBlock& row : rows) {
    const double block = block_kilotokens(row);
    const double sequence = kBlocksPerWorker * block;
    table.add({row.host, rate(row.peak_flop_per_s), rate(row.link_byte_per_s),
               row.block_kilotokens.text, ours(block, row.block_kilotokens),
               verdict_word(block, row.block_kilotokens), row.sequence_kilotokens.text,
               ours(sequence, row.sequence_kilotokens),
               verdict_word(sequence, row.sequence_kilotokens)});
  }
  return table.text(form);
}

std::string min_block_summary(std::span<const PublishedMinBlock> rows) {
  std::size_t agreeing = 0;
  std::vector<std::string> others;
  for (const PublishedMinBlock& row : rows) {
    const double block = block_kilotokens(row);
    const std::size_t here =
        (judge(block, row.block_kilotokens) == Verdict::agrees ? 1u : 0u) +
        (judge(kBlocksPerWorker * block, row.sequence_kilotokens) == Verdict::agrees ? 1u : 0u);
    agreeing += here;
    if (here < 2) others.push_back(row.host);
  }
  return fmt::format("{} of {} printed values agree{}{}.\n", agreeing, 2 * rows.size(),
                     others.empty() ? "" : "; look at ", fmt::join(others, ", "));
}

std::string own_min_block_table(const RingMachine& machine, TableForm form) {
  if (machine.kv_heads < 1 || machine.q_heads < 1 || machine.q_heads % machine.kv_heads != 0)
    throw UsageError(fmt::format("{} key-value heads do not divide {} query heads",
                                 machine.kv_heads, machine.q_heads));
  ViewTable table({{"blocks", "blocks"}, {"min_tokens_per_worker", "least tokens a worker"}});
  for (const auto& [name, half_blocks] :
       {std::pair{"whole blocks", false}, std::pair{"balanced causal (striped, zigzag)", true}}) {
    const double tokens =
        min_block_tokens(machine.compute_flop_per_s, machine.link_byte_per_s, machine.element_bytes,
                         machine.q_heads, machine.kv_heads, half_blocks);
    table.add({std::string(name), {to_text(tokens), fmt::format("{:.0f}", std::ceil(tokens))}});
  }
  return table.text(form);
}

std::string sent_bytes_table(const SplitProblem& problem, TableForm form) {
  ViewTable table({{"scheme", "scheme"},
                   {"transfer", "transfer"},
                   {"direction", ""},
                   {"messages", "messages"},
                   {"message_bytes", "bytes each"},
                   {"total_bytes", "bytes"},
                   {"formula", "each is"},
                   {"unsupported", ""}});
  for (const SentBytes& row : sent_bytes(problem)) {
    const bool supported = row.unsupported.empty();
    const auto bytes = [&](std::int64_t n) {
      return supported ? ViewTable::Cell(to_text(n), format_grouped(n)) : ViewTable::Cell("", "-");
    };
    table.add({row.scheme,
               {row.transfer, row.received ? row.transfer + " (received)" : row.transfer},
               std::string(row.received ? "received" : "sent"),
               supported ? ViewTable::Cell(row.messages) : ViewTable::Cell("", "-"),
               bytes(row.bytes),
               bytes(row.total()),
               {row.formula, supported ? row.formula : row.unsupported},
               row.unsupported});
  }
  return table.text(form);
}

std::string sent_bytes_summary(const SplitProblem& problem) {
  std::vector<std::pair<std::string, std::int64_t>> totals;
  for (const SentBytes& row : sent_bytes(problem)) {
    if (!row.unsupported.empty() || row.received) continue;
    if (totals.empty() || totals.back().first != row.scheme) totals.emplace_back(row.scheme, 0);
    totals.back().second += row.total();
  }
  std::vector<std::string> words;
  words.reserve(totals.size());
  for (const auto& [scheme, bytes] : totals)
    words.push_back(fmt::format("{} {}", scheme, format_bytes(static_cast<std::uint64_t>(bytes))));
  return fmt::format("A worker sends in all: {}.\n", fmt::join(words, ", "));
}

}  // namespace qb
