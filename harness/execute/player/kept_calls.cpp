#include "harness/execute/player/kept_calls.h"

#include <algorithm>
#include <cstdint>

namespace qb {
namespace {

// Returns the part of an address that decides how a kernel loads from it.
std::uintptr_t misalignment(const void* data) {
  return reinterpret_cast<std::uintptr_t>(data) % 16;
}

bool same_form(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && a.extent == b.extent && a.batch_stride == b.batch_stride &&
         a.head_stride == b.head_stride && a.token_stride == b.token_stride &&
         misalignment(a.data) == misalignment(b.data);
}

bool same_schedule(const TileSchedule& a, const TileSchedule& b) {
  const auto same_tile = [](const QueryTile& x, const QueryTile& y) {
    return x.begin == y.begin && x.end == y.end && x.first_span == y.first_span &&
           x.n_spans == y.n_spans;
  };
  // No GPU kernel uses residue classes.
  return a.n_queries == b.n_queries && a.n_keys == b.n_keys && a.classes.empty() &&
         b.classes.empty() && std::ranges::equal(a.tiles, b.tiles, same_tile) &&
         a.spans == b.spans && a.words == b.words;
}

}  // namespace

bool KeptCalls::is_of(const Call& call, Kernel kernel, const AttentionArguments& arguments) {
  const AttentionArguments& a = call.form;
  return call.kernel == kernel && a.scale == arguments.scale && same_form(a.q, arguments.q) &&
         same_form(a.k, arguments.k) && same_form(a.v, arguments.v) &&
         same_form(a.out, arguments.out) && same_form(a.lse, arguments.lse) &&
         same_schedule(call.schedule, *arguments.schedule);
}

void KeptCalls::attend(ComputeDevice& device, Kernel kernel, const AttentionArguments& arguments,
                       Allocator& memory, int worker) {
  if (next_ < calls_.size() && !is_of(calls_[next_], kernel, arguments))
    calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(next_), calls_.end());
  if (next_ == calls_.size()) {
    auto kept = device.keep_schedule(kernel, arguments, memory, worker);
    if (!kept) return device.attention(kernel, arguments, {memory, 1, worker}, {});
    calls_.push_back({kernel, arguments, *arguments.schedule, std::move(kept)});
  }
  calls_[next_++].kept(arguments, memory);
}

}  // namespace qb
