// Transformer layers, plain and in blocks, against N: time, peak memory, shares of the parts.
#include "base/numbers.h"
#include "base/statistics.h"
#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// Shortens a pattern that is written with its arguments to its name, `sliding_window`.
std::string with_short_mask(std::string name, const std::string& mask) {
  const std::size_t at = name.find(mask);
  const std::size_t colon = mask.find(':');
  if (at == std::string::npos || !mask.starts_with('{') || colon == std::string::npos) return name;
  return name.replace(at, mask.size(), mask.substr(1, colon - 1));
}

// Says whether a layer is not in blocks.
bool is_plain(const Group& layer) { return layer.rows.front().is("layer_block_tokens", ""); }

// Groups layers that differ in n_tokens alone, named by what tells them from the others: `plain`,
// `blocks of 1024 tokens`, `plain, causal mask`. The plain ones come first.
Groups layers_of(const CsvTable& cases) {
  const Rows rows =
      order(where(standing_rows(cases), "workload", {"transformer_layer"}), "n_tokens");
  const Columns others = splitting_columns(rows, {"n_tokens", "kv_len", "layer_block_tokens"});
  Groups layers = group(rows, joined({"layer_block_tokens"}, others));
  std::stable_partition(layers.begin(), layers.end(), is_plain);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Row& row = layers[i].rows.front();
    const std::string block = is_plain(layers[i])
                                  ? "plain"
                                  : named_value("layer_block_tokens", layers[i].key[0]) + " tokens";
    layers[i].name = with_short_mask(name_with(block, row, others), row.text("mask"));
    layers[i].style = indexed_style(static_cast<int>(i));
  }
  return layers;
}

double peak_bytes(const Row& row) {
  return ran(row) ? row.number("active_memory_peak_bytes") : kNaN;
}

// Compares memory at the longest sequence that both ran; empty if there is none.
std::string saving(const Group& whole, const Group& blocks) {
  const std::map<double, Row> of_whole = by_number(whole.rows, "n_tokens");
  for (auto row = blocks.rows.rbegin(); row != blocks.rows.rend(); ++row) {
    const auto found = of_whole.find(row->number("n_tokens"));
    if (found == of_whole.end()) continue;
    const double ratio = peak_bytes(found->second) / peak_bytes(*row);
    if (std::isfinite(ratio))
      return fmt::format("At N = {} {} takes {:.2f} × the memory of {}.", grouped(found->first),
                         whole.name, ratio, blocks.name);
  }
  return {};
}

constexpr double kHalfBar = 0.44;
constexpr double kLeastTexted = 5.0;  // percent; thinner slices have no room for a number
constexpr std::size_t kMostPanels = 5;
constexpr std::size_t kMostLabels = 7;

struct Part {
  std::string name{};
  std::uint32_t colour = kBlack;
  double percent = kNaN;  // of all parts
  double seconds = kNaN;
};
using Parts = std::vector<Part>;

struct KnownPart {
  std::string_view column;
  const char* label;
  std::uint32_t colour;
};
// Products are blue and green, attention is red, passes over memory are grey and yellow.
constexpr KnownPart kParts[] = {
    {"qkv", "QKV projection", 0x0072B2},
    {"attention", "attention", 0xD55E00},
    {"attention_output", "output projection", 0x56B4E9},
    {"attention_norm", "attention norm", 0x8A8A8A},
    {"feed_forward_in", "feed-forward in", 0x009E73},
    {"gelu", "GELU", 0xE6C300},
    {"feed_forward_out", "feed-forward out", 0x7BCBAF},
    {"output_norm", "output norm", 0xC4C4C4},
};

// Gives the parts of each case in the order in which they run: medians over the repeats without
// warm-ups, as shares of their sum.
std::map<std::string, Parts> parts_of(const std::optional<CsvTable>& table) {
  std::map<std::string, Parts> all;
  for (const auto& [id, rows] : table ? rows_by_case(*table) : std::map<std::string, Rows>{}) {
    Parts& parts = all[id];
    std::map<std::string, std::vector<double>> times;
    for (const Row& row : where(rows, "warmup", {"0"})) {
      std::vector<double>& seconds = times[row.text("part")];
      if (seconds.empty()) parts.push_back({row.text("part")});
      seconds.push_back(row.number("time_s"));
    }
    double sum = 0.0;
    for (Part& one : parts) sum += one.seconds = median(times[one.name]);
    for (Part& one : parts) {
      one.percent = kPercent * (one.seconds / sum);
      const auto* const known = std::ranges::find(kParts, one.name, &KnownPart::column);
      if (known == std::end(kParts)) continue;
      one.name = known->label;
      one.colour = known->colour;
    }
  }
  return all;
}

// Is null if the case has no parts, or no such part.
const Part* attention_of(const Row& row, const std::map<std::string, Parts>& parts) {
  const auto of_case = parts.find(row.text("case_id"));
  if (of_case == parts.end()) return nullptr;
  const auto found = std::ranges::find(of_case->second, "attention", &Part::name);
  return found == of_case->second.end() ? nullptr : &*found;
}

// Finds the N at which attention takes half of the layer, log-interpolated between the two cases
// around it; NaN if the rows do not cross.
double half_share_tokens(const Group& layer, const std::map<std::string, Parts>& parts) {
  double n_before = kNaN;
  double share_before = kNaN;
  for (const Row& row : layer.rows) {
    const Part* const attention = attention_of(row, parts);
    if (attention == nullptr) continue;
    const double n = row.number("n_tokens");
    const double share = attention->percent / kPercent;
    if (share_before < 0.5 && share >= 0.5)
      return n_before * std::pow(n / n_before, (0.5 - share_before) / (share - share_before));
    n_before = n;
    share_before = share;
  }
  return kNaN;
}

// Nine lengths fit side by side if each is as short as `16Ki`.
std::string short_length(const std::string& n) {
  const auto tokens = parse_integer(n);
  return tokens && *tokens % 1024 == 0 ? fmt::format("{}Ki", *tokens / 1024) : n;
}

// Each published slice is its own series; the legend shows those of the first bar.
void add_bar(Panel& panel, const Parts& parts, const std::string& n, bool published) {
  const auto place = static_cast<double>(panel.x.tics.size());
  double low = 0.0;
  for (const Part& slice : parts) {
    const double high = low + slice.percent;
    const Point at{place, low + slice.percent / 2, low, high, place - kHalfBar, place + kHalfBar};
    const bool texted = slice.percent >= kLeastTexted;
    const std::string text = texted ? fmt::format("{:.0f}", slice.percent) : "";
    low = high;
    if (!published)
      add_slice(panel, {.name = slice.name, .style = {slice.colour}}, at, text, "N = " + n);
    else
      panel.series.push_back({.name = slice.name + (place > 0.0 ? " at N = " + n : ""),
                              .draw = Draw::rectangles,
                              .style = {lightened(slice.colour)},
                              .published = true,
                              .in_legend = place == 0.0,
                              .text = text,
                              .points = {at}});
  }
  panel.x.tics.push_back({place, short_length(n)});
}

Panel empty_panel(std::string title) {
  return {.title = std::move(title),
          .x = {.label = "sequence length N (tokens)", .column = "n_tokens_index"},
          .y = {.label = "share of the layer's time (%)",
                .column = "share_percent",
                .tight = true,
                .tics = whole_tics({0, 25, 50, 75, 100})}};
}

Panel shares_panel(const Group& layer, const std::map<std::string, Parts>& parts) {
  Panel panel = empty_panel(layer.name);
  for (const Row& row : layer.rows)
    if (const auto found = parts.find(row.text("case_id")); found != parts.end())
      add_bar(panel, found->second, row.text("n_tokens"), false);
  // Labels of more bars than this would overlap, so every second one is kept, and the last.
  std::vector<Axis::Tic>& tics = panel.x.tics;
  for (std::size_t i = 0; i < tics.size(); ++i)
    if (tics.size() > kMostLabels && (tics.size() - 1 - i) % 2 == 1) tics[i].label.clear();
  return panel;
}

// The first published part is our QKV projection and attention together.
Panel published_shares_panel() {
  constexpr KnownPart kColumns[] = {{"self_attention_s", "published self-attention", 0xD55E00},
                                    {"self_add_norm_s", "published self-output", 0x56B4E9},
                                    {"feed_forward_s", "published intermediate", 0x009E73},
                                    {"output_add_norm_s", "published output", 0x7BCBAF}};
  Panel panel = empty_panel("published: 15-618 project, a BERT model");
  for (const Row& row : all_rows(published_table("sparse_attention_15618_table_4_bert_layers"))) {
    double sum = 0.0;
    for (const KnownPart& column : kColumns) sum += row.number(column.column);
    Parts parts;
    for (const KnownPart& column : kColumns)
      parts.push_back({column.label, column.colour, kPercent * row.number(column.column) / sum});
    add_bar(panel, parts, row.text("sequence_length_tokens"), true);
  }
  return panel;
}

}  // namespace

// Draws a line per kind of layer, and a dashed one for the attention of the plain ones. Hollow
// marks surround the rows of which repeats were slowed down.
Figure layer_time_figure(const PlottedRun& run) {
  const std::map<std::string, Parts> parts = parts_of(run.parts);
  const auto attention = [&](const Row& row) {
    const Part* const part = attention_of(row, parts);
    return Point{.y = part == nullptr ? kNaN : part->seconds * kMilli};
  };
  const auto slowed = [](const Row& row) {
    return ran(row) && row.number("throttled_samples") > 0;
  };
  Groups lines;
  std::size_t ringed = 0;
  for (const Group& line : layers_of(run.cases)) {
    Group rings{.rows = where(line.rows, slowed),
                .name = "slowed down, " + line.name,
                .thin = true,
                .draw = Draw::points,
                .value = shows("wall_time_median_s", kMilli)};
    Group dashed = behind(line, "", 1, attention);
    dashed.name = "attention, " + line.name;
    dashed.in_legend = true;
    dashed.rows = where(line.rows, [&](const Row& row) {
      return is_plain(line) && std::isfinite(attention(row).y);
    });
    ringed += rings.rows.size();
    lines.insert(lines.end(), {line, rings, dashed});
  }
  Figure figure = line_figure(
      {.title = "Time of a transformer layer",
       .nothing = "the run has no case of workload transformer_layer with times in parts.csv",
       .lines = lines,
       .y = {{.y = {.label = "time (ms)", .column = "time_ms"},
              .value = [](const Row& row) { return timed(row, "wall_time", kMilli); },
              .fit = powers_or_zero}},
       .breaks = true,
       .crosses = kNaN,
       .notes = joined_notes(
           {case_notes(run.cases),
            {"Dashed: the attention kernel alone, of the plain layer.",
             ringed == 0 ? ""
                         : fmt::format("Ringed: the device was throttled in a repeat (column "
                                       "throttled_samples), {} cases.",
                                       ringed)}})});
  if (!figure.panels.empty()) figure.panels[0].y.from_zero = false;
  return figure;
}

Figure layer_memory_figure(const PlottedRun& run) {
  const Groups layers = layers_of(run.cases);
  Rows rows;
  for (const Group& layer : layers)
    std::ranges::copy_if(layer.rows, std::back_inserter(rows),
                         [](const Row& row) { return std::isfinite(peak_bytes(row)); });
  const std::size_t as_predicted = count(rows, [](const Row& row) {
    return peak_bytes(row) == row.number("predicted_active_peak_bytes");
  });
  const Unit unit = byte_unit(largest(rows, peak_bytes));
  std::vector<std::string> notes = {fmt::format(
      "Weights, hidden states, output and every buffer alive at the worst moment, as the memory "
      "ledger counts them; {} of {} peaks are the predicted ones to the byte.",
      as_predicted, rows.size())};
  for (const Group& whole : layers)
    for (const Group& blocks : layers)
      if (is_plain(whole) && !is_plain(blocks)) notes.push_back(saving(whole, blocks));
  return line_figure(
      {.title = "Peak active memory of a transformer layer",
       .nothing = "no case of workload transformer_layer has a peak",
       .lines = layers,
       .y = {{.y = axis_in(unit, "peak active memory", "active_memory_peak"),
              .value = [&](const Row& row) { return Point{.y = peak_bytes(row) * unit.factor}; },
              .fit = powers_or_zero}},
       .crosses = kNaN,
       .notes = notes});
}

// Draws a stacked bar per N and a panel per kind of layer, from parts.csv, which has a row per
// repeat and part of a layer; beside them the published split of the 15-618 project.
Figure layer_shares_figure(const PlottedRun& run) {
  const std::map<std::string, Parts> parts = parts_of(run.parts);
  Figure figure{.title = "Share of each part of a transformer layer"};
  figure.notes = {
      "A bar: medians of the parts as shares of their sum. Biases, residual sums and the norm's "
      "scale are in the pass beside them; QKV projection, output projection and feed-forward are "
      "matrix products."};
  for (const Group& layer : layers_of(run.cases)) {
    if (figure.panels.size() == kMostPanels) break;
    Panel panel = shares_panel(layer, parts);
    if (panel.series.empty()) continue;
    const double half = half_share_tokens(layer, parts);
    if (std::isfinite(half))
      figure.notes.push_back(
          fmt::format("{}: attention takes half of the layer from N = {} on (log-interpolated).",
                      panel.title, grouped(half)));
    figure.panels.push_back(std::move(panel));
  }
  if (figure.panels.empty())
    return empty_figure(
        figure.title, "the run has no case of workload transformer_layer with times in parts.csv");
  figure.panels.push_back(published_shares_panel());
  figure.notes.emplace_back(
      "Published: final report of the CMU 15-618 project Sparse Attention in CUDA, Table 4; "
      "hardware and batch size are not stated. Its self-attention is our QKV projection and "
      "attention, its intermediate our feed-forward in and GELU; only the trend compares.");
  arrange_panels(figure);
  return figure;
}

}  // namespace qb
