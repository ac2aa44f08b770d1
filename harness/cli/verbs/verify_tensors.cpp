// SPDX-License-Identifier: Apache-2.0
// `qb verify-tensors`: is what another program computed attention, and if not, what is it?
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/attend_files.h"
#include "harness/experiment/process/measured_columns.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/diagnosis.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr const char* kVerifyTensorsFooter =
    R"(It compares up to 256 rows a head with float64. Where a tensor is wrong it tries the mistakes that
programs of this field are known for (a mask at the other corner or off by one, heads interleaved,
a scale missing, LSE in base 2, rows without keys, a layout not undone, a partial left out or counted
twice, a neighbour's K and V, query heads not added up, …) and names the one that agrees. --algorithm
and --workers say how the other program splits the tokens; without them rings are tried.

The exit code is 0 if every tensor agrees, and 4 if one does not.
Examples:
  qb verify-tensors --q q.npy --k k.npy --v v.npy --o o.npy --lse lse.npy --mask causal
  qb verify-tensors --safetensors all.safetensors --mask causal      q, k, v, o; lse, do, dq, dk, dv
  qb verify-tensors --q q.npy --k k.npy --v v.npy --o o.npy --algorithm zigzag --workers 4)";

std::string errors_text(double error, double tolerance, bool correct) {
  return fmt::format("{}: error {:.3g}, tolerance {:.3g}", correct ? "agrees" : "WRONG", error,
                     tolerance);
}

struct VerifyWords : AttendRequest {
  int sum_roundings = 1;
  bool json = false;
};

// The columns that a row of cases.csv has of a verification, and whether it is right.
std::string verification_json(const Verification& found) {
  RowValues values;
  add_verification(found, values);
  nlohmann::ordered_json all{{"correct", found.correct}, {"message", found.message}};
  for (const auto& [field, text] : values) all[std::string(field->column)] = text;
  return all.dump() + "\n";
}

ExitCode verify_files(const VerifyWords& request) {
  if (request.sum_roundings < 1) throw UsageError("--sum-roundings must be at least 1");
  MemoryLedger ledger({.budget_bytes = static_cast<std::uint64_t>(request.c.memory_budget_bytes)});
  const int threads = request.c.threads > 0 ? request.c.threads : available_cores();
  OtherProgram other{request.softcap, DType::f32, request.sum_roundings};
  const AttendFiles files = read_found_files(request, ledger, threads, other.outputs);
  const Plan& plan = files.job.plan();
  const ExecutionArguments& tensors = files.job.arguments;
  const Verification found = verify_tensors(plan, tensors, other);
  if (request.json) {
    print_answer(verification_json(found));
    return found.correct ? ExitCode::ok : ExitCode::regression;
  }
  TextTable table({"tensors", ""});
  const Shape& s = plan.problem.shape;
  table.add({"shape", fmt::format("batch {}, heads {} / {}, queries {}, keys {}, head_dim {}",
                                  s.batch, s.q_heads, s.kv_heads, s.q_len, s.kv_len, s.head_dim)});
  table.add({"type, mask, scale", fmt::format("{}, {}, {:.6g}", word(plan.problem.dtype),
                                              to_string(plan.problem.mask), plan.problem.scale)});
  if (tensors.out.data != nullptr)
    table.add(
        {"O", errors_text(found.max_error, found.tolerance, found.max_error <= found.tolerance)});
  if (tensors.lse.data != nullptr)
    table.add({"LSE", errors_text(found.lse_max_error, found.lse_tolerance,
                                  found.lse_max_error <= found.lse_tolerance)});
  for (const GradientErrors& one : found.gradients)
    table.add(
        {std::string(word(one.what)), errors_text(one.max_error, one.tolerance, one.correct)});
  if (!found.correct) table.add({"where", found.message});
  for (const Diagnosis& one : diagnose(plan, tensors, other, found))
    table.add({"why " + one.tensor, explanation(one)});
  print_answer(table.terminal());
  return found.correct ? ExitCode::ok : ExitCode::regression;
}

}  // namespace

void add_verify_tensors(Verb app) {
  auto [verb, request] = add_verb<VerifyWords>(
      app, "verify-tensors",
      "Compares what another program computed with float64, and names its mistake.", verify_files,
      kVerifyTensorsFooter);
  Option one_file = verb.add_option(
      "--safetensors", request.safetensors,
      "Names a safetensors file with the tensors q, k, v and o, and where it has them lse, do, dq, "
      "dk and dv.");
  for (const auto& [name, path, what] :
       {std::tuple{"--q", &request.q, "the queries: [n,d], [h,n,d] or [b,h,n,d]"},
        {"--k", &request.k, "the keys"},
        {"--v", &request.v, "the values"}})
    one_file.excludes(verb.add_option(name, *path, fmt::format("Names the NPY file of {}.", what)));
  for (const auto& [name, path, what] :
       {std::tuple{"--o", &request.out, "O, with the axes of --q"},
        {"--lse", &request.lse, "LSE, a natural logarithm a row, with the axes of O but the last"},
        {"--do", &request.d_out, "dO, with the shape of O and the type of --q"},
        {"--dq", &request.d_q, "the gradient of --q"},
        {"--dk", &request.d_k, "the gradient of --k, summed over the query heads that share it"},
        {"--dv", &request.d_v, "the gradient of --v, summed likewise"}})
    verb.add_option(name, *path, fmt::format("Names the NPY file of {}.", what));
  verb.add_option("--softcap", request.softcap,
                  "Scores s are softcap tanh(s / softcap), before the mask; for O and LSE.");
  add_integer(
      verb, "--sum-roundings", request.sum_roundings,
      "Says how often a sum of dK or dV is rounded to the type of --q on its way (default: 1).");
  verb.add_flag(
      "--json", request.json,
      "Prints a JSON object of the columns that a row of a run has of this, and no cause.");
  one_file.excludes(add_file_form(verb, request));
  for (const std::string_view key : kSplitParameters)
    if (key != "ranks") (void)add_parameter(verb, request.c, key);
  for (const std::string_view key : {"mask", "scale", "threads", "memory_budget"})
    (void)add_parameter(verb, request.c, key);
}

}  // namespace qb
