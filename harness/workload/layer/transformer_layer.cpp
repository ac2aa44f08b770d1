#include "harness/workload/layer/transformer_layer.h"

#include <stdexcept>

#include "harness/workload/layer/layer_buffers.h"
#include "harness/workload/layer/layer_device.h"
#include "kernels/mask/mask_tiles.h"

namespace qb {
namespace {

// One sequence of the batch.
class SequenceRun {
 public:
  SequenceRun(LayerDevice& device, const LayerShape& shape, const LayerWeights& weights,
              const LayerOptions& options, Allocator& allocator)
      : device_(device),
        shape_(shape),
        weights_(weights),
        options_(options),
        allocator_(allocator),
        hidden_(shape.hidden()),
        size_(size_of(device.dtype())) {}

  void run(const std::byte* x, std::byte* y) {
    Buffer keys_values = take(key_value_elements(shape_), "keys_values");
    device_.timed(LayerPart::qkv, [&] {
      LinearCall call = product(LayerTensor::key_weight, shape_.n_tokens, x, keys_values.data());
      call.out = 2 * hidden_;
      call.bias = weights_.at(LayerTensor::key_bias);
      call.y_stride = key_value_stride(shape_);
      device_.linear(call);
    });
    for (const QueryBlock& block : query_blocks(shape_, options_)) {
      const std::int64_t offset = block.begin * hidden_ * size_;
      const Buffer sum = attention_half(x + offset, block, keys_values);
      feed_forward_half(sum.data(), y + offset, block.rows());
    }
  }

 private:
  [[nodiscard]] Buffer take(std::int64_t elements, std::string_view label) const {
    return {allocator_, static_cast<std::size_t>(elements * size_), label};
  }

  // Of the hidden width on both sides, without its bias, which a later pass adds.
  [[nodiscard]] LinearCall product(LayerTensor weight, std::int64_t rows, const void* x,
                                   void* y) const {
    return {device_.dtype(), rows, hidden_, hidden_, x, weights_.at(weight), nullptr, y, hidden_};
  }
  // norm(y + bias + residual)
  void norm(LayerTensor scale, LayerTensor shift, LayerTensor bias, std::int64_t rows, void* y,
            const void* residual) {
    device_.add_norm({device_.dtype(), rows, hidden_, y, weights_.at(bias), residual,
                      weights_.at(scale), weights_.at(shift), kLayerNormEpsilon});
  }

  void attend(const void* x, const QueryBlock& block, const Buffer& keys_values,
              const Buffer& context) {
    const std::int64_t rows = block.rows();
    const Buffer queries = take(query_elements(shape_, rows), "queries");
    device_.timed(LayerPart::qkv, [&] {
      LinearCall call = product(LayerTensor::query_weight, rows, x, queries.data());
      call.bias = weights_.at(LayerTensor::query_bias);
      call.y_stride = query_stride(shape_);
      device_.linear(call);
    });
    const Tensor lse(allocator_, DType::f32, {1, shape_.heads, rows, 1}, "lse");
    device_.timed(LayerPart::attention, [&] {
      device_.attend(block, block_attention(shape_, device_.dtype(), options_.scale, rows,
                                            {queries.data(), keys_values.data(), context.data(),
                                             lse.view().data}));
    });
  }

  // norm(x + attention Wo) of the block's rows; x: their states.
  Buffer attention_half(const void* x, const QueryBlock& block, Buffer& keys_values) {
    const std::int64_t rows = block.rows();
    const Buffer context = take(rows * hidden_, "context");
    attend(x, block, keys_values, context);
    if (block.end == shape_.n_tokens) keys_values = Buffer();  // nobody asks for them any more
    Buffer sum = take(rows * hidden_, "attention_output");
    device_.timed(LayerPart::attention_output, [&] {
      device_.linear(
          product(LayerTensor::attention_output_weight, rows, context.data(), sum.data()));
    });
    device_.timed(LayerPart::attention_norm, [&] {
      norm(LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift,
           LayerTensor::attention_output_bias, rows, sum.data(), x);
    });
    return sum;
  }

  // y := norm(a + gelu(a W1) W2)
  void feed_forward_half(const void* a, void* y, std::int64_t rows) {
    const std::int64_t wide = shape_.feed_forward_dim;
    const Buffer activation = take(rows * wide, "feed_forward");
    device_.timed(LayerPart::feed_forward_in, [&] {
      LinearCall call = product(LayerTensor::feed_forward_in_weight, rows, a, activation.data());
      call.out = call.y_stride = wide;
      device_.linear(call);
    });
    device_.timed(LayerPart::gelu, [&] {
      device_.bias_gelu({device_.dtype(), rows, wide, activation.data(),
                         weights_.at(LayerTensor::feed_forward_in_bias)});
    });
    device_.timed(LayerPart::feed_forward_out, [&] {
      LinearCall call = product(LayerTensor::feed_forward_out_weight, rows, activation.data(), y);
      call.in = wide;
      device_.linear(call);
    });
    device_.timed(LayerPart::output_norm, [&] {
      norm(LayerTensor::output_norm_scale, LayerTensor::output_norm_shift,
           LayerTensor::feed_forward_out_bias, rows, y, a);
    });
  }

  LayerDevice& device_;
  const LayerShape& shape_;
  const LayerWeights& weights_;
  const LayerOptions& options_;
  Allocator& allocator_;
  const std::int64_t hidden_;
  const std::int64_t size_;  // bytes of an element
};

}  // namespace

std::vector<QueryBlock> query_blocks(const LayerShape& shape, const LayerOptions& options) {
  const std::int64_t rows = block_of(shape, options);
  std::vector<QueryBlock> blocks;
  for (std::int64_t begin = 0; begin < shape.n_tokens; begin += rows)
    blocks.push_back({begin, std::min(shape.n_tokens, begin + rows)});
  return blocks;
}

TileSchedule block_schedule(const LayerShape& shape, const LayerOptions& options,
                            const KernelTiles& tiles, const QueryBlock& block) {
  const std::int64_t rows = block.rows();
  if (options.mask.kind == MaskKind::pattern)
    return build_mask_schedule(options.mask, rows, shape.n_tokens,
                               {{0, 0, {block.begin, rows}, {0, shape.n_tokens}}}, tiles.query_tile,
                               {tiles.residue_classes, options.threads});
  const bool causal = options.mask.kind == MaskKind::causal;
  const KeySpan keys{0, shape.n_tokens, causal ? SpanKind::causal : SpanKind::full,
                     causal ? block.begin + options.mask.offset : 0};
  return build_schedule(rows, shape.n_tokens, {{0, rows, keys}}, tiles.query_tile);
}

AttentionArguments block_attention(const LayerShape& shape, DType dtype, double scale,
                                   std::int64_t rows, const BlockBuffers& buffers) {
  const auto heads_of = [&](void* data, std::int64_t count, std::int64_t stride) {
    return TensorView{data,           dtype,          {1, shape.heads, count, shape.head_dim},
                      count * stride, shape.head_dim, stride};
  };
  const std::int64_t stride = key_value_stride(shape);
  std::byte* const keys = static_cast<std::byte*>(buffers.keys_values);
  return {heads_of(buffers.queries, rows, query_stride(shape)),
          heads_of(keys, shape.n_tokens, stride),
          heads_of(keys + shape.hidden() * size_of(dtype), shape.n_tokens, stride),
          nullptr,
          scale,
          heads_of(buffers.context, rows, shape.hidden()),
          contiguous_view(buffers.lse, DType::f32, {1, shape.heads, rows, 1})};
}

void compute_layer(LayerDevice& device, const LayerShape& shape, const LayerWeights& weights,
                   const void* x, void* y, const LayerOptions& options, Allocator& allocator) {
  if (!options.mask.segments.empty())
    throw std::invalid_argument("compute_layer: one sequence at a time, without segments");
  const std::int64_t sequence = shape.n_tokens * shape.hidden() * size_of(device.dtype());
  for (std::int64_t b = 0; b < shape.batch; ++b)
    SequenceRun(device, shape, weights, options, allocator)
        .run(static_cast<const std::byte*>(x) + b * sequence,
             static_cast<std::byte*>(y) + b * sequence);
}

double layer_part_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs) {
  const auto tokens = static_cast<double>(shape.batch * shape.n_tokens);
  const auto hidden = static_cast<double>(shape.hidden());
  const auto wide = static_cast<double>(shape.feed_forward_dim);
  switch (part) {
    case LayerPart::qkv:
      return 6.0 * tokens * hidden * hidden;
    case LayerPart::attention:
      return 4.0 * static_cast<double>(shape.batch) * static_cast<double>(pairs) * hidden;
    case LayerPart::attention_output:
      return 2.0 * tokens * hidden * hidden;
    case LayerPart::feed_forward_in:
    case LayerPart::feed_forward_out:
      return 2.0 * tokens * hidden * wide;
    case LayerPart::attention_norm:
    case LayerPart::gelu:
    case LayerPart::output_norm:
      break;
  }
  return 0.0;
}

}  // namespace qb
