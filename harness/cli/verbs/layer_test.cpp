// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/views/tensor_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "harness/cli/testing/run_binary.h"
#include "harness/cli/verb.h"
#include "harness/execute/testing/npy_fakes.h"
#include "harness/workload/layer/layer_reference.h"

namespace qb {
namespace {

using ::testing::HasSubstr;
using testing_support::refusal;

constexpr LayerShape kShape{2, 21, 3, 8, 50};

// Writes random weights and hidden states to files.
class LayerOfFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(scratch_.path("w"));
    for (const auto& [tensor, name] : kWords<LayerTensor>.rows)
      (void)scratch_.file(
          fmt::format("w/{}.npy", name),
          npy_bytes(DType::f32, tensor_shape(kShape, tensor), weights_.data(tensor)));
    write_input({2, 21, 24});
  }
  void write_input(const std::vector<std::int64_t>& shape) const {
    (void)scratch_.file("x.npy", npy_bytes(DType::f32, shape, x_.view().data));
  }
  [[nodiscard]] LayerRequest request() const {
    LayerRequest request;
    request.weights = scratch_.path("w");
    request.input = scratch_.path("x.npy");
    request.out = scratch_.path("y.npy");
    request.heads = 3;
    request.c.threads = 2;
    return request;
  }
  // Returns the largest |y - y_ref| of the written file.
  [[nodiscard]] double error_of_file(const Mask& mask, double scale) const {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < kShape.n_tokens; ++row) rows.push_back(row);
    const std::vector<double> reference = reference_layer_rows(
        {kShape, weights_, x_.view().row_as<float>(0, 0, 0), mask, scale}, rows);
    const NpyArray y = read_npy(scratch_.path("y.npy"));
    double largest = 0.0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      largest = std::max(
          largest,
          std::abs(load_element(y.data.data() + static_cast<std::int64_t>(i) * size_of(y.dtype),
                                y.dtype) -
                   reference[i]));
    return largest;
  }
  [[nodiscard]] bool written() const { return std::filesystem::exists(scratch_.path("y.npy")); }

  ScratchFolder scratch_;
  LayerWeights weights_ = random_weights(kShape, 3, heap_allocator(), 1);
  Tensor x_ = random_states(kShape, 3, heap_allocator(), 1);
};

TEST_F(LayerOfFiles, IsTheLayerOfFloat64) {
  for (const std::int64_t block : {0, 8}) {
    for (const MaskKind kind : {MaskKind::full, MaskKind::causal}) {
      LayerRequest asked = request();
      asked.block_tokens = block;
      asked.c.mask = kind;
      asked.verify = true;
      EXPECT_THAT(layer_of_files(asked), HasSubstr("feed_forward_in"));
      const Mask mask = kind == MaskKind::full ? Mask::full() : Mask::causal(21, 21);
      EXPECT_LT(error_of_file(mask, 1.0 / std::sqrt(8.0)), 1e-5);
      EXPECT_EQ(read_npy(asked.out).shape, (std::vector<std::int64_t>{2, 21, 24}));
    }
  }
}

TEST_F(LayerOfFiles, RefusesWhatDoesNotFitAndWritesNothing) {
  const auto refused = [&](const LayerRequest& asked) {
    return refusal([&] { (void)layer_of_files(asked); });
  };
  LayerRequest asked = request();
  asked.heads = 5;
  EXPECT_EQ(refused(asked), "5 heads do not divide the hidden width 24 of " + scratch_.path("w") +
                                "/attention.self.query.weight.npy; give as many as its model has");
  asked = request();
  asked.weights = scratch_.path("nothing");
  EXPECT_THAT(refused(asked), HasSubstr("no such folder"));
  asked = request();
  asked.block_tokens = -1;
  EXPECT_THAT(refused(asked), HasSubstr("--block-tokens cannot be negative"));
  asked = request();
  asked.out_dtype = DType::bf16;
  EXPECT_THAT(refused(asked), HasSubstr("NPY files have no bf16"));
  write_input({42, 2, 12});
  EXPECT_EQ(refused(request()),
            scratch_.path("x.npy") + " has shape [42, 2, 12] and the layer in " +
                scratch_.path("w") + " is 24 wide; the last size must be that width");
  write_input({1008});
  EXPECT_EQ(refused(request()),
            scratch_.path("x.npy") +
                " has shape [1008]; it must be [n, hidden] or [b, n, hidden], of a token or more");
  x_.view().row_as<float>(1, 0, 4)[2] = std::numeric_limits<float>::infinity();
  write_input({2, 21, 24});
  EXPECT_EQ(refused(request()),
            scratch_.path("x.npy") + " holds inf at [1, 4, 2]; finite numbers are needed");
  EXPECT_FALSE(written());
}

TEST_F(LayerOfFiles, AWrongOutputExitsFourAndIsNotWritten) {
  LayerRequest asked = request();
  asked.verify = true;
  const auto wrong = [](const LayerShape& shape, const LayerWeights& weights, const float* x,
                        float* y, const LayerOptions& options, Allocator& allocator) {
    const LayerTimes times = run_layer(shape, weights, x, y, options, allocator);
    y[(21 + 5) * 24 + 7] += 0.01f;
    return times;
  };
  try {
    (void)layer_of_files(asked, wrong);
    FAIL() << "a wrong output passed";
  } catch (const ExitError& error) {
    EXPECT_EQ(error.code(), ExitCode::regression);
    EXPECT_THAT(error.what(), HasSubstr("batch 1, row 5, element 7"));
  }
  EXPECT_FALSE(written());
}

TEST_F(LayerOfFiles, RunsFromTheCommandLine) {
  const LayerRequest asked = request();
  const std::vector<std::string> words = {
      "layer",     "--weights",   asked.weights, "--input",         asked.input, "--out",
      asked.out,   "--heads",     "3",           "--mask",          "causal",    "--kernel",
      "reference", "--scale",     "0.5",         "--block-tokens",  "4",         "--threads",
      "2",         "--out-dtype", "f16",         "--memory-budget", "1MiB",      "--verify"};
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_words(add_layer, words), ExitCode::ok);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("of 4 tokens"));
  EXPECT_LT(error_of_file(Mask::causal(21, 21), 0.5), 4e-3);
  EXPECT_EQ(read_npy(asked.out).dtype, DType::f16);
}

}  // namespace
}  // namespace qb
