// SPDX-License-Identifier: Apache-2.0
// qb bounds: computes the least block of a ring, and what each scheme sends, waits for and holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/table_form.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/model/advice.h"
#include "harness/plan/theory/path_forms.h"
#include "harness/plan/theory/peak_memory.h"
#include "harness/plan/theory/sent_bytes.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

// Returns the formula of a row, and why the plan sends another number of bytes, or has no plan.
std::string explanation(const SentBytes& row) {
  if (!row.unsupported.empty()) return row.unsupported;
  return row.difference.empty() ? row.formula : row.formula + "; " + row.difference;
}

std::string sent_bytes_table(std::span<const SentBytes> rows, TableFormat form) {
  const bool csv = form == TableFormat::csv;
  Table table;
  table.header = names_in(
      csv ? "pass,scheme,transfer,direction,messages,message_bytes,total_bytes,formulas_sent_bytes,"
            "device_sent_bytes,formula,difference,unsupported"
          : "pass,scheme,transfer,messages,bytes each,bytes,its formulas send in all,"
            "its plan sends in all,each is");
  for (const SentBytes& row : rows) {
    std::vector<std::string> cells = {std::string(word(row.pass)), row.scheme,
                                      row.transfer + (row.received && !csv ? " (received)" : "")};
    if (csv) cells.emplace_back(row.received ? "received" : "sent");
    if (row.unsupported.empty()) {
      cells.push_back(to_text(row.messages));
      for (const std::int64_t n : {row.bytes, row.total(), row.formula_bytes, row.planned_bytes})
        cells.push_back(csv ? to_text(n) : format_grouped(n));
    } else {
      cells.insert(cells.end(), 5, csv ? "" : "-");
    }
    cells.push_back(csv ? row.formula : explanation(row));
    if (csv) cells.insert(cells.end(), {row.difference, row.unsupported});
    table.rows.push_back(std::move(cells));
  }
  return printed(table, form);
}

std::string sent_bytes_summary(std::span<const SentBytes> rows, Pass pass) {
  std::vector<std::string> words;
  std::size_t formed = 0;  // with a closed form of their own
  std::size_t equal = 0;
  std::string_view last_scheme;
  for (const SentBytes& row : rows) {
    if (row.pass != pass || !row.unsupported.empty() || row.scheme == last_scheme) continue;
    last_scheme = row.scheme;
    words.push_back(fmt::format("{} {}", row.scheme, format_bytes(row.planned_bytes)));
    if (row.transfer == "all") continue;
    ++formed;
    if (row.formula_bytes == row.planned_bytes) ++equal;
  }
  if (words.empty()) return fmt::format("No scheme has a plan of the {} pass.\n", word(pass));
  return fmt::format(
      "In the {} pass a worker sends, by the plan of the scheme, in all: {}.\n"
      "The formulas of {} of {} schemes add up to that{}.\n",
      word(pass), fmt::join(words, ", "), equal, formed,
      equal == formed ? "" : "; the rows of the others say why they do not");
}

constexpr const char* kOfRoots =
    "The root of cqs sends and holds more: qb plan --algorithm cqs says how much.\n";

struct MinBlockWords {
  double compute_flop_per_s = 0.0;  // of one worker
  double link_byte_per_s = 0.0;     // sent by one worker
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 0;
  DType dtype = DType::bf16;
  TableFormat form = TableFormat::text;
};

std::string min_block_table(const MinBlockWords& words) {
  if (words.kv_heads < 1 || words.q_heads < 1 || words.q_heads % words.kv_heads != 0)
    throw UsageError(fmt::format("{} key-value heads do not divide {} query heads", words.kv_heads,
                                 words.q_heads));
  const bool csv = words.form == TableFormat::csv;
  Table table;
  table.header = {"blocks", csv ? "min_tokens_per_worker" : "least tokens a worker"};
  for (const auto& [name, half_blocks] :
       {std::pair{"whole blocks", false}, std::pair{"balanced causal (striped, zigzag)", true}}) {
    const double tokens =
        min_block_tokens(words.compute_flop_per_s, words.link_byte_per_s, size_of(words.dtype),
                         words.q_heads, words.kv_heads, half_blocks);
    table.rows.push_back({name, csv ? to_text(tokens) : fmt::format("{:.0f}", std::ceil(tokens))});
  }
  return printed(table, words.form);
}

void print_min_block(MinBlockWords& words) {
  if (words.kv_heads == 0) words.kv_heads = words.q_heads;
  print_answer(min_block_table(words));
}

void add_min_block(Verb bounds) {
  auto [verb, words] = add_verb<MinBlockWords>(
      bounds, "min-block",
      "Computes how many tokens each worker needs so that computing hides the ring's transfers.",
      print_min_block,
      R"(The transfers of a ring hide behind compute from c = (C/B)(e/2)(NKV/NH) tokens a worker on,
twice that where each round computes half of a block. `qb papers ring_attention` compares the
printed blocks with c.

Examples:
  qb bounds min-block --compute 989e12 --bandwidth 50e9 --q-heads 32 --kv-heads 8)");
  add_positive(verb, "--compute", words.compute_flop_per_s, "Sets the peak FLOP/s of one worker.")
      .required();
  add_positive(verb, "--bandwidth", words.link_byte_per_s,
               "Sets the bytes/s that one worker can send.")
      .required();
  add_integer(verb, "--q-heads", words.q_heads, "Sets NH, the number of query heads (default: 1).");
  add_integer(verb, "--kv-heads", words.kv_heads,
              "Sets NKV, the number of key-value heads (default: q-heads).");
  add_word(verb, "--dtype", words.dtype, "Sets the element type, of e bytes");
  add_table_form(verb, words.form);
}

struct SentBytesWords {
  Case c;
  std::int64_t cached_tokens = 0;
  Passes passes = Passes::both;
  TableFormat form = TableFormat::text;

  // Refuses what `qb advise` refuses.
  [[nodiscard]] Problem problem() const {
    const Case whole = case_with_cache(c, cached_tokens);
    Problem problem =
        with_mask_option([&] { return make_problem(whole.shape, whole.mask, whole.dtype, 0); });
    problem.partials = whole.partial_dtype;
    return problem;
  }
  [[nodiscard]] GridShape grid() const { return asked_grid(c.strategy_keys); }
};

void add_problem(Verb verb, SentBytesWords& words) {
  words.c.algorithm = "grid";  // of which the keys are
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  words.c.dtype = DType::bf16;
  add_parameter(verb, words.c, "n_tokens").required();
  add_parameter(verb, words.c, "workers").required();
  add_integer(verb, "--cached-tokens", words.cached_tokens,
              "Sets P, the number of tokens in the cache (default: 0).");
  add_parameters(
      verb, words.c,
      {"q_heads", "kv_heads", "head_dim", "dtype", "partial_dtype", "grid.heads", "grid.rows"});
  add_word(verb, "--pass", words.passes, "Sets which passes are counted");
  add_table_form(verb, words.form);
}

// The mask does not change what these schemes send.
void print_sent_bytes(const SentBytesWords& words) {
  const Problem problem = words.problem();
  std::vector<SentBytes> rows;
  std::string summary;
  for (const Pass pass : passes_of(words.passes)) {
    for (SentBytes& row : sent_bytes(problem, words.c.workers, pass, words.grid()))
      rows.push_back(std::move(row));
    summary += sent_bytes_summary(rows, pass);
  }
  print_table(sent_bytes_table(rows, words.form), summary + kOfRoots, words.form);
}

std::string cell(const std::optional<std::int64_t>& number, TableFormat form) {
  if (!number) return form == TableFormat::csv ? "" : "-";
  return form == TableFormat::csv ? to_text(*number) : format_grouped(*number);
}

void print_path(const SentBytesWords& words) {
  const Problem problem = words.problem();
  const bool csv = words.form == TableFormat::csv;
  Table table;
  table.header = names_in(csv ? "pass,scheme,rounds,critical_path_pairs,rounds_formula,"
                                "pairs_formula,missing"
                              : "pass,scheme,rounds,pairs on the critical path,rounds are,"
                                "pairs are under a causal mask");
  for (const Pass pass : passes_of(words.passes))
    for (const Strategy& strategy : strategies()) {
      PathForms forms;
      try {
        forms = path_forms(strategy.name, problem, words.c.workers, pass, words.grid());
      } catch (const Unsupported& reason) {
        forms.missing = reason.what();
      }
      std::vector<std::string> cells = {
          std::string(word(pass)), std::string(strategy.name), cell(forms.rounds, words.form),
          cell(forms.critical_path_pairs, words.form), forms.rounds_formula};
      if (csv)
        cells.insert(cells.end(), {forms.pairs_formula, forms.missing});
      else
        cells.push_back(forms.missing.empty() ? forms.pairs_formula : forms.missing);
      table.rows.push_back(std::move(cells));
    }
  print_table(printed(table, words.form), "", words.form);
}

void add_path(Verb bounds) {
  auto [verb, words] = add_verb<SentBytesWords>(
      bounds, "path", "Computes the rounds and the critical path of each scheme in closed form.",
      print_path,
      R"(Pairs are per head, of the slowest worker of each round. With W = workers, N = n-tokens,
c = N/W tokens a worker, t = c(c+1)/2 pairs of a causal block, and a grid of H x R x C. A form
holds where the workers have equal shards; where there is none, the table says why. A scheme may
still refuse the problem: see qb bounds bytes.

Examples:
  qb bounds path --n-tokens 16Mi --workers 4096 --q-heads 32 --kv-heads 8 --mask causal
  qb bounds path --n-tokens 64Ki --workers 16 --q-heads 32 --grid-heads 4 --grid-rows 2 --csv)");
  add_problem(verb, words);
  add_parameter(verb, words.c, "mask");
}

// What the fullest worker of a scheme holds, by its form and by its plan.
struct HeldByScheme {
  std::vector<HeldTensors> tensors{};
  std::int64_t form_bytes = 0;
  std::int64_t planned_bytes = 0;
  std::string missing{};
};

HeldByScheme held_of(std::string_view scheme, const Problem& problem, Pass pass,
                     const SentBytesWords& words) {
  HeldByScheme held{.missing = why_no_peak_form(scheme, problem)};
  if (held.missing.empty()) try {
      const Plan plan =
          make_plan(scheme, problem,
                    {.workers = words.c.workers, .keys = grid_keys(words.grid()), .pass = pass});
      held.planned_bytes = plan_memory(plan, Kernel::flash, 1).device_peak_bytes;
      held.tensors =
          peak_memory(scheme, problem, words.c.workers, pass, words.grid(), Kernel::flash);
      for (const HeldTensors& each : held.tensors) held.form_bytes += each.bytes;
      return held;
    } catch (const Unsupported& reason) {
      held.missing = reason.what();
    }
  held.tensors = {{words.form == TableFormat::csv ? "" : "-", "", 0}};
  return held;
}

void print_memory(const SentBytesWords& words) {
  const Problem problem = words.problem();
  const bool csv = words.form == TableFormat::csv;
  Table table;
  table.header =
      names_in(csv ? "pass,scheme,tensors,bytes,form_bytes,device_peak_bytes,formula,missing"
                   : "pass,scheme,a worker holds,bytes,its form in all,its plan in all,bytes are");
  int formed = 0;
  int equal = 0;
  for (const Pass pass : passes_of(words.passes))
    for (const Strategy& strategy : strategies()) {
      const HeldByScheme held = held_of(strategy.name, problem, pass, words);
      formed += held.missing.empty() ? 1 : 0;
      equal += held.missing.empty() && held.form_bytes == held.planned_bytes ? 1 : 0;
      for (const HeldTensors& each : held.tensors) {
        std::vector<std::string> cells = {std::string(word(pass)), std::string(strategy.name),
                                          each.what};
        for (const std::int64_t n : {each.bytes, held.form_bytes, held.planned_bytes})
          cells.push_back(cell(n > 0 ? std::optional(n) : std::nullopt, words.form));
        if (csv)
          cells.insert(cells.end(), {each.formula, held.missing});
        else
          cells.push_back(held.missing.empty() ? each.formula : held.missing);
        table.rows.push_back(std::move(cells));
      }
    }
  print_table(printed(table, words.form),
              fmt::format("{} of {} forms add up to what the plan's worker holds.\n{}", equal,
                          formed, kOfRoots),
              words.form);
}

void add_memory(Verb bounds) {
  auto [verb, words] = add_verb<SentBytesWords>(
      bounds, "memory", "Computes the peak memory of a worker of each scheme in closed form.",
      print_memory,
      R"(Rows of a scheme are what its fullest worker holds at its fullest moment, by kind. With the
letters of qb bounds bytes, c queries and m keys are those of the worker's shard, r and t those
that it gathers or whose results it sends back, b the rows of a kernel call, and w the workspace
of a call of kernel `flash` on one thread. A message has a header of h = 64 bytes and for each
tensor a place of |x| bytes: x rounded up to 64; a ring's has room for the longest shard. Where a
formula lists several, some of them are there at that moment. On one worker that computes in place
the caller's tensors count; what the root of CQS holds does not.

Each scheme is also planned, and its workers run over addresses, as qb plan does it: that
is what its plan holds, to the byte what a run on the CPU would.

Examples:
  qb bounds memory --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --mask causal
  qb bounds memory --n-tokens 64Ki --workers 16 --q-heads 32 --grid-heads 4 --pass backward --csv)");
  add_problem(verb, words);
  add_parameter(verb, words.c, "mask");
}

void add_sent_bytes(Verb bounds) {
  auto [verb, words] = add_verb<SentBytesWords>(
      bounds, "bytes", "Computes what one worker sends in each pass, scheme by scheme.",
      print_sent_bytes,
      R"(A row is one kind of transfer, by its formula: T = n-tokens, P = cached-tokens,
W = workers, NH = q-heads, NKV = kv-heads, d = head-dim, e bytes an element, o those of O
of a partial (partial-dtype), p = 4 of what is f32: LSE, D and sums of gradients, and m groups
that a worker of CQS has. A grid is H x R x C, Ulysses W x 1 x 1: a worker's share of the heads
is s query heads, which need k key-value heads, and KV is the sum of k over the shares. A shard of
T tokens is ceil(T/W). The worker counted is the one that sends most, and its share for itself is
not counted. CQS workers talk to the root only: they receive the scatter and send the gather,
`local` being the tokens of the longest subsequence.

Each scheme is also planned, as qb advise plans it: the plan says what it sends in all, and why a
scheme refuses a problem. The formulas of a scheme add up to that, or its rows say why they do not.

Examples:
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --pass backward
  qb bounds bytes --n-tokens 1 --cached-tokens 1Mi --workers 8 --q-heads 8 --csv)");
  add_problem(verb, words);
}

}  // namespace

void add_bounds(Verb app) {
  const Verb bounds = app.add_verb(
      "bounds",
      "Computes the least block of a ring, and what each scheme sends, waits for and holds.",
      R"(Examples:
  qb bounds min-block --compute 989e12 --bandwidth 50e9 --q-heads 32 --kv-heads 8
  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64
  qb bounds path --n-tokens 8192 --workers 8 --mask causal
  qb bounds memory --n-tokens 8192 --workers 8 --mask causal
  qb bounds SUBCOMMAND --help)");
  bounds.require_verb();
  add_min_block(bounds);
  add_sent_bytes(bounds);
  add_path(bounds);
  add_memory(bounds);
}

}  // namespace qb
