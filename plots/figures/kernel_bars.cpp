// SPDX-License-Identifier: Apache-2.0
// Speed of kernels as grouped bars with their values printed, a panel per head dim, mask and pass,
// in percent of the peak of the machine that ran them: so the published kernels of a GPU are beside
// ours. Kernels of a GPU and the published ones are in TFLOP/s.
#include "plots/figures/figures.h"
#include "plots/frame/table.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr double kBarSpread = 0.86;  // the bars of one length take this share of its place
constexpr std::size_t kMostBarPanels = 6;
constexpr const char* kNewest = "published: FlashAttention-3";

// What the heights of bars are: percents of a peak, or TFLOP/s, which need none.
struct Speed {
  bool of_gpu = false;
  bool beside_published = false;
  [[nodiscard]] double own(double flop_per_s, double peak) const {
    return of_gpu ? flop_per_s / 1e12 : kPercent * flop_per_s / peak;
  }
  [[nodiscard]] double published(double tflop_per_s) const {
    return of_gpu ? tflop_per_s : kPercent * tflop_per_s / kH100PeakTflopPerS;
  }
  [[nodiscard]] double above_bar() const { return of_gpu ? 30.0 : 4.0; }  // where its value is
  [[nodiscard]] Axis axis() const {
    if (of_gpu) return {.label = "TFLOP/s", .column = "speed_tflop_per_s", .from_zero = true};
    return {.label = "% of the machine's peak",
            .column = "peak_percent",
            .from_zero = true,
            .tics = whole_tics({0, 25, 50, 75, 100})};
  }
};

// Keeps the cases of one worker with the most threads; 0 are all cores.
Rows one_worker_rows(const CsvTable& cases) {
  const Rows rows = where(standing_rows(cases), [](const Row& row) {
    return ran(row) && row.number("workers") == 1.0 && row.number("achieved_flop_per_s") > 0.0 &&
           (row.is("mask", "full") || row.is("mask", "causal"));
  });
  const double most = count(rows, [](const Row& row) { return row.is("threads", "0"); }) > 0
                          ? 0.0
                          : largest(rows, number_in("threads"));
  return where(rows, [&](const Row& row) { return row.number("threads") == most; });
}

// Gives the peak of a row's machine: the best that was measured beside any case of its type and
// run, since a host that runs two cores as one for a while halves what is measured beside some.
// Another program's rows have none: theirs is that of our rows on the same device.
double peak_of(const Row& row, const Rows& all) {
  const bool has_own = row.number("peak_flop_per_s") > 0.0 && row.table->has("run");
  return largest(all, [&](const Row& other) {
    const bool same = other.is("dtype", row.text("dtype")) &&
                      other.is("device", row.text("device")) &&
                      (!has_own || other.at("run") == row.at("run"));
    return same ? other.number("peak_flop_per_s") : kNaN;
  });
}

// Gives our bars of a panel, by kernel and type: x is the length, y the speed. The second type of
// a kernel is paler. Of several cases of one length the last is drawn.
std::vector<Series> own_bars(const Group& panel, const Rows& all, const Speed& speed) {
  std::vector<Series> kernels;
  std::map<std::string, int> types;
  for (const Group& kernel : group(panel.rows, Columns{"kernel", "dtype"})) {
    const std::uint32_t full = kernel_style(kernel.key[0]).colour;
    Series bars{.name = listed(kernel.key),
                .draw = Draw::rectangles,
                .style = {types[kernel.key[0]]++ == 0 ? full : lightened(full)}};
    for (const auto& [tokens, row] : by_number(kernel.rows, number_in("n_tokens")))
      if (const double peak = peak_of(row, all); speed.of_gpu || peak > 0.0)
        bars.points.push_back({.x = tokens,
                               .y = speed.own(row.number("achieved_flop_per_s"), peak),
                               .disturbed = disturbed(row)});
    if (!bars.points.empty()) kernels.push_back(std::move(bars));
  }
  return kernels;
}

// Finds the published figure of a row's pass on one H100, and what the caption calls it. Of a
// backward pass alone none is in data/published.
std::optional<std::pair<const char*, const char*>> published_figure(const Row& row) {
  if (is_forward(row)) return std::pair("flash_attention_3_h100_fwd_fp16", "FlashAttention-3, f16");
  if (row.is("pass", "both"))
    return std::pair("flash_attention_2_h100_fwd_bwd",
                     "FlashAttention-2, both passes, f16 or bf16");
  return std::nullopt;
}

std::vector<Series> published_bars(const Group& panel, const std::set<double>& lengths,
                                   const Speed& speed) {
  constexpr std::tuple<const char*, const char*, std::uint32_t> kKernels[] = {
      {"flash_attention_2", "published: FlashAttention-2", 0xC4C4C4},
      {"flash_attention_3", kNewest, 0x8A8A8A}};
  const Row& any = panel.rows.front();
  const auto figure = published_figure(any);
  std::vector<Series> kernels;
  if (!figure || !speed.beside_published) return kernels;
  for (const auto& [word, name, grey] : kKernels) {
    Series bars{.name = name, .draw = Draw::rectangles, .style = {grey}, .published = true};
    for (const Row& row : all_rows(published_table(figure->first))) {
      const double tokens = labelled_length(row.at("sequence_length_label"));
      const double rate = row.number_at("speed_tflop_per_s");
      if (row.at("implementation") == word && row.is("head_dim", any.text("head_dim")) &&
          row.at("causal") == (any.is("mask", "causal") ? "yes" : "no") &&
          lengths.contains(tokens) && rate > 0.0)
        bars.points.push_back({.x = tokens, .y = speed.published(rate)});
    }
    if (!bars.points.empty()) kernels.push_back(std::move(bars));
  }
  return kernels;
}

// Makes the value of a bar as a text above it.
Series number_of(const std::string& kernel, const Point& bar, double middle, const Speed& speed) {
  return {.name = fmt::format("{} at N = {:.0f}", kernel, bar.x),
          .draw = Draw::rectangles,
          .style = {kWhite},
          .thin = true,
          .in_legend = false,
          .text = fmt::format("{:.0f}{}", bar.y, bar.disturbed ? "*" : ""),
          .text_y = bar.y + speed.above_bar(),
          .points = {box(middle, middle, bar.y, bar.y)}};
}

// Says where the published bars of the panels are from; empty where there are none.
std::string published_sentence(const Groups& panels, const Speed& speed) {
  std::vector<std::string> names;
  for (const Group& panel : speed.beside_published ? panels : Groups{}) {
    const auto figure = published_figure(panel.rows.front());
    if (figure && std::ranges::count(names, std::string(figure->second)) == 0)
      names.emplace_back(figure->second);
  }
  if (names.empty()) return {};
  return fmt::format("Published: {}, on one H100{}.", listed(names, "; "),
                     speed.of_gpu ? ""
                                  : ", over its data sheet, which no product reaches: only forms "
                                    "compare");
}

Panel kernel_panel(const Group& from, const Rows& all, const Speed& speed) {
  std::vector<Series> kernels = own_bars(from, all, speed);
  std::set<double> lengths;
  for (const Series& kernel : kernels)
    for (const Point& bar : kernel.points) lengths.insert(bar.x);
  std::ranges::move(published_bars(from, lengths, speed), std::back_inserter(kernels));
  Panel panel{.title = from.name,
              .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
              .y = speed.axis()};
  for (const double length : lengths)
    panel.x.tics.push_back({static_cast<double>(panel.x.tics.size()), grouped(length)});
  const double width = kBarSpread / static_cast<double>(kernels.size());
  std::vector<Series> numbers;  // after the bars, so that none is drawn over them
  for (std::size_t slot = 0; slot < kernels.size(); ++slot)
    for (Point& bar : kernels[slot].points) {
      const auto place = std::distance(lengths.begin(), lengths.find(bar.x));
      const double left =
          static_cast<double>(place) - kBarSpread / 2 + width * static_cast<double>(slot);
      numbers.push_back(number_of(kernels[slot].name, bar, left + width / 2, speed));
      const double height = bar.y;
      bar = box(left, left + width, 0.0, height);
      bar.y = height;
    }
  add(panel, std::move(kernels));
  add(panel, std::move(numbers));
  return panel;
}

// Says how much faster ours are than another program, by type, where the kernel alone differs.
std::string ratios_title(const Rows& rows) {
  std::vector<std::string> said;
  std::string names;
  for (const Group& type : group(rows, Columns{"dtype"})) {
    std::vector<double> ratios;
    for (const Group& one :
         group(type.rows, Columns{"n_tokens", "head_dim", "mask", "pass", "threads"}))
      for (const Row& theirs : one.rows)
        for (const Row& ours : one.rows)
          if (kernel_name(ours.text("kernel")) == ours.text("kernel") &&
              kernel_name(theirs.text("kernel")) != theirs.text("kernel")) {
            ratios.push_back(ours.number("achieved_flop_per_s") /
                             theirs.number("achieved_flop_per_s"));
            names = fmt::format("{} reaches {{}} times the speed of {}", ours.text("kernel"),
                                kernel_name(theirs.text("kernel")));
          }
    if (ratios.empty()) continue;
    const auto [least, most] = std::ranges::minmax(ratios);
    said.push_back(
        fmt::format("{} to {} ({})", significant(least), significant(most), type.key[0]));
  }
  return said.empty() ? "" : fmt::format(fmt::runtime(names), listed(said));
}

// Says how fast our flash kernel in f16 is on a GPU beside the newest published one, by bars of one
// length and panel; empty without such.
std::string published_title(const std::vector<Panel>& panels, const std::string& gpu) {
  std::vector<double> ratios;
  for (const Panel& panel : panels) {
    std::map<std::string, std::map<long, double>> bars;  // by the index of the length
    for (const Series& series : panel.series)
      for (const Point& bar : series.points) bars[series.name][std::lround(bar.x)] = bar.y;
    for (const auto& [length, ours] : bars["flash, f16"])
      if (bars[kNewest].contains(length)) ratios.push_back(ours / bars[kNewest][length]);
  }
  if (ratios.empty()) return {};
  const auto [least, most] = std::ranges::minmax(ratios);
  return fmt::format(
      "flash (f16, {}) reaches {} to {} times the speed published for FlashAttention-3 on an H100",
      gpu, significant(least), significant(most));
}

// Says what a speed is, and what the machine reaches in products.
std::string speed_note(const Rows& rows, const Speed& speed) {
  if (!speed.of_gpu)
    return "Useful FLOP/s over the peak that the machine reached in matrix products of the type.";
  return fmt::format("Useful FLOP/s of one {}, whose matrix products reach {:.0f} TFLOP/s.",
                     rows.front().text("gpu"), largest(rows, number_in("peak_flop_per_s")) / 1e12);
}

// Says with how many threads the bars were measured, where the run has other cases too.
std::string threads_note(const CsvTable& cases, const Rows& rows) {
  const bool others = count(standing_rows(cases), [&](const Row& row) {
                        return ran(row) && row.text("threads") != rows.front().text("threads");
                      }) > 0;
  return others ? fmt::format("Drawn: {}.", named_values(rows.front(), {"threads"})) : "";
}

}  // namespace

Figure kernel_bars_figure(const PlottedRun& run) {
  const Rows rows = one_worker_rows(run.cases);
  const Speed speed{
      .of_gpu = !rows.empty() && where(rows, "device", {"cuda"}).size() == rows.size(),
      .beside_published = run.published};
  Figure figure{.title = ratios_title(rows)};
  Groups panels = panels_by(rows, {"head_dim", "mask", "pass"});
  const std::string left_out = keep_first(panels, kMostBarPanels, "head dim, mask and pass");
  for (const Group& from : panels)
    if (Panel panel = kernel_panel(from, rows, speed); !panel.series.empty())
      figure.panels.push_back(std::move(panel));
  if (speed.of_gpu) {
    if (figure.title.empty())
      figure.title = published_title(figure.panels, rows.front().text("gpu"));
    figure.finding = "Speed of kernels in TFLOP/s.";
  }
  if (figure.title.empty())
    figure.title =
        speed.of_gpu ? "Speed of kernels" : "Speed of kernels in percent of the machine's peak";
  if (figure.panels.empty())
    return empty_figure(figure.title,
                        "no case of one worker has a speed and a measured peak of its machine");
  const std::vector<std::string> said = case_notes(run.cases);  // the first is on bars
  figure.notes = {speed_note(rows, speed),
                  threads_note(run.cases, rows),
                  count(rows, disturbed) > 0 ? "*: something disturbed the measurement." : "",
                  published_sentence(panels, speed),
                  said.size() > 1 ? said[1] : "",
                  left_out};
  std::erase(figure.notes, "");
  return figure;
}

}  // namespace qb
