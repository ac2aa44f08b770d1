// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/model_error.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "base/source_root.h"
#include "base/testing/scratch_folder.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/cli/views/publish.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/run/transport/link_model.h"

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

PublishedAnswer over_link(PublishedAnswer answer, double byte_per_s) {
  answer.predicted->parameters.push_back(
      {"link_bandwidth_byte_per_s", FormulaValue(exactly(byte_per_s))});
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

Advice advice_of(std::initializer_list<const char*> schemes) {
  Advice advice;
  for (const char* scheme : schemes) {
    advice.schemes.emplace_back();
    advice.schemes.back().scheme = scheme;
    advice.schemes.back().base = scheme == std::string_view("dense");
  }
  return advice;
}

TEST(PublishedSchemes, OnlyRowsOfThePassTheLinkAndTheWorkersSayHowFarTheModelIs) {
  const PublishedAnswer alone = answer_of("dense", 4096, 1);
  const PublishedAnswer slow = over_link(answer_of("ring", 4096, 4), 12e9);
  const PublishedAnswer fast = over_link(answer_of("ring", 4096, 4), 300e9);
  const PublishedAnswer faster = over_link(answer_of("ring", 8192, 4), 450e9);
  const PublishedAnswer both = of_both_passes(fast);
  const std::vector<GradedRow> rows = {
      {&alone, 9.0}, {&slow, 4.0}, {&fast, 1.0}, {&faster, 1.5}, {&both, 3.0}};
  const Advice advice = advice_of({"ring", "ulysses", "dense"});
  SchemeQuestion question = question_of(4096, 4);  // over 1 GB/s
  const auto between = published_schemes(question, advice, rows);
  EXPECT_EQ(between[0].rows, 1u);
  EXPECT_DOUBLE_EQ(between[0].median, 4.0);
  EXPECT_EQ(between[1].rows, 0u);
  EXPECT_THAT(published_table(std::span(between).subspan(1, 1)),
              HasSubstr("ulysses     0  no published row"));
  EXPECT_DOUBLE_EQ(between[1].low, 1.0) << "no row of its own: those of every link";
  EXPECT_DOUBLE_EQ(between[1].high, 4.0);
  EXPECT_EQ(between[2].rows, 1u);
  EXPECT_DOUBLE_EQ(between[2].high, 9.0);
  question.link->bandwidth_byte_per_s = kHostLink_byte_per_s;
  const auto inside = published_schemes(question, advice, rows);
  EXPECT_EQ(inside[0].rows, 2u);
  EXPECT_DOUBLE_EQ(inside[0].low, 1.0);
  EXPECT_DOUBLE_EQ(inside[0].median, 1.25);
  EXPECT_DOUBLE_EQ(inside[0].high, 1.5);
}

TEST(ModelError, OnlySeveralWorkersGradeSchemesAndEachPassByItsOwn) {
  const PublishedAnswer alone = answer_of("dense", 4096, 1);
  const PublishedAnswer ring = answer_of("ring", 4096, 4);
  const PublishedAnswer both = of_both_passes(answer_of("ring", 4096, 4));
  const std::vector<GradedRow> rows = {{&alone, 9.0}, {&ring, 0.5}, {&both, 3.0}};
  for (const auto& [passes, factor] :
       {std::pair{Passes::forward, 2.0}, {Passes::both, 3.0}, {Passes::backward, 3.0}}) {
    EXPECT_DOUBLE_EQ(scheme_grade(rows, passes).value(), factor);
  }
}

TEST(SchemeMap, CallsTiesWhatIsAsNearAsNineOfTenPublishedTimesAreToTheModel) {
  const PlottedRun run = run_to_plot(source_path("paper_figures/schemes_model"));
  const ModelGrade::Errors grade = run.model_grade().forward;
  EXPECT_GT(grade.p90, 1.3);
  EXPECT_TRUE(grade.schemes.contains("usp"));
  EXPECT_FALSE(grade.schemes.contains("cqs_sharded"));
  EXPECT_THAT(figures_of_run(run, {"scheme_map"}).at(0).notes,
              testing::Contains(HasSubstr(fmt::format("{:.3g} times for all schemes", grade.p90))));
}

TEST(Mfu, AModelledCaseHasThePeakOfItsDeviceForEachWorker) {
  const PlottedRun run = run_to_plot(source_path("paper_figures/scaling_model"));
  const Row row{&run.cases, 0};
  EXPECT_DOUBLE_EQ(run.modelled_peak(row), 312e12 * row.number("workers"));
}

TEST(Advise, PrintsTheRangeOfPublishedTimesLikeItsQuestion) {
  const Said said = run_qb(
      "advise --n-tokens 64Ki --workers 8 --mask causal --device a100 --link nvlink --q-heads 32 "
      "--kv-heads 8 --head-dim 128");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out,
              AllOf(HasSubstr("How good is the model? The "), HasSubstr("a tie for this model"),
                    HasSubstr("published / predicted"), HasSubstr(" to ")));
}

// The root mean square of ln(published / predicted time), on devices that merge at `share` of the
// rate of one fused merge.
double distance_from_rings(double share) {
  const ScratchFolder folder;
  const std::string file = "data/published/ring_flash_attention_readme.csv";
  const CsvTable table = CsvTable::parse(read_file(source_path(file)), file);
  double sum = 0.0;
  int rows = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "api") != "batch") continue;
    const bool is_a100 = table.text(row, "gpu") == "8xA100";
    DeviceModel device = load_device_model(is_a100 ? "a100" : "h800");
    device.merge_byte_per_s.value = share * device.memory_byte_per_s.value / 3.0;
    const std::string path = folder.file(device.name + ".csv", device_model_csv(device));
    const std::string& scheme = table.text(row, "implementation");
    const Spec spec = parse_spec(
        fmt::format(
            "{{experiment: ring, algorithm: {}, workers: 8, n_tokens: 65536, q_heads: 32, "
            "kv_heads: 8, head_dim: 128, dtype: bf16, mask: causal, pass: {}, ranks: model, "
            "model.device: {}, link.bandwidth: {}, link.latency: 2e-6}}",
            scheme == "ring_attn"     ? "ring"
            : scheme == "zigzag_ring" ? "zigzag"
                                      : "striped",
            table.text(row, "pass") == "fwd" ? "forward" : "both", path, is_a100 ? 300e9 : 200e9),
        "a published ring", {});
    const CaseResult predicted = run_open_case(spec.cases.at(0), "");
    const double distance =
        std::log(predicted.samples.at(0).critical_path_s * table.number(row, "iterations_per_s"));
    sum += distance * distance;
    ++rows;
  }
  EXPECT_EQ(rows, 12);
  return std::sqrt(sum / rows);
}

TEST(Devices, MergeAtTheRateThatSuitsThePublishedRings) {
  const double fitted = distance_from_rings(1.0 / 6);
  EXPECT_NEAR(fitted, 0.081, 0.001) << "as data/devices/README.md says";
  EXPECT_NEAR(distance_from_rings(1.0), 0.207, 0.001);
  for (const double other : {1.0 / 4, 1.0 / 5, 1.0 / 7.5, 1.0 / 9})
    EXPECT_GT(distance_from_rings(other), fitted) << other;
  for (const char* name : {"a100", "h800"}) {
    const DeviceModel device = load_device_model(name);
    EXPECT_NEAR(device.merge_byte_per_s.value, device.memory_byte_per_s.value / 18.0,
                0.01 * device.merge_byte_per_s.value);
  }
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
