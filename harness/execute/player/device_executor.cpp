#include "harness/execute/player/device_executor.h"

#include <fmt/format.h>

#include "base/status.h"
#include "harness/execute/player/device_player.h"
#include "harness/execute/player/worker.h"

namespace qb {

void Stopwatch::start() {
  device_.forget_marks();
  spans_.clear();
  notes_.clear();
  start_s_ = now_s();
}

void Stopwatch::charge(double* seconds, double* also) {
  spans_.push_back({device_.mark(), seconds, also});
}

void Stopwatch::note(double* seconds) { notes_.push_back({device_.mark(), seconds, nullptr}); }

void Stopwatch::stop() {
  const int end = device_.mark();
  if (clock_ == ClockKind::unsynchronized) wall_s_ = now_s() - start_s_;
  device_.wait();
  if (clock_ == ClockKind::synchronized) wall_s_ = now_s() - start_s_;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const int to = i + 1 < spans_.size() ? spans_[i + 1].from : end;
    const double seconds = clock_ == ClockKind::synchronized
                               ? device_.device_seconds(spans_[i].from, to)
                               : device_.host_seconds(spans_[i].from, to);
    for (double* const target : {spans_[i].target, spans_[i].also})
      if (target != nullptr) *target += seconds;
  }
  for (const Span& note : notes_)
    *note.target = device_.device_seconds(spans_.front().from, note.from);
  device_s_ = spans_.empty() ? 0.0 : device_.device_seconds(spans_.front().from, end);
}

DeviceExecutor::DeviceExecutor(const Plan& plan, const DeviceArguments& arguments,
                               ComputeDevice& device) {
  const Problem& problem = plan.problem;
  for (const std::int64_t dim : {problem.shape.head_dim, problem.shape.value_dim})
    device.require(arguments.kernel, problem.dtype, dim);
  if (arguments.kernel == Kernel::flash) {
    player_ = std::make_unique<Rounds>(plan, arguments, device);
    return;
  }
  if (arguments.launch != Launch::alone)
    throw Unsupported(
        fmt::format("launch: {} is of kernel flash; kernel {} computes each worker alone",
                    word(arguments.launch), word(arguments.kernel)));
  player_ = std::make_unique<Shards>(plan, arguments, device);
}

DeviceExecutor::~DeviceExecutor() = default;

Execution DeviceExecutor::run() { return player_->run(); }

}  // namespace qb
