// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/layer_backward.h"

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/workload/layer/layer_blocks.h"
#include "harness/workload/layer/layer_steps.h"
#include "harness/workload/prediction.h"
#include "kernels/tile_schedule.h"

namespace qb {
namespace {

class BackwardPass : LayerSteps {
 public:
  BackwardPass(LayerGradientsDevice& device, const LayerShape& shape, DType dtype,
               const LayerOptions& options, ClockKind clock, Allocator& memory,
               const LayerBackwardArguments& arguments)
      : LayerSteps(device, shape, dtype, options, clock, memory),
        gradients_(device),
        arguments_(arguments),
        blocks_(query_blocks(shape, options)) {
    if (options.workers > 1)
      throw Unsupported(
          "a transformer layer by tensor_parallel has no backward pass; the nearest is algorithm: "
          "dense with workers: 1");
    require_backward_kernel(options.kernel, dtype);
    // The costs refuse what the device has no backward pass of.
    (void)device.costs().bytes_of_norm_backward({.dtype = dtype});
    if (arguments.d_weights.view().dtype != DType::f32)
      throw std::invalid_argument("LayerBackward: the gradients of weights are summed in f32");
  }

  DeviceLayer::Run run() {
    return run_sequences(arguments_.weights, [this](std::int64_t offset) {
      compute(static_cast<const std::byte*>(arguments_.x.data) + offset,
              static_cast<const std::byte*>(arguments_.d_y.data) + offset,
              static_cast<std::byte*>(arguments_.d_x.data) + offset);
    });
  }

 private:
  // Sums of gradients [rows, width] in float32; rows are `stride` elements apart.
  struct Sums {
    Buffer memory;
    TensorView view;
  };
  [[nodiscard]] Sums take_sums(std::int64_t rows, std::int64_t width, std::int64_t stride,
                               std::string_view label) const {
    const std::int64_t bytes = rows * stride * size_of(DType::f32);
    Buffer memory(allocator_, static_cast<std::size_t>(bytes), label);
    const TensorView view = side_by_side(memory.data(), DType::f32, 1, rows, width, stride);
    return {std::move(memory), view};
  }

  void compute(const std::byte* x, const std::byte* d_y, std::byte* d_x) {
    const Sums d_keys_values = take_sums(shape_.n_tokens, 2 * shape_.key_width(),
                                         key_value_stride(shape_), "d_keys_values");
    timed(LayerPart::attention, [&] { device_.clear_rows(d_keys_values.view); });
    for (const Range& block : blocks_) {
      const std::int64_t offset = bytes_of_states(block.begin);
      compute(block, x + offset, d_y + offset, d_x + offset, d_keys_values);
    }
    for (const Range& block : blocks_) {
      const std::int64_t offset = bytes_of_states(block.begin);
      timed(LayerPart::qkv, [&] {
        differentiate(to_keys_values(), x + offset, d_keys_values.view, block, d_x + offset, true);
      });
    }
  }

  // Computes a block but for what its keys and values give. x, d_y and d are its rows, and d goes
  // from the gradient of y to that of x.
  void compute(const Range& block, const std::byte* x, const std::byte* d_y, std::byte* d,
               const Sums& d_keys_values) {
    const std::int64_t rows = block.count();
    {
      const Place sum = kept_or_again(
          &LayerKept::attention_output, block, "attention_output", LayerPart::attention_output,
          product(LayerTensor::attention_output_weight), context(block));
      const Buffer a = take(rows * hidden_, "attention_norm");
      timed(LayerPart::attention_norm, [&] {
        copy(sum.data, a.data(), rows * hidden_);
        add_norm(kAttentionNorm, rows, a.data(), x);
      });
      feed_forward_half(block, a.data(), d_y, d);
      timed(LayerPart::attention_norm,
            [&] { differentiate(kAttentionNorm, rows, sum.data, x, d); });
    }
    attention_half(block, x, d, d_keys_values);
  }

  // d := dA
  void feed_forward_half(const Range& block, const void* a, const void* d_y, void* d) {
    const std::int64_t rows = block.count();
    const std::int64_t wide = shape_.feed_forward_dim;
    const Place pre_activation =
        kept_or_again(&LayerKept::pre_activation, block, "pre_activation",
                      LayerPart::feed_forward_in, product(LayerTensor::feed_forward_in_weight), a);
    const Buffer activation = take(rows * wide, "feed_forward");
    timed(LayerPart::gelu, [&] {
      copy(pre_activation.data, activation.data(), rows * wide);
      gelu(rows, activation.data());
    });
    {
      const Place sum =
          kept_or_again(&LayerKept::feed_forward_output, block, "feed_forward_output",
                        LayerPart::feed_forward_out, product(LayerTensor::feed_forward_out_weight),
                        activation.data());
      timed(LayerPart::output_norm, [&] {
        copy(d_y, d, rows * hidden_);
        differentiate(kOutputNorm, rows, sum.data, a, d);
      });
    }
    // The gradient of the activation takes its place.
    timed(LayerPart::feed_forward_out, [&] {
      differentiate(product(LayerTensor::feed_forward_out_weight), activation.data(),
                    of_states(d, rows), {0, rows}, activation.data(), false);
    });
    timed(LayerPart::gelu, [&] {
      gradients_.bias_gelu_backward({dtype_, rows, wide, pre_activation.data,
                                     weights_->at(LayerTensor::feed_forward_in_bias),
                                     activation.data()});
    });
    timed(LayerPart::feed_forward_in, [&] {
      differentiate(product(LayerTensor::feed_forward_in_weight), a,
                    rows_of(activation.data(), rows, wide), {0, rows}, d, true);
    });
  }

  // d := dS1 + dQ Wq^T. Adds what the queries of the block give to dK and dV.
  void attention_half(const Range& block, const void* x, void* d, const Sums& d_keys_values) {
    const std::int64_t rows = block.count();
    const Sums d_queries = take_sums(rows, shape_.query_width(), query_stride(shape_), "d_queries");
    {
      const Buffer d_context = take(rows * shape_.query_width(), "d_context");
      timed(LayerPart::attention_output, [&] {
        differentiate(product(LayerTensor::attention_output_weight), context(block),
                      of_states(d, rows), {0, rows}, d_context.data(), false);
      });
      const Tensor delta(allocator_, DType::f32, {1, shape_.heads, rows, 1}, "delta");
      timed(LayerPart::attention,
            [&] { attend_backward(block, d_context, delta, d_queries, d_keys_values); });
    }
    timed(LayerPart::qkv, [&] {
      differentiate(product(LayerTensor::query_weight), x, d_queries.view, {0, rows}, d, true);
    });
  }

  void attend_backward(const Range& block, const Buffer& d_context, const Tensor& delta,
                       const Sums& d_queries, const Sums& d_keys_values) {
    const std::int64_t rows = block.count();
    const LayerKept& kept = arguments_.kept;
    const Range whole{0, shape_.n_tokens};
    const auto [k, v] =
        keys_values_of(shape_, LayerKept::rows_of(kept.keys_values, sequence_, whole).data, dtype_);
    const auto [d_k, d_v] = keys_values_of(shape_, d_keys_values.memory.data(), DType::f32);
    const TensorView d_out = context_of(shape_, d_context.data(), dtype_, rows);
    device_.compute_delta(context_of(shape_, context(block), dtype_, rows), d_out, delta.view());
    device_.clear_rows(d_queries.view);
    // A rehearsal reads no schedule.
    const TileSchedule schedule =
        device_.facts().on_host
            ? block_schedule(shape_, options_, device_.tiles(options_.kernel, shape_.head_dim),
                             block)
            : TileSchedule{};
    const BackwardArguments call{
        .q = queries_of(shape_, LayerKept::rows_of(kept.queries, sequence_, block).data, dtype_,
                        rows),
        .k = k,
        .v = v,
        .d_out = d_out,
        .lse = kept.lse_of(sequence_, block),
        .delta = delta.view(),
        .schedule = &schedule,
        .scale = options_.scale,
        .d_q = queries_of(shape_, d_queries.memory.data(), DType::f32, rows),
        .d_k = d_k,
        .d_v = d_v};
    device_.attention_backward(options_.kernel, call, {allocator_, options_.threads, 0});
  }

  // Returns a product of the block, without its bias: what was kept of it, or the product of x
  // computed again.
  [[nodiscard]] Place kept_or_again(Tensor LayerKept::*kept, const Range& block,
                                    std::string_view label, LayerPart part,
                                    const LayerProduct& product, const void* x) {
    const Tensor& tensor = arguments_.kept.*kept;
    if (tensor.view().data != nullptr)
      return {Buffer(), LayerKept::rows_of(tensor, sequence_, block).data};
    Place place = take_place(block.count() * product.out, label);
    timed(part, [&] { multiply(product, x, block.count(), place.data); });
    return place;
  }

  [[nodiscard]] void* context(const Range& block) const {
    return LayerKept::rows_of(arguments_.kept.context, sequence_, block).data;
  }
  [[nodiscard]] TensorView rows_of(void* data, std::int64_t rows, std::int64_t width) const {
    return side_by_side(data, dtype_, 1, rows, width, width);
  }
  [[nodiscard]] TensorView of_states(void* data, std::int64_t rows) const {
    return rows_of(data, rows, hidden_);
  }
  void copy(const void* from, void* to, std::int64_t elements) {
    device_.copy_rows(flat(from, elements), flat(to, elements));
  }

  // The gradients of a product: `part` are the rows of d_y that x and d_x belong to.
  void differentiate(const LayerProduct& product, const void* x, const TensorView& d_y,
                     const Range& part, void* d_x, bool adds_to_d_x) {
    const LayerWeights& sums = arguments_.d_weights;
    gradients_.linear_backward({.dtype = dtype_,
                                .rows = part.count(),
                                .in = product.in,
                                .out = product.out,
                                .x = x,
                                .weight = weights_->at(product.weight),
                                .d_y_dtype = d_y.dtype,
                                .d_y = d_y.row(0, 0, part.begin),
                                .d_y_stride = d_y.token_stride,
                                .d_x = d_x,
                                .adds_to_d_x = adds_to_d_x,
                                .d_weight = sums.data(product.weight),
                                .d_bias = sums.data(product.bias)},
                               allocator_);
  }
  // d goes from the gradient of a norm to that of the sum that it is computed from.
  void differentiate(const LayerNorm& norm, std::int64_t rows, const void* x, const void* residual,
                     void* d) {
    const LayerWeights& sums = arguments_.d_weights;
    gradients_.add_norm_backward({.dtype = dtype_,
                                  .rows = rows,
                                  .width = hidden_,
                                  .x = x,
                                  .bias = weights_->at(norm.bias),
                                  .residual = residual,
                                  .scale = weights_->at(norm.scale),
                                  .d_y = d,
                                  .d_scale = sums.data(norm.scale),
                                  .d_shift = sums.data(norm.shift),
                                  .epsilon = kLayerNormEpsilon},
                                 allocator_);
  }

  LayerGradientsDevice& gradients_;
  const LayerBackwardArguments& arguments_;
  const std::vector<Range> blocks_;
};

}  // namespace

DeviceLayer::Run run_layer_backward(ComputeDevice& device, const LayerShape& shape, DType dtype,
                                    const LayerOptions& options, ClockKind clock,
                                    Allocator& allocator, const LayerBackwardArguments& arguments) {
  return BackwardPass(device.as<LayerGradientsDevice>(), shape, dtype, options, clock, allocator,
                      arguments)
      .run();
}

Rehearsal rehearse_layer(const LayerShape& shape, DType dtype, const LayerOptions& options,
                         const cuda::KernelCosts& costs, Passes passes, bool keeps) {
  if (passes == Passes::both)
    return in_sequence(rehearse_layer(shape, dtype, options, costs, Passes::forward, true),
                       rehearse_layer(shape, dtype, options, costs, Passes::backward));
  const auto play = [&](ComputeDevice& device, MemoryLedger& ledger) {
    const LayerTensors tensors(shape, dtype, ledger);
    std::optional<LayerGradientTensors> gradients;
    if (passes == Passes::backward) gradients.emplace(shape, dtype, ledger);
    ledger.reset_peaks();
    std::optional<LayerKept> kept;
    if (keeps || gradients) kept.emplace(shape, dtype, options, ledger);
    if (gradients)
      return run_layer_backward(device, shape, dtype, options, ClockKind::synchronized, ledger,
                                {tensors.weights, tensors.x.view(), *kept, gradients->d_y.view(),
                                 gradients->d_x.view(), gradients->d_weights})
          .device_s;
    return DeviceLayer(device, shape, dtype, options, ClockKind::synchronized, ledger)
        .run(tensors.weights, tensors.x.view(), tensors.y.view(), kept ? &*kept : nullptr)
        .device_s;
  };
  Rehearsal told = rehearse(costs, play);
  if (told.executed_pairs) *told.executed_pairs /= shape.batch * shape.heads;
  return told;
}

double layer_part_backward_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs) {
  return layer_part_flop(shape, part, pairs) * (part == LayerPart::attention ? 2.5 : 2.0);
}

}  // namespace qb
