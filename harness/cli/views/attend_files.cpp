// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/attend_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/memory/system_memory.h"
#include "harness/plan/work/tiling.h"
#include "kernels/attention_backward.h"
#include "kernels/lse.h"

namespace qb {
namespace {

using AxisSizes = std::vector<std::int64_t>;
using Views = ExecutionArguments;

// How a file holds a tensor: its values in the type of --out-dtype, the numbers of its rows as they
// are, or each row of LSE as one natural logarithm.
enum class RowForm { values, numbers, logarithms };

// A file that the job writes where an option names it.
struct NamedOutput {
  std::string_view option;
  std::string path;
  std::string_view name;
  TensorView Views::*tensor;
  AxisSizes AttendJob::*like;  // the shape of the file, but for its last axis
  RowForm form = RowForm::values;
};

std::vector<NamedOutput> outputs_of(const AttendRequest& request) {
  using Job = AttendJob;
  std::vector<NamedOutput> all = {
      {"--out", request.out, "O", &Views::out, &Job::q_shape},
      {"--lse", request.lse, "LSE", &Views::lse, &Job::q_shape, RowForm::logarithms},
      {"--save-lse", request.save_lse, "LSE", &Views::lse, &Job::q_shape, RowForm::numbers},
      {"--dq", request.d_q, "dQ", &Views::d_q, &Job::q_shape},
      {"--dk", request.d_k, "dK", &Views::d_k, &Job::k_shape},
      {"--dv", request.d_v, "dV", &Views::d_v, &Job::v_shape}};
  std::erase_if(all, [](const NamedOutput& one) { return one.path.empty(); });
  return all;
}

void require_names(const AttendRequest& request) {
  if (!request.backward) {
    if (request.out.empty()) throw UsageError("--out is missing: it names the file for O");
    return;
  }
  std::vector<std::string_view> missing;
  for (const auto& [option, path] : {std::pair{"--do", &request.d_out},
                                     {"--dq", &request.d_q},
                                     {"--dk", &request.d_k},
                                     {"--dv", &request.d_v}})
    if (path->empty()) missing.emplace_back(option);
  if (!missing.empty())
    throw UsageError(fmt::format("--backward needs {}: it reads dO, and writes dQ, dK and dV",
                                 join(missing, ", ")));
}

// Returns true if O and LSE come from files.
bool reads_output(const AttendRequest& request) {
  if (request.saved_out.empty() != request.saved_lse.empty())
    throw UsageError(
        fmt::format("{} is missing: a backward pass reads both --saved-out and --saved-lse, or "
                    "computes O and LSE",
                    request.saved_out.empty() ? "--saved-out" : "--saved-lse"));
  const bool reads = !request.saved_out.empty();
  if (reads && !(request.out + request.lse + request.save_lse).empty())
    throw UsageError(
        "--out, --lse and --save-lse write what --saved-out and --saved-lse would read");
  return reads;
}

// The only f64 kernel is reference.
DType compute_dtype(DType given, Kernel kernel) {
  if (given != DType::f64 || kernel == Kernel::reference) return given;
  print_note(
      "qb: the inputs are f64 and are rounded to f32 for kernel {}; use --kernel "
      "reference to keep them\n",
      word(kernel));
  return DType::f32;
}

AxisSizes with_last(AxisSizes shape, std::int64_t last) {
  shape.back() = last;
  return shape;
}

void require_shape(const NpyHeader& header, std::string_view name, const AxisSizes& shape) {
  if (header.shape != shape)
    throw UsageError(fmt::format("{} has shape {}; {} must have {}", header.name,
                                 shape_text(header.shape), name, shape_text(shape)));
}

bool has_tokens_first(AxisOrder order) {
  return order == AxisOrder::bnhd || order == AxisOrder::nhd;
}

// Puts the axes of a shape with heads before tokens and a last axis into the order, or back.
AxisSizes in_order(AxisSizes shape, AxisOrder order) {
  if (has_tokens_first(order)) std::swap(shape[shape.size() - 2], shape[shape.size() - 3]);
  return shape;
}

// Returns row i of a file of these sizes, the last axis too, in a tensor [b,h,n,x], or [1,h,b n,x]
// where a plan takes the batch as packed sequences.
std::byte* row_in(const TensorView& view, const AxisSizes& sizes, AxisOrder order, std::int64_t i) {
  const std::size_t axes = sizes.size();
  const std::int64_t inner = sizes[axes - 2];
  const std::int64_t outer = axes > 2 ? sizes[axes - 3] : 1;
  const std::int64_t batch = i / (inner * outer);
  std::int64_t head = i / inner % outer;
  std::int64_t token = i % inner;
  if (has_tokens_first(order)) std::swap(head, token);
  if (view.extent.batch > 1) return view.row(batch, head, token);
  return view.row(0, head, batch * (has_tokens_first(order) ? outer : inner) + token);
}

// A file of the user.
struct Given {
  Given(const AttendRequest& request, const std::string& path) : file(path), order(request.layout) {
    const AxisSizes& shape = file.header().shape;
    if (order != AxisOrder::automatic && shape.size() != word(order).size())
      throw UsageError(fmt::format("{} has shape {}; --layout {} needs {} axes", path,
                                   shape_text(shape), word(order), word(order).size()));
  }

  // The header of the same array with heads before tokens.
  [[nodiscard]] NpyHeader header() const {
    NpyHeader header = file.header();
    header.shape = in_order(std::move(header.shape), order);
    return header;
  }

  void read(const TensorView& view, bool lets_minus_infinity = false) {
    file.read_rows(
        view.extent.head_dim, view.dtype,
        [&](std::int64_t i) { return row_in(view, file.header().shape, order, i); },
        lets_minus_infinity);
  }

  NpyFile file;
  AxisOrder order;
};

// The files that are read. Their headers say what the job is, before memory is taken.
struct GivenFiles {
  explicit GivenFiles(const AttendRequest& request)
      : q(request, request.q), k(request, request.k), v(request, request.v) {
    if (request.backward) d_out.emplace(request, request.d_out);
    if (!reads_output(request)) return;
    o.emplace(request, request.saved_out);
    lse.emplace(request, request.saved_lse);
  }

  Given q;
  Given k;
  Given v;
  std::optional<Given> d_out;
  std::optional<Given> o;
  std::optional<Given> lse;
};

void plan_job(const AttendRequest& request, const GivenFiles& files, AttendJob& job) {
  const NpyHeader q = files.q.header();
  const NpyHeader k = files.k.header();
  const NpyHeader v = files.v.header();
  Case c = request.c;
  c.shape = shape_of(q, k, v);
  c.dtype = compute_dtype(common_dtype(q, k, v), c.kernel);
  job.q_shape = q.shape;
  job.k_shape = k.shape;
  job.v_shape = v.shape;
  if (!files.o) job.forward = checked_plan(c);
  if (request.backward) {
    require_backward_kernel(c.kernel, c.dtype);
    job.backward = checked_plan(c, Pass::backward);
  }
  job.shape = c.shape;
  const AxisSizes of_out = with_last(q.shape, c.shape.value_dim);
  if (files.d_out) {
    const NpyHeader d_out = files.d_out->header();
    (void)common_dtype(q, d_out, d_out);
    require_shape(d_out, "dO", of_out);
  }
  if (!files.o) return;
  require_shape(files.o->header(), "O", of_out);
  require_shape(files.lse->header(), "LSE of --save-lse",
                with_last(q.shape, job.plan().problem.lse_kept));
}

// A tensor of a job.
struct JobTensor {
  TensorView Views::*view;
  std::string_view label;
  DType dtype;
  Extent extent;
};

// Lists the saved tensors that a backward pass reads: O and LSE.
std::vector<JobTensor> first_tensors(const Problem& problem, Pass pass) {
  const Shape& s = problem.shape;
  std::vector<JobTensor> all = {{&Views::q, "q", problem.dtype, s.q()},
                                {&Views::k, "k", problem.dtype, s.k()},
                                {&Views::v, "v", problem.dtype, s.v()},
                                {&Views::out, "out", DType::f32, s.out()},
                                {&Views::lse, "lse", DType::f32, problem.kept_lse()}};
  if (pass == Pass::backward) all.push_back({&Views::d_out, "d_out", problem.dtype, s.out()});
  return all;
}

std::vector<JobTensor> gradients_of(const Shape& s) {
  return {{&Views::d_q, "d_q", DType::f32, s.q()},
          {&Views::d_k, "d_k", DType::f32, s.k()},
          {&Views::d_v, "d_v", DType::f32, s.v()}};
}

std::int64_t bytes_of(const std::vector<JobTensor>& tensors) {
  std::int64_t bytes = 0;
  for (const JobTensor& one : tensors) bytes += one.extent.elements() * size_of(one.dtype);
  return bytes;
}

bool frees_out(const AttendRequest& request, const AttendJob& job) {
  return request.out.empty() && works_in_place(*job.backward);
}

std::int64_t predicted_bytes(const AttendRequest& request, const AttendJob& job) {
  const Problem& problem = job.plan().problem;
  const std::int64_t first = bytes_of(first_tensors(problem, job.plan().pass));
  const std::int64_t gradients = bytes_of(gradients_of(problem.shape));
  // What a pass holds beside the tensors that it is given.
  const auto beside = [&](const Plan& plan) {
    const PlanMemory memory = plan_memory(plan, request.c.kernel, job.arguments.threads);
    return (request.c.ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes) -
           bytes_of(first_tensors(plan.problem, plan.pass)) -
           (plan.pass == Pass::backward ? gradients : 0);
  };
  const std::int64_t of_forward = first + (job.forward ? beside(*job.forward) : 0);
  if (!job.backward) return of_forward;
  const std::int64_t of_backward = first + gradients + beside(*job.backward);
  if (!frees_out(request, job)) return std::max(of_forward, of_backward);
  const auto f32_bytes = [](const Extent& extent) {
    return extent.elements() * size_of(DType::f32);
  };
  return std::max({of_forward, first + f32_bytes(problem.shape.lse()),
                   of_backward - f32_bytes(problem.shape.out())});
}

void require_memory(const AttendRequest& request, const AttendJob& job) {
  const std::uint64_t free = available_memory_bytes();
  const auto needed = static_cast<std::uint64_t>(job.predicted_bytes);
  if (needed <= free) return;
  const Shape& s = job.shape;
  throw EnvironmentError(fmt::format(
      "{} of memory are needed and {} are free: batch {}, heads {} / {}, queries {}, keys {}, "
      "head_dim {}, {}, algorithm {} with {} worker{}, kernel {}",
      format_bytes(needed), format_bytes(free), s.batch, s.q_heads, s.kv_heads, s.q_len, s.kv_len,
      s.head_dim, word(job.plan().problem.dtype), job.plan().algorithm, job.plan().workers.size(),
      job.plan().workers.size() == 1 ? "" : "s", word(request.c.kernel)));
}

void make_room(AttendJob& job, const std::vector<JobTensor>& tensors) {
  for (const JobTensor& one : tensors) {
    Tensor tensor(*job.arguments.allocator, one.dtype, one.extent, one.label);
    poison(job.arguments.*one.view = tensor.view());
    job.tensors[one.label] = std::move(tensor);
  }
}

void write_output(OutputFile& file, const AttendRequest& request, const AttendJob& job,
                  const NamedOutput& one) {
  const TensorView& view = job.arguments.*one.tensor;
  const bool is_logarithm = one.form == RowForm::logarithms;
  const AxisSizes rows =
      in_order(with_last(job.*one.like, is_logarithm ? 1 : view.extent.head_dim), request.layout);
  AxisSizes sizes = rows;
  if (is_logarithm) sizes.pop_back();
  float natural = 0.0f;
  const auto place = [&](std::int64_t i) -> const float* {
    TensorView row = view;
    row.data = row_in(view, rows, request.layout, i);
    if (!is_logarithm) return static_cast<const float*>(row.data);
    natural = static_cast<float>(load_lse(row, 0, 0, 0).natural());
    return &natural;
  };
  write_npy_rows(file, one.form == RowForm::numbers ? DType::f32 : request.out_dtype, sizes,
                 rows.back(), place, one.name);
}

}  // namespace

void check_attend_files(const AttendRequest& request) {
  require_names(request);
  const std::vector<NamedOutput> named = outputs_of(request);
  for (std::size_t i = 0; i < named.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_output(named[i].path, named[j].path))
        throw UsageError(fmt::format("{} and {} are both {}; choose two files", named[j].option,
                                     named[i].option, named[i].path));
  check_out_dtype(request);
  (void)reads_output(request);
  for (const NamedOutput& file : named) require_writable(file.path);
}

AttendJob read_attend_files(const AttendRequest& request, Allocator& memory, int threads) {
  GivenFiles files(request);
  AttendJob job;
  ExecutionArguments& to = job.arguments;
  to.kernel = request.c.kernel;
  to.threads = threads;
  to.allocator = &memory;
  plan_job(request, files, job);
  job.predicted_bytes = predicted_bytes(request, job);
  require_memory(request, job);
  make_room(job, first_tensors(job.plan().problem, job.plan().pass));
  files.q.read(to.q);
  files.k.read(to.k);
  files.v.read(to.v);
  if (files.d_out) files.d_out->read(to.d_out);
  if (!files.o) return job;
  files.o->read(to.out);
  files.lse->read(to.lse, true);
  return job;
}

double begin_backward(const AttendRequest& request, AttendJob& job) {
  const Shape& shape = job.plan().problem.shape;
  ExecutionArguments& of = job.arguments;
  double delta_s = 0.0;
  if (frees_out(request, job)) {
    make_room(job, {{&Views::delta, "delta", DType::f32, shape.lse()}});
    const double start_s = now_s();
    compute_delta(of.out, of.d_out, of.delta, of.threads);
    delta_s = now_s() - start_s;
    of.out = {};
    job.tensors.erase("out");
  }
  make_room(job, gradients_of(shape));
  return delta_s;
}

std::string write_attend_files(const AttendRequest& request, const AttendJob& job) {
  std::vector<NamedOutput> all = outputs_of(request);
  // Nothing takes back what a device or a FIFO has got, so they come last.
  const auto in_place = std::ranges::stable_partition(
      all, [](const NamedOutput& one) { return !is_written_in_place(one.path); });
  std::vector<std::unique_ptr<OutputFile>> files;
  std::vector<std::string_view> written;  // in `all`
  const auto open = [&](const NamedOutput& one) {
    files.push_back(std::make_unique<OutputFile>(one.path));
    write_output(*files.back(), request, job, one);
    files.back()->flush();
  };
  for (auto one = all.begin(); one != in_place.begin(); ++one) open(*one);
  try {
    for (const NamedOutput& one : all) {
      if (written.size() == files.size()) open(one);
      files[written.size()]->commit();
      written.push_back(one.path);
    }
  } catch (const ExitError& error) {
    if (written.empty()) throw;
    throw ExitError(error.code(), fmt::format("{}; these files are already written: {}",
                                              error.what(), join(written, ", ")));
  }
  return join(written, ", ");
}

}  // namespace qb
