#include "harness/cli/views/bounds_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/text_table.h"

namespace qb {
namespace {

constexpr DenseCount kCounts[] = {DenseCount::layers, DenseCount::layers_and_vocabulary};

// The cells in the form asked for.
std::string render(const std::vector<std::vector<std::string>>& rows,
                   const std::vector<std::string>& header, TableForm form) {
  if (form == TableForm::csv) {
    CsvTable table(header);
    for (const auto& row : rows) table.append(row);
    return table.to_string();
  }
  TextTable table(header);
  for (const auto& row : rows) table.add(row);
  return form == TableForm::markdown ? table.markdown() : table.terminal();
}

double speed_up(const PublishedSpeedUp& row, DenseCount count) {
  return max_speed_up(row.step, count, default_weight(count));
}

// Every digit in CSV, one more than printed for people: enough to see which way a rounding went.
std::string ours(double value, const Printed& printed, TableForm form) {
  if (form == TableForm::csv) return to_text(value);
  const int decimals = static_cast<int>(std::lround(-std::log10(printed.unit))) + 2;
  return fmt::format("{:.{}f}", value, decimals);
}

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

// 16-bit full multi-head attention, every block whole: the table's own case. Thousands of tokens.
double block_kilotokens(const PublishedMinBlock& row) {
  return 1e-3 * min_block_tokens(row.peak_flop_per_s, row.link_byte_per_s, 2, 1, 1,
                                 RingBalance::whole_blocks);
}

std::string bytes_cell(const SentBytes& row, std::int64_t bytes) {
  return row.unsupported.empty() ? format_grouped(bytes) : "-";
}

}  // namespace

std::string speed_up_table(std::span<const PublishedSpeedUp> rows, TableForm form) {
  std::vector<std::vector<std::string>> cells;
  for (const PublishedSpeedUp& row : rows) {
    std::vector<std::string> line = {row.table,
                                     row.hardware,
                                     row.step.model.name,
                                     fmt::format("{}x{}", row.model_parallel, row.step.workers),
                                     to_text(row.step.tokens_per_worker),
                                     row.printed.text};
    for (const DenseCount count : kCounts) {
      line.push_back(ours(speed_up(row, count), row.printed, form));
      line.push_back(verdict_word(speed_up(row, count), row.printed));
    }
    cells.push_back(std::move(line));
  }
  if (form == TableForm::csv)
    return render(cells,
                  {"paper_table", "hardware", "model", "mesh", "tokens_per_worker",
                   "published_max_speed_up_ratio", "layers_max_speed_up_ratio", "layers_verdict",
                   "layers_and_vocabulary_max_speed_up_ratio", "layers_and_vocabulary_verdict"},
                  form);
  return render(cells,
                {"table", "hardware", "model", "mesh", "tokens a worker", "printed",
                 fmt::format("layers, w = {}", kLayersWeight), "verdict",
                 fmt::format("+ vocabulary, w = {}", kLayersAndVocabularyWeight), "verdict"},
                form);
}

std::string speed_up_summary(std::span<const PublishedSpeedUp> rows) {
  std::string text;
  for (const DenseCount count : kCounts) text += count_sentence(rows, count);
  return text;
}

std::string min_block_table(std::span<const PublishedMinBlock> rows, TableForm form) {
  const bool csv = form == TableForm::csv;
  std::vector<std::vector<std::string>> cells;
  for (const PublishedMinBlock& row : rows) {
    const double block = block_kilotokens(row);
    const double sequence = kBlocksPerWorker * block;
    cells.push_back({row.host, csv ? to_text(row.peak_flop_per_s) : format_si(row.peak_flop_per_s),
                     csv ? to_text(row.link_byte_per_s) : format_si(row.link_byte_per_s),
                     row.block_kilotokens.text, ours(block, row.block_kilotokens, form),
                     verdict_word(block, row.block_kilotokens), row.sequence_kilotokens.text,
                     ours(sequence, row.sequence_kilotokens, form),
                     verdict_word(sequence, row.sequence_kilotokens)});
  }
  if (csv)
    return render(
        cells,
        {"host", "peak_flop_per_s", "link_bandwidth_byte_per_s", "published_min_block_kilotokens",
         "min_block_kilotokens", "min_block_verdict", "published_min_sequence_kilotokens",
         "min_sequence_kilotokens", "min_sequence_verdict"},
        form);
  return render(cells,
                {"host", "FLOP/s", "bytes/s", "c printed (K)", "c = C/B", "verdict",
                 "s printed (K)", "s = 6c", "verdict"},
                form);
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
  std::vector<std::vector<std::string>> cells;
  for (const auto& [name, balance] :
       {std::pair{"whole blocks", RingBalance::whole_blocks},
        std::pair{"balanced causal (striped, zigzag)", RingBalance::balanced_causal}}) {
    const double tokens =
        min_block_tokens(machine.compute_flop_per_s, machine.link_byte_per_s, machine.element_bytes,
                         machine.q_heads, machine.kv_heads, balance);
    cells.push_back({name, form == TableForm::csv ? to_text(tokens)
                                                  : fmt::format("{:.0f}", std::ceil(tokens))});
  }
  return render(cells,
                form == TableForm::csv
                    ? std::vector<std::string>{"blocks", "min_tokens_per_worker"}
                    : std::vector<std::string>{"blocks", "least tokens a worker"},
                form);
}

std::string sent_bytes_table(const SplitProblem& problem, TableForm form) {
  const bool csv = form == TableForm::csv;
  std::vector<std::vector<std::string>> cells;
  for (const SentBytes& row : sent_bytes(problem)) {
    const bool supported = row.unsupported.empty();
    if (csv)
      cells.push_back({row.scheme, row.transfer, row.received ? "received" : "sent",
                       supported ? to_text(row.messages) : "", supported ? to_text(row.bytes) : "",
                       supported ? to_text(row.total()) : "", row.formula, row.unsupported});
    else
      cells.push_back({row.scheme, row.received ? row.transfer + " (received)" : row.transfer,
                       supported ? to_text(row.messages) : "-", bytes_cell(row, row.bytes),
                       bytes_cell(row, row.total()), supported ? row.formula : row.unsupported});
  }
  if (csv)
    return render(cells,
                  {"scheme", "transfer", "direction", "messages", "message_bytes", "total_bytes",
                   "formula", "unsupported"},
                  form);
  return render(cells, {"scheme", "transfer", "messages", "bytes each", "bytes", "each is"}, form);
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
