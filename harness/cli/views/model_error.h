// SPDX-License-Identifier: Apache-2.0
// What is known of the cost model's error where somebody asks it: how far it is from published
// measurements like the question, and from all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/csv.h"
#include "harness/forecast/advice.h"
#include "harness/papers/coverage.h"
#include "harness/workload/case.h"
#include "plots/frame/table.h"

namespace qb {

// What is published of a scheme, beside what the model predicts of it.
struct PublishedScheme {
  std::string scheme;
  // Rows like the question: forward pass or not, one worker or several, over links inside of a host
  // or between hosts.
  std::size_t rows = 0;
  // Published over predicted times of these rows: least, median, most. Without rows, those of all
  // schemes' rows of that pass and several workers.
  double low = 1.0;
  double median = 1.0;
  double high = 1.0;
};

// A link that is as fast as this is inside of a host.
inline constexpr double kHostLink_byte_per_s = 100e9;

// Returns what is published of each scheme that has a plan, in the order of the schemes.
[[nodiscard]] std::vector<PublishedScheme> published_schemes(const SchemeQuestion& question,
                                                             const Advice& advice,
                                                             std::span<const GradedRow> rows);

// scheme | rows | published / predicted.
[[nodiscard]] std::string published_table(std::span<const PublishedScheme> published);

// How far the model is from published times that no device was made from: a line for each scheme,
// device, link and pass, signed (above 1 the published one is slower), with workers and range; a
// scheme of which nothing is published says so.
[[nodiscard]] Table model_error_table(std::span<const GradedRow> rows);

// The rows for model_grade_figure().
[[nodiscard]] CsvTable grade_csv(std::span<const GradedRow> rows);

// Grades the rows of several workers: figures call schemes ties whose times are closer than the
// typical distance from published ones. A forward pass is graded by published forward passes, any
// other question by published times of both passes: of several workers, nobody published a backward
// pass alone.
[[nodiscard]] std::optional<double> scheme_grade(std::span<const GradedRow> rows, Passes passes);

// Writes `, backward pass`; nothing for the forward pass.
[[nodiscard]] std::string passes_text(Passes passes);

}  // namespace qb
