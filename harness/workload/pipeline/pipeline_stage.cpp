// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/pipeline/pipeline_stage.h"

#include <span>
#include <utility>

#include "base/clock.h"

namespace qb {
namespace {

std::span<std::byte> bytes(const TensorView& rows) {
  return {static_cast<std::byte*>(rows.data), static_cast<std::size_t>(rows.bytes())};
}

}  // namespace

Extent PipelineStack::rows_of(const PipelineUnit& unit) const {
  const Shape& s = problem.shape;
  return {s.batch / plan.microbatches, s.q_heads,
          chunks[static_cast<std::size_t>(unit.chunk)].count(), s.head_dim};
}

double PipelineStack::flop_of(const PipelineUnit& unit) const {
  const Range& rows = chunks[static_cast<std::size_t>(unit.chunk)];
  // A row sees as many keys as its number, from 1 on.
  const double mean_keys = 0.5 * static_cast<double>(rows.begin + rows.end + 1);
  return (unit.backward ? 10.0 : 4.0) * layers * mean_keys *
         static_cast<double>(rows_of(unit).elements());
}

Tensor PipelineStage::take(Extent extent, const char* label, std::int64_t width) {
  if (width > 0) extent.head_dim = width;
  return {memory_, DType::f32, extent, label, stage_};
}

PipelineStage::Kept& PipelineStage::kept(PipelineUnit unit) {
  unit.backward = false;
  return kept_[plan_.number_of(unit)];
}

TensorView PipelineStage::slice_of(const TensorView& whole, const PipelineUnit& unit) const {
  const Extent extent = stack_.rows_of(unit);
  TensorView rows =
      whole.tokens(stack_.chunks[static_cast<std::size_t>(unit.chunk)].begin, extent.length);
  rows.data = rows.row(unit.microbatch * extent.batch, 0, 0);
  rows.extent = extent;
  return rows;
}

TensorView PipelineStage::x_of(const PipelineUnit& unit, int layer) {
  const TensorView own = kept(unit).x[static_cast<std::size_t>(layer)].view();
  return own.data != nullptr ? own : slice_of(layer == 0 ? whole_.x : whole_.y, unit);
}

TensorView PipelineStage::keys_of(const TensorView& rows, std::int64_t first) const {
  return rows.heads(first, stack_.problem.shape.kv_heads);
}

TileSchedule PipelineStage::schedule_of(const PipelineUnit& unit, const PipelineUnit& keys) const {
  const std::int64_t n = stack_.rows_of(unit).length;
  const std::int64_t n_keys = stack_.rows_of(keys).length;
  const SpanKind kind = keys.chunk == unit.chunk ? SpanKind::causal : SpanKind::full;
  return build_schedule(n, n_keys, {{0, n, {0, n_keys, kind}}},
                        kernel_tiles(stack_.kernel, stack_.problem.shape.head_dim).query_tile);
}

PipelineStage::Message PipelineStage::receive(std::size_t index, Transport& transport) {
  if (index >= order_.size()) return {};
  const PipelineUnit& unit = order_[index];
  const auto from = plan_.neighbour(stage_, unit, -1);
  if (!from) return {};
  Tensor tensor = take(stack_.rows_of(unit), unit.backward ? "gradient" : "activation");
  Ticket ticket = transport.receive({from->stage, stage_, static_cast<int>(plan_.number_of(unit))},
                                    bytes(tensor.view()));
  return {std::move(ticket), std::move(tensor)};
}

Ticket PipelineStage::send(const PipelineUnit& unit, const TensorView& rows, Transport& transport) {
  const auto to = plan_.neighbour(stage_, unit, 1);
  return transport.send({stage_, to->stage, static_cast<int>(plan_.number_of(to->unit))},
                        bytes(rows));
}

void PipelineStage::wait(Ticket& ticket, Transport& transport) {
  if (!ticket) return;
  (void)transport.timed_wait(std::exchange(ticket, {}), times_.idle_s, times_.exposed_s);
}

void PipelineStage::begin(Transport& transport) {
  kept_ = std::vector<Kept>(static_cast<std::size_t>(plan_.forward_units()));
  gradient_ = {};
  out_ = {};
  index_ = 0;
  times_ = {.begin_s = now_s()};
  in_ = receive(0, transport);
  ahead_ = receive(1, transport);
}

void PipelineStage::step(AttentionDevice& device, Transport& transport) {
  const PipelineUnit& unit = order_[index_];
  const bool sends = plan_.neighbour(stage_, unit, 1).has_value();
  wait(in_.ticket, transport);
  const double start_s = now_s();
  if (unit.backward)
    backward(unit, device);
  else
    forward(unit, device);
  times_.unit_s.push_back(now_s() - start_s);
  Kept& own = kept(unit);
  if (sends && unit.backward) {
    wait(out_.ticket, transport);
    out_.tensor = std::move(gradient_);
    out_.ticket = send(unit, out_.tensor.view(), transport);
  } else if (sends) {
    own.sent = send(unit, x_of(unit, stack_.layers), transport);
  }
  if (unit.backward) {
    wait(own.sent, transport);  // it arrived before these gradients were computed
    own = {};
  }
  in_ = std::move(ahead_);
  ahead_ = receive(++index_ + 1, transport);
}

void PipelineStage::end(Transport& transport) {
  wait(out_.ticket, transport);
  out_ = {};
  times_.end_s = now_s();
}

void PipelineStage::forward(const PipelineUnit& unit, AttentionDevice& device) {
  Kept& own = kept(unit);
  own.x.push_back(std::move(in_.tensor));
  for (int layer = 0; layer < stack_.layers; ++layer) {
    const bool ends = layer + 1 == stack_.layers && !plan_.neighbour(stage_, unit, 1);
    own.x.push_back(ends ? Tensor() : take(stack_.rows_of(unit), "activation"));
    own.lse.push_back(take(stack_.rows_of(unit), "lse", 2));
    const TensorView out = x_of(unit, layer + 1);
    const TensorView lse = own.lse.back().view();
    PipelineUnit from = unit;
    for (; from.chunk >= 0; --from.chunk) {
      const bool is_own = from.chunk == unit.chunk;
      const Tensor part = is_own ? Tensor() : take(out.extent, "part");
      const Tensor part_lse = is_own ? Tensor() : take(out.extent, "part", 2);
      const TensorView keys = keys_of(x_of(from, layer));
      const TileSchedule schedule = schedule_of(unit, from);
      device.attention(stack_.kernel,
                       {x_of(unit, layer), keys, keys, &schedule, stack_.problem.scale,
                        is_own ? out : part.view(), is_own ? lse : part_lse.view()},
                       {memory_, device.facts().host_threads, stage_}, {});
      if (!is_own) device.merge_partial(out, lse, part.view(), part_lse.view());
    }
  }
}

void PipelineStage::backward(const PipelineUnit& unit, AttentionDevice& device) {
  gradient_ = std::move(in_.tensor);
  TensorView d_y = gradient_.view();
  if (d_y.data == nullptr) d_y = slice_of(whole_.d_y, unit);
  for (int layer = stack_.layers - 1; layer >= 0; --layer) {
    const bool ends = layer == 0 && !plan_.neighbour(stage_, unit, 1);
    Tensor taken = ends ? Tensor() : take(d_y.extent, "gradient");
    const TensorView d_x = ends ? slice_of(whole_.d_x, unit) : taken.view();
    differentiate(unit, layer, d_y, d_x, device);
    gradient_ = std::move(taken);
    d_y = d_x;
  }
}

// Writes the gradient of a layer's input from that of its output, and adds to those of the keys of
// earlier chunks.
void PipelineStage::differentiate(const PipelineUnit& unit, int layer, const TensorView& d_y,
                                  const TensorView& d_x, AttentionDevice& device) {
  const auto at = static_cast<std::size_t>(layer);
  const std::int64_t kv_heads = stack_.problem.shape.kv_heads;
  const Tensor delta = take(d_y.extent, "delta", 1);
  device.compute_delta(x_of(unit, layer + 1), d_y, delta.view());
  device.clear_rows(d_x);
  PipelineUnit from = unit;
  for (from.chunk = 0; from.chunk <= unit.chunk; ++from.chunk) {
    const TensorView keys = keys_of(x_of(from, layer));
    std::vector<Tensor>& sums = kept(from).d_keys;
    sums.resize(static_cast<std::size_t>(stack_.layers));
    if (sums[at].view().data == nullptr) {
      Extent both = keys.extent;
      both.heads *= 2;
      sums[at] = take(both, "gradient");
      device.clear_rows(sums[at].view());
    }
    const TileSchedule schedule = schedule_of(unit, from);
    device.attention_backward(
        stack_.kernel,
        {x_of(unit, layer), keys, keys, d_y, kept(unit).lse[at].view(), delta.view(), &schedule,
         stack_.problem.scale, d_x, keys_of(sums[at].view()), keys_of(sums[at].view(), kv_heads)},
        {memory_, device.facts().host_threads, stage_});
  }
  for (const std::int64_t first : {std::int64_t{0}, kv_heads})
    device.add_rows(keys_of(d_x), keys_of(kept(unit).d_keys[at].view(), first));
}

}  // namespace qb
