// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/layer/transformer_layer.h"

#include <stdexcept>
#include <vector>

#include "base/integers.h"
#include "harness/run/memory/system_memory.h"
#include "harness/workload/layer/layer_blocks.h"
#include "harness/workload/layer/layer_steps.h"
#include "kernels/tile_schedule.h"

namespace qb {
namespace {

struct PreparedBlock : Range {
  TileSchedule schedule{};  // empty where the device keeps one, or the run makes it
  LayerDevice::KeptSchedule kept{};
};

// Calls that read only shapes, strides and alignment get this address, aligned as an allocation is.
void* address_only() { return reinterpret_cast<void*>(kHugePageBytes); }

}  // namespace

class DeviceLayer::State : LayerSteps {
 public:
  State(LayerDevice& device, const LayerShape& shape, DType dtype, const LayerOptions& options,
        ClockKind clock, Allocator& memory)
      : LayerSteps(device, shape, dtype, options, clock, memory) {
    if (options.workers > 1 && dtype != DType::f32)
      throw std::invalid_argument("DeviceLayer: workers add their sums in float32");
    for (const Range& block : query_blocks(shape, options)) {
      blocks_.push_back(PreparedBlock{block, {}, {}});
      if (!device.facts().on_host) prepare(blocks_.back());
    }
  }

  Run run(const LayerWeights& weights, const TensorView& x, const TensorView& y,
          const LayerKept* keep) {
    keep_ = keep;
    return run_sequences(weights, [&](std::int64_t offset) {
      compute(static_cast<const std::byte*>(x.data) + offset,
              static_cast<std::byte*>(y.data) + offset);
    });
  }

 private:
  // Makes the block's schedule before the layer runs, where the kernel reads one.
  void prepare(PreparedBlock& block) {
    if (device_.reads_schedule(options_.kernel)) block.schedule = schedule_of(block);
    AttentionArguments call = arguments_of(
        block, address_only(), address_only(), address_only(),
        contiguous_view(address_only(), DType::f32, {1, shape_.heads, block.count(), 1}));
    call.out.dtype = DType::f32;
    call.schedule = &block.schedule;
    block.kept = device_.keep_schedule(options_.kernel, call, allocator_, 0);
    if (block.kept) block.schedule = {};
  }
  [[nodiscard]] TileSchedule schedule_of(const Range& block) const {
    return block_schedule(shape_, options_, device_.tiles(options_.kernel, shape_.head_dim), block);
  }

  // Returns the arguments without a schedule.
  [[nodiscard]] AttentionArguments arguments_of(const Range& block, void* queries,
                                                void* keys_values, void* context,
                                                const TensorView& lse) const {
    const auto [keys, values] = keys_values_of(shape_, keys_values, dtype_);
    return {
        queries_of(shape_, queries, dtype_, block.count()), keys, values, nullptr, options_.scale,
        context_of(shape_, context, dtype_, block.count()), lse};
  }

  void compute(const std::byte* x, std::byte* y) {
    const std::int64_t stride = key_value_stride(shape_);
    Place keys_values = place_of(&LayerKept::keys_values, {0, shape_.n_tokens},
                                 shape_.n_tokens * stride, "keys_values");
    timed(LayerPart::qkv,
          [&] { multiply_biased(to_keys_values(), x, shape_.n_tokens, keys_values.data, stride); });
    for (const PreparedBlock& block : blocks_) {
      const std::int64_t offset = bytes_of_states(block.begin);
      const Buffer sum = attention_half(x + offset, block, keys_values);
      feed_forward_half(sum.data(), y + offset, block);
    }
  }

  // Returns where rows of the block are kept, or memory of the run where nothing is kept.
  [[nodiscard]] Place place_of(Tensor LayerKept::*kept, const Range& block, std::int64_t elements,
                               std::string_view label) const {
    if (keep_ == nullptr) return take_place(elements, label);
    return {Buffer(), LayerKept::rows_of(keep_->*kept, sequence_, block).data};
  }
  // Copies a block's product, which the next part overwrites, where the layer keeps it.
  void keep_product(Tensor LayerKept::*kept, const Range& block, const void* product) {
    if (keep_ == nullptr || (keep_->*kept).view().data == nullptr) return;
    const TensorView rows = LayerKept::rows_of(keep_->*kept, sequence_, block);
    const std::int64_t elements = rows.extent.elements();
    device_.copy_rows(flat(product, elements), flat(rows.data, elements));
  }

  // Adds what the other workers computed of the same sums.
  void all_reduce(void* sums, std::int64_t rows) const {
    if (options_.workers == 1) return;
    const std::int64_t count = rows * hidden_;
    const Buffer received = take(ceil_div(count, options_.workers), "all_reduce");
    if (options_.all_reduce)
      options_.all_reduce(static_cast<float*>(sums), count, received.as<float>());
  }

  // Does what qb::attention does; `out` has the layer's type, and the schedule is the block's.
  void attend(const PreparedBlock& block, const AttentionArguments& arguments) {
    AttentionArguments call = arguments;
    if (dtype_ == DType::f32) return attend_f32(block, call);
    const TensorView rounded = flat(arguments.out.data, arguments.out.extent.elements());
    const Tensor out(allocator_, DType::f32, rounded.extent, "context_f32");
    call.out.data = out.view().data;
    call.out.dtype = DType::f32;
    attend_f32(block, call);
    device_.copy_rows(out.view(), rounded);
  }
  void attend_f32(const PreparedBlock& block, AttentionArguments call) {
    if (block.kept) return block.kept(call, allocator_);
    const TileSchedule own = device_.facts().on_host ? schedule_of(block) : TileSchedule{};
    call.schedule = device_.facts().on_host ? &own : &block.schedule;
    device_.attention(options_.kernel, call, {allocator_, options_.threads, 0}, {});
  }

  void attend(const void* x, const PreparedBlock& block, void* keys_values, void* context) {
    const std::int64_t rows = block.count();
    const std::int64_t stride = query_stride(shape_);
    const Place queries = place_of(&LayerKept::queries, block, rows * stride, "queries");
    timed(LayerPart::qkv, [&] {
      multiply_biased(product(LayerTensor::query_weight), x, rows, queries.data, stride);
    });
    const Extent statistics{1, shape_.heads, rows, 1};
    const Tensor own_lse =
        keep_ == nullptr ? Tensor(allocator_, DType::f32, statistics, "lse") : Tensor();
    const TensorView lse = keep_ == nullptr ? own_lse.view() : keep_->lse_of(sequence_, block);
    timed(LayerPart::attention,
          [&] { attend(block, arguments_of(block, queries.data, keys_values, context, lse)); });
  }

  // norm(x + attention Wo) of the block's rows; x: their states.
  Buffer attention_half(const void* x, const PreparedBlock& block, Place& keys_values) {
    const std::int64_t rows = block.count();
    const Place context =
        place_of(&LayerKept::context, block, rows * shape_.query_width(), "context");
    attend(x, block, keys_values.data, context.data);
    if (block.end == shape_.n_tokens) keys_values = Place();  // they are no longer needed
    Buffer sum = take(rows * hidden_, "attention_output");
    timed(LayerPart::attention_output, [&] {
      multiply(product(LayerTensor::attention_output_weight), context.data, rows, sum.data());
      all_reduce(sum.data(), rows);
      keep_product(&LayerKept::attention_output, block, sum.data());
    });
    timed(LayerPart::attention_norm, [&] { add_norm(kAttentionNorm, rows, sum.data(), x); });
    return sum;
  }

  // y := norm(a + gelu(a W1) W2)
  void feed_forward_half(const void* a, void* y, const Range& block) {
    const std::int64_t rows = block.count();
    const Buffer activation = take(rows * shape_.feed_forward_dim, "feed_forward");
    timed(LayerPart::feed_forward_in, [&] {
      multiply(product(LayerTensor::feed_forward_in_weight), a, rows, activation.data());
      keep_product(&LayerKept::pre_activation, block, activation.data());
    });
    timed(LayerPart::gelu, [&] { gelu(rows, activation.data()); });
    timed(LayerPart::feed_forward_out, [&] {
      multiply(product(LayerTensor::feed_forward_out_weight), activation.data(), rows, y);
      all_reduce(y, rows);
      keep_product(&LayerKept::feed_forward_output, block, y);
    });
    timed(LayerPart::output_norm, [&] { add_norm(kOutputNorm, rows, y, a); });
  }

  const LayerKept* keep_ = nullptr;  // of the run
  std::vector<PreparedBlock> blocks_;
};

DeviceLayer::DeviceLayer(ComputeDevice& device, const LayerShape& shape, DType dtype,
                         const LayerOptions& options, ClockKind clock, Allocator& allocator) {
  LayerDevice& layer = device.as<LayerDevice>();
  layer.require(options.kernel, dtype, shape.head_dim);
  state_ = std::make_unique<State>(layer, shape, dtype, options, clock, allocator);
}

DeviceLayer::~DeviceLayer() = default;

DeviceLayer::Run DeviceLayer::run(const LayerWeights& weights, const TensorView& x,
                                  const TensorView& y, const LayerKept* keep) {
  return state_->run(weights, x, y, keep);
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
