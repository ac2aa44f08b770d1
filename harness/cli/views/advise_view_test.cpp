// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/advise_view.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/cli/testing/run_binary.h"
#include "harness/forecast/device_model.h"
#include "harness/forecast/testing/constant_rate_device.h"

namespace qb {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::run_qb;
using testing_support::Said;
using Json = nlohmann::json;

constexpr std::int64_t kHeadDim = 64;
constexpr Kernel kExact = Kernel::reference;

SchemeQuestion question_of(int workers, std::optional<LinkLimit> link, std::int64_t cached = 0) {
  const Shape shape{1, 8, 8, 4096, 4096 + cached, kHeadDim, kHeadDim};
  return {.problem = make_problem(shape, MaskKind::causal, DType::f32, 1),
          .workers = workers,
          .device = constant_rate_device(kExact, DType::f32, kHeadDim, 4.0 * kHeadDim * 1e9),
          .link = link,
          .kernel = kExact};
}

SchemeForecast scheme_of(const char* name, double wall_s) {
  SchemeForecast scheme;
  scheme.scheme = name;
  scheme.wall_s = wall_s;
  scheme.compute_s = scheme.mean_compute_s = 0.75 * wall_s;
  scheme.exposed_s = 0.25 * wall_s;
  scheme.sent_bytes = 1 << 20;
  scheme.memory_bytes = 1 << 30;
  return scheme;
}

// zigzag wins before ring; all_gather_kv is faster but over the budget; dense is beside them;
// Ulysses has no plan.
Advice sample() {
  Advice advice;
  advice.schemes = {scheme_of("zigzag", 0.1), scheme_of("ring", 0.15),
                    scheme_of("all_gather_kv", 0.05), scheme_of("dense", 0.7)};
  advice.schemes[0].alias = "pass_kv";
  advice.schemes[2].over_budget = true;
  advice.schemes[3].base = true;
  advice.schemes.emplace_back();
  advice.schemes.back().scheme = "ulysses";
  advice.schemes.back().unsupported = "the heads do not divide";
  advice.searched_bandwidth = advice.searched_sizes = true;
  advice.bandwidth.below = Advice::Change{3.1e9, "cqs_sharded"};
  advice.splitting_pays_above_byte_per_s = 5e7;
  advice.workers.above = Advice::Change{16, "ring"};
  return advice;
}

std::string text_of(const SchemeQuestion& question, const Advice& advice) {
  return fmt::format("{}", fmt::join(advice_sentences(question, advice, {}), "\n"));
}

TEST(AdviseView, SaysWhoWinsByHowMuchAndWhatWouldChangeIt) {
  SchemeQuestion question = question_of(8, LinkLimit{12.5e9, 0.0});
  question.memory_budget_bytes = 1 << 29;
  EXPECT_THAT(
      advice_sentences(question, sample(), {}),
      ElementsAre(
          "Use zigzag (pass_kv): predicted 100.00 ms, 1.5 times as fast as the next, ring (150.00 "
          "ms).",
          "One worker alone (dense) needs 700.00 ms, 7 times as long; splitting pays above 50 "
          "MB/s.",
          "Compute limits it: 75 % of the time is an even share of the compute, 0 % uneven work "
          "and waiting for other workers, 25 % communication that no compute hides; its critical "
          "path is 1.00 times an even share of the pairs.",
          "Memory limits the choice: all_gather_kv would take 50.00 ms, but needs 1.00 GiB a "
          "worker, over 512.00 MiB.",
          "By bandwidth, below 3.1 GB/s cqs_sharded would win.",
          "No number of tokens within a factor of 64 would change that; by workers, with 16 ring "
          "would win."));
}

TEST(AdviseView, SaysWhereAModelCannotTellAndWhereSplittingDoesNotPay) {
  const SchemeQuestion question = question_of(8, LinkLimit{12.5e9, 0.0});
  Advice advice = sample();
  advice.schemes[1].wall_s = 0.1005;
  advice.schemes[3].wall_s = 0.02;
  advice.bandwidth.above = Advice::Change{9e9, "cqs_sharded"};
  EXPECT_THAT(
      text_of(question, advice),
      AllOf(HasSubstr("; ring (100.50 ms) may be as fast: a tie for this model. Choose among "
                      "these by memory (least: "),
            HasSubstr("Splitting does not pay: one worker alone (dense) needs 20.00 ms, "
                      "0.2 of that; splitting pays above"),
            HasSubstr("below 3.1 GB/s and above 9 GB/s cqs_sharded would win")));
  advice.bandwidth = {};
  advice.schemes.resize(1);
  EXPECT_THAT(text_of(question, advice), AllOf(HasSubstr("the only scheme with a plan that fits."),
                                               HasSubstr("No bandwidth from 11.9 kB/s to ")));
}

TEST(AdviseView, SchemesAreTiesWhoseRangesOverlap) {
  SchemeQuestion question = question_of(8, LinkLimit{12.5e9, 0.0});
  const auto sentences = [&](double high_of_zigzag, double low_of_ring) {
    const std::vector<PublishedScheme> published = {{"zigzag", 14, 0.9, 1.2, high_of_zigzag},
                                                    {"ring", 3, low_of_ring, 1.1, 1.25}};
    return advice_sentences(question, sample(), published);
  };
  EXPECT_THAT(sentences(1.6, 1.0)[0],
              HasSubstr("Use zigzag (pass_kv): predicted 100.00 ms; ring (150.00 ms) may be as "
                        "fast: a tie for this model. Choose among these by memory (least: "));
  EXPECT_THAT(sentences(1.6, 1.1)[0], HasSubstr("1.5 times as fast as the next"));
  EXPECT_EQ(
      sentences(1.4, 1.0)[1],
      "How good is the model? The 14 published cases of zigzag over slower links took 0.90 to 1.40 "
      "times the predicted time (median 1.20).");
  const std::vector<PublishedScheme> nothing = {{"zigzag", 0, 0.9, 1.2, 1.7}};
  EXPECT_EQ(
      advice_sentences(question, sample(), nothing)[1],
      "How good is the model? Nobody published a time of zigzag over such a link. Published cases "
      "of other schemes with several workers took 0.90 to 1.70 times the predicted time (median "
      "1.20).");
}

TEST(AdviseView, NothingThatFitsIsSaidWithWhatItWouldNeed) {
  SchemeQuestion question = question_of(8, LinkLimit{1e9, 0.0});
  question.memory_budget_bytes = 4096;
  EXPECT_EQ(text_of(question, advise(question)).substr(0, 34),
            "No scheme fits 4.00 KiB a worker: ");
}

TEST(AdviseView, SelectorsAgreeOrNot) {
  Advice advice = sample();
  advice.selectors = SelectorAdvice{{4096, 126976, 8, 32, 8, 2, 230e12, 25e9},
                                    RingVariant::pass_q,
                                    RingVariant::pass_kv,
                                    0.2,
                                    0.1};
  EXPECT_THAT(text_of(question_of(8, LinkLimit{25e9, 0.0}), advice),
              HasSubstr("At a miss rate of 3.12 % (C = 230 TFLOP/s, B = 25 GB/s) Algorithm 1 of "
                        "arXiv 2411.01783 takes pass-Q and Algorithm 5 pass-KV; the model agrees "
                        "with Algorithm 1 only: pass-KV 200.00 ms, pass-Q 100.00 ms."));
}

TEST(AdviseView, TableSaysWhyNot) {
  EXPECT_THAT(advice_table(sample()),
              AllOf(HasSubstr("zigzag (pass_kv)  100.00 ms"), HasSubstr("over the budget\n"),
                    HasSubstr("base: one worker\n"),
                    HasSubstr("No plan: ulysses: the heads do not divide.\n")));
}

TEST(AdviseView, AssumptionsAreStated) {
  SchemeQuestion question = question_of(8, std::nullopt, 1000);
  question.device.cores.value = 2;
  question.device.copy_byte_per_s.value = 8e9;
  EXPECT_THAT(fmt::format("{}", fmt::join(advice_assumptions(question, ""), "\n")),
              AllOf(HasSubstr("4,096 new tokens on 1,000 cached ones, causal mask"),
                    HasSubstr("its 2 cores shared by the workers, one thread each; its kernel "
                              "rates are assumed"),
                    HasSubstr("Link: none"), HasSubstr("copied at 8 GB/s")));
  question.link = LinkLimit{1e9, 5e-6};
  EXPECT_THAT(fmt::format("{}", fmt::join(advice_assumptions(question, "a cable"), "\n")),
              AllOf(HasSubstr("one a worker"),
                    HasSubstr("1 GB/s each way a worker, latency 5.00 us (a cable)")));
}

TEST(AdviseView, ABackwardPassIsNamedWithItsRate) {
  SchemeQuestion question = question_of(8, LinkLimit{1e9, 0.0});
  question.passes = Passes::backward;
  EXPECT_THAT(fmt::format("{}", fmt::join(advice_assumptions(question, ""), "\n")),
              AllOf(HasSubstr("8 workers, kernel reference, backward pass.\n"),
                    HasSubstr("its kernel rates are assumed, and those of a backward pass 0.8 of "
                              "them (assumed).")));
  question.passes = Passes::both;
  question.device.backward_share_of_forward = {0.75, RateProvenance::measured, ""};
  EXPECT_THAT(fmt::format("{}", fmt::join(advice_assumptions(question, ""), "\n")),
              AllOf(HasSubstr("kernel reference, forward and backward pass.\n"),
                    HasSubstr("0.75 of them (measured).")));
}

TEST(AdviseView, OfABackwardPassTheTableSaysWhichSchemesHaveNone) {
  SchemeQuestion question = question_of(8, LinkLimit{1e9, 0.0});
  question.passes = Passes::both;
  const Advice advice = advise(question);
  EXPECT_THAT(advice_table(advice),
              AllOf(HasSubstr("burst "),
                    HasSubstr("No plan: pass_q: pass_q has no backward pass; take an algorithm "
                              "that has one, such as ring or burst.\n")));
  EXPECT_FALSE(advice.selectors);
  const Json json = Json::parse(advice_json(question, "", advice, {}));
  EXPECT_EQ(json["problem"]["pass"], "both");
  EXPECT_THAT(advice_table(advise(question_of(8, LinkLimit{1e9, 0.0}))), Not(HasSubstr("burst")));
}

TEST(AdviseView, JsonHasEveryDigitAndNullsForWhatDoesNotApply) {
  const SchemeQuestion question = question_of(8, LinkLimit{1e8, 0.0}, 4096);
  const Advice advice = advise(question);
  const Json json = Json::parse(advice_json(question, "", advice, {}));
  EXPECT_EQ(json["winner"], advice.winner()->scheme);
  EXPECT_EQ(json["schemes"].size(), advice.schemes.size());
  EXPECT_EQ(json["schemes"][0]["wall_s"].get<double>(), advice.winner()->wall_s);
  EXPECT_EQ(json["schemes"][0]["device_sent_bytes"], advice.winner()->sent_bytes);
  EXPECT_EQ(json["problem"]["cached_tokens"], 4096);
  EXPECT_TRUE(json["problem"]["memory_budget_bytes"].is_null());
  EXPECT_EQ(json["selectors"]["pass_q_s"].get<double>(), advice.selectors->pass_q_s);
  EXPECT_EQ(json["advice"].size(), advice_sentences(question, advice, {}).size());
  const SchemeQuestion alone = question_of(1, std::nullopt);
  const Json one = Json::parse(advice_json(alone, "", advise(alone), {}));
  EXPECT_TRUE(one["link"].is_null());
  EXPECT_TRUE(one["published"].empty());
  EXPECT_TRUE(one["bandwidth_changes"]["above"].is_null());
  EXPECT_TRUE(one["selectors"].is_null());
}

TEST(Advise, VerbAdvisesForAnA100AFileAndThisMachine) {
  const Said a100 = run_qb(
      "advise --n-tokens 128Ki --workers 8 --mask causal --device a100 --link infiniband "
      "--q-heads 32");
  EXPECT_EQ(a100.exit_code, 0) << a100.err;
  EXPECT_THAT(a100.out, AllOf(HasSubstr("heads of 64, f16"), HasSubstr("rates are estimated"),
                              HasSubstr("Ring Attention"), HasSubstr("Use ")));
  const ScratchFolder scratch;
  write_file_atomically(scratch.path("device.csv"), device_model_csv(constant_rate_device(
                                                        Kernel::flash, DType::f32, 64, 1e12)));
  const Said file = run_qb("advise --n-tokens 1024 --workers 4 --link 1e9,5us --json --device " +
                           scratch.path("device.csv"));
  EXPECT_EQ(file.exit_code, 0) << file.err;
  const Json json = Json::parse(file.out);
  EXPECT_DOUBLE_EQ(json["link"]["latency_s"].get<double>(), 5e-6);
  EXPECT_EQ(json["device"], "constant_rate");
  const Said step = run_qb(
      "advise --n-tokens 8Ki --workers 4 --mask causal --device a100 --link nvlink --q-heads 8 "
      "--pass both");
  EXPECT_EQ(step.exit_code, 0) << step.err;
  EXPECT_THAT(step.out, AllOf(HasSubstr("forward and backward pass."),
                              HasSubstr("a backward pass 0.843 of"), HasSubstr("burst")));
  const Said here = run_qb("advise --n-tokens 64 --workers 2 --head-dim 16");
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_THAT(here.err, HasSubstr("measuring this machine"));
  EXPECT_THAT(here.out, HasSubstr("this_machine"));
}

TEST(Advise, TakesLinksAsTheyWereMeasuredAndSaysTheAdviceAlone) {
  const ScratchFolder scratch;
  const std::string nccl =
      scratch.file("sendrecv.txt",
                   "#   size  count   type  redop  root   time  algbw  busbw #wrong\n"
                   "  8  2  float  none  -1  12.5  0.00  0.00  0\n1048576  262144  float  none  -1 "
                   " 30  350  350  0\n");
  const std::string words = "advise --n-tokens 64Ki --device h100 --dtype bf16 --q-heads 32 ";
  const Said one = run_qb(words + "--workers 8 --link " + nccl);
  EXPECT_THAT(one.out, HasSubstr("350 GB/s")) << one.err;
  EXPECT_THAT(one.out, HasSubstr("sendrecv.txt: 3.5e+11,1.25e-05, as measured"));
  const std::string cluster = words + "--cluster 2x8 --between 50e9,5us --brief --inside ";
  const Said brief = run_qb(cluster + nccl);
  EXPECT_THAT(brief.out, StartsWith("Use "));
  EXPECT_EQ(std::ranges::count(brief.out, '\n'), 1);
  EXPECT_EQ(brief.out, run_qb(cluster + "3.5e11,12.5us").out);
  const Said none = run_qb(cluster + scratch.file("empty.txt", ""));
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("empty.txt: it has no bandwidth"));
}

TEST(Advise, VerbRefusesBadWordsBeforeItMeasures) {
  for (const char* words :
       {"advise",
        "advise --n-tokens 64",
        "advise --n-tokens 0 --workers 2",
        "advise --n-tokens 64 --workers 0",
        "advise --n-tokens 64 --workers 4097",
        "advise --n-tokens 64 --workers 2 --link nvlinc",
        "advise --n-tokens 64 --workers 2 --link 0",
        "advise --n-tokens 64 --workers 2 --link 1e9,x",
        "advise --n-tokens 64 --workers 2 --link 1e9,-1",
        "advise --n-tokens 64 --workers 2 --device /nowhere",
        "advise --n-tokens 64 --workers 2 --device a100 --head-dim 80",
        "advise --n-tokens 64 --workers 2 --device a100 --dtype f32",
        "advise --n-tokens 64 --workers 2 --dtype f31",
        "advise --n-tokens 64 --workers 2 --pass training",
        "advise --n-tokens 64 --workers 2 --cached-tokens -1",
        "advise --n-tokens 64 --workers 2 --memory-budget -1",
        "advise --n-tokens 64 --workers 2 --q-heads 3 --kv-heads 2",
        "advise --n-tokens 64 --workers 2 --nics 1",
        "advise --n-tokens 64 --cluster 2 --inside nvlink --between 1e9",
        "advise --n-tokens 64 --cluster 0x2 --inside nvlink --between 1e9",
        "advise --n-tokens 64 --cluster 2x2 --inside nvlink",
        "advise --n-tokens 64 --cluster 2x2 --inside none --between 1e9",
        "advise --n-tokens 64 --cluster 2x2 --inside nvlink --between 1e9 --nics 3",
        "advise --n-tokens 64 --cluster 2x2 --inside nvlink --between 1e9 --workers 4"}) {
    const Said said = run_qb(words);
    EXPECT_EQ(said.exit_code, 2) << words;
    EXPECT_THAT(said.err, Not(HasSubstr("measuring"))) << words;
  }
  // 2^32 x 2^32 is 0 in 64 bits.
  const Said many =
      run_qb("advise --n-tokens 64 --cluster 4294967296x4294967296 --inside nvlink --between 1e9");
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.err, HasSubstr("a cluster has 1 to 1,000,000 workers"));
  EXPECT_THAT(run_qb("advise --n-tokens 64 --cluster 256x32 --inside nvlink --between 1e9").err,
              HasSubstr("at most 4096 workers"));
}

}  // namespace
}  // namespace qb
