#include "plots/figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "plots/frame/sparse_cases.h"
#include "plots/frame/stacked_bars.h"
#include "plots/published/published_sparse.h"

namespace qb {
namespace {

constexpr const char* kTitle = "Attention in three stages beside the fused kernel";
constexpr double kPercent = 100.0;
// Shares of the highest bar: thinner slices have no room for a number, and where one stands above.
constexpr double kLeastTexted = 0.07;
constexpr double kAboveBar = 0.05;
constexpr std::size_t kMostPanels = 12;

struct Stage {
  const char* column;
  const char* label;
  std::uint32_t colour;
  double PublishedStages::*published_us;
};
constexpr std::array kStages = {
    Stage{"stage_scores_median_s", "dense × dense → sparse", 0x56B4E9, &PublishedStages::scores_us},
    Stage{"stage_softmax_median_s", "softmax", 0xE69F00, &PublishedStages::softmax_us},
    Stage{"stage_product_median_s", "sparse × dense", 0x4DC3A1, &PublishedStages::product_us}};
constexpr const char* kRest = "rest: buffers, schedule";
constexpr std::uint32_t kRestColour = 0xD4D4D4;

// Left and right edges of the bars at one N, as shares of the distance between two.
struct Bar {
  double low = 0.0;
  double high = 0.0;
};

// Stacks one bar; `share` values are percents.
class Stack {
 public:
  // A slice of at least `least_texted` percents has its number.
  Stack(Panel& panel, const Bar& bar, double place, std::string at, bool published,
        double least_texted)
      : panel_(panel),
        bar_(bar),
        place_(place),
        at_(std::move(at)),
        published_(published),
        least_texted_(least_texted) {}

  void add(const std::string& name, std::uint32_t colour, double share) {
    add_slice(panel_,
              {.name = published_ ? "published " + name : name,
               .colour = colour,
               .x_low = place_ + bar_.low,
               .x_high = place_ + bar_.high,
               .low = top_,
               .high = top_ + share,
               .text = share >= least_texted_ ? fmt::format("{:.0f}", share) : std::string(),
               .published = published_},
              at_);
    top_ += share;
  }

 private:
  Panel& panel_;
  Bar bar_;
  double place_;
  std::string at_;
  bool published_;
  double least_texted_;
  double top_ = 0.0;
};

void add_fused(Panel& panel, const Bar& bar, double place, const std::string& at, double share,
               double text_y) {
  add_slice(panel,
            {.name = "fused: flash",
             .colour = kernel_style("flash").colour,
             .x_low = place + bar.low,
             .x_high = place + bar.high,
             .low = 0.0,
             .high = share,
             .text = fmt::format("{:.1f}×", kPercent / share),
             .text_y = text_y},
            at);
}

// The fused case of the same mask, device and N.
double fused_time_s(const SparseCases& cases, const SparseLine& staged, double n_tokens) {
  for (const SparseLine& line : cases.lines())
    if (line.kernel == "flash" && line.mask == staged.mask && line.device == staged.device)
      for (const std::size_t row : line.rows)
        if (cases.number(row, "n_tokens") == n_tokens)
          return cases.number(row, "wall_time_median_s");
  return kNaN;
}

// In percents; 100 is the staged kernel's.
double highest_bar(const SparseCases& cases, const SparseLine& staged) {
  double highest = kPercent;
  for (const std::size_t row : staged.rows) {
    const double fused_s = fused_time_s(cases, staged, cases.number(row, "n_tokens"));
    if (std::isfinite(fused_s))
      highest = std::max(highest, kPercent * fused_s / cases.number(row, "wall_time_median_s"));
  }
  return highest;
}

Panel panel_of(const SparseCases& cases, const SparseLine& line, bool with_published) {
  Panel panel{.title = line.name.substr(0, line.name.rfind(", staged"))};
  const auto mode = with_published ? published_sparse_mode(line.mask) : std::nullopt;
  const bool three = mode && mode != "full";
  const std::array<Bar, 3> bars =
      three ? std::array<Bar, 3>{{{-0.42, -0.15}, {-0.13, 0.14}, {0.16, 0.43}}}
            : std::array<Bar, 3>{{{-0.38, -0.02}, {0.02, 0.38}, {}}};
  const double highest = highest_bar(cases, line);
  const double least_texted = kLeastTexted * highest;
  double place = 0.0;
  for (const std::size_t row : line.rows) {
    const double wall_s = cases.number(row, "wall_time_median_s");
    double sum_s = 0.0;
    for (const Stage& stage : kStages) sum_s += cases.number(row, stage.column);
    if (!std::isfinite(sum_s)) continue;
    const double n = cases.number(row, "n_tokens");
    const std::string at = fmt::format("N = {:.0f}", n);
    Stack stack(panel, bars[0], place, at, false, least_texted);
    for (const Stage& stage : kStages)
      stack.add(stage.label, stage.colour, kPercent * cases.number(row, stage.column) / wall_s);
    // Medians of parts need not add up to less than the median of the whole.
    if (wall_s > sum_s) stack.add(kRest, kRestColour, kPercent * (wall_s - sum_s) / wall_s);
    if (const auto theirs = three ? published_sparse_stages(*mode, n) : std::nullopt) {
      Stack published(panel, bars[2], place, at, true, least_texted);
      const double total = theirs->scores_us + theirs->softmax_us + theirs->product_us;
      for (const Stage& stage : kStages)
        published.add(stage.label, stage.colour, kPercent * (*theirs).*stage.published_us / total);
    }
    // Its number is wider than its bar, so it stands above all bars.
    if (const double fused_s = fused_time_s(cases, line, n); std::isfinite(fused_s))
      add_fused(panel, bars[1], place, at, kPercent * fused_s / wall_s,
                (1.0 + kAboveBar) * highest);
    panel.x.tics.push_back({place, fmt::format("{:.0f}", n)});
    place += 1.0;
  }
  panel.x.label = "sequence length N (tokens)";
  panel.x.column = "n_tokens_index";
  panel.y = {.label = "% of the staged time", .column = "share_percent", .from_zero = true};
  return panel;
}

}  // namespace

Figure sparse_stages_figure(const CsvTable& cases, const FigureContext& context) {
  const SparseCases sparse(cases);
  const bool with_published = of_published_sparse_shape(cases);
  Figure figure{.name = "sparse_stages", .title = kTitle, .subtitle = context.subtitle};
  std::size_t left_out = 0;
  for (const SparseLine& line : sparse.lines()) {
    if (line.kernel != "staged") continue;
    Panel panel = panel_of(sparse, line, with_published);
    if (panel.series.empty()) continue;
    if (figure.panels.size() < kMostPanels)
      figure.panels.push_back(std::move(panel));
    else
      ++left_out;
  }
  if (figure.panels.empty())
    return empty_figure(figure.name, kTitle,
                        "no case of the kernel staged under serial ranks has a time");
  arrange_panels(figure);
  figure.notes = {
      "Left bar: medians of the stages of the staged kernel, which holds the kept scores in "
      "memory; the rest of its wall clock is grey. Beside it the fused kernel at the same mask and "
      "N; above, how many times faster it is. The other numbers are percents."};
  if (left_out > 0) figure.notes.push_back(fmt::format("{} more are not drawn.", left_out));
  if (with_published)
    figure.notes.push_back("Right bar, pale: the report's stages as shares of their sum. " +
                           published_sparse_note());
  return figure;
}

}  // namespace qb
