// Plays a plan on one compute device: serial ranks with device tensors.
//
// Every worker's rows lie in the memory of the one device, so no message is sent: what a worker
// would receive is read from the original Q, K and V, and what it would send home is merged into
// the output. `flash` reads the original rows in place, through the groups of the plan; the other
// kernels get copies of their rows, as a worker on a device of its own would hold.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/words.h"
#include "harness/execute/device/compute_device.h"
#include "harness/execute/player/executor.h"

namespace qb {

enum class Launch {
  alone,     // each worker by itself, one after the other: what one costs, as on the CPU
  together,  // all workers of a plan, or of a round, in one launch; flash only
  graph,     // the same, recorded as a CUDA graph and replayed
};

template <>
struct Words<Launch> {
  static constexpr std::string_view what = "launch";
  static constexpr std::pair<Launch, std::string_view> table[] = {
      {Launch::alone, "alone"}, {Launch::together, "together"}, {Launch::graph, "graph"}};
};

enum class ClockKind {
  synchronized,    // device events for parts; the wall clock waits for the device
  unsynchronized,  // the host's clock without waiting: as published, and not what it takes
};

template <>
struct Words<ClockKind> {
  static constexpr std::string_view what = "clock";
  static constexpr std::pair<ClockKind, std::string_view> table[] = {
      {ClockKind::synchronized, "synchronized"}, {ClockKind::unsynchronized, "unsynchronized"}};
};

struct DeviceArguments {
  TensorView q;  // whole sequences, on the device
  TensorView k;
  TensorView v;
  TensorView out;  // f32
  TensorView lse;  // f32
  Kernel kernel = Kernel::flash;
  Launch launch = Launch::alone;
  ClockKind clock = ClockKind::synchronized;
  Allocator* allocator = nullptr;  // the ledger over the device's memory
};

// Runs one plan any number of times. What can be prepared once (schedules on the device, a graph)
// is, where all of it is used in every run; in `alone` with several workers each is prepared in its
// turn, so that only one holds memory.
class DeviceExecutor {
 public:
  // The references must outlive it. Throws Unsupported, OutOfMemory.
  DeviceExecutor(const Plan& plan, const DeviceArguments& arguments, ComputeDevice& device);
  ~DeviceExecutor();
  DeviceExecutor(const DeviceExecutor&) = delete;
  DeviceExecutor& operator=(const DeviceExecutor&) = delete;

  // `together` and `graph` tell the time of a round and not of its workers: their times are empty
  // but for the worker of plans with one.
  [[nodiscard]] Execution run();

 private:
  struct Player;
  class Rounds;
  class Shards;
  std::unique_ptr<Player> player_;
};

// Marks of one run, to be read as seconds of either clock when it is over.
class Stopwatch {
 public:
  Stopwatch(ComputeDevice& device, ClockKind clock) : device_(device), clock_(clock) {}
  // Adds what is enqueued from here to the next mark to `*seconds` and `*also`; nullptr: to
  // nothing.
  void charge(double* seconds, double* also = nullptr);
  // `*seconds`: from the first of these marks to here.
  void note(double* seconds);
  // Waits for the device, and fills the targets.
  void stop();
  [[nodiscard]] double wall_s() const { return wall_s_; }
  [[nodiscard]] double device_s() const { return device_s_; }
  void start();

 private:
  struct Span {
    int from = 0;
    double* target = nullptr;
    double* also = nullptr;
  };
  ComputeDevice& device_;
  ClockKind clock_;
  std::vector<Span> spans_;
  std::vector<Span> notes_;
  double start_s_ = 0.0;
  double wall_s_ = 0.0;
  double device_s_ = 0.0;
};

}  // namespace qb
