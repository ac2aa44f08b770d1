// SPDX-License-Identifier: Apache-2.0
// qb bounds: recomputes bounds that papers print, and shows what each scheme sends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/table_form.h"
#include "harness/execute/model/advice.h"
#include "harness/plan/theory/published_bounds.h"
#include "harness/plan/theory/sent_bytes.h"
#include "kernels/dtype.h"

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
  return judge(value, printed).text();
}

std::string count_sentence(std::span<const PublishedSpeedUp> rows, DenseCount count) {
  std::map<Answer, std::size_t> counted;
  for (const PublishedSpeedUp& row : rows)
    ++counted[judge(speed_up(row, count), row.printed).answer];
  const WeightFit fit = fit_weight(rows, count);
  return fmt::format(
      "{} of {} agree: dense products of the {}, w = {}; {} are within one unit of the last digit, "
      "{} contradict.\n"
      "  Fitted: least squares w = {:.4f} (rms difference {:.4f}); the most that agree at once are "
      "{}, for w = {:.4f} to {:.4f}.\n",
      counted[Answer::agrees], rows.size(),
      count == DenseCount::layers ? "layers" : "layers and of the projection to the vocabulary",
      default_weight(count), counted[Answer::within], counted[Answer::contradicts],
      fit.least_squares, fit.rms_difference, fit.most_agreeing, fit.from, fit.to);
}

// Computes the table's own case, in thousands of tokens: 16-bit full multi-head attention, every
// block whole.
double block_kilotokens(const PublishedMinBlock& row) {
  return 1e-3 * min_block_tokens(row.peak_flop_per_s, row.link_byte_per_s, 2, 1, 1, false);
}

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
        (judge(block, row.block_kilotokens).answer == Answer::agrees ? 1u : 0u) +
        (judge(kBlocksPerWorker * block, row.sequence_kilotokens).answer == Answer::agrees ? 1u
                                                                                           : 0u);
    agreeing += here;
    if (here < 2) others.push_back(row.host);
  }
  return fmt::format("{} of {} printed values agree{}{}.\n", agreeing, 2 * rows.size(),
                     others.empty() ? "" : "; look at ", fmt::join(others, ", "));
}

// Returns the formula of a row, and why the plan sends another number of bytes, or has no plan.
std::string explanation(const SentBytes& row) {
  if (!row.unsupported.empty()) return row.unsupported;
  return row.difference.empty() ? row.formula : row.formula + "; " + row.difference;
}

std::string sent_bytes_table(std::span<const SentBytes> rows, TableForm form) {
  ViewTable table({{"pass", "pass"},
                   {"scheme", "scheme"},
                   {"transfer", "transfer"},
                   {"direction", ""},
                   {"messages", "messages"},
                   {"message_bytes", "bytes each"},
                   {"total_bytes", "bytes"},
                   {"formulas_sent_bytes", "its formulas send in all"},
                   {"device_sent_bytes", "its plan sends in all"},
                   {"formula", "each is"},
                   {"difference", ""},
                   {"unsupported", ""}});
  for (const SentBytes& row : rows) {
    const bool supported = row.unsupported.empty();
    const auto bytes = [&](std::int64_t n) {
      return supported ? ViewTable::Cell(to_text(n), format_grouped(n)) : ViewTable::Cell("", "-");
    };
    table.add({std::string(word(row.pass)),
               row.scheme,
               {row.transfer, row.received ? row.transfer + " (received)" : row.transfer},
               std::string(row.received ? "received" : "sent"),
               supported ? ViewTable::Cell(row.messages) : ViewTable::Cell("", "-"),
               bytes(row.bytes),
               bytes(row.total()),
               bytes(row.formula_bytes),
               bytes(row.planned_bytes),
               {row.formula, explanation(row)},
               row.difference,
               row.unsupported});
  }
  return table.text(form);
}

std::string sent_bytes_summary(std::span<const SentBytes> rows, Pass pass) {
  std::vector<std::string> words;
  std::size_t equal = 0;
  std::string_view last_scheme;
  for (const SentBytes& row : rows) {
    if (row.pass != pass || !row.unsupported.empty() || row.scheme == last_scheme) continue;
    last_scheme = row.scheme;
    words.push_back(fmt::format("{} {}", row.scheme, format_bytes(row.planned_bytes)));
    if (row.formula_bytes == row.planned_bytes) ++equal;
  }
  if (words.empty()) return fmt::format("No scheme has a plan of the {} pass.\n", word(pass));
  return fmt::format(
      "In the {} pass a worker sends, by the plan of the scheme, in all: {}.\n"
      "The formulas of {} of {} schemes add up to that{}.\n",
      word(pass), fmt::join(words, ", "), equal, words.size(),
      equal == words.size() ? "" : "; the rows of the others say why they do not");
}

void add_speed_up(Verb bounds) {
  auto [verb, form] = add_verb<TableForm>(
      bounds, "tms", "Recomputes the 190 theoretical max speed-ups of Striped Attention.",
      [](TableForm said) {
        const auto& rows = published_speed_ups();
        std::string summary;
        for (const DenseCount count : kCounts) summary += count_sentence(rows, count);
        print_table(speed_up_table(rows, said), summary, said);
      },
      R"(TMS = (attention_ring + dense) / (attention_striped + dense) on the critical path:
dense = 2c [L (4 D^2 + 3 D d_ff) + vocabulary D], attention = a w 4 L D pairs, c tokens a
worker, a = 2 on A100 (TF32) and 1 on TPU. The papers do not print w, how much more of
attention a training step repeats; it is fitted, once with the layers alone and once with the
projection to the vocabulary.
A value agrees where it rounds to the printed one.

Examples:
  qb bounds tms
  qb bounds tms --csv > tms.csv)");
  add_table_form(verb, form);
}

struct MinBlockWords {
  double compute_flop_per_s = 0.0;  // of one worker
  double link_byte_per_s = 0.0;     // sent by one worker
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 0;
  DType dtype = DType::bf16;
  TableForm form = TableForm::terminal;
};

std::string own_min_block_table(const MinBlockWords& words) {
  if (words.kv_heads < 1 || words.q_heads < 1 || words.q_heads % words.kv_heads != 0)
    throw UsageError(fmt::format("{} key-value heads do not divide {} query heads", words.kv_heads,
                                 words.q_heads));
  ViewTable table({{"blocks", "blocks"}, {"min_tokens_per_worker", "least tokens a worker"}});
  for (const auto& [name, half_blocks] :
       {std::pair{"whole blocks", false}, std::pair{"balanced causal (striped, zigzag)", true}}) {
    const double tokens =
        min_block_tokens(words.compute_flop_per_s, words.link_byte_per_s, size_of(words.dtype),
                         words.q_heads, words.kv_heads, half_blocks);
    table.add({std::string(name), {to_text(tokens), fmt::format("{:.0f}", std::ceil(tokens))}});
  }
  return table.text(words.form);
}

void print_min_block(MinBlockWords& words) {
  if (!(words.compute_flop_per_s > 0.0)) {  // --compute was not given
    const auto& rows = published_min_blocks();
    print_table(min_block_table(rows, words.form), min_block_summary(rows), words.form);
    return;
  }
  if (words.kv_heads == 0) words.kv_heads = words.q_heads;
  print_answer(own_min_block_table(words));
}

void add_min_block(Verb bounds) {
  auto [verb, words] = add_verb<MinBlockWords>(
      bounds, "min-block",
      "Computes Ring Attention's least block, as its Table 2 prints it or for a machine.",
      print_min_block,
      R"(The transfers of a ring hide behind compute from c = (C/B)(e/2)(NKV/NH) tokens a worker on,
twice that where each round computes half of a block. Without --compute and --bandwidth it takes
the five hosts of the paper (2-byte types, NKV = NH), with c = C/B and s = 6c.

Examples:
  qb bounds min-block
  qb bounds min-block --compute 989e12 --bandwidth 50e9 --q-heads 32 --kv-heads 8)");
  Option compute = add_positive(verb, "--compute", words.compute_flop_per_s,
                                "Sets the peak FLOP/s of one worker.");
  Option link = add_positive(verb, "--bandwidth", words.link_byte_per_s,
                             "Sets the bytes/s that one worker can send.");
  compute.needs(link);
  link.needs(compute);
  add_integer(verb, "--q-heads", words.q_heads, "Sets NH, the number of query heads (default: 1).")
      .needs(compute);
  add_integer(verb, "--kv-heads", words.kv_heads,
              "Sets NKV, the number of key-value heads (default: q-heads).")
      .needs(compute);
  add_word(verb, "--dtype", words.dtype, "Sets the element type, of e bytes").needs(compute);
  add_table_form(verb, words.form);
}

struct SentBytesWords {
  Case c;
  std::int64_t cached_tokens = 0;
  Passes passes = Passes::both;
  TableForm form = TableForm::terminal;
};

// Refuses what `qb advise` refuses. The mask does not change what these schemes send.
void print_sent_bytes(const SentBytesWords& words) {
  if (words.cached_tokens < 0)
    throw UsageError(fmt::format("--cached-tokens {}: it must be 0 or more", words.cached_tokens));
  if (words.c.workers > kMostWorkers)
    throw UsageError(
        fmt::format("--workers {}: it must be 1 to {}", words.c.workers, kMostWorkers));
  Case c = words.c;
  c.shape.kv_len = c.shape.q_len + words.cached_tokens;
  c = whole_case(c);
  const Problem problem = make_problem(c.shape, MaskKind::full, c.dtype, 0);
  std::vector<SentBytes> rows;
  std::string summary;
  for (const Pass pass : passes_of(words.passes)) {
    for (SentBytes& row : sent_bytes(problem, c.workers, pass)) rows.push_back(std::move(row));
    summary += sent_bytes_summary(rows, pass);
  }
  print_table(sent_bytes_table(rows, words.form), summary, words.form);
}

void add_sent_bytes(Verb bounds) {
  auto [verb, words] = add_verb<SentBytesWords>(
      bounds, "bytes", "Computes what one worker sends in each pass, scheme by scheme.",
      print_sent_bytes,
      R"(A row is one kind of transfer, by its formula: T = n-tokens, P = cached-tokens,
W = workers, NH = q-heads, NKV = kv-heads, d = head-dim, e bytes an element, p = 4 bytes an
element of a partial (O and LSE are f32), of LSE and D, and of a sum of gradients, and m groups
that a worker of CQS has. A shard of T tokens is ceil(T/W). The worker counted is the one that
sends most, and its share for itself is not counted. CQS workers talk to the root only: they
receive the scatter and send the gather, `local` being the tokens of the longest subsequence.

Each scheme is also planned, as qb advise plans it: the plan says what it sends in all, and why a
scheme refuses a problem. The formulas of a scheme add up to that, or its rows say why they do not.

Examples:
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --pass backward
  qb bounds bytes --n-tokens 1 --cached-tokens 1Mi --workers 8 --q-heads 8 --csv)");
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  words.c.dtype = DType::bf16;
  add_parameter(verb, words.c, "n_tokens").required();
  add_parameter(verb, words.c, "workers").required();
  add_integer(verb, "--cached-tokens", words.cached_tokens,
              "Sets P, the number of tokens in the cache (default: 0).");
  add_parameters(verb, words.c, {"q_heads", "kv_heads", "head_dim", "dtype"});
  add_word(verb, "--pass", words.passes, "Sets which passes are counted");
  add_table_form(verb, words.form);
}

}  // namespace

void add_bounds(Verb app) {
  const Verb bounds = app.add_verb(
      "bounds", "Recomputes bounds that papers print, and the bytes that each scheme sends.",
      R"(A verdict is an answer, not a failure: the exit code is 0 whatever the verdicts are.

Examples:
  qb bounds tms
  qb bounds min-block
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64
  qb bounds SUBCOMMAND --help)");
  bounds.require_verb();
  add_speed_up(bounds);
  add_min_block(bounds);
  add_sent_bytes(bounds);
}

}  // namespace qb
