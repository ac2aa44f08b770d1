// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/nearest_published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/execute/transport/link_model.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing_support::run_qb;
using testing_support::Said;

// A published row of a ring on an A100 that took `slowness` times as long as predicted.
PublishedAnswer answer_of(const std::string& algorithm, double n_tokens, double workers,
                          const std::string& device = "a100") {
  PublishedAnswer answer;
  answer.predicted = PredictedCase{.device = device,
                                   .parameters = {{"algorithm", FormulaValue(algorithm)},
                                                  {"n_tokens", FormulaValue(exactly(n_tokens))},
                                                  {"workers", FormulaValue(exactly(workers))},
                                                  {"dtype", FormulaValue(std::string("f16"))},
                                                  {"q_heads", FormulaValue(exactly(8.0))}}};
  return answer;
}

PublishedAnswer of_both_passes(PublishedAnswer answer) {
  answer.predicted->parameters.push_back({"pass", FormulaValue(std::string("both"))});
  return answer;
}

SchemeQuestion question_of(std::int64_t n_tokens, int workers) {
  const Shape shape{1, 8, 8, n_tokens, n_tokens, 64, 64};
  SchemeQuestion question{.problem = make_problem(shape, MaskKind::full, DType::f16, 0),
                          .workers = workers,
                          .device = load_device_model(source_path("data/devices/a100.csv")),
                          .link = LinkLimit{1e9, 0.0}};
  return question;
}

TEST(NearestPublished, EachSchemeHasTheRowThatDiffersByTheFewestDoublings) {
  const PublishedAnswer far = answer_of("ring", 65536, 8);
  const PublishedAnswer near = answer_of("ring", 4096, 4);
  const PublishedAnswer same_on_another = answer_of("ring", 8192, 4, "h100");
  const PublishedAnswer other = answer_of("zigzag", 65536, 8);
  const std::vector<GradedRow> rows = {{nullptr, &far, 1.5},
                                       {nullptr, &near, 1.25},
                                       {nullptr, &same_on_another, 1.1},
                                       {nullptr, &other, 2.0}};
  Advice advice;
  for (const char* scheme : {"zigzag", "ring", "ulysses"}) {
    advice.schemes.emplace_back();
    advice.schemes.back().scheme = scheme;
  }
  const auto nearest = nearest_published(question_of(4096, 4), advice, rows);
  ASSERT_EQ(nearest.size(), 2u) << "nobody published ulysses";
  EXPECT_EQ(nearest[0].c.algorithm, "zigzag");
  EXPECT_DOUBLE_EQ(nearest[0].doublings, 9.0) << "16 times the queries, and the keys, and 2 W";
  EXPECT_EQ(nearest[1].row.answer, &near);
  EXPECT_DOUBLE_EQ(nearest[1].doublings, 0.0);
  const auto elsewhere = nearest_published(question_of(8192, 4), advice, rows);
  EXPECT_EQ(elsewhere[1].row.answer, &same_on_another) << "a device counts one, tokens two";
}

TEST(NearestPublished, AnotherPassIsADoublingAndIsNamed) {
  const PublishedAnswer forward = answer_of("ring", 4096, 4);
  const PublishedAnswer both = of_both_passes(answer_of("ring", 4096, 8));
  const std::vector<GradedRow> rows = {{nullptr, &forward, 1.5}, {nullptr, &both, 1.25}};
  Advice advice;
  advice.schemes.emplace_back();
  advice.schemes.back().scheme = "ring";
  SchemeQuestion question = question_of(4096, 4);
  EXPECT_EQ(nearest_published(question, advice, rows).at(0).row.answer, &forward);
  question.workers = 8;
  question.passes = Passes::both;
  const auto nearest = nearest_published(question, advice, rows);
  ASSERT_EQ(nearest.size(), 1u);
  EXPECT_EQ(nearest[0].row.answer, &both);
  EXPECT_DOUBLE_EQ(nearest[0].doublings, 0.0);
  question.passes = Passes::backward;
  EXPECT_DOUBLE_EQ(nearest_published(question, advice, rows).at(0).doublings, 1.0);
  EXPECT_EQ(passes_text(Passes::both), ", forward and backward pass");
}

TEST(NearestPublished, OnlySeveralWorkersGradeSchemesAndEachPassByItsOwn) {
  const PublishedAnswer alone = answer_of("dense", 4096, 1);
  const PublishedAnswer ring = answer_of("ring", 4096, 4);
  const PublishedAnswer both = of_both_passes(answer_of("ring", 4096, 4));
  const std::vector<GradedRow> rows = {
      {nullptr, &alone, 9.0}, {nullptr, &ring, 0.5}, {nullptr, &both, 3.0}};
  for (const auto& [passes, factor] :
       {std::pair{Passes::forward, 2.0}, {Passes::both, 3.0}, {Passes::backward, 3.0}}) {
    const Grade grade = scheme_grade(rows, passes);
    EXPECT_EQ(grade.rows, 1u);
    EXPECT_DOUBLE_EQ(grade.median, factor);
  }
}

TEST(Advise, PrintsTheOnlyPublishedTimesOfItsQuestion) {
  const Said said = run_qb(
      "advise --n-tokens 64Ki --workers 8 --mask causal --device a100 --link nvlink --q-heads 32 "
      "--kv-heads 8 --head-dim 128");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, AllOf(HasSubstr("Error band: beside "), HasSubstr("a tie for this model"),
                              HasSubstr("ring_flash_attention_readme.csv, line 9")));
}

TEST(Advise, TheLatencyOfInfinibandIsThatOfHalfThePublishedHops) {
  const std::string file = "data/published/context_parallel_table_8_decode_attention.csv";
  const CsvTable table = CsvTable::parse(read_file(source_path(file)), file);
  const double latency_s = named_link("infiniband").first.latency_s;
  double fit_us = 0.0;
  int kept_out = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double hops = table.number(row, "context_length_kilotokens") /
                            table.number(row, "effective_context_length_kilotokens") -
                        1.0;
    if (hops < 1.0) continue;
    const double hop_us = table.number(row, "sendrecv_us") / hops;
    if (table.number(row, "batch_size") == 1.0) {
      fit_us += hop_us / 2.0;
      continue;
    }
    ++kept_out;
    EXPECT_NEAR(hop_us, 1e6 * latency_s, 0.05 * hop_us) << "row " << row << ", kept out of the fit";
  }
  EXPECT_EQ(kept_out, 2);
  EXPECT_NEAR(1e6 * latency_s, fit_us, 0.05);
}

}  // namespace
}  // namespace qb
