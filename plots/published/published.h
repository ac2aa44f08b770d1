// Published numbers, compiled in, and how those of CQS-Attention are laid over a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/csv.h"
#include "plots/frame/case_series.h"
#include "plots/frame/figure.h"

namespace qb {

// data/published/cqs_case_study_2.csv and cqs_interest_set_table.csv.
[[nodiscard]] const CsvTable& published_case_study_2();
[[nodiscard]] const CsvTable& published_interest_table();
// striped_attention_tables.csv, of Striped Attention.
[[nodiscard]] const CsvTable& published_striped_attention();

// Its speed-ups of a training step over a ring, on `workers` sequence-parallel devices, against
// tokens a worker (tables 3 to 5); a series a model, hardware and mesh.
[[nodiscard]] std::vector<Series> published_striped_speed_ups(std::int64_t workers);

// The factor s in 1, 10, 100 for which the published lengths are s times the run's own: a sweep at
// a tenth of the paper's N has s = 10. nullopt where fewer than half of the run's lengths match.
[[nodiscard]] std::optional<int> published_scale(const CsvTable& cases, const CsvTable& published);

// published_mean_ms of worker count and the paper's own N; NaN where there is none.
[[nodiscard]] double published_mean_ms(const CsvTable& published, std::int64_t workers,
                                       std::int64_t n_tokens);

// The overlay of a context on a run: nothing where the context has none, or where the shape is
// another than case study 2's (B = 1, H = 8, d = 64, no mask) and the user did not insist.
struct Overlay {
  const CsvTable* published = nullptr;
  int scale = 1;
};
[[nodiscard]] std::optional<Overlay> overlay_of(const CsvTable& cases,
                                                const FigureContext& context);

// Published points of one worker count at the run's own scale: mean times (ms), or speed-ups over
// W = 1 of the same N.
[[nodiscard]] Series published_times(const Overlay& overlay, const CaseSeries& like);
[[nodiscard]] Series published_speed_ups(const Overlay& overlay, const CaseSeries& like);

// `published (A100), N / 10`.
[[nodiscard]] std::string published_legend(const Overlay& overlay);
// What makes those numbers incomparable with ours.
[[nodiscard]] std::vector<std::string> published_notes(const Overlay& overlay);

}  // namespace qb
