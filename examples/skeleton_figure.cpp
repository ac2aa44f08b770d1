// SPDX-License-Identifier: Apache-2.0
// A figure to copy: the bytes that a run moved, over N, with a line for each worker count. It is a
// declaration; to give it a name, add a line to base/schema/figure_names.h:
//   PRESET(moved_bytes, R"({"y": "moved_bytes"})", "Bytes moved between workers against N.")
// What no declaration says is a function: FIGURE(...) there, and its file in plots/figures/.
#include <cstdio>

#include "plots/frame/declared.h"

int main(int, char** argv) {
  const qb::PlottedRun run = qb::read_plotted_run(argv[1]);
  const qb::Figure figure =
      qb::declared_figure(qb::read_declared_figure(R"({"y": "moved_bytes", "log": "none"})"), run);
  if (figure.panels.size() != 1) return 1;
  int lines = 0;
  for (const qb::Series& line : figure.panels[0].series) {
    if (line.draw != qb::Draw::line_points) continue;
    std::printf("%s:", line.name.c_str());
    for (const qb::Point& point : line.points) std::printf(" (%g, %g)", point.x, point.y);
    std::printf("\n");
    const bool alone = line.name == "dense, W = 1";  // it moves nothing, others more for more N
    const double more = line.points.back().y - line.points.front().y;
    if (alone ? line.points.back().y != 0.0 : !(more > 0.0)) return 1;
    ++lines;
  }
  return lines == 5 ? 0 : 1;
}
