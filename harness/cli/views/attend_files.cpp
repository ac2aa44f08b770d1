// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/attend_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "kernels/attention_backward.h"
#include "kernels/merge.h"

namespace qb {
namespace {

using AxisSizes = std::vector<std::int64_t>;

// A file that an option names.
struct NamedFile {
  std::string_view option;
  std::string path;
};

// O and LSE too where they are read: no other output may have their names.
std::vector<NamedFile> named_outputs(const AttendRequest& request) {
  std::vector<NamedFile> named;
  for (const NamedFile& file : {NamedFile{"--out", request.out},
                                {"--lse", request.lse},
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
  if (!request.backward) return false;
  const auto exists = [](const std::string& path) {
    return !path.empty() && std::filesystem::exists(path);
  };
  const bool has_out = exists(request.out);
  if (has_out == exists(request.lse)) return has_out;
  throw UsageError(
      fmt::format("{} exists and the file of {} does not: a backward pass reads both O and LSE, or "
                  "computes both",
                  has_out ? request.out : request.lse, has_out ? "--lse" : "--out"));
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

void require_shape(const NpyArray& array, std::string_view name, const AxisSizes& shape) {
  if (array.shape != shape)
    throw UsageError(fmt::format("{} has shape {}; {} must have {}", array.name,
                                 shape_text(array.shape), name, shape_text(shape)));
}

NpyArray read_tensor(const AttendRequest& request, const std::string& path) {
  return heads_before_tokens(read_npy(path), request.layout);
}

// The contents of the files are freed when this returns.
AttendJob read_inputs(const AttendRequest& request, Allocator& memory) {
  NpyArray q = read_tensor(request, request.q);
  NpyArray k = read_tensor(request, request.k);
  NpyArray v = read_tensor(request, request.v);
  Case c = request.c;
  c.shape = shape_of(q, k, v);
  c.dtype = compute_dtype(common_dtype(q, k, v), c.kernel);
  AttendJob job;
  job.q_shape = q.shape;
  job.k_shape = k.shape;
  job.v_shape = v.shape;
  if (!reads_output(request)) job.forward = checked_plan(c);
  if (request.backward) {
    require_backward_kernel(c.kernel, c.dtype);
    job.backward = checked_plan(c, Pass::backward);
  }
  const Shape& shape = job.plan().problem.shape;
  job.shape = c.shape;
  if (job.packs_batch())
    for (NpyArray* array : {&q, &k, &v}) *array = swapped(*array, 0);
  job.q = tensor_of(q, c.dtype, shape.q(), memory, "q");
  job.k = tensor_of(k, c.dtype, shape.k(), memory, "k");
  job.v = tensor_of(v, c.dtype, shape.v(), memory, "v");
  if (!request.backward) return job;
  const NpyArray d_out = read_tensor(request, request.d_out);
  (void)common_dtype(q, d_out, d_out);
  require_shape(d_out, "dO", job.out_shape());
  job.d_out = tensor_of(d_out, c.dtype, shape.out(), memory, "d_out");
  return job;
}

// LSE is -inf in a row without keys. What else it may not hold is found when O is verified.
Tensor lse_of(const NpyArray& array, const Extent& extent, Allocator& memory) {
  Tensor one(memory, DType::f32, {extent.batch, extent.heads, extent.length, 1}, "lse");
  convert(array.data.data(), array.dtype, one.view().data, DType::f32,
          one.view().extent.elements());
  if (extent.head_dim == 1) return one;
  Tensor lse(memory, DType::f32, extent, "lse");
  copy_rows(one.view(), lse.view());
  return lse;
}

void read_output(const AttendRequest& request, AttendJob& job, Allocator& memory) {
  const Shape& shape = job.plan().problem.shape;
  const NpyArray out = read_tensor(request, request.out);
  require_shape(out, "O", job.out_shape());
  job.out = tensor_of(out, DType::f32, shape.out(), memory, "out");
  NpyArray lse = read_npy(request.lse);
  if (lse.shape.size() == job.lse_shape().size()) lse = in_order(std::move(lse), request.layout);
  require_shape(lse, "LSE", job.lse_shape());
  job.lse = lse_of(lse, job.plan().problem.kept_lse(), memory);
}

Tensor room_for(const Extent& extent, std::string_view label, Allocator& memory) {
  Tensor tensor(memory, DType::f32, extent, label);
  poison(tensor.view());
  return tensor;
}

// The bytes of a file of an output in the order of axes of the inputs.
std::string file_of(const AttendRequest& request, const TensorView& tensor, AxisSizes shape,
                    std::string_view name, bool packs_batch) {
  if (packs_batch) std::swap(shape[0], shape[1]);
  NpyArray array = parse_npy(npy_of(tensor, request.out_dtype, shape, name), name);
  if (packs_batch) array = swapped(array, 0);
  array = in_order(std::move(array), request.layout);
  return npy_bytes(array.dtype, array.shape, array.data.data());
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
      if (named[i].path == named[j].path)
        throw UsageError(fmt::format("{} and {} are both {}; choose two files", named[j].option,
                                     named[i].option, named[i].path));
  check_out_dtype(request);
  const bool reads = reads_output(request);
  for (const NamedFile& file : named)
    if (!reads || (file.path != request.out && file.path != request.lse))
      require_writable(file.path);
}

AttendJob read_attend_files(const AttendRequest& request, Allocator& memory) {
  AttendJob job = read_inputs(request, memory);
  const Shape& shape = job.plan().problem.shape;
  if (job.forward) {
    job.out = room_for(shape.out(), "out", memory);
    job.lse = room_for(job.plan().problem.kept_lse(), "lse", memory);
  } else {
    read_output(request, job, memory);
  }
  if (!job.backward) return job;
  job.d_q = room_for(shape.q(), "d_q", memory);
  job.d_k = room_for(shape.k(), "d_k", memory);
  job.d_v = room_for(shape.v(), "d_v", memory);
  return job;
}

void write_attend_files(const AttendRequest& request, const AttendJob& job) {
  std::vector<std::pair<std::string, std::string>> files;  // path and bytes
  const auto add = [&](const std::string& path, const Tensor& tensor, const AxisSizes& shape,
                       std::string_view name) {
    if (!path.empty())
      files.emplace_back(path, file_of(request, tensor.view(), shape, name, job.packs_batch()));
  };
  if (job.forward) {
    add(request.out, job.out, job.out_shape(), "O");
    Tensor lse(heap_allocator(), DType::f32, job.plan().problem.shape.lse(), "lse");
    copy_rows(job.lse.view(), lse.view());
    add(request.lse, lse, job.lse_shape(), "LSE");
  }
  if (job.backward) {
    add(request.d_q, job.d_q, job.q_shape, "dQ");
    add(request.d_k, job.d_k, job.k_shape, "dK");
    add(request.d_v, job.d_v, job.v_shape, "dV");
  }
  std::size_t n_written = 0;
  try {
    for (; n_written < files.size(); ++n_written)
      write_file_atomically(files[n_written].first, files[n_written].second);
  } catch (...) {
    std::error_code ignored;
    for (std::size_t i = 0; i < n_written; ++i) std::filesystem::remove(files[i].first, ignored);
    throw;
  }
}

}  // namespace qb
