#include "harness/layer/transformer_layer.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "harness/layer/layer_buffers.h"
#include "kernels/cpu/layer_parts.h"
#include "kernels/mask_tiles.h"

namespace qb {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The spans of query rows [begin, end) of the sequence.
TileSchedule rows_schedule(const LayerShape& shape, const LayerOptions& options, std::int64_t begin,
                           std::int64_t end) {
  const KernelTiles tiles = kernel_tiles(options.kernel, shape.head_dim);
  if (options.mask.kind == MaskKind::pattern)
    return build_mask_schedule(options.mask, end - begin, shape.n_tokens,
                               {{0, 0, {begin, end - begin}, {0, shape.n_tokens}}},
                               tiles.query_tile, {tiles.residue_classes, options.threads});
  const bool causal = options.mask.kind == MaskKind::causal;
  const KeySpan keys{0, shape.n_tokens, causal ? SpanKind::causal : SpanKind::full,
                     causal ? begin + options.mask.offset : 0};
  return build_schedule(end - begin, shape.n_tokens, {{0, end - begin, keys}}, tiles.query_tile);
}

// One sequence of the batch.
class SequenceRun {
 public:
  SequenceRun(const LayerShape& shape, const LayerWeights& weights, const LayerOptions& options,
              Allocator& allocator, LayerTimes& times)
      : shape_(shape),
        weights_(weights),
        options_(options),
        allocator_(allocator),
        times_(times),
        hidden_(shape.hidden()) {}

  void run(const float* x, float* y) {
    const std::int64_t block = block_of(shape_, options_);
    Buffer keys_values = take(key_value_floats(shape_), "keys_values");
    timed(LayerPart::qkv, [&] {
      cpu::linear(product(LayerTensor::key_weight, LayerTensor::key_bias, 2 * hidden_),
                  shape_.n_tokens, x, keys_values.as<float>(), key_value_stride(shape_),
                  options_.threads);
    });
    for (std::int64_t begin = 0; begin < shape_.n_tokens; begin += block) {
      const std::int64_t end = std::min(shape_.n_tokens, begin + block);
      const Buffer sum = attention_half(x + begin * hidden_, begin, end, keys_values);
      feed_forward_half(sum.as<float>(), y + begin * hidden_, end - begin);
    }
  }

 private:
  template <class Function>
  void timed(LayerPart part, Function function) {
    const double begin_s = now_s();
    function();
    times_[static_cast<std::size_t>(part)] += now_s() - begin_s;
  }

  [[nodiscard]] Buffer take(std::int64_t floats, std::string_view label) const {
    return {allocator_, static_cast<std::size_t>(floats) * sizeof(float), label};
  }

  // A product without its bias, which a later pass adds.
  [[nodiscard]] cpu::Linear product(LayerTensor weight, std::int64_t in, std::int64_t out) const {
    return {in, out, weights_.data(weight), nullptr};
  }
  [[nodiscard]] cpu::Linear product(LayerTensor weight, LayerTensor bias, std::int64_t out) const {
    return {hidden_, out, weights_.data(weight), weights_.data(bias)};
  }
  [[nodiscard]] cpu::Norm norm(LayerTensor scale, LayerTensor shift) const {
    return {hidden_, weights_.data(scale), weights_.data(shift), kLayerNormEpsilon};
  }

  // Heads side by side in rows of `stride` floats.
  [[nodiscard]] TensorView heads_of(float* rows, std::int64_t count, std::int64_t stride) const {
    return {rows,           DType::f32,      {1, shape_.heads, count, shape_.head_dim},
            count * stride, shape_.head_dim, stride};
  }

  void attend(const float* x, std::int64_t begin, std::int64_t end, const Buffer& keys_values,
              const Buffer& context) {
    const std::int64_t rows = end - begin;
    const Buffer queries = take(query_floats(shape_, rows), "queries");
    timed(LayerPart::qkv, [&] {
      cpu::linear(product(LayerTensor::query_weight, LayerTensor::query_bias, hidden_), rows, x,
                  queries.as<float>(), query_stride(shape_), options_.threads);
    });
    const Buffer lse = take(lse_floats(shape_, rows), "lse");
    timed(LayerPart::attention, [&] {
      const TileSchedule schedule = rows_schedule(shape_, options_, begin, end);
      float* const keys = keys_values.as<float>();
      const std::int64_t stride = key_value_stride(shape_);
      attention(options_.kernel,
                {heads_of(queries.as<float>(), rows, query_stride(shape_)),
                 heads_of(keys, shape_.n_tokens, stride),
                 heads_of(keys + hidden_, shape_.n_tokens, stride), &schedule, options_.scale,
                 heads_of(context.as<float>(), rows, hidden_),
                 contiguous_view(lse.data(), DType::f32, {1, shape_.heads, rows, 1})},
                {allocator_, options_.threads, 0});
    });
  }

  // norm(x + attention Wo) of query rows [begin, end); x: their states.
  Buffer attention_half(const float* x, std::int64_t begin, std::int64_t end, Buffer& keys_values) {
    const std::int64_t rows = end - begin;
    const Buffer context = take(rows * hidden_, "context");
    attend(x, begin, end, keys_values, context);
    if (end == shape_.n_tokens) keys_values = Buffer();  // nobody asks for them any more
    Buffer sum = take(rows * hidden_, "attention_output");
    timed(LayerPart::attention_output, [&] {
      cpu::linear(product(LayerTensor::attention_output_weight, hidden_, hidden_), rows,
                  context.as<float>(), sum.as<float>(), hidden_, options_.threads);
    });
    timed(LayerPart::attention_norm, [&] {
      cpu::add_norm(norm(LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift),
                    rows, sum.as<float>(), weights_.data(LayerTensor::attention_output_bias), x,
                    options_.threads);
    });
    return sum;
  }

  // y := norm(a + gelu(a W1) W2)
  void feed_forward_half(const float* a, float* y, std::int64_t rows) {
    const std::int64_t wide = shape_.feed_forward_dim;
    const Buffer activation = take(rows * wide, "feed_forward");
    timed(LayerPart::feed_forward_in, [&] {
      cpu::linear(product(LayerTensor::feed_forward_in_weight, hidden_, wide), rows, a,
                  activation.as<float>(), wide, options_.threads);
    });
    timed(LayerPart::gelu, [&] {
      cpu::bias_gelu(rows, wide, activation.as<float>(),
                     weights_.data(LayerTensor::feed_forward_in_bias), options_.threads);
    });
    timed(LayerPart::feed_forward_out, [&] {
      cpu::linear(product(LayerTensor::feed_forward_out_weight, wide, hidden_), rows,
                  activation.as<float>(), y, hidden_, options_.threads);
    });
    timed(LayerPart::output_norm, [&] {
      cpu::add_norm(norm(LayerTensor::output_norm_scale, LayerTensor::output_norm_shift), rows, y,
                    weights_.data(LayerTensor::feed_forward_out_bias), a, options_.threads);
    });
  }

  const LayerShape& shape_;
  const LayerWeights& weights_;
  const LayerOptions& options_;
  Allocator& allocator_;
  LayerTimes& times_;
  const std::int64_t hidden_;
};

}  // namespace

LayerTimes run_layer(const LayerShape& shape, const LayerWeights& weights, const float* x, float* y,
                     const LayerOptions& options, Allocator& allocator) {
  if (!options.mask.segments.empty())
    throw std::invalid_argument("run_layer: one sequence at a time, without segments");
  LayerTimes times{};
  const std::int64_t sequence = shape.n_tokens * shape.hidden();
  for (std::int64_t b = 0; b < shape.batch; ++b)
    SequenceRun(shape, weights, options, allocator, times).run(x + b * sequence, y + b * sequence);
  return times;
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
