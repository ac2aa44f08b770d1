// SPDX-License-Identifier: Apache-2.0
#include "python/attended.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/numbers.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/verify/diagnosis.h"
#include "harness/workload/prediction.h"
#include "kernels/lse.h"
#include "kernels/parallel.h"

namespace qb::python {
namespace {

using Views = ExecutionArguments;

DType dtype_of(const nb::dlpack::dtype& type, const std::string& name, bool bits_are_bf16) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes == 1) {
    if (type.code == static_cast<std::uint8_t>(Code::Float)) {
      if (type.bits == 16) return DType::f16;
      if (type.bits == 32) return DType::f32;
      if (type.bits == 64) return DType::f64;
    }
    const bool is_bits = type.code == static_cast<std::uint8_t>(Code::UInt) && bits_are_bf16;
    if ((type.code == static_cast<std::uint8_t>(Code::Bfloat) || is_bits) && type.bits == 16)
      return DType::bf16;
  }
  throw UsageError(
      fmt::format("{} has elements of another type; give f16, bf16, f32 or f64", name));
}

nb::ndarray<nb::ro> imported(const std::string& name, const nb::object& object) {
  nb::ndarray<nb::ro> array;
  bool taken = false;
  try {
    taken = nb::try_cast<nb::ndarray<nb::ro>>(object, array, false);
  } catch (const nb::python_error&) {
    taken = false;
  }
  if (!taken)
    throw UsageError(fmt::format(
        "{} cannot be read as an array ({}); give one with __dlpack__, as NumPy, PyTorch and JAX "
        "have, of floating-point numbers in the machine's byte order",
        name, nb::type_name(object.type()).c_str()));
  if (array.device_type() != nb::device::cpu::value)
    throw UsageError(fmt::format(
        "{} is on a GPU; qb.attend computes on the host's memory, so move it there (.cpu()); "
        "`qb run` measures GPUs",
        name));
  return array;
}

NpyHeader header_of(const std::string& name, const nb::ndarray<nb::ro>& array, bool bits_are_bf16) {
  NpyHeader header{name, dtype_of(array.dtype(), name, bits_are_bf16), {}};
  for (std::size_t i = 0; i < array.ndim(); ++i)
    header.shape.push_back(static_cast<std::int64_t>(array.shape(i)));
  return header;
}

// Packed, a batch is [1,h,b n,d].
bool is_packed(const AttendJob& job) {
  return job.plan().problem.shape.batch != job.task.c.shape.batch;
}

std::string lower(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

Check check_of(const Verification& found, bool has_out, bool has_lse) {
  Check check{found.correct, {}, {}, {}, found.message};
  const auto add = [&](const std::string& name, double error, double tolerance) {
    check.errors[name] = error;
    check.tolerances[name] = tolerance;
  };
  if (has_out) add("o", found.max_error, found.tolerance);
  if (has_lse) add("lse", found.lse_max_error, found.lse_tolerance);
  for (const GradientErrors& one : found.gradients)
    add(lower(std::string(word(one.what))), one.max_error, one.tolerance);
  return check;
}

}  // namespace

void set_parameter(Case& c, const std::string& name, const std::string& text,
                   std::span<const std::string_view> known) {
  for (const Parameter& parameter : parameters()) {
    if (name != parameter.key && name != parameter.column) continue;
    if (std::ranges::find(known, parameter.key) == known.end()) break;
    if (parameter.kind == FieldKind::mask)
      return parameter.set(c, parameter, parse_mask(text, name).text());
    const std::string label = fmt::format("{}={}", name, text);
    const YamlNode node{YamlNode::scalar, {label}, text};
    return parameter.set(c, parameter, read_value(parameter, node).text);
  }
  throw UsageError(unknown_word("parameter", name, known));
}

void add_values(const RowValues& row, Texts& texts) {
  for (const auto& [field, text] : row) texts[std::string(field->column)] = text;
}

// Where a job has a tensor, and its values in float64 if it has these.
struct Slot {
  TensorView Views::*view;
  std::vector<double> ExactOutputs::*exact = nullptr;
};
const std::map<std::string, Slot> kTensors = {{"q", {&Views::q}},
                                              {"k", {&Views::k}},
                                              {"v", {&Views::v}},
                                              {"do", {&Views::d_out}},
                                              {"lse", {&Views::lse}},
                                              {"o", {&Views::out, &ExactOutputs::out}},
                                              {"dq", {&Views::d_q, &ExactOutputs::d_q}},
                                              {"dk", {&Views::d_k, &ExactOutputs::d_k}},
                                              {"dv", {&Views::d_v, &ExactOutputs::d_v}}};
// Outputs of another program, which are compared as f32.
const std::set<std::string> kFound = {"o", "lse", "dq", "dk", "dv"};

// A caller's array with heads before tokens: sizes and strides of [b,h,n,d].
struct Attended::Given {
  std::string name;
  std::byte* data;
  DType dtype;
  std::array<std::int64_t, 4> sizes{1, 1, 1, 1};
  std::array<std::int64_t, 4> strides{};

  Given(std::string of, const nb::ndarray<nb::ro>& array, const NpyHeader& header, AxisOrder order)
      : name(std::move(of)),
        data(static_cast<std::byte*>(const_cast<void*>(array.data()))),
        dtype(header.dtype) {
    const std::size_t missing = 4 - header.shape.size();
    strides.fill(1);  // that of LSE's last axis
    for (std::size_t i = 0; i < header.shape.size(); ++i) {
      sizes[missing + i] = header.shape[i];
      if (i < array.ndim()) strides[missing + i] = array.stride(i);
    }
    if (!has_tokens_first(order)) return;
    std::swap(sizes[1], sizes[2]);
    std::swap(strides[1], strides[2]);
  }

  [[nodiscard]] const std::byte* row(std::int64_t b, std::int64_t h, std::int64_t n) const {
    return data + (b * strides[0] + h * strides[1] + n * strides[2]) * size_of(dtype);
  }
  // Kernels read rows of contiguous, aligned elements.
  [[nodiscard]] bool fits(bool packed) const {
    const bool rows = sizes[3] == 1 || strides[3] == 1;
    const bool batches = !packed || sizes[0] == 1 || strides[0] == sizes[2] * strides[2];
    return rows && batches &&
           reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size_of(dtype)) ==
               0;
  }
};

void Attended::take(const Given& given) {
  const auto view = kTensors.at(given.name).view;
  const bool is_found = kFound.contains(given.name);
  const bool packed = is_packed(job_);
  const auto& [batch, heads, length, elements] = given.sizes;
  const Extent extent =
      packed ? Extent{1, heads, batch * length, elements} : Extent{batch, heads, length, elements};
  if (!is_found && given.fits(packed)) {
    job_.arguments.*view = {given.data,       given.dtype,      extent,
                            given.strides[0], given.strides[1], given.strides[2]};
    return;
  }
  if (!is_found) copied_.push_back(given.name);
  Tensor copy(*ledger_, is_found ? DType::f32 : given.dtype, extent, "copy");
  const auto size = static_cast<std::size_t>(size_of(copy.view().dtype));
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t h = 0; h < heads; ++h)
      for (std::int64_t n = 0; n < length; ++n) {
        std::byte* const to =
            packed ? copy.view().row(0, h, b * length + n) : copy.view().row(b, h, n);
        for (std::int64_t e = 0; e < elements; ++e)
          convert(given.row(b, h, n) + e * given.strides[3] * size_of(given.dtype), given.dtype,
                  to + static_cast<std::size_t>(e) * size, copy.view().dtype, 1);
      }
  job_.arguments.*view = copy.view();
  copies_.push_back(std::move(copy));
}

namespace {

using Headers = std::map<std::string, NpyHeader>;

AxisOrder order_of(const std::string& layout) {
  if (const auto order = parse_word<AxisOrder>(layout)) return *order;
  throw UsageError(unknown_word("layout", layout, all_words<AxisOrder>()));
}

// What the arrays and the parameters ask for; the headers have heads before tokens.
AttendTask task_of(const Headers& headers, const Texts& parameters) {
  const NpyHeader& q = headers.at("q");
  AttendTask task;
  task.backward = headers.contains("do");
  task.c.shape = shape_of(q, headers.at("k"), headers.at("v"));
  task.c.dtype = common_dtype(q, headers.at("k"), headers.at("v"));
  if (task.c.dtype == DType::f64) task.c.kernel = Kernel::reference;
  std::vector<std::string_view> known(std::begin(kSplitParameters), std::end(kSplitParameters));
  known.insert(known.end(), std::begin(kTensorParameters), std::end(kTensorParameters));
  for (const auto& [name, text] : parameters) set_parameter(task.c, name, text, known);
  if (task.c.dtype == DType::f64 && task.c.kernel != Kernel::reference)
    throw UsageError(
        fmt::format("q is f64, and kernel {} has no f64; take kernel reference, or convert to f32",
                    word(task.c.kernel)));
  const auto of_out = with_last(q.shape, task.c.shape.value_dim);
  for (const auto& [name, what, shape] :
       {std::tuple{"do", "dO", of_out},
        {"o", "O", of_out},
        {"dq", "dQ", q.shape},
        {"dk", "dK", headers.at("k").shape},
        {"dv", "dV", headers.at("v").shape},
        {"lse", "LSE, with a last axis of 1,", with_last(q.shape, 1)}})
    if (headers.contains(name)) require_shape(headers.at(name), what, shape);
  if (task.backward) (void)common_dtype(q, headers.at("do"), headers.at("do"));
  return task;
}

// Plans take longer than short questions compute: these are the jobs, without tensors, of the
// questions that were asked last. Who cannot have the lock gets nothing: in a child of fork()
// another thread's may be held for good.
using KnownJob = std::shared_ptr<const AttendJob>;
template <class Function>
auto with_known_jobs(Function function) {
  static std::mutex mutex;
  static auto* const jobs = new std::unordered_map<std::string, KnownJob>;  // outlives main()
  const std::unique_lock lock(mutex, std::try_to_lock);
  using Result = decltype(function(*jobs));
  return lock ? function(*jobs) : Result();
}

// Returns all that a plan depends on.
std::string form_of(const Headers& headers, const Question& question, bool computes_output) {
  std::string form = question.layout;
  form += computes_output ? '+' : '-';
  for (const auto& [name, header] : headers) {
    form.append(name) += static_cast<char>('0' + static_cast<int>(header.dtype));
    form += static_cast<char>('0' + header.shape.size());
    form.append(reinterpret_cast<const char*>(header.shape.data()),
                header.shape.size() * sizeof(header.shape[0])) += ';';
  }
  for (const auto& [name, text] : question.parameters)
    (form.append(name) += '=').append(text) += '\0';
  return form;
}

}  // namespace

void forget_plans() {
  with_known_jobs([](auto& jobs) { jobs.clear(); });
}

Attended::Attended(const Question& question, const Attended* forward, PlanSource own)
    : forward_(forward), softcap_(question.softcap), order_(order_of(question.layout)) {
  Headers headers;
  for (const auto& [name, object] : question.arrays) {
    arrays_.push_back(imported(name, object));
    NpyHeader header = header_of(name, arrays_.back(), question.bits_are_bf16);
    if (name == "lse") header.shape.push_back(1);
    require_axes(header, order_);
    given_.emplace_back(name, arrays_.back(), header, order_);
    if (header.shape.size() > 2) header.shape = in_order(std::move(header.shape), order_);
    headers[name] = std::move(header);
  }
  axes_ = headers.at("q").shape.size();
  if (!own && !question.exact && question.sinks.empty())
    form_ = form_of(headers, question, forward == nullptr);
  known_ = with_known_jobs([&](const auto& jobs) {
    const auto found = jobs.find(form_);
    return found == jobs.end() ? KnownJob() : found->second;
  });
  if (known_) return;
  task_ = task_of(headers, question.parameters);
  task_.computes_output = forward == nullptr;
  task_.tokens_first = has_tokens_first(order_);
  if (own) task_.plan = std::move(own);
  if (question.exact) require_exact(task_.c);
  if (question.exact) exact_.emplace();
  take_sinks(question);
}

Attended::~Attended() = default;

void Attended::take_sinks(const Question& question) {
  const auto heads = static_cast<std::size_t>(task_.c.shape.q_heads);
  if (!question.sinks.empty() && question.sinks.size() != heads)
    throw UsageError(fmt::format("sinks has {} numbers and q has {} heads; give one for each head",
                                 question.sinks.size(), heads));
  for (const double sink : question.sinks) {
    task_.sinks.push_back(static_cast<float>(sink));
    if (!std::isfinite(task_.sinks.back()))
      throw UsageError(
          fmt::format("sinks has {}; give finite numbers, and no sinks for none", sink));
    if (question.exact && task_.sinks.back() != sink)
      throw UsageError("sinks are f32, and these have more digits; round them, or leave out f64");
  }
}

void Attended::plan() {
  const Case& c = known_ ? known_->task.c : task_.c;
  ledger_ = std::make_unique<MemoryLedger>(
      MemoryLedger::Options{.budget_bytes = static_cast<std::uint64_t>(c.memory_budget_bytes),
                            .record_events = true,
                            .source = kept_memory()});
  if (known_) {
    job_ = planned_again(*known_, *ledger_);
  } else {
    job_ = plan_attend(task_, *ledger_, c.threads > 0 ? c.threads : available_cores());
    if (!form_.empty() && is_short())
      with_known_jobs([&](auto& jobs) {
        constexpr std::size_t kMost = 64;
        if (jobs.size() >= kMost) jobs.clear();
        jobs[form_] = std::make_shared<AttendJob>(planned_again(job_, *ledger_));
      });
  }
  for (const Given& given : given_) take(given);
}

bool Attended::is_short() const {
  if (known_) return true;
  constexpr double kMostFlop = 2e8;
  const Shape& s = task_.c.shape;
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  return task_.c.workers == 1 && !exact_ &&
         4.0 * number(s.batch) * number(s.q_heads) * number(s.q_len) * number(s.kv_len) *
                 number(s.head_dim) <=
             kMostFlop;
}

void Attended::run() {
  plan();
  if (forward_ != nullptr) {
    job_.arguments.out = forward_->job_.arguments.out;
    job_.arguments.lse = forward_->job_.arguments.lse;
  }
  make_room(job_);
  run_ = run_attend(job_, 0);
  if (!run_.verification.correct) throw CaseError(Status::incorrect, run_.verification.message);
  if (exact_) exact_ = exact_outputs(job_);
}

Check Attended::check() {
  plan();
  OtherProgram other{softcap_, DType::f32};
  for (const Given& given : given_)
    if (kFound.contains(given.name) && unit_roundoff(given.dtype) > unit_roundoff(other.outputs))
      other.outputs = given.dtype;
  const Plan& plan = job_.plan();
  const Verification found = verify_tensors(plan, job_.arguments, other);
  Check check =
      check_of(found, job_.arguments.out.data != nullptr, job_.arguments.lse.data != nullptr);
  for (const Diagnosis& one : diagnose(plan, job_.arguments, other, found))
    check.mistakes[lower(one.tensor)] = explanation(one);
  return check;
}

// Rounds once; LSE becomes one natural logarithm a row. The order in memory stays.
TensorView Attended::rounded(const std::string& name, TensorView view, DType dtype) {
  const std::int64_t width = name == "lse" ? view.extent.head_dim : 1;
  const std::int64_t count = view.extent.elements() / width;
  Buffer& buffer = rounded_[{name, dtype}];
  if (buffer.data() == nullptr) {
    buffer = Buffer(heap_allocator(), static_cast<std::size_t>(count * size_of(dtype)), "rounded");
    const auto* const from = static_cast<const float*>(view.data);
    if (name != "lse") convert(from, DType::f32, buffer.data(), dtype, count);
    for (std::int64_t i = 0; name == "lse" && i < count; ++i)
      buffer.as<float>()[i] =
          width == 1 ? from[i] : static_cast<float>(RowLse{from[2 * i], from[2 * i + 1]}.natural());
  }
  view.data = buffer.data();
  view.extent.head_dim /= width;
  for (std::int64_t* const stride : {&view.batch_stride, &view.head_stride, &view.token_stride})
    *stride /= width;
  return view;
}

Attended::Output Attended::sink_gradients(DType dtype) {
  const TensorView& view = job_.arguments.d_sinks;
  if (view.data == nullptr) return {};
  const std::int64_t heads = view.extent.heads;
  std::vector<double> sums(static_cast<std::size_t>(heads));
  for (std::int64_t i = 0; i < view.extent.elements(); ++i)
    sums[static_cast<std::size_t>(i % heads)] += exact_
                                                     ? exact_->d_sinks[static_cast<std::size_t>(i)]
                                                     : *view.row_as<float>(i / heads, i % heads, 0);
  Buffer& buffer = rounded_[{"dsinks", dtype}];
  buffer = Buffer(heap_allocator(), static_cast<std::size_t>(heads * size_of(dtype)), "rounded");
  convert(sums.data(), DType::f64, buffer.data(), dtype, heads);
  return {buffer.data(), {sums.size()}, {1}};
}

Attended::Output Attended::output(const std::string& name, DType dtype) {
  if (name == "dsinks") return sink_gradients(dtype);
  const Slot& slot = kTensors.at(name);
  TensorView view = job_.arguments.*slot.view;
  if (view.data == nullptr) return {};
  if (dtype == DType::f64 && name != "lse") {
    if (!exact_) throw UsageError(fmt::format("{} was not computed in float64", name));
    const Extent& of = view.extent;
    view = contiguous_view(((*exact_).*slot.exact).data(), dtype, of);
  } else if (name == "lse" || dtype != DType::f32) {
    view = rounded(name, view, dtype);
  }
  const std::int64_t batch = job_.task.c.shape.batch;
  const std::int64_t length = view.extent.length / (is_packed(job_) ? batch : 1);
  if (is_packed(job_)) view.batch_stride = length * view.token_stride;
  std::vector<std::int64_t> shape = {batch, view.extent.heads, length, view.extent.head_dim};
  std::vector<std::int64_t> strides = {view.batch_stride, view.head_stride, view.token_stride, 1};
  if (has_tokens_first(order_)) {
    std::swap(shape[1], shape[2]);
    std::swap(strides[1], strides[2]);
  }
  const auto cut = static_cast<std::ptrdiff_t>(4 - axes_);
  shape.erase(shape.begin(), shape.begin() + cut);
  strides.erase(strides.begin(), strides.begin() + cut);
  if (name == "lse") {
    shape.pop_back();
    strides.pop_back();
  }
  return {view.data, {shape.begin(), shape.end()}, std::move(strides)};
}

Texts Attended::columns() const {
  Case c = resolve_case(job_.task.c);
  c.device = Device::cpu;
  c.threads = job_.arguments.threads;
  if (job_.backward) c.pass = job_.forward ? Passes::both : Passes::backward;
  PlannedCase planned;
  planned.threads = c.threads;
  planned.times_forward = job_.forward.has_value();
  planned.backward = job_.backward;
  planned.plan = job_.forward ? *job_.forward : *job_.backward;
  add_work(c, planned);
  Texts texts;
  add_values(prediction_columns(c, planned), texts);
  double wall_s = 0.0;
  double critical_path_s = 0.0;
  for (const auto* const pass : {&run_.forward, &run_.backward}) {
    if (!*pass) continue;
    wall_s += (*pass)->wall_s;
    critical_path_s += (*pass)->critical_path_s;
  }
  texts["wall_time_s"] = to_text(wall_s);
  texts["critical_path_s"] = to_text(critical_path_s);
  texts["active_peak_bytes"] = std::to_string(ledger_->active_peak_bytes());
  return texts;
}

Check Attended::errors(std::int64_t rows) const {
  Verification verification = verify_attend(job_, rows);
  if (job_.backward && verification.correct) verify_attend_gradients(job_, rows, verification);
  return check_of(verification, true, true);
}

}  // namespace qb::python
