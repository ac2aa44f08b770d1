// SPDX-License-Identifier: Apache-2.0
// The committed index of published tables, and the verb that prints it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/csv.h"
#include "base/files.h"
#include "base/source_root.h"
#include "base/split.h"
#include "base/testing/scratch_folder.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/papers/coverage.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::run_qb;
using testing_support::Said;

// The committed index with its answers, made once.
struct Committed {
  Library library = read_library();
  RunsAndModel measurements{committed_runs()};
  std::vector<AnsweredPaper> papers = answer_all(library, measurements);

  static const Committed& all() {
    static const Committed committed;
    return committed;
  }
};

// The index cannot count pairs, so that a constant says what the plans give.
TEST(CommittedPapers, TheBoundOfPackedSequencesIsThatOfAnEvenCut) {
  const Shape shape{1, 1, 1, 0, 0, 1, 1};
  const auto packed = [&](const std::vector<std::int64_t>& lengths, std::int64_t divisor) {
    std::vector<Sequence> sequences;
    for (const std::int64_t length : lengths) sequences.push_back({0, length / divisor});
    return make_packed_problem(shape, MaskKind::causal, DType::f32, 1, sequences);
  };
  std::int64_t even = 0;
  std::int64_t fullest = 0;
  for (const std::vector<std::int64_t>& lengths : {std::vector<std::int64_t>{65536},
                                                   {2048, 59136, 4352},
                                                   {32768, 32768},
                                                   {24832, 25600, 12800, 1280, 1024}}) {
    even += 8 * unmasked_pairs(packed(lengths, 8));
    const Work work =
        model_work(make_plan("ring", packed(lengths, 1), {.workers = 8}), Kernel::flash);
    fullest += std::ranges::max(work.workers, {}, &WorkerWork::unmasked_pairs).unmasked_pairs;
  }
  const double percent = 100.0 * static_cast<double>(even) / static_cast<double>(fullest);
  EXPECT_THAT(read_file(source_path("data/papers/ring_flash_attention.yaml")),
              HasSubstr(fmt::format("packed_bound_percent: {:.3f}\n", percent)));
}

TEST(CommittedPapers, EveryRowHasAnAnswerOrSaysWhatItNeeds) {
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const AnsweredTable& table : paper.tables) {
      std::vector<bool> answered(table.table->cells.size());
      for (const PublishedAnswer& answer : table.answers) answered[answer.row] = true;
      for (std::size_t row = 0; row < answered.size(); ++row)
        EXPECT_TRUE(answered[row]) << table.table->file << ", line " << row + 2;
    }
}

TEST(CommittedPapers, NothingThatIsExactHereContradicts) {
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers) {
        if (answer.kind == ClaimKind::exact) {
          EXPECT_NE(answer.verdict.answer, Answer::contradicts)
              << table.table->file << ", line " << answer.row + 2 << ", " << answer.claim << ": "
              << answer.verdict.text();
        }
      }
}

TEST(CommittedPapers, EveryContradictionIsExplained) {
  const Committed& all = Committed::all();
  for (const AnsweredPaper& paper : all.papers)
    for (const FoundContradiction& found : contradictions_of(paper, all.library, all.measurements))
      EXPECT_NE(found.entry, nullptr)
          << found.evidence.front()->table->file << ", line " << found.evidence.front()->row + 2
          << ", " << found.evidence.front()->claim << ": "
          << found.evidence.front()->verdict.text();
}

TEST(CommittedPapers, AtLeastNineHundredRowsAreAnswered) {
  std::size_t answered = 0;
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const auto& [standing, count] : paper.count())
      if (standing != RowStanding::obeys && standing != RowStanding::unanswered) answered += count;
  EXPECT_GE(answered, 900u);
}

// The published speed-ups are of training steps: a forward pass alone does not explain all of them.
TEST(CommittedPapers, TheModelAnswersEachStepOfStripedOnTpusByBothPasses) {
  std::size_t steps = 0;
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers) {
        if (paper.paper->name != "striped_attention" || answer.claim != "gain_modelled") continue;
        EXPECT_EQ(answer.verdict.answer, Answer::modelled)
            << table.table->file << ", line " << answer.row + 2 << ": " << answer.verdict.text();
        ++steps;
      }
  EXPECT_EQ(steps, 41u + 23u) << "of appendix A.3, and of tables 2 and 4";
}

TEST(ReproducePaper, AnswersItsTablesFromRunsAndWritesItsPage) {
  const ScratchFolder scratch;
  const Said said = run_qb("reproduce sparse_attention_15618 --from " +
                           source_path("data/measured") + " --out " + scratch.path("out"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("sparse_attention_15618"), HasSubstr("shape agrees")));
  EXPECT_THAT(read_file(scratch.path("out/sparse_attention_15618.html")),
              AllOf(HasSubstr("Runs behind the answers"), HasSubstr("sparse_ablations"),
                    HasSubstr("contradicts itself")));
  EXPECT_THAT(read_file(scratch.path("out/tables/papers.csv")), HasSubstr("\nsparse_attention"));
}

TEST(ReproducePaper, ARunThatIsTakenAnswersBeforeThoseOfTheFolders) {
  RunsAndModel runs(committed_runs());
  const std::string other = source_path("data/measured/epyc-2-cores/bert_layer");
  runs.take("case_study_2_tenth", other);
  EXPECT_EQ(runs.folder_of("case_study_2_tenth"), other);
  EXPECT_EQ(Row(runs.run("case_study_2_tenth"), 0).text("experiment"), "bert_layer");
  EXPECT_NE(runs.folder_of("case_study_2"), "") << "others are as before";
}

TEST(ReproducePaper, TheTableOfClaimsCountsEachAnswerAndSaysWhyOneDoesNotAgree) {
  const auto& papers = Committed::all().papers;
  const auto cqs = std::ranges::find(papers, "cqs_attention",
                                     [](const AnsweredPaper& one) { return one.paper->name; });
  const Table table = claims_table(*cqs);
  const auto row_of = [&](const std::string& claim) {
    return *std::ranges::find(table.rows, claim, [](const auto& row) { return row[1]; });
  };
  EXPECT_EQ(row_of("covers")[2], "109 agrees");
  EXPECT_EQ(row_of("covers")[3], "");
  EXPECT_EQ(row_of("time")[2], "45 not measured");
  EXPECT_THAT(row_of("published_mean_ms")[2], HasSubstr("38 contradicts"));
  EXPECT_THAT(row_of("published_mean_ms")[3], HasSubstr("is below its bound"));
}

TEST(ReproducePaper, WithoutARunItSaysWhichIsMissing) {
  const ScratchFolder scratch;
  const Said said = run_qb("reproduce ring_flash_attention --from " + scratch.path("") + " --out " +
                           scratch.path("out"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("not measured: needs a run of striped_speed_up"));
  EXPECT_THAT(read_file(scratch.path("out/ring_flash_attention.html")),
              HasSubstr("striped_speed_up: there is no run of it."));
}

TEST(ReproducePaper, RefusesWhatItDoesNotKnow) {
  const Said unknown = run_qb("reproduce striped");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown paper 'striped'"));
  const Said full = run_qb("reproduce striped_attention --full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("--full: only without the name of a paper"));
}

TEST(PapersVerb, PrintsCoverageAndATableOfAPaper) {
  const Said coverage = run_qb("papers");
  EXPECT_EQ(coverage.exit_code, 0) << coverage.err;
  EXPECT_THAT(coverage.out,
              AllOf(HasSubstr("stream_cqsa_v2"), HasSubstr("contradictions: qb papers")));
  const Said rows = run_qb("papers ring_attention ring_attention_table_2_min_block --format csv");
  EXPECT_EQ(rows.exit_code, 0) << rows.err;
  const CsvTable table = CsvTable::parse(rows.out, "stdout");
  EXPECT_GE(table.size(), 5u);
  EXPECT_TRUE(table.has("verdict"));
}

TEST(PapersVerb, ReadmeHasItsLines) {
  const std::string readme = read_file(source_path("README.md"));
  const std::string said = run_qb("papers").out;
  std::size_t rows = 0;
  for (const std::string_view line : split_words(said, "\n")) {
    if (line.find("  ") == std::string_view::npos || line.starts_with("---")) continue;
    EXPECT_THAT(readme, HasSubstr(line.substr(0, line.find_last_not_of(' ') + 1)));
    ++rows;
  }
  EXPECT_EQ(rows, Committed::all().papers.size() + 2) << "a header, the papers and their sum";
}

TEST(PapersVerb, ListsNeedsContradictionsAndFunctions) {
  EXPECT_THAT(run_qb("papers --needs training").out,
              AllOf(HasSubstr("striped_attention"), Not(HasSubstr("flash_attention_2"))));
  EXPECT_THAT(run_qb("papers --contradictions").out, HasSubstr("7.4 TB/s"));
  EXPECT_THAT(run_qb("papers --functions").out, HasSubstr("longest_subsequence"));
}

TEST(PapersVerb, RefusesWhatItDoesNotKnow) {
  const auto error = [](const std::string& words) {
    const Said said = run_qb("papers " + words);
    EXPECT_EQ(said.exit_code, 2);
    return said.err;
  };
  EXPECT_THAT(error("ring_atention"), HasSubstr("did you mean 'ring_attention'?"));
  EXPECT_THAT(error("ring_attention ring_attention_table_2"),
              HasSubstr("ring_attention_table_2_min_block"));
  EXPECT_THAT(error("--needs trainin"), HasSubstr("did you mean 'training'?"));
  EXPECT_THAT(error("a b c"), HasSubstr("name one paper"));
}

// A build and the data that it finds, as a checkout has them.
class CheckedByItsData : public testing::Test {
 protected:
  CheckedByItsData() {
    std::filesystem::create_directories(folder_.path("data"));
    std::filesystem::create_directories(folder_.path("bin"));
    std::filesystem::copy_file(QB_BINARY, folder_.path("bin/qb"));
    for (const char* name : {"experiments", "data/devices", "data/published", "data/measured"})
      std::filesystem::create_symlink(source_path(name), folder_.path(name));
    std::filesystem::copy(source_path("data/papers"), folder_.path("data/papers"));
  }

  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read_file(folder_.path(file));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file_atomically(folder_.path(file), text.replace(at, from.size(), to));
  }
  [[nodiscard]] Said papers() const {
    return run_qb("papers", "QB_TESTED_BINARY=" + folder_.path("bin/qb") + ";");
  }

 private:
  ScratchFolder folder_;
};

TEST_F(CheckedByItsData, AsRecorded) {
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.err, "");
}

TEST_F(CheckedByItsData, OtherAnswersToUnchangedDataAreSaidLoudly) {
  replace("data/papers/coverage.csv", "striped_attention_tables.csv,59,1,58,",
          "striped_attention_tables.csv,59,2,57,");
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("THIS BUILD IS WRONG"),
                              HasSubstr("in 1 of 46 tables (striped_attention_tables.csv has 1 "
                                        "rows called 'contradicts' in place of 2)")));
}

TEST_F(CheckedByItsData, OtherDataAreNotJudged) {
  replace("data/papers/striped_attention.yaml", "title:", "# a remark\ntitle:");
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.err, HasSubstr("the data are not those of data/papers/coverage.csv"));
}

}  // namespace
}  // namespace qb
