// SPDX-License-Identifier: Apache-2.0
// Shapes, FLOP and states of the operators that mix tokens.
#include <cmath>

#include "kernels/merge.h"
#include "kernels/mixer/chunks.h"
#include "kernels/mixer/mixer.h"

namespace qb {
namespace {

// Calls function(b, h, row, the row as floats) for all rows of a view.
template <class Function>
void for_each_float_row(const TensorView& view, Function function) {
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t row = 0; row < view.extent.length; ++row)
        function(b, h, row, view.row_as<float>(b, h, row));
}

// Returns the pairs of tokens j <= i of the same chunk.
double pairs_of_chunks(std::int64_t n_tokens, std::int64_t chunk) {
  const auto pairs = [](std::int64_t n) {
    return 0.5 * static_cast<double>(n) * (static_cast<double>(n) + 1.0);
  };
  return static_cast<double>(n_tokens / chunk) * pairs(chunk) + pairs(n_tokens % chunk);
}

// state := M of `next` times S and M of the state, of gated_delta.
void apply_transitions(const MixerState& state, const MixerState& next) {
  const KernelContext context{heap_allocator(), 1, 0};  // callers give no workspace
  for (std::int64_t b = 0; b < state.matrix.extent.batch; ++b)
    for (std::int64_t h = 0; h < state.matrix.extent.heads; ++h)
      for (const TensorView& of : {state.matrix, state.vector}) {
        if (of.data == nullptr) continue;
        const TensorView rows = cpu::heads_of(of, b, h, 1);
        const Tensor product(heap_allocator(), DType::f32, rows.extent, "state");
        project_tokens(cpu::heads_of(next.vector, b, h, 1), rows, product.view(), context);
        copy_rows(product.view(), rows);
      }
}

// Multiplies a state by what the tokens of `next` leave of it.
void decay_state(const MixerOptions& options, const MixerState& state, const MixerState& next,
                 const TensorView& a) {
  for_each_float_row(state.matrix,
                     [&](std::int64_t b, std::int64_t h, std::int64_t row, float* values) {
                       const bool scan = options.kind == Mixer::selective_scan;
                       const float* const rates = scan ? a.row_as<float>(0, h, row) : nullptr;
                       const float amount = *next.vector.row_as<float>(b, h, scan ? row : 0);
                       for (std::int64_t x = 0; x < state.matrix.extent.head_dim; ++x)
                         values[x] *= std::exp(scan ? amount * rates[x] : amount);
                     });
}

// The state is O and LSE of queries over its tokens.
bool is_partial(const MixerOptions& options) {
  return options.kind == Mixer::performer || options.kind == Mixer::perceiver ||
         (options.kind == Mixer::nystrom && options.exchange == 1);
}

}  // namespace

MixerShape mixer_shape(const MixerOptions& options, const MixerArguments& a) {
  const Extent& v = a.v.extent;
  if (options.kind == Mixer::short_convolution)
    return {v.batch, v.heads, v.heads, v.length, v.head_dim, v.head_dim};
  const std::int64_t q_heads = options.kind == Mixer::selective_scan ? v.heads : a.q.extent.heads;
  return {v.batch, q_heads, v.heads, v.length, a.k.extent.head_dim, v.head_dim};
}

bool has_causal_form(Mixer kind) {
  return kind != Mixer::nystrom && kind != Mixer::linformer && kind != Mixer::perceiver &&
         kind != Mixer::axial;
}

bool is_only_causal(Mixer kind) {
  return kind == Mixer::ssd || kind == Mixer::gated_delta || kind == Mixer::selective_scan ||
         kind == Mixer::short_convolution;
}

int mixer_exchanges(Mixer kind) { return kind == Mixer::nystrom ? 2 : 1; }

MixerStateExtents mixer_state_extents(const MixerOptions& options, const MixerShape& s) {
  switch (options.kind) {
    case Mixer::linear:
      return {{s.batch, s.kv_heads, s.key_dim, s.value_dim}, {s.batch, s.kv_heads, s.key_dim, 1}};
    case Mixer::performer:
    case Mixer::perceiver:
      return {{s.batch, s.kv_heads, options.rank, s.value_dim},
              {s.batch, s.kv_heads, options.rank, 1}};
    case Mixer::linformer:
      return {{s.batch, s.kv_heads, options.rank, s.value_dim},
              {s.batch, s.kv_heads, options.rank, s.key_dim}};
    case Mixer::nystrom:
      if (options.exchange == 0)
        return {{s.batch, s.q_heads, options.rank, s.key_dim},
                {s.batch, s.kv_heads, options.rank, s.key_dim}};
      return {{s.batch, s.q_heads, options.rank, s.value_dim},
              {s.batch, s.q_heads, options.rank, 1}};
    case Mixer::ssd:
      return {{s.batch, s.q_heads, s.key_dim, s.value_dim}, {s.batch, s.q_heads, 1, 1}};
    case Mixer::gated_delta:
      return {{s.batch, s.q_heads, s.key_dim, s.value_dim},
              {s.batch, s.q_heads, s.key_dim, s.key_dim}};
    case Mixer::selective_scan:
      return {{s.batch, s.q_heads, s.value_dim, s.key_dim}, {s.batch, s.q_heads, s.value_dim, 1}};
    case Mixer::short_convolution:
      return {{s.batch, s.q_heads, options.rank - 1, s.value_dim}, {s.batch, s.q_heads, 0, 1}};
    case Mixer::axial:
      break;
  }
  return {{0, 0, 0, 0}, {0, 0, 0, 0}};
}

void clear_state(const MixerOptions& options, const MixerState& state) {
  if (is_partial(options)) return clear_partial(state.matrix, state.vector);
  clear_rows(state.matrix);
  clear_rows(state.vector);
  if (options.kind == Mixer::gated_delta)
    for_each_float_row(state.vector, [](std::int64_t, std::int64_t, std::int64_t row,
                                        float* values) { values[row] = 1.0f; });
}

void append_state(const MixerOptions& options, const MixerState& state, const MixerState& next,
                  const TensorView& a) {
  if (is_partial(options))
    return merge_partial(state.matrix, state.vector, next.matrix, next.vector);
  if (options.kind == Mixer::short_convolution) return copy_rows(next.matrix, state.matrix);
  if (options.kind == Mixer::gated_delta) {
    apply_transitions(state, next);
    return add_rows(state.matrix, next.matrix);
  }
  if (is_only_causal(options.kind)) decay_state(options, state, next, a);
  add_rows(state.matrix, next.matrix);
  if (state.vector.data != nullptr) add_rows(state.vector, next.vector);
}

double mixer_flop(const MixerOptions& options, const MixerShape& s) {
  const auto n = static_cast<double>(s.n_tokens);
  const auto d = static_cast<double>(s.key_dim);
  const auto p = static_cast<double>(s.value_dim);
  const auto rank = static_cast<double>(options.rank);
  const auto q_heads = static_cast<double>(s.batch * s.q_heads);
  const auto kv_heads = static_cast<double>(s.batch * s.kv_heads);
  const double pairs = options.causal ? pairs_of_chunks(s.n_tokens, options.chunk) : 0.0;
  const double of_ranks = 2.0 * n * rank * (d + p) * (q_heads + kv_heads);
  switch (options.kind) {
    case Mixer::linear:
      return 2.0 * n * d * p * (q_heads + kv_heads) + pairs * 2.0 * (d + p) * q_heads;
    case Mixer::ssd:
      return (4.0 * n * d * p + pairs * 2.0 * (d + p)) * q_heads;
    case Mixer::gated_delta:
      return (6.0 * n * d * p + (4.0 * pairs - 2.0 * n) * (d + p)) * q_heads;
    case Mixer::performer:
      return of_ranks + pairs * 2.0 * (rank + p) * q_heads;
    case Mixer::linformer:
      return of_ranks;
    case Mixer::perceiver:
      return of_ranks + 4.0 * static_cast<double>(options.depth) * rank * rank * p * kv_heads;
    case Mixer::axial: {
      const auto rows = static_cast<double>(options.rows);
      return (2.0 * n * n / rows * (d + p) + 4.0 * n * rows * p) * q_heads;
    }
    case Mixer::nystrom:
      return (4.0 * n * rank * (d + p) + 48.0 * rank * rank * rank + 2.0 * rank * rank * (d + p)) *
             q_heads;
    case Mixer::selective_scan:
      return (7.0 * n * d * p + n * p) * q_heads;
    case Mixer::short_convolution:
      return 2.0 * n * rank * p * q_heads;
  }
  return 0.0;
}

double mixer_backward_flop(const MixerOptions& options, const MixerShape& s) {
  const auto n = static_cast<double>(s.n_tokens);
  const auto d = static_cast<double>(s.key_dim);
  const auto p = static_cast<double>(s.value_dim);
  const auto q_heads = static_cast<double>(s.batch * s.q_heads);
  const auto kv_heads = static_cast<double>(s.batch * s.kv_heads);
  const double pairs = options.causal ? pairs_of_chunks(s.n_tokens, options.chunk) : 0.0;
  if (options.kind == Mixer::axial) {
    const auto rows = static_cast<double>(options.rows);
    return mixer_flop(options, s) +
           (n * n / rows * (6.0 * d + 4.0 * p) + 10.0 * n * rows * p) * q_heads;
  }
  if (options.kind == Mixer::short_convolution) return 3.0 * mixer_flop(options, s);
  if (options.kind == Mixer::linear)
    return 2.0 * n * d * p * (kv_heads + 5.0 * q_heads) + pairs * 6.0 * (d + p) * q_heads;
  if (options.kind == Mixer::gated_delta)
    return (18.0 * n * d * p + pairs * (14.0 * d + 12.0 * p) - 8.0 * n * (d + p)) * q_heads;
  return (10.0 * n * d * p + pairs * (6.0 * d + 4.0 * p)) * q_heads;
}

}  // namespace qb
