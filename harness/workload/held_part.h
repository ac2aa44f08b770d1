// SPDX-License-Identifier: Apache-2.0
// A part of a grid of tokens (harness/plan/exchange/) as it lies in a tensor, from which messages
// of a change of layout are packed.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/plan/exchange/exchange_plan.h"
#include "harness/run/device/compute_device.h"
#include "kernels/attention.h"

namespace qb {

struct HeldPart {
  enum class Order {
    by_row,     // its tokens follow each other row by row
    by_column,  // or column by column
    by_head,    // rows are equal groups of heads, and columns tokens
  };
  Part part;
  TensorView view;
  Order order = Order::by_row;
  std::optional<DType> sent_as{};  // the type in a message; else its own

  [[nodiscard]] TensorView in_row(std::int64_t row, const Range& columns) const {
    const std::int64_t r = row - part.rows.begin;
    const std::int64_t c = columns.begin - part.columns.begin;
    if (order == Order::by_column)
      return view.tokens(c * part.rows.count() + r, columns.count(), part.rows.count());
    if (order == Order::by_row) return view.tokens(r * part.columns.count() + c, columns.count());
    const std::int64_t heads = view.extent.heads / part.rows.count();
    return view.heads(r * heads, heads).tokens(c, columns.count());
  }
};

// Copies a part that both hold.
inline void copy_part(ComputeDevice& device, const HeldPart& from, const HeldPart& to,
                      const Part& part) {
  for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row)
    device.copy_rows(from.in_row(row, part.columns), to.in_row(row, part.columns));
}

// Packs the part of these tensors one after another into a message, or unpacks it; returns the end.
inline std::byte* pack_part(ComputeDevice& device, const std::vector<HeldPart>& tensors,
                            const Part& part, std::byte* data, bool packs) {
  for (const HeldPart& held : tensors) {
    const bool by_head = held.order == HeldPart::Order::by_head;
    Extent extent = held.view.extent;
    extent.length = by_head ? part.columns.count() : part.count();
    if (by_head) extent.heads = extent.heads / held.part.rows.count() * part.rows.count();
    const HeldPart packed{part,
                          contiguous_view(data, held.sent_as.value_or(held.view.dtype), extent),
                          by_head ? held.order : HeldPart::Order::by_row};
    packs ? copy_part(device, held, packed, part) : copy_part(device, packed, held, part);
    data += packed.view.bytes();
  }
  return data;
}

}  // namespace qb
