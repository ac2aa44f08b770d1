// SPDX-License-Identifier: Apache-2.0
// Speed of kernels as grouped bars with their values printed, a panel per head dim, mask and pass,
// in percent of the peak of the machine that ran them: so the published kernels of a GPU are beside
// ours.
#include "plots/figures/figures.h"
#include "plots/frame/table.h"
#include "plots/published/published.h"

namespace qb {
namespace {

constexpr double kBarSpread = 0.86;  // the bars of one length take this share of its place
constexpr double kAboveBar = 4.0;    // percents from a bar to its value

struct KernelBar {
  std::string name{};
  std::uint32_t colour = kBlack;
  double tokens = kNaN;
  double percent = kNaN;
  bool published = false;
  bool disturbed = false;
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

// Gives our bars of a panel, by kernel and type; the second type of a kernel is paler. Of several
// cases of one length the last is drawn.
std::vector<KernelBar> own_bars(const Group& panel, const Rows& all) {
  std::vector<KernelBar> bars;
  std::map<std::string, int> types;
  for (const Group& kernel : group(panel.rows, Columns{"kernel", "dtype"})) {
    const std::uint32_t full = kernel_style(kernel.key[0]).colour;
    const std::uint32_t colour = types[kernel.key[0]]++ == 0 ? full : lightened(full);
    for (const auto& [tokens, row] : by_number(kernel.rows, "n_tokens"))
      if (const double peak = peak_of(row, all); peak > 0.0)
        bars.push_back({listed(kernel.key), colour, tokens,
                        kPercent * row.number("achieved_flop_per_s") / peak, false,
                        qb::disturbed(row)});
  }
  return bars;
}

// A published figure of speeds on one H100, and what the caption calls it.
struct PublishedFigure {
  const char* table;
  const char* name;
};

// Finds the figure of the row's pass. Of a backward pass alone none is in data/published.
std::optional<PublishedFigure> published_figure(const Row& row) {
  if (is_forward(row))
    return PublishedFigure{"flash_attention_3_h100_fwd_fp16", "FlashAttention-3, f16"};
  if (row.is("pass", "both"))
    return PublishedFigure{"flash_attention_2_h100_fwd_bwd",
                           "FlashAttention-2, both passes, f16 or bf16"};
  return std::nullopt;
}

// Gives the published speeds of the lengths that we have.
std::vector<KernelBar> published_bars(const Group& panel, const std::set<double>& lengths) {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"flash_attention_2", "published: FlashAttention-2"},
      {"flash_attention_3", "published: FlashAttention-3"}};
  constexpr std::uint32_t kGreys[] = {0xC4C4C4, 0x8A8A8A};
  const Row& any = panel.rows.front();
  const auto figure = published_figure(any);
  std::vector<KernelBar> bars;
  if (!figure) return bars;
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    for (const Row& row : all_rows(published_table(figure->table))) {
      const double tokens = labelled_length(row.at("sequence_length_label"));
      if (row.at("implementation") == kNames[i].first && row.is("head_dim", any.text("head_dim")) &&
          row.at("causal") == (any.is("mask", "causal") ? "yes" : "no") &&
          lengths.contains(tokens) && row.number_at("speed_tflop_per_s") > 0.0)
        bars.push_back({kNames[i].second, kGreys[i], tokens,
                        kPercent * row.number_at("speed_tflop_per_s") / kH100PeakTflopPerS, true});
    }
  return bars;
}

void add_kernel_bar(Panel& panel, const KernelBar& bar, double left, double right) {
  auto known = std::ranges::find(panel.series, bar.name, &Series::name);
  if (known == panel.series.end()) {
    panel.series.push_back({.name = bar.name,
                            .draw = Draw::rectangles,
                            .style = {bar.colour},
                            .published = bar.published});
    known = std::prev(panel.series.end());
  }
  known->points.push_back(box(left, right, 0.0, bar.percent));
  known->points.back().y = bar.percent;
}

// Makes the value of a bar as a text above it.
Series number_of(const KernelBar& bar, double middle) {
  return {.name = fmt::format("{} at N = {:.0f}", bar.name, bar.tokens),
          .draw = Draw::rectangles,
          .style = {kWhite},
          .thin = true,
          .in_legend = false,
          .text = fmt::format("{:.0f}{}", bar.percent, bar.disturbed ? "*" : ""),
          .text_y = bar.percent + kAboveBar,
          .points = {box(middle, middle, bar.percent, bar.percent)}};
}

// Says where the published bars of the panels are from; empty where there are none.
std::string published_sentence(const Groups& panels) {
  std::vector<std::string> names;
  for (const Group& panel : panels) {
    const auto figure = published_figure(panel.rows.front());
    if (figure && std::ranges::count(names, std::string(figure->name)) == 0)
      names.emplace_back(figure->name);
  }
  if (names.empty()) return {};
  return fmt::format(
      "Published: {}, on one H100, over its data sheet, which no product reaches: only forms "
      "compare.",
      listed(names, "; "));
}

Panel kernel_panel(const Group& from, const Rows& all) {
  std::vector<KernelBar> bars = own_bars(from, all);
  std::set<double> lengths;
  for (const KernelBar& bar : bars) lengths.insert(bar.tokens);
  for (KernelBar& bar : published_bars(from, lengths)) bars.push_back(std::move(bar));
  std::vector<std::string> names;
  for (const KernelBar& bar : bars)
    if (std::ranges::count(names, bar.name) == 0) names.push_back(bar.name);
  Panel panel{.title = from.name,
              .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
              .y = {.label = "% of the machine's peak",
                    .column = "peak_percent",
                    .from_zero = true,
                    .tics = whole_tics({0, 25, 50, 75, 100})}};
  for (const double length : lengths)
    panel.x.tics.push_back({static_cast<double>(panel.x.tics.size()), grouped(length)});
  const double width = kBarSpread / static_cast<double>(std::max<std::size_t>(names.size(), 1));
  std::vector<Series> numbers;  // after the bars, so that none is drawn over them
  for (const KernelBar& bar : bars) {
    const auto place = std::distance(lengths.begin(), lengths.find(bar.tokens));
    const auto slot = std::ranges::find(names, bar.name) - names.begin();
    const double left =
        static_cast<double>(place) - kBarSpread / 2 + width * static_cast<double>(slot);
    add_kernel_bar(panel, bar, left, left + width);
    numbers.push_back(number_of(bar, left + width / 2));
  }
  add(panel, std::move(numbers));
  return panel;
}

// Says how much faster ours are than another program, type by type, in cases that differ in the
// kernel alone; a plain title where nothing is beside ours.
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
  return said.empty() ? "Speed of kernels in percent of the machine's peak"
                      : fmt::format(fmt::runtime(names), listed(said));
}

// Says with how many threads the bars were measured, where the run has other cases too.
std::string threads_note(const CsvTable& cases, const Rows& rows) {
  const bool others = count(standing_rows(cases), [&](const Row& row) {
                        return ran(row) && row.text("threads") != rows.front().text("threads");
                      }) > 0;
  return others ? fmt::format("Drawn: {}.", named_values(rows.front(), {"threads"})) : "";
}

std::string asterisk_note(const Rows& rows) {
  return count(rows, qb::disturbed) > 0 ? "*: something disturbed the measurement." : "";
}

}  // namespace

Figure kernel_bars_figure(const PlottedRun& run) {
  const Rows rows = one_worker_rows(run.cases);
  Figure figure{.title = ratios_title(rows)};
  Groups panels = panels_by(rows, {"head_dim", "mask", "pass"});
  const std::string left_out = keep_first(panels, kMostPanels, "head dim, mask and pass");
  for (const Group& from : panels)
    if (Panel panel = kernel_panel(from, rows); !panel.series.empty())
      figure.panels.push_back(std::move(panel));
  if (figure.panels.empty())
    return empty_figure(figure.title,
                        "no case of one worker has a speed and a measured peak of its machine");
  arrange_panels(figure, 1);
  figure.notes = {
      "Useful FLOP/s over the peak that the machine reached in matrix products of the type.",
      threads_note(run.cases, rows), asterisk_note(rows), published_sentence(panels), left_out};
  std::erase(figure.notes, "");
  return figure;
}

}  // namespace qb
