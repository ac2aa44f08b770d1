// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/attend_files.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "harness/execute/device/device_rehearsal.h"
#include "harness/execute/memory/system_memory.h"
#include "kernels/attention_backward.h"
#include "kernels/lse.h"

namespace qb {
namespace {

using AxisSizes = std::vector<std::int64_t>;

// A file that an option names.
struct NamedFile {
  std::string_view option;
  std::string path;
};

std::vector<NamedFile> named_outputs(const AttendRequest& request) {
  std::vector<NamedFile> named;
  for (const NamedFile& file : {NamedFile{"--out", request.out},
                                {"--lse", request.lse},
                                {"--save-lse", request.save_lse},
                                {"--dq", request.d_q},
                                {"--dk", request.d_k},
                                {"--dv", request.d_v}})
    if (!file.path.empty()) named.push_back(file);
  return named;
}

void require_names(const AttendRequest& request) {
  if (!request.backward) {
    if (request.out.empty()) throw UsageError("--out is missing: it names the file for O");
    return;
  }
  std::vector<std::string_view> missing;
  for (const NamedFile& file : {NamedFile{"--do", request.d_out},
                                {"--dq", request.d_q},
                                {"--dk", request.d_k},
                                {"--dv", request.d_v}})
    if (file.path.empty()) missing.push_back(file.option);
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

void require_shape(const NpyHeader& header, std::string_view name, const AxisSizes& shape) {
  if (header.shape != shape)
    throw UsageError(fmt::format("{} has shape {}; {} must have {}", header.name,
                                 shape_text(header.shape), name, shape_text(shape)));
}

// A file of the user, and its shape with heads before tokens.
struct Given {
  Given(const AttendRequest& request, const std::string& path) : file(path), order(request.layout) {
    require_axes(file.header(), order);
    header = file.header();
    header.shape = in_order(std::move(header.shape), order);
  }

  void read(const TensorView& view, bool lets_minus_infinity = false) {
    const FileRows rows(file.header().shape, order);
    file.read_rows(
        view.extent.head_dim, view.dtype, [&](std::int64_t i) { return rows.row_in(view, i); },
        lets_minus_infinity);
  }

  NpyFile file;
  AxisOrder order;
  NpyHeader header;
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
  Case c = request.c;
  c.shape = shape_of(files.q.header, files.k.header, files.v.header);
  c.dtype = compute_dtype(common_dtype(files.q.header, files.k.header, files.v.header), c.kernel);
  job.q_shape = files.q.header.shape;
  job.k_shape = files.k.header.shape;
  job.v_shape = files.v.header.shape;
  if (!files.o) job.forward = checked_plan(c);
  if (request.backward) {
    require_backward_kernel(c.kernel, c.dtype);
    job.backward = checked_plan(c, Pass::backward);
  }
  job.shape = c.shape;
  if (files.d_out) {
    const NpyHeader& d_out = files.d_out->header;
    (void)common_dtype(files.q.header, d_out, d_out);
    require_shape(d_out, "dO", job.out_shape());
  }
  if (!files.o) return;
  require_shape(files.o->header, "O", job.out_shape());
  AxisSizes both = job.lse_shape();
  both.push_back(job.plan().problem.lse_kept);
  require_shape(files.lse->header, "LSE of --save-lse", both);
}

// What the job takes: its tensors, and beside them what its passes hold at once.
std::int64_t predicted_bytes(const AttendRequest& request, const AttendJob& job, int threads) {
  const Problem& problem = job.plan().problem;
  const Shape& s = problem.shape;
  const std::int64_t inputs =
      (s.q().elements() + s.k().elements() + s.v().elements()) * size_of(problem.dtype);
  const std::int64_t results = 4 * (s.out().elements() + problem.kept_lse().elements());
  const std::int64_t of_gradients = s.out().elements() * size_of(problem.dtype) +
                                    4 * (s.q().elements() + s.k().elements() + s.v().elements());
  std::int64_t beside = 0;
  for (const std::optional<Plan>* const plan : {&job.forward, &job.backward}) {
    if (!*plan) continue;
    const PlanMemory memory = plan_memory(**plan, request.c.kernel, threads);
    const std::int64_t whole =
        inputs + results + ((*plan)->pass == Pass::backward ? of_gradients : 0);
    beside = std::max(
        beside,
        (request.c.ranks == Ranks::threads ? memory.threads_bytes : memory.serial_bytes) - whole);
  }
  return inputs + results + (job.backward ? of_gradients : 0) + beside;
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

Tensor room_for(DType dtype, const Extent& extent, std::string_view label, Allocator& memory) {
  Tensor tensor(memory, dtype, extent, label);
  poison(tensor.view());
  return tensor;
}

void make_room(AttendJob& job, Allocator& memory) {
  const Problem& problem = job.plan().problem;
  const Shape& shape = problem.shape;
  job.q = room_for(problem.dtype, shape.q(), "q", memory);
  job.k = room_for(problem.dtype, shape.k(), "k", memory);
  job.v = room_for(problem.dtype, shape.v(), "v", memory);
  job.out = room_for(DType::f32, shape.out(), "out", memory);
  job.lse = room_for(DType::f32, problem.kept_lse(), "lse", memory);
  if (!job.backward) return;
  job.d_out = room_for(problem.dtype, shape.out(), "d_out", memory);
  job.d_q = room_for(DType::f32, shape.q(), "d_q", memory);
  job.d_k = room_for(DType::f32, shape.k(), "d_k", memory);
  job.d_v = room_for(DType::f32, shape.v(), "d_v", memory);
}

// An output on its way to its file.
struct Written {
  std::string path;
  const Tensor* tensor;
  AxisSizes shape;  // heads before tokens; the last axis too
  bool has_last_axis;
  std::string_view name;
};

std::vector<Written> outputs_of(const AttendRequest& request, const AttendJob& job) {
  AxisSizes rows = job.lse_shape();
  rows.push_back(1);
  AxisSizes both = rows;
  both.back() = job.plan().problem.lse_kept;
  std::vector<Written> all;
  if (job.forward) {
    all.push_back({request.out, &job.out, job.out_shape(), true, "O"});
    all.push_back({request.lse, &job.lse, rows, false, "LSE"});
    all.push_back({request.save_lse, &job.lse, both, true, "LSE"});
  }
  if (job.backward) {
    all.push_back({request.d_q, &job.d_q, job.q_shape, true, "dQ"});
    all.push_back({request.d_k, &job.d_k, job.k_shape, true, "dK"});
    all.push_back({request.d_v, &job.d_v, job.v_shape, true, "dV"});
  }
  std::erase_if(all, [](const Written& one) { return one.path.empty(); });
  return all;
}

void write_output(OutputFile& file, const AttendRequest& request, const Written& one) {
  const AxisSizes shape = in_order(one.shape, request.layout);
  const FileRows rows(shape, request.layout);
  const TensorView& view = one.tensor->view();
  float natural = 0.0f;
  const auto place = [&](std::int64_t i) -> const float* {
    const auto* const numbers = reinterpret_cast<const float*>(rows.row_in(view, i));
    if (one.has_last_axis) return numbers;
    natural = static_cast<float>(RowLse{numbers[0], numbers[1]}.natural());
    return &natural;
  };
  AxisSizes sizes = shape;
  if (!one.has_last_axis) sizes.pop_back();
  // The two numbers of LSE are as they are, whatever the type of the others.
  const bool is_kept = one.has_last_axis && one.name == "LSE";
  write_npy_rows(file, is_kept ? DType::f32 : request.out_dtype, sizes, shape.back(), place,
                 one.name);
}

}  // namespace

AxisSizes AttendJob::out_shape() const {
  AxisSizes sizes = q_shape;
  sizes.back() = v_shape.back();
  return sizes;
}

AxisSizes AttendJob::lse_shape() const {
  AxisSizes sizes = q_shape;
  sizes.pop_back();
  return sizes;
}

void check_attend_files(const AttendRequest& request) {
  require_names(request);
  const std::vector<NamedFile> named = named_outputs(request);
  for (std::size_t i = 0; i < named.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_output(named[i].path, named[j].path))
        throw UsageError(fmt::format("{} and {} are both {}; choose two files", named[j].option,
                                     named[i].option, named[i].path));
  check_out_dtype(request);
  (void)reads_output(request);
  for (const NamedFile& file : named) require_writable(file.path);
}

AttendJob read_attend_files(const AttendRequest& request, Allocator& memory, int threads) {
  GivenFiles files(request);
  AttendJob job;
  plan_job(request, files, job);
  job.predicted_bytes = predicted_bytes(request, job, threads);
  require_memory(request, job);
  make_room(job, memory);
  files.q.read(job.q.view());
  files.k.read(job.k.view());
  files.v.read(job.v.view());
  if (files.d_out) files.d_out->read(job.d_out.view());
  if (!files.o) return job;
  files.o->read(job.out.view());
  files.lse->read(job.lse.view(), true);
  return job;
}

void write_attend_files(const AttendRequest& request, const AttendJob& job) {
  std::vector<std::unique_ptr<OutputFile>> files;
  for (const Written& one : outputs_of(request, job)) {
    files.push_back(std::make_unique<OutputFile>(one.path));
    write_output(*files.back(), request, one);
  }
  for (const auto& file : files) file->commit();
}

}  // namespace qb
