// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstring>
#include <tuple>
#include <utility>

#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/attend_files.h"
#include "harness/run/memory/memory_ledger.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kVerifiedRows = 256;

// Returns true if the tokens of a head cannot be told apart.
bool has_equal_rows(const TensorView& view) {
  const auto bytes = static_cast<std::size_t>(view.extent.head_dim * size_of(view.dtype));
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 1; t < view.extent.length; ++t)
        if (std::memcmp(view.row(b, h, 0), view.row(b, h, t), bytes) != 0) return false;
  return view.extent.length > 1;
}

void add_cautions(const AttendRequest& request, const AttendFiles& files, TextTable& table) {
  const AttendJob& job = files.job;
  for (const auto& [name, tensor] : {std::pair{"K", &job.arguments.k}, {"V", &job.arguments.v}})
    if (has_equal_rows(*tensor))
      table.add({"caution", fmt::format("all rows of {} are equal: an output that mixes up keys "
                                        "looks right too",
                                        name)});
  const Shape& s = job.plan().problem.shape;
  if (request.layout == AxisOrder::automatic && s.q_heads > s.q_len && s.kv_heads > s.kv_len)
    table.add(
        {"caution", fmt::format("there are more heads ({}) than tokens ({}): if the files "
                                "have tokens before heads, say --layout {}",
                                s.q_heads, s.q_len, files.q_shape.size() == 3 ? "nhd" : "bnhd")});
  if (const std::int64_t rows = rows_without_keys(job.plan().problem); rows > 0)
    table.add({"rows without keys", fmt::format("{}: output 0, LSE -inf", rows)});
}

// `pass` is empty where there is only one.
void add_times(const AttendRequest& request, const Plan& plan, const Execution& execution,
               const std::string& pass, TextTable& table) {
  table.add({pass + "wall clock", format_seconds(execution.wall_s)});
  if (plan.workers.size() > 1 && request.c.ranks == Ranks::serial)
    table.add({pass + "critical path, composed", format_seconds(execution.critical_path_s)});
}

void add_errors(const AttendRequest& request, const Verification& verification, TextTable& table) {
  const auto add = [&](const std::string& what, double error, double tolerance, bool of_keys) {
    table.add({what, !request.verify
                         ? "not asked for (--verify)"
                         : fmt::format("{:.3g} (tolerance {:.3g}, {} {} a head)", error, tolerance,
                                       of_keys ? verification.keys : verification.rows,
                                       of_keys ? "keys" : "rows")});
  };
  add("error against float64", verification.max_error, verification.tolerance, false);
  for (const GradientErrors& errors : verification.gradients)
    add(fmt::format("error of {}", word(errors.what)), errors.max_error, errors.tolerance,
        is_of_keys(errors.what));
}

std::string summary(const AttendRequest& request, const AttendFiles& files, const AttendRun& run,
                    std::uint64_t peak_bytes, const std::string& written) {
  const AttendJob& job = files.job;
  const Plan& plan = job.plan();
  const Shape& s = job.task.c.shape;
  TextTable table({"attention", ""});
  table.add({"shape", fmt::format("batch {}, heads {} / {}, queries {}, keys {}, head_dim {}",
                                  s.batch, s.q_heads, s.kv_heads, s.q_len, s.kv_len, s.head_dim)});
  table.add({"type, mask, scale", fmt::format("{}, {}, {:.6g}", word(plan.problem.dtype),
                                              to_string(plan.problem.mask), plan.problem.scale)});
  const bool balanced = request.c.distillation == Distillation::balanced;
  table.add(
      {"algorithm", fmt::format("{}, {} worker{}, {}{}{}", plan.algorithm, plan.workers.size(),
                                plan.workers.size() == 1 ? "" : "s", word(request.c.ranks),
                                balanced ? ", balanced distillation" : "",
                                job.backward ? ", backward pass" : "")});
  table.add({"kernel", std::string(word(request.c.kernel))});
  add_cautions(request, files, table);
  if (!job.forward) table.add({"O and LSE", request.saved_out + ", " + request.saved_lse});
  if (run.forward)
    add_times(request, *job.forward, *run.forward, run.backward ? "forward " : "", table);
  if (run.backward) add_times(request, *job.backward, *run.backward, "backward ", table);
  table.add({"memory", fmt::format("peak {}, predicted {}", format_bytes(peak_bytes),
                                   format_bytes(static_cast<std::uint64_t>(job.predicted_bytes)))});
  add_errors(request, run.verification, table);
  table.add({"output", written});
  return table.terminal();
}

const char* const kAttendFooter =
    R"(qb writes its outputs only when everything has succeeded. Queries take the last positions of the
keys. The ranks mpi, nccl and model are for `qb run`.

With --backward it computes dQ, dK and dV of the gradient --do of O. The forward pass runs first,
unless --saved-out and --saved-lse name what one has written with --out and --save-lse: a few of their rows
are compared with a float64 reference. The algorithm and the kernel must have a backward pass, as
ring and flash do.
Examples:
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy --layout bnhd    tokens before heads
  qb attend --safetensors qkv.safetensors --out o.npy                  bf16 by its header
  qb attend --q q.npy --k k.npy --v v.npy --algorithm cqs --workers 7 --mask causal \
            --out o.npy --lse lse.npy --verify
  qb attend --q q.npy --k k.npy --v v.npy --backward --do do.npy --algorithm ring --workers 4 \
            --ranks threads --dq dq.npy --dk dk.npy --dv dv.npy --verify
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy --verify \
            --mask '{any_of: [{global: {tokens: 5}}, {sliding_window: {left: 4, right: 4}}]}')";

// Returns the option that stands for all inputs.
Option add_files(Verb verb, AttendRequest& request) {
  Option one_file =
      verb.add_option("--safetensors", request.safetensors,
                      "Names a safetensors file with the tensors q, k, v, and with --backward do, "
                      "in place of --q, --k, --v and --do; F16, BF16, F32 or F64.");
  for (const auto& [name, path, what] :
       {std::tuple{"--q", &request.q,
                   "the queries: [n,d], [h,n,d] or [b,h,n,d]; f16, bf16 (--dtype), f32 or f64"},
        {"--k", &request.k, "the keys, which may have fewer heads and another length"},
        {"--v", &request.v, "the values, which have the heads and length of the keys"}})
    one_file.excludes(verb.add_option(name, *path, fmt::format("Names the file of {}.", what)));
  verb.add_option("-o,--out", request.out,
                  "Writes O to this file, with the dimensions of --q. Optional with --backward.");
  verb.add_option("--lse", request.lse,
                  "Writes the log-sum-exp of each row, a natural logarithm, to this file, with the "
                  "axes of O but the last.");
  verb.add_option(
      "--save-lse", request.save_lse,
      "Writes the log-sum-exp of each row as the two numbers that a backward pass reads, "
      "with the axes of O and 2 for its last.");
  const Option backward =
      verb.add_flag("--backward", request.backward, "Computes the gradients dQ, dK and dV too.");
  one_file.excludes(
      verb.add_option("--do", request.d_out,
                      "Names the file of dO, with the shape of O and the type of --q.")
          .needs(backward));
  verb.add_option("--saved-out", request.saved_out,
                  "Names the file of O, which is then not computed.")
      .needs(backward);
  verb.add_option("--saved-lse", request.saved_lse, "Names the file that --save-lse has written.")
      .needs(backward);
  for (const auto& [name, of, path] : {std::tuple{"--dq", "--q", &request.d_q},
                                       {"--dk", "--k", &request.d_k},
                                       {"--dv", "--v", &request.d_v}})
    verb.add_option(
            name, *path,
            fmt::format("Writes the gradient of {0} to this file, with the shape of {0}.", of))
        .needs(backward);
  return one_file;
}

}  // namespace

std::string attend(const AttendRequest& request, const Executor& executor) {
  check_attend_files(request);
  MemoryLedger ledger({.budget_bytes = static_cast<std::uint64_t>(request.c.memory_budget_bytes)});
  const int threads = request.c.threads > 0 ? request.c.threads : available_cores();
  AttendFiles files = read_attend_files(request, ledger, threads);
  const AttendRun run = run_attend(files.job, request.verify ? kVerifiedRows : 0, executor);
  if (!run.verification.correct && !files.job.forward && !run.backward)
    throw UsageError(fmt::format("{} and {} are not O and LSE of these tensors: {}",
                                 request.saved_out, request.saved_lse, run.verification.message));
  if (!run.verification.correct)
    throw ExitError(ExitCode::regression, fmt::format("the output is wrong and was not written: {}",
                                                      run.verification.message));
  const std::string written = write_attend_files(request, files);
  return summary(request, files, run, ledger.active_peak_bytes(), written);
}

void add_attend(Verb app) {
  auto [verb, request] = add_verb<AttendRequest>(
      app, "attend", "Runs attention on your own tensors (NPY or safetensors files).",
      [](const AttendRequest& said) { print_answer(attend(said)); }, kAttendFooter);
  add_files(verb, request).excludes(add_file_form(verb, request));
  for (const std::string_view key : kSplitParameters) (void)add_parameter(verb, request.c, key);
  for (const std::string_view key : kTensorParameters) (void)add_parameter(verb, request.c, key);
  add_word(verb, "--out-dtype", request.out_dtype, "Sets the type of the outputs: f16 or f32");
  verb.add_flag("--verify", request.verify,
                fmt::format("Compares up to {} rows a head with a float64 reference; the exit code "
                            "is 4 if they differ.",
                            kVerifiedRows));
}

}  // namespace qb
