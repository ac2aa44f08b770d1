// Attention of a decode step against the worker count: wall clock with its compute time and exposed
// communication, and time relative to one worker beside the published tables. In a case n_tokens
// decode steps in a row end at kv_len keys.
#include <array>

#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// dense has a single mark, which is drawn over the others.
constexpr std::array kAlgorithms = {"decode", "flash_decoding", "tree_decode", "dense"};
constexpr int kComputeDash = 2;
constexpr int kExposedDash = 0;

// Keeps rows of decode steps; a dense case of the whole sequence is not one.
Rows decode_rows(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    const bool of_step =
        row.number("workers") == 1.0 && row.number("n_tokens") < row.number("kv_len");
    return std::ranges::count(kAlgorithms, row.text("algorithm")) > 0 &&
           (of_step || !row.is("algorithm", "dense"));
  });
}

// Groups what was measured at one place for one number of keys; a group needs more than dense.
Groups groups_of(const CsvTable& cases) {
  const Rows rows = where(decode_rows(cases), ran);
  const Columns shape = without(kShapeColumns, "batch");
  const Columns first = joined({"kv_len", "batch"}, kPlaceColumns);
  Groups groups =
      panels_by(rows, joined(first, shape), joined(first, differing_columns(rows, shape)));
  std::erase_if(groups, [](const Group& one) {
    return where(one.rows, "algorithm", {"dense"}).size() == one.rows.size();
  });
  return groups;
}

// Converts s of a row to ms per decode step.
double unit_of(const Row& row) { return kMilli / row.number("n_tokens"); }

Groups time_lines(const Group& panel) {
  const auto part = [](const char* column) {
    return [=](const Row& row) {
      const double seconds = row.number(column);
      return Point{.y = seconds > 0.0 ? seconds * unit_of(row) : kNaN};
    };
  };
  Groups lines;
  for (const Group& wall : algorithm_lines(panel.rows, kAlgorithms)) {
    lines.push_back(wall);
    if (wall.name == "dense") continue;
    lines.push_back(behind(wall, "compute", kComputeDash, part("compute_median_s")));
    lines.push_back(behind(wall, "exposed communication", kExposedDash,
                           part("exposed_communication_median_s")));
  }
  return lines;
}

// Divides by the algorithm's own case of one worker, or by dense if there is none. Published are
// the attention op alone and the whole of pass-Q, each relative to one rank.
Groups relative_lines(const Group& panel) {
  Groups lines = algorithm_lines(panel.rows, kAlgorithms);
  const Rows dense = lines.back().rows;
  lines.pop_back();
  for (Group& line : lines) {
    Rows ones = where(line.rows, "workers", {"1"});
    if (ones.empty()) ones = where(dense, "workers", {"1"});
    if (ones.empty()) line.rows.clear();
    line.value = [ones](const Row& row) {
      const Row& one = ones.back();
      const Point point = scaled(time_ratio(row, one, clock_of(row)),
                                 one.number("n_tokens") / row.number("n_tokens"));
      return row == one ? Point{.y = point.y} : point;
    };
  }
  for (const bool whole : {false, true})
    for (Group& line : group(all_rows(published_table("context_parallel_table_8_decode_attention")),
                             Columns{"context_length_kilotokens", "batch_size"})) {
      const char* column = whole ? "whole_pass_q_us" : "individual_attention_op_us";
      line.name = fmt::format("{}, {}K, B = {}", whole ? "pass-Q" : "op", line.key[0], line.key[1]);
      line.style = {line.key[1] == "1" ? kBlack : kGrey, whole ? 1 : 0};
      line.published = true;
      line.value = [column, one = line.rows.front()](const Row& row) {
        // `TP8` means one rank, `CP2+TP8` two.
        const std::string& ranks = row.text("parallelization");
        return Point{.x = ranks.starts_with("CP") ? ranks[2] - '0' : 1.0,
                     .y = row.number(column) / one.number(column)};
      };
      lines.push_back(std::move(line));
    }
  std::ranges::sort(lines.begin() + kAlgorithms.size() - 1, lines.end(), {}, &Group::name);
  return lines;
}

}  // namespace

Figure decode_attention_figure(const PlottedRun& run) {
  return line_figure(
      {.title = "Attention of a decode step by workers",
       .nothing = "no case of decode, flash_decoding or tree_decode ran",
       .y = {{.y = {.label = "time of a decode step (ms)", .column = "step_ms"},
              .value = [](const Row& row) { return timed(row, clock_of(row), unit_of(row)); },
              .lines = time_lines,
              .fit = powers_or_zero},
             {.y = {.label = "time / time at W = 1", .column = "relative_time_ratio"},
              .lines = relative_lines,
              .fit = powers_or_zero}},
       .panels = groups_of(run.cases),
       .by_panel = true,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .keys = {legend_key("compute", {kGrey, 0, kComputeDash}, Draw::line_points, true),
                legend_key("exposed comm.", {kGrey, 0, kExposedDash}, Draw::line_points, true)},
       .panel_height = 250,
       .notes = joined_notes(
           {{"Left: wall clock over the number of decode steps in a row; thin, of the worker where "
             "each is largest: computing and exposed communication. Right: over the algorithm's "
             "own case of W = 1, else over dense."},
            timing_notes(decode_rows(run.cases)),
            {fmt::format(
                "Dashed, hollow: published, {}; Table 8, of context and batch as named, W = 1, 2, "
                "4 ranks. op is the attention kernel of one rank, pass-Q all of it with its "
                "exchanges. W = 1 there is 8 GPUs that split the heads: shapes compare, times do "
                "not.",
                kContextParallelOrigin)}})});
}

}  // namespace qb
