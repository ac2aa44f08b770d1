// SPDX-License-Identifier: Apache-2.0
// Attention of a decode step against the worker count: wall clock, computing, exposed
// communication, and time relative to one worker beside the published tables. In a case n_tokens
// decode steps in a row end at kv_len keys.
#include <array>

#include "plots/figures/figures.h"
#include "plots/published/published.h"

namespace qb {
namespace {

// dense has a single mark, which is drawn over the others.
constexpr std::array kDecodeAlgorithms = {"decode", "flash_decoding", "tree_decode", "dense"};

// Keeps rows of decode steps; a dense case of the whole sequence is not one.
Rows decode_rows(const CsvTable& cases) {
  return where(standing_rows(cases), [](const Row& row) {
    const bool of_step =
        row.number("workers") == 1.0 && row.number("n_tokens") < row.number("kv_len");
    return std::ranges::count(kDecodeAlgorithms, row.text("algorithm")) > 0 &&
           (of_step || !row.is("algorithm", "dense"));
  });
}

// Groups what was measured at one place for one number of keys; a group needs more than dense.
Groups decode_panels(const CsvTable& cases) {
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
double step_factor(const Row& row) { return kMilli / row.number("n_tokens"); }

Groups step_lines(const Group& panel) { return algorithm_lines(panel.rows, kDecodeAlgorithms); }

// Shows a part of the time of the worker that has the most of it; dense, which has none, is left
// out.
LineFigure::Quantity part_of(const char* title, const char* column, const char* csv_column) {
  return {.title = title,
          .y = {.label = "time of a decode step (ms)", .column = csv_column},
          .value =
              [=](const Row& row) {
                const double seconds = row.number_at(column);
                return Point{.y = seconds > 0.0 ? seconds * step_factor(row) : kNaN};
              },
          .lines =
              [](const Group& panel) {
                Groups lines = step_lines(panel);
                lines.pop_back();
                return lines;
              },
          .fit = powers_or_zero};
}

// Gives the published times that compare with a panel: those of its batch size, relative to one
// rank. They are of the attention op alone and of the whole of pass-Q.
Groups published_decode_lines(const Group& panel) {
  const std::string& batch = panel.rows.front().text("batch");
  const Rows rows = where(all_rows(published_table("context_parallel_table_8_decode_attention")),
                          [&](const Row& row) { return row.at("batch_size") == batch; });
  Groups lines;
  for (const Group& context : group(rows, Columns{"context_length_kilotokens"}))
    for (const bool whole : {false, true}) {
      const char* column = whole ? "whole_pass_q_us" : "individual_attention_op_us";
      Group line{.rows = context.rows,
                 .name = whole ? "published: pass-Q" : "published: attention op",
                 .style = {whole ? kBlack : kGrey, whole ? 1 : 0},
                 .published = true};
      line.value = [column, one = line.rows.front()](const Row& row) {
        // `TP8` means one rank, `CP2+TP8` two.
        const std::string& ranks = row.at("parallelization");
        return Point{.x = ranks.starts_with("CP") ? ranks[2] - '0' : 1.0,
                     .y = row.number_at(column) / one.number_at(column)};
      };
      lines.push_back(std::move(line));
    }
  return lines;
}

// Divides by the algorithm's own case of one worker, or by dense if there is none.
Groups relative_lines(const Group& panel) {
  Groups lines = algorithm_lines(panel.rows, kDecodeAlgorithms);
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
  for (Group& line : published_decode_lines(panel)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

Figure decode_attention_figure(const PlottedRun& run) {
  const Groups panels = decode_panels(run.cases);
  const bool beside_published = std::ranges::any_of(
      panels, [](const Group& panel) { return !published_decode_lines(panel).empty(); });
  return line_figure(
      {.title = "Attention of a decode step by workers",
       .nothing = "no case of decode, flash_decoding or tree_decode ran",
       .y = {{.y = {.label = "time of a decode step (ms)", .column = "step_ms"},
              .value = [](const Row& row) { return timed(row, clock_of(row), step_factor(row)); },
              .lines = step_lines,
              .fit = powers_or_zero},
             {.title = "over the time of W = 1",
              .y = {.label = "time / time at W = 1", .column = "relative_time_ratio"},
              .lines = relative_lines,
              .reference = always(limit_line("as long as W = 1", 1.0)),
              .fit = powers_or_zero},
             part_of("computing", "compute_median_s", "compute_ms"),
             part_of("exposed communication", "exposed_communication_median_s", "exposed_ms")},
       .panels = panels,
       .by_panel = true,
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .panel_height = 230,
       .notes = joined_notes(
           {{"The panels of each group show: the wall clock over the number of decode steps in a "
             "row; "
             "over that of the algorithm's own case of W = 1, else of dense; the computing and the "
             "exposed communication of the worker that has the most of each."},
            timing_notes(decode_rows(run.cases)),
            {beside_published
                 ? fmt::format(
                       "Published: {}; Table 8, of the same batch size, with 128,000 tokens of "
                       "context for B = 1 and 32,000 for B = 4. The attention op is the kernel of "
                       "one rank, pass-Q all of it with its exchanges. W = 1 there is 8 GPUs that "
                       "split the heads: shapes compare, times do not.",
                       kContextParallelOrigin)
                 : ""}})});
}

}  // namespace qb
