// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/schema/older_runs.h"
#include "base/schema/row.h"
#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

// A run of such a build: ids were hex digits, and whole reals had no point.
TEST(OlderRows, AreReadInTheWordsOfToday) {
  ScratchFolder folder;
  const std::string path = folder / "samples.csv";
  write_file_atomically(path,
                        "case_id,repeat,wall_time_s,gather_s,stolen_s,later\n"
                        "012345678901,0,1e+09,0,,5\nv12345678901,12,0.25,1.0,inf,5\n");
  EXPECT_EQ(read_run_table(path).to_string(),
            "case_id,repeat,wall_time_s,gather_s,stolen_s,later\n"
            "g12345678901,0,1.0e+09,0.0,,5\nv12345678901,12,0.25,1.0,inf,5\n");
}

TEST(OlderRows, OneWorkerHoldsAllThatIsActiveOnlyWhereItComputesInPlace) {
  const std::string file = source_path("data/measured/epyc-2-cores/decode/cases.csv");
  CsvTable cases = CsvTable::parse(read_file(file), file);
  fit_columns(cases);
  const CsvTable before = cases;
  complete_older_rows(cases, file);
  int in_place = 0;
  int out_of_place = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Row row{&cases, i};
    if (row.text("workers") != "1") continue;
    const bool is_dense = row.text("algorithm") == "dense";
    ++(is_dense ? in_place : out_of_place);
    EXPECT_EQ(row.text("device_peak_bytes"), is_dense ? row.text("active_memory_peak_bytes")
                                                      : (Row{&before, i}.text("device_peak_bytes")))
        << "record " << i + 1;
    EXPECT_NE(row.text("device_peak_bytes"), "");
  }
  EXPECT_EQ(in_place, 2);
  EXPECT_EQ(out_of_place, 2) << "decode, which takes a shard";
}

TEST(OlderRows, ARootThatScattersHoldsAndSendsWhatItsPlanSays) {
  const std::string file = source_path("data/measured/epyc-2-cores/case_study_2_tenth/cases.csv");
  CsvTable cases = CsvTable::parse(read_file(file), file);
  fit_columns(cases);
  complete_older_rows(cases, file);
  int roots = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Row row{&cases, i};
    if (row.text("algorithm") != "cqs" || row.text("status") != "ok") continue;
    ++roots;
    EXPECT_GT(row.number("root_sent_bytes"), row.number("device_sent_bytes")) << i;
    EXPECT_GT(row.number("predicted_root_peak_bytes"), 0.0) << i;
  }
  EXPECT_GT(roots, 0);
}

TEST(OlderRows, WorkersOnHostsSendToOtherHostsWhatTheirPlanSays) {
  const std::string file = source_path("data/measured/epyc-2-cores/two_level/cases.csv");
  CsvTable cases = CsvTable::parse(read_file(file), file);
  fit_columns(cases);
  complete_older_rows(cases, file);
  int crossing = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Row row{&cases, i};
    if (row.text("cluster") == "none") {
      EXPECT_EQ(row.text("between_hosts_bytes"), "") << i;
      continue;
    }
    EXPECT_LE(row.number("between_hosts_bytes"), row.number("device_sent_bytes")) << i;
    crossing += row.number("between_hosts_bytes") > 0.0 ? 1 : 0;
  }
  EXPECT_GT(crossing, 10);
}

}  // namespace
}  // namespace qb
