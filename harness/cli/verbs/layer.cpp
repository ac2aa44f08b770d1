// SPDX-License-Identifier: Apache-2.0
#include "base/print.h"
#include "harness/cli/views/tensor_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/files.h"
#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/verify/tensor_file.h"
#include "harness/workload/layer/layer_reference.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

void check_request(const LayerRequest& request) {
  if (request.c.kernel == Kernel::staged)
    throw UsageError("--kernel staged: a layer takes flash, materialized or reference");
  if (request.block_tokens < 0) throw UsageError("--block-tokens cannot be negative");
  check_out_dtype(request);
  require_writable(request.out);
}

LayerShape shape_of_request(const LayerRequest& request, const NpyHeader& input) {
  LayerShape shape = shape_of_weights(request.weights, request.heads);
  if (shape.head_dim > 256)
    throw UsageError(
        fmt::format("--heads {}: heads of {} elements; kernels take up to 256, so "
                    "give more heads",
                    request.heads, shape.head_dim));
  const std::vector<std::int64_t>& sizes = input.shape;
  if ((sizes.size() != 2 && sizes.size() != 3) || std::ranges::count(sizes, 0) > 0)
    throw UsageError(
        fmt::format("{} has shape {}; it must be [n, hidden] or [b, n, hidden], of "
                    "a token or more",
                    input.name, shape_text(sizes)));
  if (sizes.back() != shape.hidden())
    throw UsageError(
        fmt::format("{} has shape {} and the layer in {} is {} wide; the last size "
                    "must be that width",
                    input.name, shape_text(sizes), request.weights, shape.hidden()));
  shape.n_tokens = sizes[sizes.size() - 2];
  shape.batch = sizes.size() == 3 ? sizes[0] : 1;
  return shape;
}

std::string summary(const LayerRequest& request, const LayerShape& shape,
                    const LayerOptions& options, const LayerTimes& times,
                    const Verification& verification, std::uint64_t peak_bytes) {
  const double total_s = std::accumulate(times.begin(), times.end(), 0.0);
  TextTable table({"transformer layer", ""});
  table.add({"shape", fmt::format("batch {}, tokens {}, hidden {} = {} heads x {}, feed-forward {}",
                                  shape.batch, shape.n_tokens, shape.hidden(), shape.heads,
                                  shape.head_dim, shape.feed_forward_dim)});
  table.add({"mask, scale, kernel", fmt::format("{}, {:.6g}, {}", to_string(options.mask),
                                                options.scale, word(options.kernel))});
  table.add({"blocks", options.block_tokens == 0
                           ? "none: the plain layer"
                           : fmt::format("of {} tokens", options.block_tokens)});
  table.add({"time", format_seconds(total_s)});
  for (const auto& [part, name] : kWords<LayerPart>.rows) {
    const double part_s = times[static_cast<std::size_t>(part)];
    table.add({fmt::format("  {}", name),
               fmt::format("{} ({:.1f} %)", format_seconds(part_s), 100.0 * part_s / total_s)});
  }
  table.add({"peak active memory", format_bytes(peak_bytes)});
  table.add(
      {"error against float64", error_text(request, verification.max_error, verification.tolerance,
                                           verification.rows, "rows a sequence")});
  table.add({"output", request.out});
  return table.terminal();
}

std::string weights_help() {
  std::string text = "A weights folder holds NAME.npy for each of\n";
  for (const auto& [tensor, name] : kWords<LayerTensor>.rows) text += fmt::format("  {}\n", name);
  return text;
}

constexpr const char* kShapes =
    R"(Weights are [out, in]: [H, H] for query, key, value and attention.output, [F, H] for intermediate,
[H, F] for output; biases [out], norms [H]; f16, f32 or f64. These are the names of a BERT
checkpoint's layer, so Python writes them with
  for name, tensor in model.encoder.layer[0].state_dict().items():
      numpy.save(f"layer0/{name}.npy", tensor.numpy())
The layer has its norms after the residual sums (epsilon 1e-12) and the exact GELU, in float32.
Example:
  qb layer --weights layer0 --heads 12 --input x.npy --out y.npy --verify)";

}  // namespace

std::string layer_of_files(const LayerRequest& request, const std::function<LayerRunner>& runner) {
  check_request(request);
  MemoryLedger ledger({.budget_bytes = static_cast<std::uint64_t>(request.c.memory_budget_bytes)});
  TensorFile input(request.input);
  const LayerShape shape = shape_of_request(request, input.header());
  const LayerWeights weights = read_weights(request.weights, shape, ledger);
  const Tensor x(ledger, DType::f32, shape.states(), "hidden_states");
  input.read_rows(shape.hidden(), DType::f32, [&](std::int64_t i) {
    return x.view().row_as<float>(0, 0, 0) + i * shape.hidden();
  });
  const Tensor y(ledger, DType::f32, shape.states(), "output");
  poison(y.view(), TensorView{});
  LayerOptions options;
  options.mask =
      with_mask_option([&] { return request.c.mask.mask(shape.n_tokens, shape.n_tokens); });
  options.scale = request.c.scale.value_or(1.0 / std::sqrt(static_cast<double>(shape.head_dim)));
  options.kernel = request.c.kernel;
  options.block_tokens = request.block_tokens;
  options.threads = request.c.threads > 0 ? request.c.threads : available_cores();
  const auto* const states = x.view().row_as<float>(0, 0, 0);
  auto* const out = y.view().row_as<float>(0, 0, 0);
  const LayerTimes times = runner(shape, weights, states, out, options, ledger);
  // This looks at every element even if there are no rows to compare.
  const Verification verification = verify_layer(
      {shape, weights, states, options.mask, options.scale}, out,
      layer_rows_to_verify(shape.n_tokens, options.block_tokens, rows_to_compare(request), 0),
      options.threads);
  require_correct(verification);
  OutputFile file(request.out);
  write_npy_rows(
      file, request.out_dtype, input.header().shape, shape.hidden(),
      [&](std::int64_t i) { return out + i * shape.hidden(); }, "the output");
  file.commit();
  return summary(request, shape, options, times, verification, ledger.active_peak_bytes());
}

void add_layer(Verb app) {
  auto [verb, request] = add_verb<LayerRequest>(
      app, "layer", "Runs a transformer layer on your own weights and tensors.",
      [](const LayerRequest& said) { print_answer(layer_of_files(said)); },
      weights_help() + kShapes);
  verb.add_option("--weights", request.weights, "Names the folder of the layer's 16 NPY files.")
      .required();
  verb.add_option("--input", request.input,
                  "Names the file of the hidden states, [n,hidden] or [b,n,hidden].")
      .required();
  verb.add_option("-o,--out", request.out, "Writes the layer's output to this file.").required();
  add_integer(verb, "--heads", request.heads,
              "Sets the number of attention heads, which must divide the hidden width.")
      .required();
  add_integer(verb, "--block-tokens", request.block_tokens,
              "Computes attention and feed-forward in blocks of this many query tokens.");
  add_tensor_job(verb, request, "the output", "rows");
}

}  // namespace qb
