// SPDX-License-Identifier: Apache-2.0
// Tests the rows of real layers with a backward pass, plain and in blocks, and their audit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/csv.h"
#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "harness/experiment/audit/audit.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/store/environment.h"
#include "harness/experiment/store/store.h"
#include "harness/experiment/testing/fake_run.h"
#include "harness/experiment/testing/open_cases.h"
#include "harness/run/testing/device_probe.h"
#include "harness/workload/layer/transformer_layer.h"
#include "harness/workload/testing/tiny_case.h"
#include "kernels/testing/mask_fixtures.h"

namespace qb {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kBlocks[] = {0, 10};  // 0: the plain layer

Case tiny_step(Passes pass, std::int64_t block_tokens) {
  Case c = tiny("dense", 1);
  c.workload = WorkloadKind::transformer_layer;
  c.device = Device::cpu;
  c.shape.q_len = c.shape.kv_len = 33;
  c.shape.kv_heads = 2;
  c.layer_block_tokens = block_tokens;
  c.pass = pass;
  return c;
}

double backward_number(const CaseResult& result, const std::string& column) {
  return parse_real(result.values.at(column)).value();
}

void expect_right_step(const CaseResult& result) {
  ASSERT_EQ(result.status, Status::ok) << result.message;
  EXPECT_EQ(result.values.at("verified_rows"), "32");
  EXPECT_LE(backward_number(result, "max_error"), backward_number(result, "tolerance"));
  for (const std::string_view gradient : kLayerGradientColumns) {
    const std::string name(gradient);
    EXPECT_GT(backward_number(result, name + "_max_error"), 0.0) << name;
    EXPECT_LE(backward_number(result, name + "_max_error"),
              backward_number(result, name + "_tolerance"))
        << name;
    EXPECT_GT(backward_number(result, name + "_naive_error"), 0.0) << name;
    EXPECT_GT(backward_number(result, name + "_relative_l2_error"), 0.0) << name;
  }
  EXPECT_FALSE(result.values.has("d_q_max_error")) << "a layer has no dQ of its own";
  EXPECT_EQ(result.values.at("active_memory_peak_bytes"),
            result.values.at("predicted_active_peak_bytes"));
  EXPECT_EQ(result.values.at("device_peak_bytes"), result.values.at("predicted_device_peak_bytes"));
  EXPECT_EQ(result.values.at("backward_sent_bytes"), "0") << "one worker sends nothing";
  EXPECT_NO_THROW((void)case_table().fields_of(result.values));
}

TEST(LayerBackwardCase, EveryKernelAndTypeIsVerifiedAndItsMemoryIsThePredictedOne) {
  struct Choice {
    Kernel kernel;
    DType dtype;
    std::int64_t block_tokens;
    Passes pass;
  };
  constexpr Choice kChoices[] = {{Kernel::flash, DType::f32, 0, Passes::both},
                                 {Kernel::flash, DType::f32, 10, Passes::both},
                                 {Kernel::flash, DType::f32, 0, Passes::backward},
                                 {Kernel::flash, DType::f32, 10, Passes::backward},
                                 {Kernel::flash, DType::bf16, 0, Passes::both},
                                 {Kernel::flash, DType::f16, 10, Passes::backward},
                                 {Kernel::materialized, DType::f32, 10, Passes::both},
                                 {Kernel::materialized, DType::bf16, 0, Passes::backward},
                                 {Kernel::reference, DType::f32, 10, Passes::both}};
  for (const Choice& choice : kChoices) {
    SCOPED_TRACE(testing::Message() << word(choice.kernel) << ' ' << word(choice.dtype) << ' '
                                    << choice.block_tokens << ' ' << word(choice.pass));
    Case c = tiny_step(choice.pass, choice.block_tokens);
    c.kernel = choice.kernel;
    c.dtype = choice.dtype;
    expect_right_step(run_open_case(c, ""));
  }
}

TEST(LayerBackwardCase, TakesABatchGroupedHeadsAndSparseMasks) {
  for (const std::int64_t block : kBlocks) {
    Case c = tiny_step(Passes::both, block);
    c.shape.batch = 2;
    c.shape.kv_heads = 1;
    c.mask = MaskKind::causal;
    expect_right_step(run_open_case(c, ""));
    c.mask = MaskSpec(mask_fixtures::sliding_window(5, 5));
    expect_right_step(run_open_case(c, ""));
  }
}

TEST(LayerBackwardCase, TheTimesOfBothPassesAddUpToTheWallClock) {
  for (const std::int64_t block : kBlocks) {
    const CaseResult both = run_open_case(tiny_step(Passes::both, block), "");
    ASSERT_EQ(both.status, Status::ok) << both.message;
    EXPECT_EQ(both.samples.size(), 4u);
    for (const Sample& sample : both.samples) {
      EXPECT_GT(sample.forward_s, 0.0);
      EXPECT_GT(sample.backward_s, 0.0);
      EXPECT_DOUBLE_EQ(sample.forward_s + sample.backward_s, sample.wall_s);
    }
    EXPECT_LT(backward_number(both, "backward_time_median_s"),
              backward_number(both, "wall_time_median_s"));
    const CaseResult backward = run_open_case(tiny_step(Passes::backward, block), "");
    ASSERT_EQ(backward.status, Status::ok) << backward.message;
    EXPECT_FALSE(backward.values.has("backward_time_median_s")) << "it is the wall clock";
    EXPECT_GT(backward_number(backward, "wall_time_median_s"), 0.0);
  }
}

TEST(LayerBackwardCase, PartsHaveTheFlopAndTheTimeOfThePassesThatAreTimed) {
  const double products = 2.0 * 33 * 32 * (4 * 32 + 2 * 128);
  const double attention = 4.0 * 33 * 33 * 32;
  for (const std::int64_t block : kBlocks)
    for (const Passes pass : {Passes::backward, Passes::both}) {
      const CaseResult result = run_open_case(tiny_step(pass, block), "");
      ASSERT_EQ(result.status, Status::ok) << result.message;
      const double flop_of_passes = pass == Passes::both ? 3.0 * products + 3.5 * attention
                                                         : 2.0 * products + 2.5 * attention;
      EXPECT_EQ(backward_number(result, "unmasked_flop"), flop_of_passes);
      ASSERT_EQ(result.parts.size(), 4 * kLayerParts);
      for (std::size_t s = 0; s < 4; ++s) {
        double flop = 0.0;
        double seconds = 0.0;
        for (std::size_t p = 0; p < kLayerParts; ++p) {
          const RowValues& part = result.parts[s * kLayerParts + p];
          EXPECT_EQ(part.text("part"), word(static_cast<LayerPart>(p)));
          flop += part.number("flop");
          EXPECT_GT(part.number("time_s"), 0.0);
          seconds += part.number("time_s");
        }
        EXPECT_EQ(flop, flop_of_passes);
        EXPECT_LE(seconds, result.samples[s].wall_s);
      }
    }
}

TEST(LayerBackwardCase, ABudgetOfExactlyThePredictedPeakIsEnough) {
  for (const Passes pass : {Passes::backward, Passes::both}) {
    Case c = tiny_step(pass, 10);
    const auto bytes = [](const Case& asked) {
      return parse_integer(predicted_open_values(asked).at("predicted_active_peak_bytes")).value();
    };
    c.memory_budget_bytes = bytes(c);
    EXPECT_EQ(run_open_case(c, "").status, Status::ok);
    EXPECT_GT(bytes(tiny_step(pass, 0)), c.memory_budget_bytes);
    c.memory_budget_bytes -= 1;
    const CaseResult over = run_open_case(c, "");
    EXPECT_EQ(over.status, Status::oom);
    EXPECT_TRUE(over.parts.empty());
  }
}

// What is kept between the passes is labelled; what only the backward pass needs comes after it.
TEST(LayerBackwardCase, TheTimelineShowsWhatIsKeptForTheBackwardPass) {
  for (const std::int64_t block : kBlocks) {
    Case c = tiny_step(Passes::both, block);
    c.measure.memory_timeline = true;
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    EXPECT_EQ(result.samples.size(), 4u);
    std::vector<std::string> allocated;
    std::vector<std::string> freed;
    for (const RowValues& event : result.timeline) {
      if (event.text("action") == "alloc") allocated.push_back(event.text("label"));
      if (event.text("action") == "free") freed.push_back(event.text("label"));
    }
    for (const char* kept : {"kept_queries", "kept_keys_values", "kept_context", "kept_lse"}) {
      EXPECT_EQ(std::ranges::count(allocated, kept), 1) << kept;
      EXPECT_EQ(std::ranges::count(freed, kept), 0) << kept << " is kept";
    }
    EXPECT_EQ(std::ranges::count(allocated, "kept_pre_activation"), block == 0 ? 1 : 0)
        << "blocks compute it again";
    const auto place = [&](const char* label) {
      return std::ranges::find(allocated, label) - allocated.begin();
    };
    EXPECT_LT(place("kept_lse"), place("feed_forward"));
    EXPECT_LT(place("feed_forward"), place("d_output")) << "the forward pass is between them";
    for (const char* gradient : {"d_hidden_states", "d_weights"}) {
      EXPECT_GT(place(gradient), place("d_output")) << gradient;
      EXPECT_LT(place(gradient), place("d_keys_values")) << gradient;
    }
  }
}

TEST(LayerBackwardCase, ItsRowsPassTheAuditWhichFindsAGradientThatIsOff) {
  const Spec spec = parse_spec(
      "experiment: tiny\n"
      "workload: transformer_layer\n"
      "device: cpu\n"
      "threads: 1\n"
      "n_tokens: 33\n"
      "q_heads: 2\n"
      "head_dim: 16\n"
      "measure: {repeats: 3, verify_rows: 32}\n"
      "sweep:\n"
      "  pass: [backward, both]\n"
      "  layer.block_tokens: [~, 10]\n",
      "spec.yaml", {});
  const FakeRun run("tiny");
  run.write_manifest(device_fingerprint());
  run.write("spec.resolved.yaml", spec.resolved_yaml);
  run.write("steps.csv", csv_record(step_table().columns));
  run.write("memory_timeline.csv", csv_record(timeline_table().columns));
  CsvTable cases(case_table().columns);
  CsvTable samples(sample_table().columns);
  CsvTable parts(part_table().columns);
  for (const Case& open : spec.cases) {
    const Case c = resolve_case(open);
    const CaseResult result = run_open_case(c, "");
    ASSERT_EQ(result.status, Status::ok) << result.message;
    const RunStore::Record record = make_record(c, result, "2025-01-31T12:00:00Z", 1.0);
    cases.append(case_table().fields_of(record.row));
    for (const RowValues& sample : record.samples) samples.append(sample_table().fields_of(sample));
    for (const RowValues& part : record.parts) parts.append(part_table().fields_of(part));
  }
  run.write("samples.csv", samples.to_string());
  run.write("parts.csv", parts.to_string());
  const auto findings_with = [&](const CsvTable& rows) {
    run.write("cases.csv", rows.to_string());
    return audit_run(run.path()).findings;
  };
  EXPECT_THAT(findings_with(cases), IsEmpty());
  // The table with another value in a column, in `rows` of its rows.
  const auto changed = [](const CsvTable& table, const char* changed_column, const char* value,
                          std::size_t rows) {
    CsvTable other(table.header());
    for (const Row& row : all_rows(table)) {
      std::vector<std::string> fields;
      for (const std::string& column : table.header())
        fields.push_back(column == changed_column && row.index < rows ? value : row.at(column));
      other.append(fields);
    }
    return other;
  };
  EXPECT_THAT(findings_with(changed(cases, "d_weights_max_error", "1e9", cases.size())),
              Contains(HasSubstr("d_weights_max_error '1e9' is not within")));
  run.write("parts.csv", changed(parts, "time_s", "1e-12", parts.size()).to_string());
  EXPECT_THAT(findings_with(cases),
              Contains(HasSubstr("the parts take at most 0 % of any repeat")));
  for (const char* const no_time : {"9", ""}) {
    run.write("parts.csv", changed(parts, "time_s", no_time, 1).to_string());
    EXPECT_THAT(findings_with(cases), ElementsAre(HasSubstr("the parts of repeat 0 take")));
  }
}

TEST(LayerBackwardCase, WhatHasNoneIsUnsupportedWithTheReason) {
  const auto message_of = [](const std::function<void(Case&)>& change) {
    Case c = tiny_step(Passes::both, 0);
    change(c);
    const CaseResult result =
        run_open_case(c, "", [](const Case&) -> std::unique_ptr<ComputeDevice> {
          return std::make_unique<DeviceProbe>();
        });
    EXPECT_EQ(result.status, Status::unsupported);
    return result.message;
  };
  EXPECT_EQ(message_of([](Case& c) {
              c.device = Device::cuda;
              c.threads = 0;
              c.dtype = DType::f16;
            }),
            "pass: both needs workload: attention or device: cpu, and this case has workload: "
            "transformer_layer and device: cuda");
  EXPECT_EQ(message_of([](Case& c) {
              c.algorithm = "tensor_parallel";
              c.workers = 2;
              c.ranks = Ranks::threads;
            }),
            "algorithm: tensor_parallel needs pass: forward, and this case has pass: both; the "
            "nearest with a backward pass is algorithm: dense");
  EXPECT_THAT(message_of([](Case& c) { c.kernel = Kernel::staged; }),
              HasSubstr("kernel: staged needs workload: attention"));
}

}  // namespace
}  // namespace qb
