// SPDX-License-Identifier: Apache-2.0
// The committed index of published tables, and the verb that prints it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "base/text_table.h"
#include "base/words.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/cli/views/paper_tables.h"
#include "harness/papers/coverage.h"
#include "harness/plan/strategies/strategy.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;
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

TEST(CommittedPapers, AContradictionSaysTheTimesThatTheGpuTookByBothClocks) {
  const auto ms_of = [](const std::string& run, const std::string& n_tokens) {
    const std::string cases = "data/measured/h200/" + run + "/cases.csv";
    const CsvTable table = CsvTable::parse(read_file(source_path(cases)), cases);
    for (std::size_t row = 0; row < table.size(); ++row)
      if (table.text(row, "workers") == "1" && table.text(row, "n_tokens") == n_tokens)
        return 1e3 * table.number(row, "longest_subsequence_median_s");
    return 0.0;
  };
  const std::string said = read_file(source_path("data/papers/cqs_attention.yaml"));
  EXPECT_THAT(said, HasSubstr(fmt::format("(an H200, with 4.8, takes {:.0f} ms",
                                          ms_of("gpu_case_study_2", "40000"))));
  EXPECT_THAT(said, HasSubstr(fmt::format("such a clock gives {:.2f} ms at W = 1, N = 20,000",
                                          ms_of("gpu_case_study_2_unsynchronized", "20000"))));
}

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
        if (answer.kind == ClaimKind::exact && answer.column.empty()) {
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

// A standing hides no answer that is against the row, and nothing but the headline's own lifts it.
TEST(CommittedPapers, NoStandingHidesAnAnswerThatDiffers) {
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const AnsweredTable& table : paper.tables) {
      const std::vector<RowStanding> standings = table.standings();
      for (const PublishedAnswer& answer : table.answers) {
        if (!is_against(answer)) continue;
        EXPECT_LE(standings[answer.row], RowStanding::differs)
            << table.table->file << ", line " << answer.row + 2 << ", " << answer.claim;
      }
    }
}

// The models of a device, and a curve of ours, say nothing of rows that a constant answers as well.
TEST(CommittedPapers, EveryShapeThatAgreesHasAPairThatAConstantHasNot) {
  std::size_t shapes = 0;
  for (const AnsweredPaper& paper : Committed::all().papers)
    for (const AnsweredTable& table : paper.tables)
      for (const PublishedAnswer& answer : table.answers) {
        if (answer.verdict.answer != Answer::shape_agrees) continue;
        ++shapes;
        EXPECT_THAT(answer.verdict.detail, HasSubstr("a constant: open"));
        EXPECT_THAT(answer.verdict.detail, Not(HasSubstr(" 0 of ")));
      }
  EXPECT_GT(shapes, 50u);
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
  EXPECT_THAT(said.out, AllOf(HasSubstr("sparse_attention_15618"), HasSubstr("shape reproduced")));
  EXPECT_THAT(read_file(scratch.path("out/sparse_attention_15618.html")),
              AllOf(HasSubstr("Runs behind the answers"), HasSubstr("sparse_ablations"),
                    HasSubstr("contradicts itself")));
  EXPECT_THAT(read_file(scratch.path("out/tables/papers.csv")), HasSubstr("\nsparse_attention"));
}

TEST(ReproducePaper, SaysWhatThisMachineMeasuredThenTheEvidenceThenWhatIsDisputed) {
  const ScratchFolder scratch;
  const Said said =
      run_qb("reproduce --from " + source_path("data/measured") + " --out " + scratch.path("out"));
  EXPECT_EQ(said.exit_code, 0) << "that rows are disputed is an answer: " << said.err;
  EXPECT_TRUE(said.out.starts_with("On your machine: nothing was measured")) << said.out;
  const std::size_t evidence = said.out.find("Evidence with ");
  const std::size_t derived = said.out.find("  116 derived");
  const std::size_t disputed = said.out.find("Disputed:\n   38 contradict");
  EXPECT_LT(evidence, derived);
  EXPECT_LT(derived, disputed);
  EXPECT_NE(disputed, std::string::npos);
  EXPECT_THAT(said.out, HasSubstr("out/cqs_attention.html")) << "without a name it is this paper";
  EXPECT_TRUE(std::filesystem::exists(scratch.path("out/cqs_attention.html")));
}

TEST(ReproducePaper, SaysThatNothingNeedsToRun) {
  const ScratchFolder scratch;
  const Said said =
      run_qb("reproduce usp --out " + scratch.path("out"), "cd " + scratch.path("") + ";");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.err, HasSubstr("Nothing needs to run: calculations"));
  EXPECT_THAT(said.out, AllOf(HasSubstr("On your machine: nothing was measured"),
                              HasSubstr("Committed evidence:"), HasSubstr("  87 predicted"),
                              HasSubstr("differs: 6.134 published, 14.67 follows")));
  for (const std::string_view line : split_words(said.out, "\n"))
    EXPECT_TRUE(display_width(line) <= 80 || line.find(".html") != std::string_view::npos) << line;
}

TEST(ReproducePaper, WithoutARunItSaysWhichIsMissing) {
  const ScratchFolder scratch;
  const Said said = run_qb("reproduce ring_flash_attention --from " + scratch.path("") + " --out " +
                           scratch.path("out"));
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(read_file(scratch.path("out/ring_flash_attention.html")),
              HasSubstr("striped_speed_up: there is no run of it."));
}

TEST(ReproducePaper, RefusesWhatItDoesNotKnow) {
  const Said unknown = run_qb("reproduce striped");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown paper 'striped'"));
  const Said full = run_qb("reproduce striped_attention --full --from data/measured");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("--full"));
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
  EXPECT_EQ(table.text(0, "paper"), "ring_attention");
  EXPECT_EQ(table.text(0, "table"), "ring_attention_table_2_min_block");
}

TEST(PapersVerb, OnePaperIsOneTableInEveryFormForPrograms) {
  const Said csv = run_qb("papers ring_attention --format csv");
  const CsvTable table = CsvTable::parse(csv.out, "stdout");
  const auto json = parse_json(run_qb("papers ring_attention --format json").out, "stdout");
  ASSERT_EQ(json.size(), table.size());
  for (const std::string& column : table.header())
    EXPECT_EQ(json.back()[column], table.text(table.size() - 1, column));
}

TEST(PapersVerb, ShowsTheRowsWithAVerdictAndTheAnswersToAClaim) {
  const Said said = run_qb("papers striped_attention --verdict differs --format csv");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  const CsvTable table = CsvTable::parse(said.out, "stdout");
  EXPECT_GT(table.size(), 0u);
  for (std::size_t row = 0; row < table.size(); ++row)
    EXPECT_EQ(table.text(row, "standing"), "differs");
  EXPECT_THAT(run_qb("papers --verdict differ").err, HasSubstr("did you mean 'differs'?"));
  const std::string claims = "first_token_modelled,first_token_by_tensor";
  const CsvTable claimed = CsvTable::parse(
      run_qb("papers context_parallel --format csv --claim " + claims).out, "stdout");
  std::set<std::string> found;
  for (std::size_t row = 0; row < claimed.size(); ++row) found.insert(claimed.text(row, "claim"));
  EXPECT_THAT(found, UnorderedElementsAre("first_token_by_tensor", "first_token_modelled"));
  EXPECT_THAT(run_qb("papers context_parallel --claim first_token_model").err,
              HasSubstr("unknown claim 'first_token_model'; did you mean 'first_token_modelled'?"));
}

TEST(PapersVerb, TheModelsErrorIsSignedAndASchemeThatNobodyPublishedSaysSo) {
  const CsvTable table = CsvTable::parse(run_qb("papers --model --format csv").out, "stdout");
  std::size_t unpublished = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "range") == "no published row") {
      EXPECT_EQ(table.text(row, "rows"), "0");
      ++unpublished;
    } else {
      EXPECT_GT(table.number(row, "median"), 0.3);
      EXPECT_LT(table.number(row, "median"), 10.0);
    }
  }
  EXPECT_GT(unpublished, 0u);
  EXPECT_GT(table.size(), unpublished + 20);
}

TEST(PapersVerb, ATerminalOf120ColumnsShowsEveryWord) {
  for (const std::string_view line : split_words(run_qb("papers context_parallel --all").out, "\n"))
    EXPECT_LE(display_width(line), 120u) << line;
}

TEST(PapersVerb, APaperIsALineATableUnlessAllRowsAreAskedFor) {
  const Said summary = run_qb("papers striped_attention");
  EXPECT_LT(std::ranges::count(summary.out, '\n'), 30);
  EXPECT_THAT(summary.out, AllOf(HasSubstr("[striped_attention_appendix_a]"),
                                 HasSubstr("qb papers striped_attention --all")));
  EXPECT_THAT(run_qb("papers striped_attention --all").out,
              AllOf(HasSubstr("line 2 "), HasSubstr("ratio 0]"), Not(HasSubstr("ratio -0]"))));
}

// README has the number of rows with each verdict, the sums of the last line.
TEST(PapersVerb, ReadmeHasItsSums) {
  const std::string readme = read_file(source_path("README.md"));
  const CsvTable table = CsvTable::parse(run_qb("papers --format csv").out, "stdout");
  for (const auto& [standing, verdict] : kWords<RowStanding>.rows)
    EXPECT_THAT(readme, ContainsRegex(fmt::format("\n\\| `{}` \\| [^\n]* \\| {} rows", verdict,
                                                  table.text(table.size() - 1, verdict))));
}

TEST(PapersVerb, ListsNeedsContradictionsAndFunctions) {
  EXPECT_THAT(run_qb("papers --needs training").out,
              AllOf(HasSubstr("striped_attention"), Not(HasSubstr("flash_attention_2"))));
  EXPECT_THAT(run_qb("papers --contradictions").out, HasSubstr("7.4 TB/s"));
  EXPECT_THAT(run_qb("papers --functions").out, HasSubstr("longest_subsequence"));
}

TEST(PapersVerb, ContradictionsComeByWeightAndRemarksLast) {
  const CsvTable table =
      CsvTable::parse(run_qb("papers --contradictions --format csv").out, "stdout");
  std::vector<std::string> kinds;
  for (std::size_t row = 0; row < table.size(); ++row) kinds.push_back(table.text(row, "kind"));
  EXPECT_TRUE(std::ranges::is_sorted(kinds)) << "contradictions, then remarks";
  EXPECT_EQ(kinds.front(), "contradiction");
  EXPECT_EQ(kinds.back(), "remark");
  EXPECT_THAT(table.text(0, "what"), HasSubstr("do not add up"));
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
    for (const char* name : {"experiments", "plots", "data/devices", "data/measured"})
      std::filesystem::create_symlink(source_path(name), folder_.path(name));
    for (const char* name : {"data/papers", "data/published"})
      std::filesystem::copy(source_path(name), folder_.path(name));
  }

  void replace(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read_file(folder_.path(file));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write_file_atomically(folder_.path(file), text.replace(at, from.size(), to));
  }
  [[nodiscard]] Said papers() const { return run("papers"); }
  [[nodiscard]] Said reproduce() const {
    return run("reproduce --from " + folder_.path("data/measured") + " --out " +
               folder_.path("out"));
  }

 private:
  [[nodiscard]] Said run(const std::string& words) const {
    return run_qb(words, "QB_TESTED_BINARY=" + folder_.path("bin/qb") + ";");
  }
  ScratchFolder folder_;
};

TEST_F(CheckedByItsData, AsRecorded) {
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.err, "");
}

TEST_F(CheckedByItsData, OtherAnswersToUnchangedDataAreSaidLoudly) {
  replace("data/papers/coverage.csv", "striped_attention_tables.csv,59,1,6,",
          "striped_attention_tables.csv,59,2,5,");
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 4);
  EXPECT_THAT(said.err, AllOf(HasSubstr("THIS BUILD IS WRONG"),
                              HasSubstr("tables (striped_attention_tables.csv has 1 "
                                        "rows called 'contradicts' in place of 2)")));
}

TEST_F(CheckedByItsData, OtherDataAreNotJudged) {
  replace("data/papers/striped_attention.yaml", "title:", "# a remark\ntitle:");
  const Said said = papers();
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.err, HasSubstr("the data are not those of data/papers/coverage.csv"));
}

TEST_F(CheckedByItsData, ADisputedRowIsNoReasonForCode4AndAnUnrecordedAnswerIs) {
  const Said disputed = reproduce();
  EXPECT_EQ(disputed.exit_code, 0) << disputed.err;
  EXPECT_THAT(disputed.out, HasSubstr("38 contradict"));
  replace("data/papers/coverage.csv", "cqs_case_study_2.csv,45,38,", "cqs_case_study_2.csv,45,37,");
  const Said other = reproduce();
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.err, HasSubstr("THIS BUILD IS WRONG"));
}

// Nobody can tell which of the two is wrong until the contradiction is recorded.
TEST_F(CheckedByItsData, APublishedNumberThatIsNotWhatIsCalculatedHereIsRecordedOrCode4) {
  replace("data/published/cqs_case_study_1.csv", "7,10,0 1 3,0,3", "7,10,0 1 3,0,5");
  for (const Said& said : {reproduce(), papers()}) {
    EXPECT_EQ(said.exit_code, 4);
    EXPECT_THAT(said.err, AllOf(HasSubstr("cqs_case_study_1.csv, line 2, held: 5 published"),
                                HasSubstr("records no contradiction in that table")));
  }
  replace("data/papers/coverage.csv", "cqs_case_study_1.csv,7,0,", "cqs_case_study_1.csv,7,1,");
  const Said recorded = reproduce();
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.out, HasSubstr("39 contradict"));
}

}  // namespace
}  // namespace qb
