// SPDX-License-Identifier: Apache-2.0
// The time that one worker's device needs for a kernel call, a merge and a copy. The `model`
// executor uses these numbers to predict a plan without running it.
//
// A call of a kernel costs a fixed overhead and its FLOP at the rate of calls of its size:
//   time = call_overhead + max(FLOP / rate(pairs), bytes / memory_byte_per_s)
//   FLOP = 2 (d + e) * pairs * batch * query heads      (4 d ... where value_dim e = head_dim d)
// In a backward pass FLOP = 2 (3 d + 2 e) * …, which is 10 d, at a share of that rate.
// pairs: those that the kernel computes per head, at tile granularity.
// rate(): the table's points, straight lines between them where both axes are logarithmic, constant
// beyond its ends. bytes: what the call must read and write at least, which is what decoding costs.
//
// The file is CSV with one number a record:
//   device       the same name in every record
//   quantity     kernel_flop_per_s, of calls of `queries` x `keys` pairs without a mask, or one of
//                call_overhead_s     before a call computes
//                merge_byte_per_s    bytes of a partial (O and LSE) that is merged into another, or
//                                    of a sum of gradients that is added to another: either reads
//                                    two and writes one
//                copy_byte_per_s     bytes copied, each counted once
//                memory_byte_per_s   read and written by a kernel that computes next to nothing
//                cores               devices that there are; 0: one a worker
//                query_tile          rows of the kernel's query tiles; 0: as this program's kernel
//                product_flop_per_s  the most that products of matrices of f16 or bf16 reach, which
//                                    bounds operators that no kernel is measured of; 0: not known
//                backward_share_of_forward
//                                    the rate of a backward call over that of the forward call of
//                                    as many pairs; 0: kBackwardShareOfForward
//                Each at most once; absent is 0. Where nothing else is said, 0 means that it takes
//                no time, or that there is no limit.
//   kernel, dtype, head_dim, queries, keys   of kernel_flop_per_s, else empty
//   value        SI units
//   provenance   measured, published, datasheet, estimated (from published values), or assumed
//   source       where the value comes from, in words
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.h"
#include "harness/plan/pass.h"
#include "harness/plan/problem.h"
#include "harness/plan/work/profile.h"
#include "kernels/attention.h"

namespace qb {

enum class RateProvenance { measured, published, datasheet, estimated, assumed };

QB_WORDS(RateProvenance, "provenance", measured, published, datasheet, estimated, assumed);

struct RatePoint {
  Kernel kernel = Kernel::flash;
  DType dtype = DType::f32;
  std::int64_t head_dim = 64;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  double flop_per_s = 0.0;
  RateProvenance provenance = RateProvenance::assumed;
  std::string source;
  friend bool operator==(const RatePoint&, const RatePoint&) = default;
};

struct DeviceNumber {
  double value = 0.0;
  RateProvenance provenance = RateProvenance::assumed;
  std::string source;
  friend bool operator==(const DeviceNumber&, const DeviceNumber&) = default;
};

struct DeviceModel {
  std::string name;
  std::vector<RatePoint> rates;
  DeviceNumber call_overhead_s;
  DeviceNumber merge_byte_per_s;
  DeviceNumber copy_byte_per_s;
  DeviceNumber memory_byte_per_s;
  DeviceNumber cores;  // if there are more workers, they share them evenly, as a `threads` run does
  DeviceNumber query_tile;
  DeviceNumber product_flop_per_s;
  DeviceNumber backward_share_of_forward;
  friend bool operator==(const DeviceModel&, const DeviceModel&) = default;
};

// The printed rates of FlashAttention-2 on an H100 leave 0.70 (512 tokens) to 0.88 (16 k tokens) of
// the forward rate for its backward pass: see data/devices/README.md.
inline constexpr double kBackwardShareOfForward = 0.8;
// Returns the share of the device, or the assumed one where it has none.
[[nodiscard]] DeviceNumber backward_share(const DeviceModel& device);

// Throws UsageError `name:line: …` at the first record that breaks the rules above.
[[nodiscard]] DeviceModel parse_device_model(std::string_view text, std::string_view name);
[[nodiscard]] std::string device_model_csv(const DeviceModel& device);
// Reads a file, or the device of that name in data/devices of the checkout, from any folder. Throws
// UsageError, which lists the names, where there is neither.
[[nodiscard]] DeviceModel load_device_model(const std::string& name);
[[nodiscard]] std::string known_devices();  // `a100, h100, …`
[[nodiscard]] DeviceModel a100_device();    // data/devices/a100.csv, compiled in

// Measures this machine with one thread: medians after a warm-up, of square calls from 64 tokens on
// in doubling sizes, up to max_tokens and while budget_s lasts, which is for the kernel's table;
// the rest takes about a second. cores: those of this process.
[[nodiscard]] DeviceModel calibrate_here(Kernel kernel, DType dtype, std::int64_t head_dim,
                                         std::int64_t max_tokens, double budget_s = 2.0);

class DeviceCosts final : public StepPrices {
 public:
  // Throws Unsupported if the device has no rate of the kernel at the problem's dtype and head_dim.
  DeviceCosts(const DeviceModel& device, Kernel kernel, const Problem& problem,
              Pass pass = Pass::forward);

  [[nodiscard]] double call_s(std::int64_t pairs, std::int64_t units,
                              std::int64_t bytes) const override;
  [[nodiscard]] double merge_s(std::int64_t bytes) const override;
  [[nodiscard]] double copy_s(std::int64_t bytes) const override;
  [[nodiscard]] std::int64_t query_tile() const override { return query_tile_; }
  [[nodiscard]] double flop_per_s(std::int64_t pairs) const;
  [[nodiscard]] Kernel kernel() const { return kernel_; }

 private:
  struct LogPoint {
    double pairs = 0.0;
    double flop_per_s = 0.0;
  };
  DeviceModel device_;
  Kernel kernel_;
  double flop_per_pair_ = 0.0;
  std::vector<LogPoint> points_;  // ascending
  std::int64_t query_tile_;
};

}  // namespace qb
