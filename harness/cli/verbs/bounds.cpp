// SPDX-License-Identifier: Apache-2.0
// qb bounds: computes the least block of a ring, and counts what each scheme sends and holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/print.h"
#include "harness/cli/options.h"
#include "harness/cli/views/table_form.h"
#include "harness/forecast/advice.h"
#include "harness/plan/theory/speed_up_bound.h"
#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

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

struct SchemesWords {
  Case c;
  std::int64_t cached_tokens = 0;
  Passes passes = Passes::both;
  TableFormat form = TableFormat::text;
};

// Refuses what `qb advise` refuses, and problems whose bytes 63 bits do not hold: a root or all
// workers together move no more than 8 tensors for each worker.
Problem problem_of(const SchemesWords& words) {
  const Case whole = case_with_cache(words.c, words.cached_tokens);
  Problem problem =
      with_mask_option([&] { return make_problem(whole.shape, whole.mask, whole.dtype, 0); });
  problem.partials = whole.partial_dtype;
  const Shape& shape = problem.shape;
  if (8.0 * 8.0 * static_cast<double>(shape.kv_len + whole.workers) * whole.workers *
          static_cast<double>(shape.q_heads) * static_cast<double>(shape.head_dim + 2) >
      9e18)
    throw UsageError("the bytes of this problem do not fit 63 bits; take fewer tokens or heads");
  return problem;
}

Plan plan_scheme(std::string_view scheme, const Problem& problem, const SchemesWords& words,
                 Pass pass) {
  if (scheme == "decode" && problem.shape.q_len > kFewNewTokens)
    throw Unsupported(
        fmt::format("decode is planned here for at most {} new tokens", kFewNewTokens));
  return make_plan(scheme, problem,
                   {.workers = words.c.workers,
                    .keys = grid_keys(asked_grid(words.c.strategy_keys)),
                    .pass = pass});
}

// Returns what the plan counts. Work has the same bytes and unmasked pairs with every kernel;
// `reference` has no tiles that take time to count.
std::vector<std::string> counted(const Plan& plan, bool csv) {
  const Representatives alike(plan);
  const Work work = model_work(plan, alike, Kernel::reference);
  const PlanMemory memory = plan_memory(plan, alike, Kernel::flash, 1);
  const bool has_root = memory.root_peak_bytes > 0;
  std::int64_t rounds = 0;
  Worker scratch;
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    rounds = std::max<std::int64_t>(
        rounds, std::ssize(plan.workers.read(w, scratch, Workers::Parts::messages).steps));
  if (csv)
    return {to_text(rounds),
            to_text(work.critical_path_pairs),
            to_text(work.sent_bytes_max),
            has_root ? to_text(work.root_sent_bytes) : "",
            to_text(memory.device_peak_bytes),
            has_root ? to_text(memory.root_peak_bytes) : ""};
  const auto bytes = [&](std::int64_t of_device, std::int64_t of_root) {
    return format_bytes_and_root(static_cast<double>(of_device),
                                 has_root ? static_cast<double>(of_root) : std::nan(""));
  };
  return {format_grouped(rounds), format_grouped(work.critical_path_pairs),
          bytes(work.sent_bytes_max, work.root_sent_bytes),
          bytes(memory.device_peak_bytes, memory.root_peak_bytes)};
}

void print_schemes(const SchemesWords& words) {
  const Problem problem = problem_of(words);
  const bool csv = words.form == TableFormat::csv;
  Table table;
  table.header =
      names_in(csv ? "pass,scheme,rounds,critical_path_pairs,device_sent_bytes,root_sent_bytes,"
                     "device_peak_bytes,root_peak_bytes,unsupported"
                   : "pass,scheme,rounds,pairs on the critical path,a worker sends,"
                     "a worker holds,has no plan since");
  for (const Pass pass : passes_of(words.passes))
    for (const Strategy& strategy : strategies()) {
      std::vector<std::string> cells = {std::string(word(pass)), std::string(strategy.name)};
      std::string unsupported;
      try {
        for (std::string& cell : counted(plan_scheme(strategy.name, problem, words, pass), csv))
          cells.push_back(std::move(cell));
      } catch (const Unsupported& reason) {
        unsupported = reason.what();
      }
      cells.resize(table.header.size() - 1, csv ? "" : "-");
      cells.push_back(unsupported);
      table.rows.push_back(std::move(cells));
    }
  print_table(printed(table, words.form), "", words.form);
}

void add_schemes(Verb bounds) {
  auto [verb, words] = add_verb<SchemesWords>(
      bounds, "schemes", "Counts what a worker of each scheme computes, sends and holds in a pass.",
      print_schemes,
      R"(Each scheme is planned, and its plan counts the numbers, as in qb plan and qb advise.
Pairs are per head, of the slowest worker of each round. A worker sends: the one that sends most,
all its messages. A worker holds: the fullest one at its fullest moment, to the byte what a run on
the CPU takes with kernel `flash` on one thread; a worker that computes in place holds the caller's
tensors too. Of cqs the root has numbers of its own. qb plan shows the transfers of one scheme.

Examples:
  qb bounds schemes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --mask causal
  qb bounds schemes --n-tokens 1 --cached-tokens 1Mi --workers 8 --q-heads 8 --pass forward
  qb bounds schemes --n-tokens 64Ki --workers 16 --q-heads 32 --grid-heads 4 --grid-rows 2 --csv)");
  words.c.algorithm = "grid";  // of which the keys are
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  words.c.dtype = DType::bf16;
  add_parameter(verb, words.c, "n_tokens").required();
  add_parameter(verb, words.c, "workers").required();
  add_integer(verb, "--cached-tokens", words.cached_tokens,
              "Sets P, the number of tokens in the cache (default: 0).");
  add_parameters(verb, words.c,
                 {"mask", "q_heads", "kv_heads", "head_dim", "dtype", "partial_dtype", "grid.heads",
                  "grid.rows"});
  add_word(verb, "--pass", words.passes, "Sets which passes are counted");
  add_table_form(verb, words.form);
}

}  // namespace

void add_bounds(Verb app) {
  const Verb bounds = app.add_verb(
      "bounds", "Computes the least block of a ring, and counts what each scheme sends and holds.",
      R"(Examples:
  qb bounds min-block --compute 989e12 --bandwidth 50e9 --q-heads 32 --kv-heads 8
  qb bounds schemes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --mask causal
  qb bounds SUBCOMMAND --help)");
  bounds.require_verb();
  add_min_block(bounds);
  add_schemes(bounds);
}

}  // namespace qb
