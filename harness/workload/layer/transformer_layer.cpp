#include "harness/workload/layer/transformer_layer.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/integers.h"
#include "harness/execute/device/cpu_device.h"
#include "harness/execute/memory/memory_ledger.h"
#include "harness/execute/memory/system_memory.h"
#include "kernels/cpu/gemm.h"
#include "kernels/layer_call.h"
#include "kernels/mask/mask_tiles.h"
#include "kernels/tile_schedule.h"

namespace qb {
namespace {

// Rows of a multiple of 4 KiB would share the same few sets of a cache; one more line spreads them.
constexpr std::int64_t kRowPadding = 16;

std::int64_t query_stride(const LayerShape& shape) { return shape.query_width() + kRowPadding; }
std::int64_t key_value_stride(const LayerShape& shape) {
  return 2 * shape.key_width() + kRowPadding;
}

// Query rows [begin, end) of the sequence, computed together.
struct QueryBlock {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  TileSchedule schedule{};  // empty where the device keeps one, or the run makes it
  ComputeDevice::KeptSchedule kept{};
  [[nodiscard]] std::int64_t rows() const { return end - begin; }
};

// The spans of a block's rows over all keys, for a kernel with these tiles.
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

// The memory that a block's attention reads and writes, with heads side by side in rows.
struct BlockBuffers {
  void* queries = nullptr;
  void* keys_values = nullptr;
  void* context = nullptr;
  void* lse = nullptr;
};

// Returns the arguments without a schedule.
AttentionArguments block_attention(const LayerShape& shape, DType dtype, double scale,
                                   std::int64_t rows, const BlockBuffers& buffers) {
  const auto heads_of = [&](void* data, std::int64_t heads, std::int64_t count,
                            std::int64_t stride) {
    return TensorView{data,           dtype,          {1, heads, count, shape.head_dim},
                      count * stride, shape.head_dim, stride};
  };
  const std::int64_t stride = key_value_stride(shape);
  const std::int64_t kv_heads = shape.key_heads();
  std::byte* const keys = static_cast<std::byte*>(buffers.keys_values);
  return {heads_of(buffers.queries, shape.heads, rows, query_stride(shape)),
          heads_of(keys, kv_heads, shape.n_tokens, stride),
          heads_of(keys + shape.key_width() * size_of(dtype), kv_heads, shape.n_tokens, stride),
          nullptr,
          scale,
          heads_of(buffers.context, shape.heads, rows, shape.query_width()),
          contiguous_view(buffers.lse, DType::f32, {1, shape.heads, rows, 1})};
}

// Calls that read only shapes, strides and alignment get this address, aligned as an allocation is.
void* address_only() { return reinterpret_cast<void*>(kHugePageBytes); }

}  // namespace

class DeviceLayer::State {
 public:
  State(ComputeDevice& device, const LayerShape& shape, DType dtype, const LayerOptions& options,
        ClockKind clock, Allocator& memory)
      : device_(device),
        shape_(shape),
        dtype_(dtype),
        options_(options),
        allocator_(memory),
        hidden_(shape.hidden()),
        size_(size_of(dtype)),
        watch_(device, clock) {
    if (!options.mask.segments.empty())
      throw std::invalid_argument("DeviceLayer: one sequence at a time, without segments");
    if (options.workers > 1 && dtype != DType::f32)
      throw std::invalid_argument("DeviceLayer: workers add their sums in float32");
    const std::int64_t rows =
        options.block_tokens == 0 ? shape.n_tokens : std::min(options.block_tokens, shape.n_tokens);
    for (std::int64_t begin = 0; begin < shape.n_tokens; begin += rows) {
      blocks_.push_back({begin, std::min(shape.n_tokens, begin + rows)});
      if (!device.facts().on_host) prepare(blocks_.back());
    }
  }

  Run run(const LayerWeights& weights, const TensorView& x, const TensorView& y) {
    weights_ = &weights;
    run_ = {};
    watch_.start();
    const std::int64_t sequence = shape_.n_tokens * hidden_ * size_;
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      compute(static_cast<const std::byte*>(x.data) + b * sequence,
              static_cast<std::byte*>(y.data) + b * sequence);
    watch_.stop();
    run_.wall_s = watch_.wall_s();
    run_.device_s = watch_.device_s();
    return run_;
  }

 private:
  // Makes the block's schedule before the layer runs, where the kernel reads one.
  void prepare(QueryBlock& block) {
    if (device_.reads_schedule(options_.kernel)) block.schedule = schedule_of(block);
    AttentionArguments call =
        block_attention(shape_, dtype_, options_.scale, block.rows(),
                        {address_only(), address_only(), address_only(), address_only()});
    call.out.dtype = DType::f32;
    call.schedule = &block.schedule;
    block.kept = device_.keep_schedule(options_.kernel, call, allocator_, 0);
    if (block.kept) block.schedule = {};
  }
  [[nodiscard]] TileSchedule schedule_of(const QueryBlock& block) const {
    return block_schedule(shape_, options_, device_.tiles(options_.kernel, shape_.head_dim), block);
  }

  // Computes one sequence.
  void compute(const std::byte* x, std::byte* y) {
    Buffer keys_values = take(shape_.n_tokens * key_value_stride(shape_), "keys_values");
    timed(LayerPart::qkv, [&] {
      LinearCall call = product(LayerTensor::key_weight, shape_.n_tokens, x, keys_values.data());
      call.out = 2 * shape_.key_width();
      call.bias = weights_->at(LayerTensor::key_bias);
      call.y_stride = key_value_stride(shape_);
      device_.linear(call, allocator_);
    });
    for (const QueryBlock& block : blocks_) {
      const std::int64_t offset = block.begin * hidden_ * size_;
      const Buffer sum = attention_half(x + offset, block, keys_values);
      feed_forward_half(sum.data(), y + offset, block.rows());
    }
  }

  // Does the work, or enqueues it, and times it as the part; on a GPU until the next one begins.
  template <class Work>
  void timed(LayerPart part, const Work& work) {
    watch_.charge(&run_.times[static_cast<std::size_t>(part)]);
    work();
    if (device_.facts().on_host) watch_.charge(nullptr);
  }

  [[nodiscard]] Buffer take(std::int64_t elements, std::string_view label) const {
    return {allocator_, static_cast<std::size_t>(elements * size_), label};
  }

  // A product from hidden to hidden width without its bias, which a later pass adds.
  [[nodiscard]] LinearCall product(LayerTensor weight, std::int64_t rows, const void* x,
                                   void* y) const {
    return {dtype_, rows, hidden_, hidden_, x, weights_->at(weight), nullptr, y, hidden_};
  }
  // Adds what the other workers computed of the same sums.
  void all_reduce(void* sums, std::int64_t rows) const {
    if (options_.workers == 1) return;
    const std::int64_t count = rows * hidden_;
    const Buffer received = take(ceil_div(count, options_.workers), "all_reduce");
    if (options_.all_reduce)
      options_.all_reduce(static_cast<float*>(sums), count, received.as<float>());
  }
  // norm(y + bias + residual)
  void norm(LayerTensor scale, LayerTensor shift, LayerTensor bias, std::int64_t rows, void* y,
            const void* residual) {
    device_.add_norm({dtype_, rows, hidden_, y, weights_->at(bias), residual, weights_->at(scale),
                      weights_->at(shift), kLayerNormEpsilon});
  }

  // Does what qb::attention does; `out` has the layer's type, and the schedule is the block's.
  void attend(const QueryBlock& block, const AttentionArguments& arguments) {
    AttentionArguments call = arguments;
    if (dtype_ == DType::f32) return attend_f32(block, call);
    const Tensor out(allocator_, DType::f32, flat(arguments.out).extent, "context_f32");
    call.out.data = out.view().data;
    call.out.dtype = DType::f32;
    attend_f32(block, call);
    device_.copy_rows(out.view(), flat(arguments.out));
  }
  void attend_f32(const QueryBlock& block, AttentionArguments call) {
    if (block.kept) return block.kept(call, allocator_);
    const TileSchedule own = device_.facts().on_host ? schedule_of(block) : TileSchedule{};
    call.schedule = device_.facts().on_host ? &own : &block.schedule;
    device_.attention(options_.kernel, call, {allocator_, options_.threads, 0}, {});
  }
  // Returns heads that are side by side in rows without a gap as one row.
  static TensorView flat(const TensorView& heads) {
    return contiguous_view(heads.data, heads.dtype, {1, 1, 1, heads.extent.elements()});
  }

  void attend(const void* x, const QueryBlock& block, const Buffer& keys_values,
              const Buffer& context) {
    const std::int64_t rows = block.rows();
    const Buffer queries = take(rows * query_stride(shape_), "queries");
    timed(LayerPart::qkv, [&] {
      LinearCall call = product(LayerTensor::query_weight, rows, x, queries.data());
      call.out = shape_.query_width();
      call.bias = weights_->at(LayerTensor::query_bias);
      call.y_stride = query_stride(shape_);
      device_.linear(call, allocator_);
    });
    const Tensor lse(allocator_, DType::f32, {1, shape_.heads, rows, 1}, "lse");
    timed(LayerPart::attention, [&] {
      attend(block, block_attention(
                        shape_, dtype_, options_.scale, rows,
                        {queries.data(), keys_values.data(), context.data(), lse.view().data}));
    });
  }

  // norm(x + attention Wo) of the block's rows; x: their states.
  Buffer attention_half(const void* x, const QueryBlock& block, Buffer& keys_values) {
    const std::int64_t rows = block.rows();
    const Buffer context = take(rows * shape_.query_width(), "context");
    attend(x, block, keys_values, context);
    if (block.end == shape_.n_tokens) keys_values = Buffer();  // they are no longer needed
    Buffer sum = take(rows * hidden_, "attention_output");
    timed(LayerPart::attention_output, [&] {
      LinearCall call =
          product(LayerTensor::attention_output_weight, rows, context.data(), sum.data());
      call.in = shape_.query_width();
      device_.linear(call, allocator_);
      all_reduce(sum.data(), rows);
    });
    timed(LayerPart::attention_norm, [&] {
      norm(LayerTensor::attention_norm_scale, LayerTensor::attention_norm_shift,
           LayerTensor::attention_output_bias, rows, sum.data(), x);
    });
    return sum;
  }

  // y := norm(a + gelu(a W1) W2)
  void feed_forward_half(const void* a, void* y, std::int64_t rows) {
    const std::int64_t wide = shape_.feed_forward_dim;
    const Buffer activation = take(rows * wide, "feed_forward");
    timed(LayerPart::feed_forward_in, [&] {
      LinearCall call = product(LayerTensor::feed_forward_in_weight, rows, a, activation.data());
      call.out = call.y_stride = wide;
      device_.linear(call, allocator_);
    });
    timed(LayerPart::gelu, [&] {
      device_.bias_gelu(
          {dtype_, rows, wide, activation.data(), weights_->at(LayerTensor::feed_forward_in_bias)});
    });
    timed(LayerPart::feed_forward_out, [&] {
      LinearCall call = product(LayerTensor::feed_forward_out_weight, rows, activation.data(), y);
      call.in = wide;
      device_.linear(call, allocator_);
      all_reduce(y, rows);
    });
    timed(LayerPart::output_norm, [&] {
      norm(LayerTensor::output_norm_scale, LayerTensor::output_norm_shift,
           LayerTensor::feed_forward_out_bias, rows, y, a);
    });
  }

  ComputeDevice& device_;
  const LayerShape shape_;
  const DType dtype_;
  const LayerOptions options_;
  Allocator& allocator_;
  const std::int64_t hidden_;
  const std::int64_t size_;  // bytes of an element
  Stopwatch watch_;
  const LayerWeights* weights_ = nullptr;  // of the run
  Run run_;
  std::vector<QueryBlock> blocks_;
};

DeviceLayer::DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
                         const LayerOptions& options, ClockKind clock, Allocator& allocator) {
  device.require(options.kernel, dtype, shape.head_dim);
  state_ = std::make_unique<State>(device, shape, dtype, options, clock, allocator);
}

DeviceLayer::~DeviceLayer() = default;

DeviceLayer::Run DeviceLayer::run(const LayerWeights& weights, const TensorView& x,
                                  const TensorView& y) {
  return state_->run(weights, x, y);
}

Rehearsal rehearse_layer(const LayerShape& shape, DType dtype, const LayerOptions& options,
                         const cuda::KernelCosts& costs) {
  const auto play = [&](ComputeDevice& device, MemoryLedger& ledger) {
    const LayerWeights weights(shape, ledger, dtype);
    const Tensor x(ledger, dtype, shape.states(), "hidden_states");
    const Tensor y(ledger, dtype, shape.states(), "output");
    ledger.reset_peaks();
    DeviceLayer layer(device, shape, dtype, options, ClockKind::synchronized, ledger);
    return layer.run(weights, x.view(), y.view()).device_s;
  };
  Rehearsal told = rehearse(costs, play);
  if (told.executed_pairs) *told.executed_pairs /= shape.batch * shape.heads;
  return told;
}

LayerTimes run_layer(const LayerShape& shape, const LayerWeights& weights, const float* x, float* y,
                     const LayerOptions& options, Allocator& allocator) {
  cpu::require_gemm("a transformer layer");
  CpuDevice device(options.threads);
  DeviceLayer layer(device, shape, DType::f32, options, ClockKind::synchronized, allocator);
  const auto states = [&](const float* data) {
    return contiguous_view(const_cast<float*>(data), DType::f32, shape.states());
  };
  return layer.run(weights, states(x), states(y)).times;
}

double layer_part_flop(const LayerShape& shape, LayerPart part, std::int64_t pairs) {
  const auto tokens = static_cast<double>(shape.batch * shape.n_tokens);
  const auto hidden = static_cast<double>(shape.hidden());
  const auto queries = static_cast<double>(shape.query_width());
  const auto keys = static_cast<double>(shape.key_width());
  const auto wide = static_cast<double>(shape.feed_forward_dim);
  switch (part) {
    case LayerPart::qkv:
      return 2.0 * tokens * hidden * (queries + 2.0 * keys);
    case LayerPart::attention:
      return 4.0 * static_cast<double>(shape.batch) * static_cast<double>(pairs) * queries;
    case LayerPart::attention_output:
      return 2.0 * tokens * hidden * queries;
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
