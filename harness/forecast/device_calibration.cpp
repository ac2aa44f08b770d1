// SPDX-License-Identifier: Apache-2.0
// Measures this machine as a device model: one thread, alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/statistics.h"
#include "base/status.h"
#include "harness/forecast/device_model.h"
#include "harness/plan/work/work.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/run/runner/worker.h"
#include "harness/verify/inputs.h"
#include "kernels/attention_backward.h"
#include "kernels/cpu/roofline.h"
#include "kernels/merge.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

constexpr std::int64_t kLeastTokens = 64;
constexpr double kSampleS = 2e-3;  // shorter operations are repeated within a sample
constexpr int kSamples = 7;
constexpr int kFewestSamples = 3;  // samples of slow operations

// Returns the median after a warm-up, of fewer samples if all would take more than budget_s.
double median_s(double budget_s, const std::function<void()>& operation) {
  operation();
  const double begin_s = now_s();
  operation();
  const double once_s = std::max(now_s() - begin_s, 1e-9);
  const auto calls = static_cast<int>(std::ceil(kSampleS / once_s));
  const int samples =
      std::clamp(static_cast<int>(budget_s / (once_s * calls)), kFewestSamples, kSamples);
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) {
    const double start_s = now_s();
    for (int call = 0; call < calls; ++call) operation();
    seconds.push_back((now_s() - start_s) / calls);
  }
  return median(seconds);
}

// Attention of n queries on n keys, one head.
class Call {
 public:
  Call(Kernel kernel, DType dtype, std::int64_t head_dim, std::int64_t n, SpanKind mask)
      : kernel_(kernel),
        q_(memory_, dtype, {1, 1, n, head_dim}, "q"),
        k_(memory_, dtype, {1, 1, n, head_dim}, "k"),
        v_(memory_, dtype, {1, 1, n, head_dim}, "v"),
        out_(memory_, DType::f32, {1, 1, n, head_dim}, "out"),
        lse_(memory_, DType::f32, {1, 1, n, 1}, "lse"),
        schedule_(build_schedule(n, n, {{0, n, {0, n, mask, 0}}},
                                 kernel_tiles(kernel, head_dim).query_tile)) {
    fill_normal(q_.view(), 1, 1);
    fill_normal(k_.view(), 2, 1);
    fill_normal(v_.view(), 3, 1);
  }

  void operator()() { attention(kernel_, arguments(), {memory_, 1, 0}); }

  [[nodiscard]] AttentionArguments arguments() const {
    const double scale = 1.0 / std::sqrt(static_cast<double>(q_.view().extent.head_dim));
    return {q_.view(), k_.view(), v_.view(), &schedule_, scale, out_.view(), lse_.view()};
  }

 private:
  Kernel kernel_;
  MemoryLedger memory_;
  Tensor q_;
  Tensor k_;
  Tensor v_;
  Tensor out_;
  Tensor lse_;
  TileSchedule schedule_;
};

// The backward pass of such a call. It adds to the same gradients each time.
class BackwardCall {
 public:
  BackwardCall(Kernel kernel, DType dtype, std::int64_t head_dim, std::int64_t n)
      : kernel_(kernel),
        forward_(kernel, dtype, head_dim, n, SpanKind::full),
        d_out_(memory_, dtype, {1, 1, n, head_dim}, "d_out"),
        delta_(memory_, DType::f32, {1, 1, n, 1}, "delta"),
        d_q_(memory_, DType::f32, {1, 1, n, head_dim}, "d_q"),
        d_k_(memory_, DType::f32, {1, 1, n, head_dim}, "d_k"),
        d_v_(memory_, DType::f32, {1, 1, n, head_dim}, "d_v") {
    forward_();
    fill_normal(d_out_.view(), 4, 1);
    compute_delta(forward_.arguments().out, d_out_.view(), delta_.view());
    for (const Tensor* const sum : {&d_q_, &d_k_, &d_v_}) clear_rows(sum->view());
  }

  void operator()() {
    const AttentionArguments forward = forward_.arguments();
    attention_backward(kernel_,
                       {forward.q, forward.k, forward.v, d_out_.view(), forward.lse, delta_.view(),
                        forward.schedule, forward.scale, d_q_.view(), d_k_.view(), d_v_.view()},
                       {memory_, 1, 0});
  }

 private:
  Kernel kernel_;
  MemoryLedger memory_;
  Call forward_;
  Tensor d_out_;
  Tensor delta_;
  Tensor d_q_;
  Tensor d_k_;
  Tensor d_v_;
};

// The overhead is counted separately, but it may not make a rate absurd.
double compute_s_of(double call_s, double overhead_s) {
  return std::max(call_s - overhead_s, call_s / 2);
}

std::vector<RatePoint> measure_rates(Kernel kernel, DType dtype, std::int64_t head_dim,
                                     double overhead_s, std::int64_t max_tokens, double left_s) {
  std::vector<RatePoint> rates;
  double call_s = 0.0;
  for (std::int64_t n = kLeastTokens; n <= std::max(max_tokens, kLeastTokens); n *= 2) {
    // The next call has four times the pairs, and needs a warm-up, an estimate and the samples.
    if (!rates.empty() && 4.0 * call_s * (kFewestSamples + 2) > left_s) break;
    const double begin_s = now_s();
    Call call(kernel, dtype, head_dim, n, SpanKind::full);
    call_s = median_s(left_s / 4, std::ref(call));
    left_s -= now_s() - begin_s;
    const double flop = 4.0 * static_cast<double>(n * n * head_dim);
    rates.push_back({kernel, dtype, head_dim, n, n, flop / compute_s_of(call_s, overhead_s),
                     RateProvenance::measured,
                     "median of square calls, one thread, less the overhead"});
  }
  return rates;
}

// Returns the rate of the largest call of at most most_queries queries, or of the smallest call.
const RatePoint& rate_up_to(const DeviceModel& device, std::int64_t most_queries) {
  const RatePoint* point = &device.rates.front();
  for (const RatePoint& other : device.rates)
    if (other.queries <= most_queries) point = &other;
  return *point;
}

// Finds the rows of query tiles with which the model predicts the time of a causal call: for a
// square of n queries and keys, tiles of t rows compute n (n + t) / 2 pairs. The kernel's own tiles
// are larger, since it leaves out key blocks that only some of their rows see.
double effective_query_tile(const DeviceModel& device) {
  const RatePoint& point = rate_up_to(device, 2048);
  const std::int64_t n = point.queries;
  Call causal(point.kernel, point.dtype, point.head_dim, n, SpanKind::causal);
  const double compute_s = median_s(0.2, std::ref(causal)) - device.call_overhead_s.value;
  const Problem problem = make_problem({1, 1, 1, n, n, point.head_dim, point.head_dim},
                                       MaskKind::causal, point.dtype, 1);
  const DeviceCosts costs(device, point.kernel, problem);
  const double pairs =
      compute_s * costs.flop_per_s(n * (n + 1) / 2) / (4.0 * static_cast<double>(point.head_dim));
  const double tile = 2.0 * pairs / static_cast<double>(n) - static_cast<double>(n);
  return std::clamp(std::round(tile), 1.0, static_cast<double>(n));
}

// Returns nothing for a kernel without a backward pass.
DeviceNumber backward_share_here(const DeviceModel& device) {
  const RatePoint& point = rate_up_to(device, 1024);
  try {
    require_backward_kernel(point.kernel, point.dtype);
  } catch (const Unsupported&) {
    return {};
  }
  const std::int64_t n = point.queries;
  BackwardCall call(point.kernel, point.dtype, point.head_dim, n);
  const double compute_s =
      compute_s_of(median_s(0.2, std::ref(call)), device.call_overhead_s.value);
  const Shape shape{1, 1, 1, n, n, point.head_dim, point.head_dim};
  const double flop = flop_per_pair(shape, Pass::backward) * static_cast<double>(n * n);
  return {flop / compute_s / point.flop_per_s, RateProvenance::measured,
          "median of square calls of the backward pass, one thread, over the forward rate"};
}

// Returns the bytes per second of an operation on two partials of 8192 rows: O and LSE are in the
// second- or third-level cache, as between a kernel and its merge.
double partial_byte_per_s(std::int64_t head_dim, bool merges) {
  constexpr std::int64_t kRows = 8192;
  const auto partial = [&](std::int64_t width) {
    Tensor tensor(heap_allocator(), DType::f32, {1, 1, kRows, width}, "partial");
    fill_normal(tensor.view(), 1, 1);
    return tensor;
  };
  const std::array out = {partial(head_dim), partial(head_dim)};
  const std::array lse = {partial(1), partial(1)};
  const double seconds = median_s(0.2, [&] {
    if (merges) return merge_partial(out[0].view(), lse[0].view(), out[1].view(), lse[1].view());
    copy_rows(out[1].view(), out[0].view());
    copy_rows(lse[1].view(), lse[0].view());
  });
  return static_cast<double>(out[0].view().bytes() + lse[0].view().bytes()) / seconds;
}

}  // namespace

DeviceModel calibrate_here(Kernel kernel, DType dtype, std::int64_t head_dim,
                           std::int64_t max_tokens, double budget_s) {
  DeviceModel device;
  device.name = "this_machine";
  Call nothing(kernel, dtype, head_dim, 1, SpanKind::full);
  const double overhead_s = median_s(0.05, std::ref(nothing));
  device.call_overhead_s = {overhead_s, RateProvenance::measured,
                            "median call of one query on one key"};
  device.rates = measure_rates(kernel, dtype, head_dim, overhead_s, max_tokens, budget_s);
  if (kernel == Kernel::flash)
    device.query_tile = {effective_query_tile(device), RateProvenance::measured,
                         "the tiles that explain the time of a causal call"};
  device.merge_byte_per_s = {partial_byte_per_s(head_dim, true), RateProvenance::measured,
                             "median merge of partials of 8192 rows, one thread"};
  device.copy_byte_per_s = {partial_byte_per_s(head_dim, false), RateProvenance::measured,
                            "median copy of partials of 8192 rows, one thread"};
  device.memory_byte_per_s = {cpu::MemoryCeiling(1).read_bytes_per_s(), RateProvenance::measured,
                              "best burst of a sum over memory, one thread"};
  device.cores = {static_cast<double>(available_cores()), RateProvenance::measured,
                  "cores of the process"};
  device.backward_share_of_forward = backward_share_here(device);
  return device;
}

}  // namespace qb
