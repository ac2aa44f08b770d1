// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/bench/flash_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/status.h"
#include "kernels/cuda/blas/blas.h"
#include "kernels/reference.h"

namespace qb::cuda {
namespace {

CudaDevice first_device() {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) throw EnvironmentError(probe.reason);
  use_device(0);
  return probe.devices.front();
}

constexpr std::int64_t kCheckedHeads = 2;

double scale_of(const BenchShape& shape) { return 1.0 / std::sqrt(static_cast<double>(shape.d)); }

Tensor random_tensor(BenchDevice& device, DType dtype, const Extent& extent, unsigned seed) {
  Tensor tensor(device, dtype, extent, "bench");
  const auto bytes = static_cast<std::size_t>(tensor.view().bytes());
  fill_random(tensor.view().data, dtype, bytes, seed, device.stream().get());
  return tensor;
}

std::vector<std::int64_t> some_rows(std::int64_t length) {
  const std::set<std::int64_t> rows{0, length / 2, length - 1};
  return {rows.begin(), rows.end()};
}

}  // namespace

RowCheck::RowCheck(const GradientProblem& problem) : rows_(some_rows(problem.q.extent.length)) {
  std::vector<double> naive;
  const auto& [q, k, v, d_out, mask, scale, out, lse, sinks] = problem;
  if (d_out.data == nullptr) {
    exact_ = reference_rows(q, k, v, mask, scale, rows_).out;
    naive = naive_rows(q, k, v, mask, scale, rows_).out;
  } else {
    exact_ = reference_gradients(problem, rows_, {}).d_q;
    naive = naive_gradients(problem, rows_, {}).d_q;
  }
  const auto width = static_cast<std::size_t>(v.extent.head_dim);
  // Where dQ is 0 (a row that sees one key) roundings are all there is: a part of the size of a sum
  // in which nothing cancels, as in verify_gradients.h.
  const double floor =
      d_out.data == nullptr ? 0.0 : 1e-5 * std::abs(scale) * std::sqrt(static_cast<double>(width));
  for (std::size_t begin = 0; begin < exact_.size(); begin += width) {
    double error = 0.0;
    double magnitude = 0.0;
    for (std::size_t i = begin; i < begin + width; ++i) {
      error = std::max(error, std::abs(naive[i] - exact_[i]));
      magnitude = std::max(magnitude, std::abs(exact_[i]));
    }
    // The output may be rounded to the inputs' type.
    const double rounding = unit_roundoff(q.dtype) + 16.0 * unit_roundoff(DType::f32);
    tolerance_.push_back(4.0 * error + rounding * magnitude + floor);
  }
}

std::string RowCheck::flaw(const std::vector<float>& got) const {
  if (got.size() != exact_.size()) return "the output has another size";
  const std::size_t width = exact_.size() / tolerance_.size();
  for (std::size_t i = 0; i < exact_.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - exact_[i]);
    const double allowed = tolerance_[i / width];
    if (!(error <= allowed))
      return fmt::format("the output of query {} is off by {:.3g}, tolerance {:.3g}",
                         rows_[i / width % rows_.size()], error, allowed);
  }
  return {};
}

BenchDevice::BenchDevice() : facts_(first_device()) {}

LaunchContext BenchDevice::context(BenchKernel kernel) {
  return {.workspace = *this,
          .stream = stream_.get(),
          .compute_capability = 10 * facts_.compute_major + facts_.compute_minor,
          .n_sms = facts_.multiprocessors,
          .force_sm80 = kernel == BenchKernel::flash_sm80,
          .block_per_item = kernel == BenchKernel::flash_grid};
}

CudnnAttention& BenchDevice::cudnn() {
  if (!cudnn_) cudnn_ = std::make_unique<CudnnAttention>(stream_.get());
  return *cudnn_;
}

std::vector<double> BenchDevice::seconds(int warm_ups, int repeats,
                                         const std::function<void()>& enqueue) const {
  for (int i = 0; i < warm_ups; ++i) enqueue();
  std::vector<Event> events(2 * static_cast<std::size_t>(repeats));
  for (std::size_t i = 0; i < events.size(); i += 2) {
    events[i].record(stream_);
    enqueue();
    events[i + 1].record(stream_);
  }
  stream_.wait();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < events.size(); i += 2)
    seconds.push_back(events[i + 1].seconds_since(events[i]));
  return seconds;
}

void* BenchDevice::allocate(std::size_t bytes, std::string_view label, int /*worker*/) {
  void* const memory = pool_.allocate(std::max<std::size_t>(bytes, 1));
  if (memory == nullptr) throw OutOfMemory(label, bytes, 0, DirectMemory::free_bytes());
  return memory;
}

BenchCall::BenchCall(const BenchShape& shape, BenchDevice& device, unsigned seed)
    : shape_(shape),
      device_(device),
      q_(random_tensor(device, shape.dtype, {shape.batch, shape.heads, shape.queries, shape.d},
                       3 * seed)),
      k_(random_tensor(device, shape.dtype, {shape.batch, shape.kv_heads, shape.keys, shape.d},
                       3 * seed + 1)),
      v_(random_tensor(device, shape.dtype, {shape.batch, shape.kv_heads, shape.keys, shape.d},
                       3 * seed + 2)),
      out_(device, DType::f32, q_.view().extent, "out"),
      lse_(device, DType::f32, {shape.batch, shape.heads, shape.queries, 1}, "lse") {
  if (!shape.backward) return;
  const Extent& rows = q_.view().extent;
  const auto sums = [&](const char* label) { return Tensor(device, DType::f32, rows, label); };
  gradients_.emplace(Gradients{random_tensor(device, shape.dtype, rows, 1000 + seed),
                               Tensor(device, DType::f32, lse_.view().extent, "delta"), sums("d_q"),
                               sums("d_k"), sums("d_v")});
}

TileSchedule BenchCall::schedule(BenchKernel kernel) const {
  const KeySpan keys{0,
                     shape_.keys,
                     shape_.causal ? SpanKind::causal : SpanKind::full,
                     shape_.keys - shape_.queries,
                     0,
                     0};
  const FlashPath path = flash_path(device_.context(kernel));
  return build_schedule(shape_.queries, shape_.keys, {{0, shape_.queries, keys}},
                        flash_tiles(shape_.d, path).query_tile);
}

std::function<void()> BenchCall::prepare(BenchKernel kernel) {
  if (shape_.backward) return prepare_backward(kernel);
  if (kernel == BenchKernel::flash_deterministic)
    throw Unsupported("flash_deterministic is a backward pass");
  const auto tiles = std::make_shared<TileSchedule>(schedule(kernel));
  const double scale = scale_of(shape_);
  if (kernel == BenchKernel::cudnn) {
    CudnnAttention& cudnn = device_.cudnn();
    const AttentionArguments call{q_.view(), k_.view(),   v_.view(),  tiles.get(),
                                  scale,     out_.view(), lse_.view()};
    return [this, &cudnn, tiles, call] { cudnn.attend(call, device_.context(BenchKernel::cudnn)); };
  }
  GroupedCall call{q_.view(), k_.view(), v_.view(), scale, {}, out_.view(), lse_.view(), false};
  call.workers.push_back({0, {{0, shape_.queries, 1}}, {{0, shape_.keys, 1}}, tiles.get(), 0, 0});
  const auto launch = std::make_shared<FlashLaunch>(call, device_.context(kernel));
  return [launch] {
    launch->attend();
    launch->merge();
  };
}

// The forward pass has been made, by our own kernel; D and clearing the sums belong to the backward
// pass. cuDNN makes D itself.
std::function<void()> BenchCall::prepare_backward(BenchKernel kernel) {
  if (kernel == BenchKernel::flash_grid) throw Unsupported("flash_grid is a forward pass");
  void* const stream = device_.stream().get();
  const auto tiles = std::make_shared<TileSchedule>(schedule(kernel));
  const double scale = scale_of(shape_);
  const LaunchContext context = device_.context(kernel);
  flash({q_.view(), k_.view(), v_.view(), tiles.get(), scale, out_.view(), lse_.view()}, context);
  const Gradients& g = *gradients_;
  const BackwardArguments call{q_.view(),    k_.view(),      v_.view(),    g.d_out.view(),
                               lse_.view(),  g.delta.view(), tiles.get(),  scale,
                               g.d_q.view(), g.d_k.view(),   g.d_v.view(), out_.view()};
  const auto clear = [call, stream] {
    for (const TensorView& sum : {call.d_q, call.d_k, call.d_v}) clear_rows(sum, stream);
  };
  if (kernel == BenchKernel::cudnn) {
    CudnnAttention& cudnn = device_.cudnn();
    return [&cudnn, tiles, call, context, clear] {
      clear();
      cudnn.attend_backward(call, context);
    };
  }
  const BackwardOptions options{kernel == BenchKernel::flash_deterministic};
  const auto launch = std::make_shared<BackwardLaunch>(call, context, options);
  return [launch, call, stream, clear] {
    clear();
    compute_delta(call.out, call.d_out, call.delta, stream);
    launch->run();
  };
}

std::vector<double> BenchCall::seconds(BenchKernel kernel, int warm_ups, int repeats) {
  return device_.seconds(warm_ups, repeats, prepared(kernel));
}

const std::function<void()>& BenchCall::prepared(BenchKernel kernel) {
  auto known = prepared_.find(kernel);
  if (known == prepared_.end()) known = prepared_.emplace(kernel, prepare(kernel)).first;
  return known->second;
}

RowCheck BenchCall::make_check() const {
  const auto first_heads = [&](const Tensor& tensor) {
    Extent extent = tensor.view().extent;
    extent.batch = 1;
    extent.heads = std::min<std::int64_t>(extent.heads, kCheckedHeads);
    Tensor host(heap_allocator(), shape_.dtype, extent, "checked");
    copy_to_host(tensor.view().data, host.view().data,
                 static_cast<std::size_t>(host.view().bytes()), device_.stream().get());
    return host;
  };
  const Tensor q = first_heads(q_);
  const Tensor k = first_heads(k_);
  const Tensor v = first_heads(v_);
  const Tensor d_out = gradients_ ? first_heads(gradients_->d_out) : Tensor();
  const Mask mask = shape_.causal ? Mask::causal(shape_.queries, shape_.keys) : Mask();
  return RowCheck({q.view(), k.view(), v.view(), d_out.view(), mask, scale_of(shape_)});
}

std::string BenchCall::flaw(BenchKernel kernel) {
  if (!check_) check_.emplace(make_check());
  void* const stream = device_.stream().get();
  const TensorView& out = gradients_ ? gradients_->d_q.view() : out_.view();
  fill_bytes(out.data, 0xff, static_cast<std::size_t>(out.bytes()), stream);  // NaN
  prepared(kernel)();
  std::vector<float> got;
  std::vector<float> row(static_cast<std::size_t>(shape_.d));
  for (std::int64_t head = 0; head < std::min<std::int64_t>(shape_.heads, kCheckedHeads); ++head)
    for (const std::int64_t query : check_->rows()) {
      copy_to_host(out.row(0, head, query), row.data(), row.size() * sizeof(float), stream);
      got.insert(got.end(), row.begin(), row.end());
    }
  return check_->flaw(got);
}

double BenchCall::flop() const {
  const double flop = shape_.backward ? 10.0 : 4.0;
  return flop * static_cast<double>(schedule(BenchKernel::flash).unmasked_pairs() * shape_.batch *
                                    shape_.heads * shape_.d);
}

double BenchCall::key_bytes() const {
  return static_cast<double>(k_.view().bytes() + v_.view().bytes());
}

}  // namespace qb::cuda
