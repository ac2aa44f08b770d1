// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/attend_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/print.h"
#include "base/words.h"
#include "harness/cli/options.h"
#include "harness/verify/tensor_file.h"
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
  AxisSizes AttendFiles::*like;  // the shape of the file, but for its last axis
  Extent (Shape::*extent)() const;
  RowForm form = RowForm::values;
};

std::vector<NamedOutput> outputs_of(const AttendRequest& request) {
  using Job = AttendFiles;
  std::vector<NamedOutput> all = {
      {"--out", request.out, "O", &Views::out, &Job::q_shape, &Shape::out},
      {"--lse", request.lse, "LSE", &Views::lse, &Job::q_shape, &Shape::lse, RowForm::logarithms},
      {"--save-lse", request.save_lse, "LSE", &Views::lse, &Job::q_shape, &Shape::lse,
       RowForm::numbers},
      {"--dq", request.d_q, "dQ", &Views::d_q, &Job::q_shape, &Shape::q},
      {"--dk", request.d_k, "dK", &Views::d_k, &Job::k_shape, &Shape::k},
      {"--dv", request.d_v, "dV", &Views::d_v, &Job::v_shape, &Shape::v}};
  std::erase_if(all, [](const NamedOutput& one) { return one.path.empty(); });
  return all;
}

void require_inputs(const AttendRequest& request) {
  for (const auto& [option, path] :
       {std::pair{"--q", &request.q}, {"--k", &request.k}, {"--v", &request.v}})
    if (path->empty() && request.safetensors.empty())
      throw UsageError(fmt::format(
          "{} is missing: give --q, --k and --v, or --safetensors with all three", option));
}

void require_names(const AttendRequest& request) {
  require_inputs(request);
  const bool is_one_file = !request.safetensors.empty();
  if (!request.backward) {
    if (request.out.empty()) throw UsageError("--out is missing: it names the file for O");
    return;
  }
  std::vector<std::string_view> missing;
  for (const auto& [option, path] :
       {std::pair{"--do", is_one_file ? &request.safetensors : &request.d_out},
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
  // An input is the tensor of that name where there is a safetensors file.
  Given(const AttendRequest& request, const std::string& path, std::string_view tensor = {})
      : file(request.safetensors.empty() || tensor.empty()
                 ? TensorFile(path, request.untyped)
                 : TensorFile(request.safetensors, tensor)),
        order(request.layout) {
    require_axes(file.header(), order);
    if (const DType has = file.header().dtype;
        request.untyped && !tensor.empty() && has != *request.untyped)
      throw UsageError(
          fmt::format("{}: --dtype {} is for files without a type; this one has {}, so "
                      "leave --dtype out",
                      path, word(*request.untyped), word(has)));
  }

  // The header of the same array with heads before tokens.
  [[nodiscard]] NpyHeader header() const {
    NpyHeader header = file.header();
    header.shape = in_order(std::move(header.shape), order);
    return header;
  }

  void read(const TensorView& view, Allows allows = Allows::finite) {
    file.read_rows(
        view.extent.head_dim, view.dtype,
        [&](std::int64_t i) { return row_in(view, file.header().shape, order, i); }, allows);
  }

  TensorFile file;
  AxisOrder order;
};

// The files that are read. Their headers say what the job is, before memory is taken.
struct GivenFiles {
  explicit GivenFiles(const AttendRequest& request)
      : q(request, request.q, "q"), k(request, request.k, "k"), v(request, request.v, "v") {
    if (request.backward) d_out.emplace(request, request.d_out, "do");
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

// Plans the job of these files, makes room for it and reads Q, K, V and dO.
AttendFiles read_inputs(const AttendRequest& request, GivenFiles& given, Allocator& memory,
                        int threads) {
  const NpyHeader q = given.q.header();
  const NpyHeader k = given.k.header();
  const NpyHeader v = given.v.header();
  AttendTask task{.c = request.c,
                  .computes_output = !given.o,
                  .backward = request.backward,
                  .keeps_out = !request.out.empty()};
  task.c.shape = shape_of(q, k, v);
  task.c.dtype = compute_dtype(common_dtype(q, k, v), request.c.kernel);
  AttendFiles files{.job = with_mask_option([&] { return plan_attend(task, memory, threads); }),
                    .q_shape = q.shape,
                    .k_shape = k.shape,
                    .v_shape = v.shape};
  const AxisSizes of_out = with_last(q.shape, task.c.shape.value_dim);
  if (given.d_out) {
    const NpyHeader d_out = given.d_out->header();
    (void)common_dtype(q, d_out, d_out);
    require_shape(d_out, "dO", of_out);
  }
  if (given.o) {
    require_shape(given.o->header(), "O", of_out);
    require_shape(given.lse->header(), "LSE of --save-lse",
                  with_last(q.shape, files.job.plan().problem.lse_kept));
  }
  make_room(files.job);
  const ExecutionArguments& to = files.job.arguments;
  given.q.read(to.q);
  given.k.read(to.k);
  given.v.read(to.v);
  if (given.d_out) given.d_out->read(to.d_out);
  return files;
}

void write_output(OutputFile& file, const AttendRequest& request, const AttendFiles& files,
                  const NamedOutput& one) {
  const TensorView& view = files.job.arguments.*one.tensor;
  const bool is_logarithm = one.form == RowForm::logarithms;
  const AxisSizes rows =
      in_order(with_last(files.*one.like, is_logarithm ? 1 : view.extent.head_dim), request.layout);
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

void check_out_dtype(DType dtype) {
  if (dtype == DType::bf16)
    throw UsageError("--out-dtype bf16: NPY files have no bf16; choose f16 or f32");
  if (dtype == DType::f64)
    throw UsageError(
        "--out-dtype f64: what is computed is float32, whose digits an f64 would have; choose f16 "
        "or f32");
}

}  // namespace

Option add_file_form(Verb verb, AttendRequest& request) {
  add_word(verb, "--layout", request.layout,
           "Says in which order the files have batch, heads, n tokens and d elements, O and LSE "
           "too; auto is bhnd, hnd or nd");
  // NPY has no bfloat16; ml_dtypes saves its bits.
  return verb.add_text(
      "--dtype", "WORD",
      "Reads 2-byte elements without a type, as Python's ml_dtypes saves bfloat16, as "
      "this type: bf16.",
      [&request](const std::string& text) {
        if (text != word(DType::bf16))
          throw UsageError(fmt::format(
              "--dtype {}: it says bf16 of files without a type; others have theirs", text));
        request.untyped = DType::bf16;
      });
}

void check_attend_files(const AttendRequest& request) {
  require_names(request);
  const std::vector<NamedOutput> named = outputs_of(request);
  for (std::size_t i = 0; i < named.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_output(named[i].path, named[j].path))
        throw UsageError(fmt::format("{} and {} are both {}; choose two files", named[j].option,
                                     named[i].option, named[i].path));
  for (const NamedOutput& one : named)
    for (const std::string* input : {&request.q, &request.k, &request.v, &request.d_out})
      if (!input->empty() && is_same_output(one.path, *input))
        throw UsageError(fmt::format("{} would write over the input {}", one.option, *input));
  check_out_dtype(request.out_dtype);
  (void)reads_output(request);
  for (const NamedOutput& file : named) require_writable(file.path);
}

AttendFiles read_attend_files(const AttendRequest& request, Allocator& memory, int threads) {
  GivenFiles given(request);
  AttendFiles files = read_inputs(request, given, memory, threads);
  if (!given.o) return files;
  given.o->read(files.job.arguments.out);
  given.lse->read(files.job.arguments.lse, Allows::minus_infinity);
  return files;
}

AttendFiles read_found_files(AttendRequest request, Allocator& memory, int threads,
                             DType& coarsest) {
  const std::pair<std::string_view, std::string*> names[] = {
      {"o", &request.out},  {"lse", &request.lse}, {"do", &request.d_out},
      {"dq", &request.d_q}, {"dk", &request.d_k},  {"dv", &request.d_v}};
  for (const auto& [name, path] : names)
    if (path->empty() && !request.safetensors.empty() && holds_tensor(request.safetensors, name))
      *path = request.safetensors;
  require_inputs(request);
  request.c.kernel = Kernel::reference;  // so that inputs in f64 are taken as they are
  const std::string gradients = request.d_q + request.d_k + request.d_v;
  if (request.out.empty() && (gradients.empty() || !request.lse.empty()))
    throw UsageError("--o is missing: it names the output to verify; LSE is verified beside it");
  if (!gradients.empty() &&
      (request.d_out.empty() || request.d_q.empty() || request.d_k.empty() || request.d_v.empty()))
    throw UsageError("--do, --dq, --dk and --dv are verified together; give all four");
  request.backward = !gradients.empty();
  GivenFiles given(request);
  AttendFiles files = read_inputs(request, given, memory, threads);
  ExecutionArguments& to = files.job.arguments;
  to.out = to.lse = {};
  const Shape& s = files.job.plan().problem.shape;
  for (const NamedOutput& one : outputs_of(request)) {
    const Extent extent = (s.*one.extent)();
    const AxisSizes sizes = in_order(with_last(files.*one.like, extent.head_dim), request.layout);
    AxisSizes of_file = sizes;
    if (one.form == RowForm::logarithms) of_file.pop_back();
    const std::string_view of_one = one.name == "O" ? "o" : one.option.substr(2);
    TensorFile file = one.path == request.safetensors ? TensorFile(one.path, of_one)
                                                      : TensorFile(one.path, request.untyped);
    require_shape(file.header(), one.name, of_file);
    if (unit_roundoff(file.header().dtype) > unit_roundoff(coarsest))
      coarsest = file.header().dtype;
    Tensor& tensor = files.job.tensors[one.name] = Tensor(memory, DType::f32, extent, "found");
    to.*one.tensor = tensor.view();
    file.read_rows(
        extent.head_dim, DType::f32,
        [&](std::int64_t i) { return row_in(tensor.view(), sizes, request.layout, i); },
        Allows::anything);
  }
  return files;
}

std::string write_attend_files(const AttendRequest& request, const AttendFiles& tensors) {
  std::vector<NamedOutput> all = outputs_of(request);
  // Nothing takes back what a device or a FIFO has got, so they come last.
  const auto in_place = std::ranges::stable_partition(
      all, [](const NamedOutput& one) { return !is_written_in_place(one.path); });
  std::vector<std::unique_ptr<OutputFile>> files;
  std::vector<std::string_view> written;  // in `all`
  const auto open = [&](const NamedOutput& one) {
    files.push_back(std::make_unique<OutputFile>(one.path));
    write_output(*files.back(), request, tensors, one);
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
