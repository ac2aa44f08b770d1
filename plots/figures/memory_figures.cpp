// SPDX-License-Identifier: Apache-2.0
// Active memory of the cases over time.
#include <array>
#include <numeric>
#include <ranges>

#include "base/numbers.h"
#include "plots/figures/figures.h"

namespace qb {
namespace {

// Who holds tensors: by the beginning of their labels, from below.
struct Owner {
  const char* name;
  std::uint32_t colour;
  std::initializer_list<std::string_view> labels;
};
const Owner kOwners[] = {{"Q, K and V", 0x56B4E9, {"q", "k", "v"}},
                         {"output and LSE", 0x009E73, {"output", "out_partial", "lse"}},
                         {"scores", 0xE69F00, {"scores"}},
                         {"buffers", 0xCC79A7, {}}};  // all others

std::size_t owner_of(std::string_view label) {
  const auto* const found = std::ranges::find_if(kOwners, [&](const Owner& owner) {
    return std::ranges::any_of(owner.labels, [&](std::string_view one) {
      return label == one || (label.starts_with(one) && label[one.size()] == '_');
    });
  });
  return static_cast<std::size_t>(std::min(found, std::end(kOwners) - 1) - std::begin(kOwners));
}

// What an event adds to the active bytes; segments come and go below the tensors.
double added_bytes(const Row& event) {
  if (event.is("action", "alloc")) return event.number("bytes");
  return event.is("action", "free") ? -event.number("bytes") : 0.0;
}

// The events of a case, and whose of them are those of its fullest device.
struct Device {
  Rows events{};
  std::optional<std::int64_t> worker{};  // none: all are
};

// Finds the fullest device: a root, which has the whole tensors besides its share, or else the
// worker that asked for too much or held most. Without a root worker 0 is left out, since what the
// caller holds is booked there too.
Device fullest_device(const Row& one, const Rows& events) {
  if (one.is("workers", "1")) return {events};
  if (has_root(one)) return {events, 0};
  std::map<std::int64_t, double> active;
  std::int64_t fullest = 1;
  double most = 0.0;
  for (const Row& row : events) {
    const std::int64_t worker = row.integer("worker");
    if (worker < 1) continue;
    if (row.is("action", "oom")) return {events, worker};
    const double now = active[worker] += added_bytes(row);
    if (now <= most) continue;
    most = now;
    fullest = worker;
  }
  return {events, fullest};
}

using ByOwner = std::array<double, std::size(kOwners)>;  // active bytes of each owner

// Calls `each(from_ms, to_ms, held)` for the times between two events of a case, since its first.
template <class Each>
void for_spans(const Device& device, Each each) {
  ByOwner held{};
  const Rows& events = device.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!device.worker || events[i].integer("worker") == *device.worker)
      held.at(owner_of(events[i].text("label"))) += added_bytes(events[i]);
    const auto since_ms = [&](const Row& row) {
      return (row.number("time_s") - events.front().number("time_s")) * kMilli;
    };
    if (i + 1 < events.size()) each(since_ms(events[i]), since_ms(events[i + 1]), held);
  }
}

double device_peak(const Device& device) {
  double most = 0.0;
  for_spans(device, [&](double, double, const ByOwner& held) {
    most = std::fmax(most, std::accumulate(held.begin(), held.end(), 0.0));
  });
  return most;
}

// Stacks what each owner holds; spans in which an owner's rectangle stays are one.
std::vector<Series> stacks_of(const Device& device, const Unit& unit) {
  std::vector<Series> out;
  for (const Owner& owner : kOwners) out.push_back(rectangles(owner.name, owner.colour));
  for_spans(device, [&](double from, double to, const ByOwner& held) {
    double low = 0.0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const double high = low + held.at(i) * unit.factor;
      std::vector<Point>& points = out[i].points;
      const bool stays = !points.empty() && points.back().x_high == from &&
                         points.back().low == low && points.back().high == high;
      if (stays) {
        points.back() = box(points.back().x_low, to, low, high);
      } else if (high > low) {
        points.push_back(box(from, to, low, high));
      }
      if (high > low) points.back().y = high - low;
      low = high;
    }
  });
  return out;
}

// The cases with a timeline of the longest sequence at which both the fewest and the most workers
// have one, or of the longest of all; the fewest and the most are drawn.
Rows timeline_rows(const CsvTable& cases, const std::map<std::string, Rows>& events) {
  const Rows rows =
      order(where(standing_rows(cases),
                  [&](const Row& row) { return events.contains(row.text("case_id")); }),
            number_in("workers"));
  Groups lengths = group(rows, Columns{"n_tokens"});
  const auto lacks_one = [&](const Group& length) {
    return length.rows.front().text("workers") != rows.front().text("workers") ||
           length.rows.back().text("workers") != rows.back().text("workers");
  };
  if (!std::ranges::all_of(lengths, lacks_one)) std::erase_if(lengths, lacks_one);
  return lengths.empty() ? Rows{} : spread(lengths.back().rows, 2);
}

// Says what the fullest device holds at its peak, and how many times less with the most workers.
std::string held_title(const Rows& rows, const std::vector<double>& peaks) {
  std::vector<std::string> said;
  for (std::size_t i = 0; i < rows.size(); ++i)
    said.push_back(
        fmt::format("{} with {}", format_bytes(peaks[i]), named_values(rows[i], {"workers"})));
  const double ratio = peaks.front() / peaks.back();
  return fmt::format(
      "At {} the fullest device holds {}{}", named_values(rows.front(), {"n_tokens"}),
      listed(said, " and "),
      ratio > 1.0 && std::isfinite(ratio) ? fmt::format(", {:.3g} times less", ratio) : "");
}

}  // namespace

// Compares one worker with many, as in supplement D of CQS-Attention: what the tensors of the
// fullest device are, from the first to the last event of its case in memory_timeline.csv.
Figure memory_timeline_figure(const PlottedRun& run) {
  constexpr const char* kTitle = "Active memory of the fullest device over time";
  if (!run.timeline)
    return empty_figure(kTitle,
                        "the run has no memory_timeline.csv (measure: {memory_timeline: true})");
  const std::map<std::string, Rows> events = rows_by_case(*run.timeline);
  const Rows rows = timeline_rows(run.cases, events);
  if (rows.empty()) return empty_figure(kTitle, "no case has a memory timeline");
  std::vector<Device> devices;
  std::vector<double> peaks;
  for (const Row& row : rows) {
    devices.push_back(fullest_device(row, events.at(row.text("case_id"))));
    peaks.push_back(device_peak(devices.back()));
  }
  const Unit unit = byte_unit(std::ranges::min(peaks));
  Figure figure{.title = held_title(rows, peaks),
                .columns = static_cast<int>(rows.size()),
                .shared_axes = true};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Panel& panel = figure.panels.emplace_back();
    const std::string name = named_values(rows[i], {"workers"});
    panel.title = listed({name, has_root(rows[i]) ? "the root" : ""});
    panel.x = {.label = "time since the first tensor (ms)", .column = "time_ms", .from_zero = true};
    panel.y = axis_in(unit, "active memory", "active_memory");
    panel.y.from_zero = true;
    add(panel, stacks_of(devices[i], unit));
    const Rows& own = devices[i].events;
    const auto failed =
        std::ranges::find_if(own, [](const Row& event) { return event.is("action", "oom"); });
    if (failed != own.end())
      figure.notes.push_back(fmt::format("{} ran out of memory when it asked for {}.", name,
                                         format_bytes(failed->number("bytes"))));
  }
  figure.notes.emplace_back(
      "Tensors of the fullest device. A root has the whole ones besides its share; without one "
      "worker 0 is left out, which has what the caller holds.");
  return figure;
}

}  // namespace qb
