// Communication that compute does not hide, against the bandwidth of the link: it shows where a
// scheme begins to pay for what it sends.
//
// There is a line per algorithm and a panel per N, W and ranks; the cost model's line for the same
// N and W is thin and dashed. Cases over a link without a limit are apart, on the right. Serial
// cases are left out, as they have no wall clock of which communication could be a share.
#include <fmt/format.h>

#include "plots/figures/figures.h"
#include "plots/frame/figure_layout.h"
#include "plots/frame/lines.h"

namespace qb {
namespace {

constexpr std::size_t kMostPanels = 6;
constexpr const char* kBandwidth = "link_bandwidth_byte_per_s";
constexpr const char* kExposed = "exposed_communication_median_s";
const Columns kPanel = {"n_tokens", "workers", "ranks"};

using Number = std::function<double(const Row&)>;

bool of_model(const Row& row) { return modelled(row) || row.is("provenance", "model"); }

// Gives GB/s; NaN if there is no limit.
double bandwidth(const Row& row) { return row.number(kBandwidth) / 1e9; }

// Gives percent of the wall clock; NaN if the row has no such time.
double exposed_share(const Row& row) {
  return kPercent * row.number(kExposed) / row.number("wall_time_median_s");
}

// Gives how long the link takes for what the busiest worker sends.
double link_seconds(const Row& row) {
  return row.number("worker_sent_bytes") / row.number(kBandwidth);
}

Rows drawn_rows(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.number("workers") >= 2.0 && !row.is("ranks", "serial") &&
           exposed_share(row) >= 0.0;
  });
}

// Groups the rows of each panel. Model rows are in each measured panel of their N and W, or in a
// panel of their own if there is none.
std::vector<Group> panels_of(const Rows& rows) {
  std::vector<Group> panels =
      panels_by(where(rows, [](const Row& row) { return !of_model(row); }), kPanel);
  const std::size_t measured = panels.size();
  for (Group& own : panels_by(where(rows, of_model), kPanel)) {
    bool beside = false;
    for (std::size_t p = 0; p < measured; ++p)
      if (panels[p].key[0] == own.key[0] && panels[p].key[1] == own.key[1]) {
        panels[p].rows.insert(panels[p].rows.end(), own.rows.begin(), own.rows.end());
        beside = true;
      }
    if (!beside) panels.push_back(std::move(own));
  }
  std::stable_sort(panels.begin(), panels.end(),
                   [](const Group& a, const Group& b) { return key_less(a.key, b.key); });
  return panels;
}

// The bandwidths, followed by `no limit` if a case has none.
struct Links {
  bool unlimited = false;
  double no_limit = 1.0;  // its position, GB/s
  Axis axis{.label = "link bandwidth (GB/s)", .column = "link_bandwidth_gb_per_s", .log = true};

  explicit Links(const Rows& rows) {
    std::vector<double> limits;
    for (const Row& row : rows)
      if (const double limit = bandwidth(row); !std::isnan(limit)) limits.push_back(limit);
    unlimited = limits.size() < rows.size();
    if (!unlimited) return;
    if (!limits.empty()) {
      axis.tics = make_scale(axis, limits).tics;
      no_limit = 4.0 * *std::max_element(limits.begin(), limits.end());
      std::erase_if(axis.tics, [&](const Tic& tic) { return tic.value * 2.0 > no_limit; });
    }
    axis.tics.push_back({no_limit, "no limit"});
  }
};

// Names the lines of a panel; those of the model are thin if measured ones are beside them.
std::vector<Group> lines_of(const Group& panel, const Columns& others) {
  std::map<std::string, Group> lines;
  std::map<std::pair<std::string, bool>, int> variants;  // per algorithm, and per its model
  for (const Row& row : panel.rows) {
    const bool thin = of_model(row) && panel.key[2] != "model";
    const std::string& algorithm = row.text("algorithm");
    const std::string name = name_with(algorithm, row, others) + (thin ? ", model" : "");
    const auto [at, first] = lines.try_emplace(name, Group{.name = name, .thin = thin});
    if (first) {
      at->second.style = algorithm_style(algorithm, variants[{algorithm, thin}]++);
      if (thin) at->second.style.dash = 1;
    }
    at->second.rows.push_back(row);
  }
  std::vector<Group> out;
  for (auto& [name, line] : lines) out.push_back(std::move(line));
  return out;
}

Series limited_series(const Group& line, const Number& y) {
  Group limited = line;
  limited.rows = order(where(line.rows, [](const Row& row) { return !std::isnan(bandwidth(row)); }),
                       bandwidth);
  return line_series(limited,
                     [&](const Row& row) { return Point{.x = bandwidth(row), .y = y(row)}; });
}

Panel draw_panel(const Group& from, const Columns& others, const Links& links, const Number& y) {
  Panel panel{.title = from.name, .x = links.axis};
  for (const Group& line : lines_of(from, others)) {
    panel.series.push_back(limited_series(line, y));
    Series apart = panel.series.back();
    apart.name += ", no limit";
    apart.in_legend = false;
    apart.points.clear();
    for (const Row& row : line.rows)
      if (std::isnan(bandwidth(row))) apart.points.push_back({.x = links.no_limit, .y = y(row)});
    add(panel, apart);
  }
  return panel;
}

// Draws what the two figures share. `y` of a row is drawn on an axis; `beside` adds to a panel.
Figure exposed_figure(Figure figure, const Rows& rows, const Number& y, const Axis& y_axis,
                      const std::function<void(Panel&, const Group&, const Columns&)>& beside) {
  const Columns others =
      splitting_columns(rows, {"algorithm", "n_tokens", "workers", "ranks", kBandwidth});
  const Links links(rows);
  const std::vector<Group> panels = panels_of(rows);
  figure.shared_axes = true;
  for (const Group& from : panels) {
    if (figure.panels.size() == kMostPanels) break;
    figure.panels.push_back(draw_panel(from, others, links, y));
    figure.panels.back().y = y_axis;
    if (beside) beside(figure.panels.back(), from, others);
  }
  arrange_panels(figure);
  if (links.unlimited)
    figure.notes.push_back(
        "No limit: the case names no bandwidth, data move as fast as the machine's memory or "
        "network lets them.");
  const auto has_thin = [](const Panel& panel) {
    return std::ranges::any_of(panel.series, &Series::thin);
  };
  if (!beside && std::ranges::any_of(figure.panels, has_thin))
    figure.notes.push_back("Thin and dashed: the cost model's prediction.");
  if (panels.size() > kMostPanels)
    figure.notes.push_back(
        fmt::format("The first {} panels by N, W and ranks are drawn; left out: {}.", kMostPanels,
                    panels.size() - kMostPanels));
  return figure;
}

}  // namespace

// Draws seconds, beside the time that each scheme's bytes alone take on the link, for cases that
// name a bandwidth.
Figure exposed_time_figure(const PlottedRun& run, const FigureContext& context) {
  const Rows rows = where(drawn_rows(run.cases), [](const Row& row) {
    return bandwidth(row) > 0.0 && row.number(kExposed) > 0.0;
  });
  Figure figure{.title = "Exposed communication follows the link", .subtitle = context.subtitle};
  if (rows.empty())
    return empty_figure(figure.title, "no case of two workers or more names a link.bandwidth");
  figure.notes = {
      "Time in which the worker with most of it waited for data on its way, summed over steps: "
      "median. Thin: what the busiest worker sends over the link's bandwidth, which is what would "
      "be exposed if nothing were hidden behind computing. A line below its thin one hides the "
      "difference; one above it waits for more than the link."};
  const auto add_link_times = [](Panel& panel, const Group& from, const Columns& others) {
    Group own = from;
    if (from.key[2] != "model")
      own.rows = where(from.rows, [](const Row& row) { return !of_model(row); });
    for (const Group& line : lines_of(own, others)) {
      Series bytes = limited_series(line, link_seconds);
      Series thin = behind(bytes, "bytes / bandwidth", 2);
      thin.points = bytes.points;
      panel.series.push_back(std::move(thin));
    }
  };
  figure = exposed_figure(
      std::move(figure), rows, [](const Row& row) { return row.number(kExposed); },
      {.label = "exposed communication (s)", .column = "exposed_communication_s", .log = true},
      add_link_times);
  figure.panels.front().series.push_back(
      legend_key("bytes / bandwidth", {.colour = kGrey, .dash = 2}, Draw::line_points, true));
  return figure;
}

// Draws the share of the wall clock.
Figure exposed_communication_figure(const PlottedRun& run, const FigureContext& context) {
  const Rows rows = drawn_rows(run.cases);
  Figure figure{.title = "Communication that computing does not hide",
                .subtitle = context.subtitle};
  if (rows.empty())
    return empty_figure(figure.title,
                        "no case of two workers or more that are not serial has communication "
                        "times");
  figure.notes = {
      "Time in which the worker with most of it waited for data on its way, summed over steps, "
      "over the wall clock of the case: medians of both; the run keeps no interval of the first. "
      "Waiting for a peer that is not ready is not in it."};
  if (count(rows, [](const Row& row) { return row.is("algorithm", "cqs") && modelled(row); }) > 0)
    figure.notes.push_back(
        "cqs, modelled: a worker's first step begins when the root's link has served those before "
        "it, which is in the wall clock and not in what is exposed.");
  return exposed_figure(std::move(figure), rows, exposed_share,
                        {.label = "exposed communication (% of wall)",
                         .column = "exposed_communication_percent",
                         .from_zero = true},
                        nullptr);
}

}  // namespace qb
