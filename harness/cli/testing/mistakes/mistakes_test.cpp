// SPDX-License-Identifier: Apache-2.0
// The mistakes that published numbers have suffered from, planted on purpose: each in a subject
// that the harness measures through the same doors as any other (a device, a plan, a run folder, a
// user's tensors), with what the harness answers. docs/trust.md has the
// same table.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/source_root.h"
#include "harness/cli/testing/mistakes/mistaken_devices.h"
#include "harness/cli/testing/mistakes/mistaken_reports.h"
#include "harness/cli/views/attend_files.h"
#include "harness/verify/testing/npy_fakes.h"
#include "plots/figures/figures.h"
#include "plots/testing/sample_run.h"

namespace qb::mistakes {
namespace {

using testing::HasSubstr;
using testing::Not;

// A case of one or more workers on a device that makes a mistake.
template <class Device, class Honest = HonestDevice>
std::string on_device(bool planted, Lines more) {
  more["device"] = "cuda";
  Subject subject{.spec = spec_text(more)};
  subject.device = [&](const Case&) -> std::unique_ptr<ComputeDevice> {
    if (planted) return std::make_unique<Device>();
    return std::make_unique<Honest>();
  };
  return answer_to(subject);
}

const Lines kWhole = {{"algorithm", "dense"}, {"workers", "1"}};
const Lines kNoWarmups = {
    {"algorithm", "dense"}, {"workers", "1"}, {"measure", "{repeats: 6, retakes: 0, warmups: 0}"}};

const Lines kBackward = {
    {"algorithm", "ring"}, {"workers", "4"}, {"pass", "backward"}, {"dtype", "bf16"}};

template <class Device>
std::string on_counted_device(bool planted) {
  const testing_support::FakeClock clock;
  return on_device<Device, CountedDevice>(planted, kNoWarmups);
}
std::string of_early_clock(bool planted) { return on_counted_device<EarlyClock>(planted); }
std::string of_compilation(bool planted) { return on_counted_device<CompilesInTime>(planted); }
std::string of_no_exp(bool planted) { return on_device<NoExp>(planted, kWhole); }
std::string of_lost_launch(bool planted) { return on_device<LostLaunch>(planted, kWhole); }
std::string of_half_written(bool planted) { return on_device<HalfWritten>(planted, kWhole); }
std::string of_base_two(bool planted) { return on_device<BaseTwo>(planted, {}); }
std::string of_bf16_partials(bool planted) { return on_device<PartialsInBf16>(planted, {}); }
std::string of_sinks(bool planted) {
  return on_device<SinkInEachPartial>(planted, {{"sinks", "true"}});
}
std::string of_sentinel(bool planted) { return on_device<InfiniteSentinel>(planted, {}); }
std::string of_stale_keys(bool planted) { return on_device<StaleKeys>(planted, kBackward); }
std::string of_lost_sums(bool planted) {
  Lines lines = kBackward;
  lines["algorithm"] = "all_gather_kv";
  return on_device<LostGradients>(planted, lines);
}
std::string of_warm_cache(bool planted) {
  const testing_support::FakeClock clock;
  Lines lines = kNoWarmups;
  lines["l2_cache"] = "";
  lines["sweep"] = "{l2_cache: [flushed, warm]}";
  return on_device<FlushesNothing, Cached>(planted, lines);
}
std::string of_throttling(bool planted) { return on_device<Throttled>(planted, kWhole); }

// The speed-up over a base that reaches 80 %, or half of that, of its machine's peak.
std::string of_slow_base(bool planted) {
  CsvTable cases = testing_support::no_cases();
  testing_support::Values base = testing_support::ok_case(1, 1000, planted ? 2.0 : 1.0);
  base["peak_fraction"] = planted ? "0.4" : "0.8";
  testing_support::add_case(cases, base);
  testing_support::add_case(cases, testing_support::ok_case(8, 1000, 0.5));
  return fmt::format("{}",
                     fmt::join(figures_of_run(PlottedRun(cases), {"speed_up"}).at(0).notes, "\n"));
}

std::string of_constant_inputs(bool planted) {
  const ScratchFolder files;
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  const auto write = [&](const char* name) {
    std::vector<float> values(64 * 8);
    for (float& value : values) value = planted ? 0.0f : normal(random);
    return files.file(name, npy_bytes(DType::f32, {64, 8}, values.data()));
  };
  AttendRequest request;
  request.q = write("q.npy");
  request.k = write("k.npy");
  request.v = write("v.npy");
  request.out = files.path("o.npy");
  request.verify = true;
  return attend(request);
}

struct Mistake {
  const char* name;
  const char* door;    // where it is planted
  const char* answer;  // a part of what the harness says then, and does not say otherwise
  std::string (*planted)(bool planted);
};

constexpr Mistake kMistakes[] = {
    {"the clock is read before the device is done", "device",
     "of the peak that was measured beside it", of_early_clock},
    {"the clock stops before the merge", "run folder", "worker_sum_s is", of_clock_before_merge},
    {"compilation or first touch is inside the time", "device", "its first repeat took",
     of_compilation},
    {"warm-ups are in the median", "run folder", "but samples.csv gives", of_counted_warmups},
    {"the softmax has no exp", "device", "incorrect", of_no_exp},
    {"a launch never ran", "device", "incorrect", of_lost_launch},
    {"a kernel writes a part of its output", "device", "incorrect", of_half_written},
    {"a ring's buffer alias is right for two ranks only", "plan",
     "W = 2: the plan is exact; W = 3: block", of_aliased_ring},
    {"a ring's backward pass uses hop 0's keys again", "plan", "that it has sent", of_reused_keys},
    {"a ring's gradients are computed with hop 0's keys again", "device", "incorrect",
     of_stale_keys},
    {"an all-gather has no backward pass", "plan", "never reaches its owner", of_lost_gradients},
    {"key gradients of other workers' queries are lost", "device", "incorrect", of_lost_sums},
    {"decoding misses its own token", "plan", "computed by no worker", of_decode_without_itself},
    {"tail padding of packed sequences drops keys", "plan", "tokens", of_dropped_tail},
    {"cumulative lengths of packed sequences are divided by W", "plan",
     "30 and 34: query group 8 crosses", of_divided_lengths},
    {"a log-sum-exp in base 2 is merged as one in base e", "device", "incorrect", of_base_two},
    {"partials are kept in bf16", "device", "incorrect", of_bf16_partials},
    {"an attention sink counts in each partial", "device", "incorrect", of_sinks},
    {"+inf as a sentinel erases rows", "device", "incorrect", of_sentinel},
    {"success is reported unconditionally", "run folder", "is not within the tolerance",
     of_success_always},
    {"a swept key is lost from the log", "run folder", "workers is '7', but the resolved spec",
     of_lost_key},
    {"context parallelism is silently off", "run folder", "4 workers split nothing",
     of_silent_parallelism},
    {"every worker holds the whole sequence", "run folder", "device_peak_bytes is", of_flat_memory},
    {"a balancer does not balance, and outputs stay right", "plan", "responsibility_ratio 2.",
     of_idle_balancer},
    {"the rate is divided by W wrongly", "run folder", "achieved_flop_per_s is",
     of_rate_of_one_worker},
    {"FLOPs are short by W", "run folder", "unmasked_flop is", of_shard_flop<1>},
    {"FLOPs are short by W squared", "run folder", "unmasked_flop is", of_shard_flop<2>},
    {"causal FLOPs are counted as full ones", "run folder", "unmasked_flop is",
     of_causal_counted_full},
    {"bytes are counted without V", "run folder", "moved_bytes is", of_bytes_without_v},
    {"the memory peak lacks the workspace", "run folder", "active_memory_peak_bytes is",
     of_peak_without_workspace},
    {"the baseline runs at half its machine's speed", "run folder", "Base at", of_slow_base},
    {"inputs are zeros or one value", "tensors", "an output that mixes up keys",
     of_constant_inputs},
    {"a cache-warm repeat is sold as a cold one", "device", "was anything evicted", of_warm_cache},
    {"the device is throttled", "device", "throttled", of_throttling},
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreAnsweredAndHonestSubjectsAreNot) {
  const Mistake& mistake = GetParam();
  EXPECT_THAT(mistake.planted(true), HasSubstr(mistake.answer)) << mistake.name;
  EXPECT_THAT(mistake.planted(false), Not(HasSubstr(mistake.answer))) << mistake.name;
}

std::string test_name(const testing::TestParamInfo<Mistake>& info) {
  std::string name;
  for (const char c : std::string(info.param.name))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Planted, Mistakes, testing::ValuesIn(kMistakes), test_name);

TEST(MistakesTable, StandsInTheDocumentation) {
  const std::string trust = read_file(source_path("docs/trust.md"));
  for (const Mistake& mistake : kMistakes)
    EXPECT_THAT(trust, HasSubstr(fmt::format("| {} | {} | `{}` |\n", mistake.name, mistake.door,
                                             mistake.answer)));
}

}  // namespace
}  // namespace qb::mistakes
