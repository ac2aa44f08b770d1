// qb bounds: recomputes bounds that papers print, and shows what each scheme sends.
#include <fmt/format.h>

#include <string>

#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/bounds_view.h"
#include "kernels/dtype.h"

namespace qb {
namespace {

void add_speed_up(Verb bounds) {
  Verb verb = bounds.add_verb(
      "tms", "the 190 theoretical max speed-ups of Striped Attention, recomputed",
      "TMS = (attention_ring + dense) / (attention_striped + dense) on the critical path:\n"
      "dense = 2c [L (4 D^2 + 3 D d_ff) + vocabulary D], attention = a w 4 L D pairs, c tokens a\n"
      "worker, a = 2 on A100 (TF32) and 1 on TPU. The papers do not print w, how much more of\n"
      "attention a training step repeats; it is fitted, once with the layers alone and once with "
      "the\n"
      "projection to the vocabulary.\n"
      "A value agrees where it rounds to the printed one.\n\n"
      "Examples:\n"
      "  qb bounds tms\n"
      "  qb bounds tms --csv > tms.csv");
  auto& form = verb.runs<TableForm>([](TableForm said) {
    const auto& rows = published_speed_ups();
    print_table(speed_up_table(rows, said), speed_up_summary(rows), said);
  });
  add_table_form(verb, form);
}

struct MinBlockWords {
  RingMachine machine;
  DType dtype = DType::bf16;
  TableForm form = TableForm::terminal;
};

void print_min_block(MinBlockWords& words) {
  if (!(words.machine.compute_flop_per_s > 0.0)) {  // --compute was not given
    const auto& rows = published_min_blocks();
    print_table(min_block_table(rows, words.form), min_block_summary(rows), words.form);
    return;
  }
  words.machine.element_bytes = size_of(words.dtype);
  if (words.machine.kv_heads == 0) words.machine.kv_heads = words.machine.q_heads;
  fmt::print("{}", own_min_block_table(words.machine, words.form));
}

void add_min_block(Verb bounds) {
  Verb verb = bounds.add_verb(
      "min-block", "Ring Attention's least block, as its Table 2 prints it or for a machine",
      "The transfers of a ring hide behind compute from c = (C/B)(e/2)(NKV/NH) tokens a worker "
      "on,\n"
      "twice that where each round computes half of a block. Without --compute and --bandwidth:\n"
      "the five hosts of the paper (2-byte types, NKV = NH), c = C/B and s = 6c.\n\n"
      "Examples:\n"
      "  qb bounds min-block\n"
      "  qb bounds min-block --compute 989e12 --bandwidth 50e9 --q-heads 32 --kv-heads 8");
  auto& words = verb.runs<MinBlockWords>(print_min_block);
  words.machine.kv_heads = 0;
  auto compute = add_positive(verb, "--compute", words.machine.compute_flop_per_s,
                              "peak FLOP/s of one worker");
  auto link = add_positive(verb, "--bandwidth", words.machine.link_byte_per_s,
                           "bytes/s that one worker sends");
  compute.needs(link);
  link.needs(compute);
  add_integer(verb, "--q-heads", words.machine.q_heads, "query heads (default 1)").needs(compute);
  add_integer(verb, "--kv-heads", words.machine.kv_heads, "key-value heads (default q-heads)")
      .needs(compute);
  add_word(verb, "--dtype", words.dtype, "default bf16").needs(compute);
  add_table_form(verb, words.form);
}

struct SentBytesWords {
  SplitProblem problem;
  DType dtype = DType::bf16;
  TableForm form = TableForm::terminal;
};

void print_sent_bytes(SentBytesWords& words) {
  SplitProblem& problem = words.problem;
  if (problem.kv_heads == 0) problem.kv_heads = problem.q_heads;
  problem.element_bytes = size_of(words.dtype);
  problem.partial_bytes = size_of(DType::f32);
  print_table(sent_bytes_table(problem, words.form), sent_bytes_summary(problem), words.form);
}

void add_sent_bytes(Verb bounds) {
  Verb verb = bounds.add_verb(
      "bytes", "what one worker sends in a forward pass, scheme by scheme",
      "A row is one kind of transfer; the worker counted is the one that sends most, and a shard\n"
      "of T tokens is ceil(T/W). CQS workers talk to the root only: they receive the scatter and\n"
      "send the gather, `local` being the tokens of the longest subsequence. Ulysses repeats\n"
      "key-value heads where there are fewer than workers.\n\n"
      "Examples:\n"
      "  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64\n"
      "  qb bounds bytes --n-tokens 1 --cached-tokens 1Mi --workers 8 --q-heads 8 --csv");
  auto& words = verb.runs<SentBytesWords>(print_sent_bytes);
  SplitProblem& problem = words.problem;
  problem.kv_heads = 0;
  add_integer(verb, "--n-tokens", problem.new_tokens, "T, new tokens of the whole sequence")
      .required();
  add_integer(verb, "--cached-tokens", problem.cached_tokens, "P, default 0");
  add_integer(verb, "--workers", problem.workers, "W").required();
  add_integer(verb, "--q-heads", problem.q_heads, "NH, query heads (default 1)");
  add_integer(verb, "--kv-heads", problem.kv_heads, "NKV (default q-heads)");
  add_integer(verb, "--head-dim", problem.head_dim, "d, default 64");
  add_word(verb, "--dtype", words.dtype,
           "the type, of e bytes; partials (O, LSE) are f32; default bf16");
  add_table_form(verb, words.form);
}

}  // namespace

void add_bounds(Verb app) {
  Verb bounds = app.add_verb(
      "bounds", "Bounds that papers print, recomputed; bytes that each scheme sends",
      "A verdict is an answer and no failure: the exit code is 0 whatever the verdicts are.\n\n"
      "Examples:\n"
      "  qb bounds tms\n"
      "  qb bounds min-block\n"
      "  qb bounds bytes --n-tokens 8192 --workers 8 --q-heads 8 --kv-heads 2 --head-dim 64\n"
      "  qb bounds SUBCOMMAND --help");
  bounds.require_verb();
  add_speed_up(bounds);
  add_min_block(bounds);
  add_sent_bytes(bounds);
}

}  // namespace qb
