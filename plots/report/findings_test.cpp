// SPDX-License-Identifier: Apache-2.0
#include "plots/report/report.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "plots/testing/sample_run.h"

namespace qb {
namespace {

TEST(Findings, HaveARowForEachFigureThatWasDrawnAndKeepThoseOfOthers) {
  const std::string folder = testing_support::fresh_folder("findings");
  (void)write_findings({{.name = "times", .title = "Time", .finding = "old"},
                        {.name = "bytes", .title = "Bytes", .finding = "Rings send least."}},
                       folder);
  const std::string path = write_findings(
      {{.name = "times", .title = "Time", .finding = "CQS is faster, from W = 7 on."},
       {.name = "empty", .title = "None", .empty_reason = "no run"}},
      folder);
  EXPECT_EQ(read_file(path),
            "figure,title,finding\nbytes,Bytes,Rings send least.\ntimes,Time,\"CQS is faster, "
            "from W = 7 on.\"\n");
}

}  // namespace
}  // namespace qb
