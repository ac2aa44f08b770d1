// CQS for a matrix product: speed-up over the whole product, and idle workers, by worker count,
// with a mark for each way to split W into W1 + W2.
#include "plots/figures/figures.h"

namespace qb {
namespace {

const Columns kSize = {"n_tokens", "kv_len", "product_depth", "seed"};

// Says how W was split, and by which distillation; 1 comes first if it is also a half or a quarter.
std::string split_name(const Row& row) {
  const std::int64_t workers = row.integer("workers");
  const std::int64_t row_groups = row.integer("product_row_groups");
  if (row_groups == 1) return "W1 = 1";
  if (row_groups == workers / 2) return "W1 = W/2";
  if (row_groups == workers / 4) return "W1 = W/4";
  return fmt::format("W1 = {}", row_groups);
}

std::string size_name(const Row& row) {
  return fmt::format("{} × {} × {}", row.text("n_tokens"), row.text("product_depth"),
                     row.text("kv_len"));
}

// Makes a line for each way to split; the same way has the same mark in every panel.
Groups splits_of(const Rows& rows) {
  Groups splits = group(rows, [](const Row& row) {
    return std::vector<std::string>{row.text("distillation"), split_name(row)};
  });
  for (std::size_t i = 0; i < splits.size(); ++i) {
    Group& split = splits[i];
    split.name = listed({split.key[1], split.key[0] == "published" ? "" : split.key[0]});
    split.style = indexed_style(static_cast<int>(i));
  }
  return splits;
}

// `wholes` are the cases of the whole product.
Groups speed_up_lines(const Groups& splits, const Rows& wholes) {
  Groups lines;
  for (const Group& split : splits) {
    Group measured = split;
    measured.draw = Draw::points;
    measured.value = [=](const Row& row) {
      const Rows whole = where(
          wholes, [&](const Row& one) { return values_of(one, kSize) == values_of(row, kSize); });
      return whole.empty() ? Point{} : time_ratio(whole.back(), row, clock_of(row));
    };
    Group bound = split;
    bound.name = "bound, " + split.name;
    bound.style.dash = 1;
    bound.draw = Draw::line;
    bound.in_legend = false;
    bound.value = shows("responsibility_ratio");
    lines.insert(lines.end(), {measured, bound});
  }
  return lines;
}

}  // namespace

Figure product_speed_up_figure(const PlottedRun& run) {
  const Rows rows = where(where(standing_rows(run.cases), "workload", {"matrix_product"}), ran);
  const auto is_whole = [](const Row& row) { return row.is("algorithm", "dense"); };
  Groups splits = splits_of(where(rows, [&](const Row& row) { return !is_whole(row); }));
  Groups sizes = group(rows, kSize);
  std::erase_if(sizes,
                [&](const Group& size) { return count(size.rows, is_whole) == size.rows.size(); });
  for (Group& size : sizes) size.name = size_name(size.rows.front());
  const Groups marks = speed_up_lines(splits, where(rows, is_whole));
  for (Group& split : splits) split.in_legend = false;
  const Style dashed{.colour = kGrey, .dash = 1};
  return line_figure(
      {.title = "CQS for a matrix product: speed-up and idle workers",
       .nothing = "no case of workload matrix_product over several workers has a time",
       .lines = marks,
       .y = {{.y = {.label = "speed-up", .column = "speed_up_ratio", .log = true}, .panels = sizes},
             // The share follows from the split, whatever the size.
             {.title = "Idle workers",
              .y = {.label = "workers without a block (%)",
                    .column = "idle_percent",
                    .from_zero = true},
              .value =
                  [](const Row& row) {
                    return Point{.y =
                                     kPercent * row.number("idle_workers") / row.number("workers")};
                  },
              .lines = [&](const Group&) { return splits; }}},
       .x = number_in("workers"),
       .x_axis = workers_axis,
       .last_of_x = true,
       .keys = {legend_key("bound", dashed, Draw::line)},
       .notes = joined_notes(
           {case_notes(run.cases),
            {"Speed-up: time of the whole product by one worker over that of the slowest of W, "
             "each alone on one core. Bound: elements of C over those of the most loaded worker.",
             "A size is rows × depth × columns. W = W1 + W2: groups of rows of A and of columns of "
             "B; a worker is idle where none of its pairs of groups has one of each."}})});
}

}  // namespace qb
