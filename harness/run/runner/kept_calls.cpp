// SPDX-License-Identifier: Apache-2.0
#include "harness/run/runner/kept_calls.h"

#include <algorithm>
#include <cstdint>
#include <utility>

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

bool same_tensors(const AttentionArguments& a, const AttentionArguments& b) {
  return same_form(a.q, b.q) && same_form(a.k, b.k) && same_form(a.v, b.v) &&
         same_form(a.out, b.out) && same_form(a.lse, b.lse);
}

bool same_tensors(const BackwardArguments& a, const BackwardArguments& b) {
  return same_form(a.q, b.q) && same_form(a.k, b.k) && same_form(a.v, b.v) &&
         same_form(a.d_out, b.d_out) && same_form(a.lse, b.lse) && same_form(a.delta, b.delta) &&
         same_form(a.d_q, b.d_q) && same_form(a.d_k, b.d_k) && same_form(a.d_v, b.d_v);
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

template <class Arguments>
bool KeptCalls::is_of(const Call<Arguments>& call, Kernel kernel, const Arguments& arguments) {
  return call.kernel == kernel && call.form.scale == arguments.scale &&
         same_tensors(call.form, arguments) && same_schedule(call.schedule, *arguments.schedule);
}

template <class Arguments, class Keep>
const KeptCalls::Call<Arguments>* KeptCalls::take(Sequence<Arguments>& sequence, Kernel kernel,
                                                  const Arguments& arguments, const Keep& keep) {
  std::vector<Call<Arguments>>& calls = sequence.calls;
  if (sequence.next < calls.size() && !is_of(calls[sequence.next], kernel, arguments))
    calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(sequence.next), calls.end());
  if (sequence.next == calls.size()) {
    auto kept = keep();
    if (!kept) return nullptr;
    calls.push_back({kernel, arguments, *arguments.schedule, std::move(kept)});
  }
  return &calls[sequence.next++];
}

void KeptCalls::attend(AttentionDevice& device, Kernel kernel, const AttentionArguments& arguments,
                       Allocator& memory, int worker) {
  const Call<AttentionArguments>* const call = take(forward_, kernel, arguments, [&] {
    return device.keep_schedule(kernel, arguments, memory, worker);
  });
  if (call == nullptr) return device.attention(kernel, arguments, {memory, 1, worker}, {});
  call->kept(arguments, memory);
}

const KeptCalls::Call<BackwardArguments>* KeptCalls::take_backward(
    AttentionDevice& device, Kernel kernel, const BackwardArguments& arguments, Allocator& memory,
    int worker) {
  return take(backward_, kernel, arguments,
              [&] { return device.keep_backward_schedule(kernel, arguments, memory, worker); });
}

void KeptCalls::attend_backward(AttentionDevice& device, Kernel kernel,
                                const BackwardArguments& arguments, Allocator& memory, int worker) {
  const Call<BackwardArguments>* const call =
      take_backward(device, kernel, arguments, memory, worker);
  if (call == nullptr) return device.attention_backward(kernel, arguments, {memory, 1, worker});
  call->kept(arguments, memory);
}

void KeptCalls::keep_backward(AttentionDevice& device, Kernel kernel,
                              const BackwardArguments& arguments, Allocator& memory, int worker) {
  (void)take_backward(device, kernel, arguments, memory, worker);
}

}  // namespace qb
