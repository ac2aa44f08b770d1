#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/verify/verify.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

void check_request(const AttendRequest& request) {
  if (request.out == request.lse)
    throw UsageError(fmt::format("--out and --lse are both {}; choose two files", request.out));
  check_tensor_job(request);
  if (!request.lse.empty()) require_writable(request.lse);
}

// The only f64 kernel is reference.
DType compute_dtype(DType given, Kernel kernel) {
  if (given != DType::f64 || kernel == Kernel::reference) return given;
  fmt::print(stderr,
             "qb: the inputs are f64 and are rounded to f32 for kernel {}; use --kernel "
             "reference to keep them\n",
             word(kernel));
  return DType::f32;
}

struct Job {
  Plan plan;
  std::vector<std::int64_t> out_shape;
  Tensor q;
  Tensor k;
  Tensor v;
};

// The contents of the files are freed when this returns.
Job read_job(const AttendRequest& request, Allocator& memory) {
  const NpyArray q = heads_before_tokens(read_npy(request.q), request.layout);
  const NpyArray k = heads_before_tokens(read_npy(request.k), request.layout);
  const NpyArray v = heads_before_tokens(read_npy(request.v), request.layout);
  Case c = request.c;
  c.shape = shape_of(q, k, v);
  c.dtype = compute_dtype(common_dtype(q, k, v), c.kernel);
  Job job{checked_plan(c), q.shape, {}, {}, {}};
  job.out_shape.back() = c.shape.value_dim;
  job.q = tensor_of(q, c.dtype, c.shape.q(), memory, "q");
  job.k = tensor_of(k, c.dtype, c.shape.k(), memory, "k");
  job.v = tensor_of(v, c.dtype, c.shape.v(), memory, "v");
  return job;
}

// The bytes of a file of the output in the order of axes of the inputs.
std::string file_of(const AttendRequest& request, const TensorView& tensor,
                    const std::vector<std::int64_t>& shape, std::string_view name) {
  const NpyArray array =
      in_order(parse_npy(npy_of(tensor, request.out_dtype, shape, name), name), request.layout);
  return npy_bytes(array.dtype, array.shape, array.data.data());
}

// Writes both files or none.
void write_outputs(const AttendRequest& request, const Job& job, const TensorView& out,
                   const TensorView& lse) {
  std::vector<std::int64_t> lse_shape = job.out_shape;
  lse_shape.pop_back();
  const std::string out_bytes = file_of(request, out, job.out_shape, "O");
  const std::string lse_bytes = request.lse.empty() ? "" : file_of(request, lse, lse_shape, "LSE");
  write_file_atomically(request.out, out_bytes);
  if (request.lse.empty()) return;
  try {
    write_file_atomically(request.lse, lse_bytes);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(request.out, ignored);
    throw;
  }
}

// Returns true if the tokens of a head cannot be told apart.
bool has_equal_rows(const TensorView& view) {
  const auto bytes = static_cast<std::size_t>(view.extent.head_dim * size_of(view.dtype));
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t t = 1; t < view.extent.length; ++t)
        if (std::memcmp(view.row(b, h, 0), view.row(b, h, t), bytes) != 0) return false;
  return view.extent.length > 1;
}

std::string summary(const AttendRequest& request, const Job& job, const Plan& plan,
                    const Execution& execution, const Verification& verification,
                    std::uint64_t peak_bytes) {
  const Shape& s = plan.problem.shape;
  TextTable table({"attention", ""});
  table.add({"shape", fmt::format("batch {}, heads {} / {}, queries {}, keys {}, head_dim {}",
                                  s.batch, s.q_heads, s.kv_heads, s.q_len, s.kv_len, s.head_dim)});
  table.add({"type, mask, scale", fmt::format("{}, {}, {:.6g}", word(plan.problem.dtype),
                                              to_string(plan.problem.mask), plan.problem.scale)});
  const bool balanced = request.c.distillation == Distillation::balanced;
  table.add({"algorithm", fmt::format("{}, {} worker{}, {}{}", plan.algorithm, plan.workers.size(),
                                      plan.workers.size() == 1 ? "" : "s", word(request.c.ranks),
                                      balanced ? ", balanced distillation" : "")});
  table.add({"kernel", std::string(word(request.c.kernel))});
  for (const auto& [name, tensor] : {std::pair{"K", &job.k}, {"V", &job.v}})
    if (has_equal_rows(tensor->view()))
      table.add({"caution", fmt::format("all rows of {} are equal: an output that mixes up keys "
                                        "looks right too",
                                        name)});
  if (request.layout == AxisOrder::automatic && s.q_heads > s.q_len && s.kv_heads > s.kv_len)
    table.add(
        {"caution", fmt::format("there are more heads ({}) than tokens ({}): if the files have "
                                "tokens before heads, say --layout {}",
                                s.q_heads, s.q_len, job.out_shape.size() == 3 ? "nhd" : "bnhd")});
  if (const std::int64_t rows = rows_without_keys(plan.problem); rows > 0)
    table.add({"rows without keys", fmt::format("{}: output 0, LSE -inf", rows)});
  table.add({"wall clock", format_seconds(execution.wall_s)});
  if (plan.workers.size() > 1 && request.c.ranks == Ranks::serial)
    table.add({"critical path, composed", format_seconds(execution.critical_path_s)});
  table.add({"peak active memory", format_bytes(peak_bytes)});
  table.add({"error against float64", error_text(request, verification, "rows a head")});
  table.add({"output", request.lse.empty() ? request.out : request.out + ", " + request.lse});
  return table.terminal();
}

}  // namespace

std::string attend(const AttendRequest& request, const Executor& executor) {
  check_request(request);
  MemoryLedger ledger({.budget_bytes = static_cast<std::uint64_t>(request.c.memory_budget_bytes)});
  const int threads = request.c.threads > 0 ? request.c.threads : available_cores();
  const Job job = read_job(request, ledger);
  const Problem& problem = job.plan.problem;
  const Tensor out(ledger, DType::f32, problem.shape.out(), "out");
  const Tensor lse(ledger, DType::f32, problem.shape.lse(), "lse");
  poison(out.view(), lse.view());
  const Execution execution = executor(request.c.ranks, job.plan,
                                       {.q = job.q.view(),
                                        .k = job.k.view(),
                                        .v = job.v.view(),
                                        .out = out.view(),
                                        .lse = lse.view(),
                                        .kernel = request.c.kernel,
                                        .threads = threads,
                                        .allocator = &ledger});
  // This looks at every element even if there are no rows to compare.
  const Verification verification =
      verify_output(problem, job.q.view(), job.k.view(), job.v.view(), out.view(), lse.view(),
                    rows_to_verify(job.plan, rows_to_compare(request)), threads);
  require_correct(verification);
  write_outputs(request, job, out.view(), lse.view());
  return summary(request, job, job.plan, execution, verification, ledger.active_peak_bytes());
}

void add_attend(Verb app) {
  auto [verb, request] = add_verb<AttendRequest>(
      app, "attend", "Runs attention on your own tensors (NPY files).",
      [](const AttendRequest& said) { fmt::print("{}", attend(said)); },
      R"(qb writes O and LSE only when everything has succeeded. Queries take the last positions of the
keys. The ranks mpi, nccl and model are for `qb run`.
Examples:
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy --layout bnhd    tokens before heads
  qb attend --q q.npy --k k.npy --v v.npy --algorithm cqs --workers 7 --mask causal \
            --out o.npy --lse lse.npy --verify
  qb attend --q q.npy --k k.npy --v v.npy --out o.npy --verify \
            --mask '{any_of: [{global: {tokens: 5}}, {sliding_window: {left: 4, right: 4}}]}')");
  verb.add_option("--q", request.q,
                  "Names the file of the queries: [n,d], [h,n,d] or [b,h,n,d]; f16, f32 or f64.")
      .required();
  verb.add_option("--k", request.k,
                  "Names the file of the keys, which may have fewer heads and another length.")
      .required();
  verb.add_option("--v", request.v,
                  "Names the file of the values, which have the heads and length of the keys.")
      .required();
  verb.add_option("-o,--out", request.out, "Writes O to this file, with the rank of --q.")
      .required();
  verb.add_option("--lse", request.lse,
                  "Writes the log-sum-exp of each row, a natural logarithm, to this file, with the "
                  "axes of O but the last.");
  add_word(
      verb, "--layout", request.layout,
      "Says in which order the files have batch, heads, n tokens and d elements, O and LSE too; "
      "auto is bhnd, hnd or nd");
  add_parameters(verb, request.c,
                 {"algorithm", "workers", "interest_set", "distillation", "ranks"});
  add_tensor_job(verb, request, "O and LSE", "rows a head");
}

}  // namespace qb
