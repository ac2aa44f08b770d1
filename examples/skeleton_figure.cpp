// SPDX-License-Identifier: Apache-2.0
// A figure to copy: the bytes that a run moved, over N, with a line for each worker count. To add
// it, put the part between the two lines into plots/figures/moved_bytes.cpp and its line into
// base/schema/figure_names.h.
// ---- plots/figures/moved_bytes.cpp --------------------------------------------------------------
#include "plots/frame/lines.h"

namespace qb {

Figure moved_bytes_figure(const PlottedRun& run) {
  const auto bytes = number_in("moved_bytes");
  return line_figure({
      .title = "Bytes moved between workers",
      .nothing = "no case moved bytes",
      .lines = case_lines(run.cases),
      .y = {bytes_quantity("", "bytes moved", "moved", standing_rows(run.cases), bytes)},
  });
}

}  // namespace qb
// ---- what its test may ask ----------------------------------------------------------------------
#include <cstdio>

int main(int, char** argv) {
  const qb::Figure figure = qb::moved_bytes_figure(qb::read_plotted_run(argv[1]));
  if (figure.panels.size() != 1 || figure.panels[0].series.size() != 5) return 1;
  for (const qb::Series& line : figure.panels[0].series) {
    std::printf("%s:", line.name.c_str());
    for (const qb::Point& point : line.points) std::printf(" (%g, %g)", point.x, point.y);
    std::printf("\n");
    const bool alone = line.name == "W = 1";  // one worker moves nothing, others more for more N
    const double more = line.points.back().y - line.points.front().y;
    if (alone ? line.points.back().y != 0.0 : !(more > 0.0)) return 1;
  }
}
