// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "base/host_activity.h"
#include "base/numbers.h"
#include "base/statistics.h"

namespace qb {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

// Writes three significant digits, without an exponent.
std::string three_digits(double value) {
  return fmt::format("{:.{}f}", value, value >= 100.0 ? 0 : value >= 10.0 ? 1 : 2);
}

// `modelled on a100: 13.7 ms (no link limit: messages are free)`
std::string describe_model(const CaseResult& result, const Case& c) {
  const std::string device = c.model_device.value_or("here");
  const std::string time = format_interval(result.values.number("wall_time_median_s"), 0.0, 0.0);
  const bool free =
      c.workers > 1 && !c.link_bandwidth_byte_per_s && !c.link_latency_s && c.cluster == kNoCluster;
  return fmt::format(
      "modelled on {}: {}{}",
      device == "here" ? "this machine" : std::filesystem::path(device).stem().string(),
      time.substr(0, time.find(" [")), free ? " (no link limit: messages are free)" : "");
}

}  // namespace

Progress::Style stderr_style(bool quiet) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const char* no_colour = std::getenv("NO_COLOR");
  return {quiet, terminal, terminal && (no_colour == nullptr || *no_colour == '\0')};
}

std::string format_interval(double median_s, double low_s, double high_s) {
  if (std::isnan(median_s)) return "-";
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr Unit units[] = {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  const Unit* unit = units;
  while (unit != std::end(units) - 1 && median_s < unit->seconds) ++unit;
  return fmt::format("{} {} [{}, {}]", three_digits(median_s / unit->seconds), unit->name,
                     three_digits(low_s / unit->seconds), three_digits(high_s / unit->seconds));
}

std::string format_duration(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400.0) return fmt::format("{:.0f} min", std::ceil(seconds / 60.0));
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string describe_result(const CaseResult& result, const Case& c) {
  if (result.status != Status::ok)
    return fmt::format("{}: {}", word(result.status), result.message);
  const RowValues& values = result.values;
  if (values.text("provenance") == "model") return describe_model(result, c);
  std::string text = "ok";
  const auto interval = [&](const IntervalColumns& clock) {
    return format_interval(values.number(clock.median()), values.number(clock.low95()),
                           values.number(clock.high95()));
  };
  // Serial workers are computed in turn: what a cluster would wait for is their critical path.
  const double wall_s = values.number("wall_time_median_s");
  const double critical_s = values.number("critical_path_median_s");
  const bool in_turn =
      c.ranks == Ranks::serial && c.workers > 1 && c.launch == Launch::alone && critical_s > 0.0;
  if (in_turn)
    text += fmt::format(", median critical path {} (all workers in turn: {})",
                        interval(IntervalColumns("critical_path")), format_seconds(wall_s));
  else if (!std::isnan(wall_s))
    text += fmt::format(", median {} {}", c.clock == ClockKind::cpu ? "CPU time" : "wall clock",
                        interval(IntervalColumns("wall_time")));
  if (const std::string& by = values.text("disturbed_by"); !by.empty())
    text += fmt::format(", disturbed by {} ({} of {} repeats)", disturbance_text(by),
                        values.text("disturbed_samples"), values.text("n_samples"));
  const double peak = values.number("device_peak_bytes");
  if (!std::isnan(peak))
    text += ", peak " + format_bytes_and_root(peak, values.number("root_peak_bytes"));
  return text;
}

std::string Progress::coloured(Status status, const std::string& text) const {
  if (!style_.colour) return text;
  const bool failed = status == Status::incorrect || status == Status::crashed ||
                      status == Status::error || status == Status::timeout;
  const int colour = status == Status::ok ? 32 : failed ? 31 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", colour, text);
}

void Progress::note(std::string_view text) {
  end_line();
  sink_(fmt::format("{}\n", text));
}

void Progress::started(std::size_t number, std::size_t total, const std::string& label) {
  heading_ = fmt::format("[{}/{}] {} … ", number, total, label);
  if (style_.quiet || !style_.terminal) return;
  sink_((live_ ? kClearLine : "") + heading_);
  live_ = true;
}

void Progress::finished(const CaseResult& result, double remaining_s, const Case& c) {
  const bool ok = result.status == Status::ok;
  if (style_.quiet && ok) return;
  const std::string said = describe_result(result, c);
  if (result.status == Status::unsupported && !said_.insert(said).second) return;
  std::string line = heading_ + coloured(result.status, said);
  if (!style_.quiet && remaining_s > 0.0) line += ", ETA " + format_duration(remaining_s);
  // On a terminal a good result is overwritten by the next case; a failure stays.
  const bool stays = !style_.terminal || style_.quiet || !ok;
  sink_((live_ ? kClearLine : "") + line + (stays ? "\n" : ""));
  live_ = !stays;
}

void Progress::end_line() {
  if (live_) sink_("\n");
  live_ = false;
}

void RemainingTime::done(double weight, double took_s) {
  left_ -= weight;
  done_ += weight;
  took_s_ += took_s;
}

double RemainingTime::seconds() const {
  if (!(done_ > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return std::fmax(left_, 0.0) * took_s_ / done_;
}

double case_weight(const Case& c) {
  constexpr double kProcessStart = 2e9;
  const Shape& s = c.shape;
  const double pairs = static_cast<double>(s.q_len) * static_cast<double>(s.kv_len) *
                       static_cast<double>(s.batch * s.q_heads);
  // The share of a pattern is a guess.
  const double half =
      c.mask.kind() == MaskKind::full ? 1.0 : (c.mask.kind() == MaskKind::causal ? 0.5 : 0.1);
  const double repeats = 2.0 + c.measure.warmups + c.measure.min_repeats;
  // A backward pass has five products where a forward pass has two.
  const double passes = c.pass == Passes::forward ? 1.0 : c.pass == Passes::backward ? 2.5 : 3.5;
  return kProcessStart +
         passes * repeats * half * pairs * static_cast<double>(s.head_dim + s.value_dim);
}

}  // namespace qb
