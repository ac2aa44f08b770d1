// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/mix_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/status.h"
#include "kernels/cpu/call_checks.h"

namespace qb {
namespace {

template <class... Values>
[[noreturn]] void refuse(std::string_view who, fmt::format_string<const Values&...> what,
                         const Values&... values) {
  throw std::invalid_argument(fmt::format("{}: {}", who, fmt::format(what, values...)));
}

void check_options(std::string_view who, const MixerOptions& options, const MixerArguments& a,
                   const MixerShape& shape) {
  const std::string_view kind = word(options.kind);
  if (is_only_causal(options.kind) && !options.causal) refuse(who, "{} must be causal", kind);
  if (!has_causal_form(options.kind) && options.causal)
    throw Unsupported(fmt::format("{}: {} has no causal form", who, kind));
  if (options.chunk < 1) refuse(who, "a chunk of {} tokens is not possible", options.chunk);
  const bool ranked = options.kind == Mixer::performer ||
                      (!has_causal_form(options.kind) && options.kind != Mixer::axial);
  if (ranked && options.rank < 1) refuse(who, "{} needs a rank of at least 1", kind);
  if (options.kind == Mixer::short_convolution && options.rank < 2)
    refuse(who, "short_convolution needs a rank of at least 2, its taps, not {}", options.rank);
  const std::int64_t all = a.all_tokens == 0 ? shape.n_tokens : a.all_tokens;
  if (options.kind == Mixer::nystrom && options.rank > all)
    refuse(who, "{} tokens do not make {} landmarks; take a rank of at most {}", all, options.rank,
           all);
  if (a.first_token < 0 || a.first_token + shape.n_tokens > all)
    refuse(who, "{} tokens from token {} on are not some of {}", shape.n_tokens, a.first_token,
           all);
  if (options.kind == Mixer::perceiver && shape.value_dim != shape.key_dim)
    refuse(who, "perceiver needs values as wide as keys, {} columns and not {}", shape.key_dim,
           shape.value_dim);
  if (options.kind == Mixer::axial && (options.rows < 1 || shape.n_tokens % options.rows != 0))
    refuse(who, "{} tokens do not make {} equal rows; take a number that divides them",
           shape.n_tokens, options.rows);
  if (options.kind != Mixer::axial && a.pair_bias.data != nullptr)
    refuse(who, "{} takes no pair bias", kind);
  if (options.depth < 0) refuse(who, "a depth of {} is not possible", options.depth);
  if (options.kind == Mixer::performer && !(a.scale >= 0.0))
    refuse(who, "the features of performer need a scale of at least 0, not {}", a.scale);
  if (shape.n_tokens < 1) refuse(who, "there are no tokens");
}

void check_scan(std::string_view who, const MixerArguments& a) {
  const Extent& v = a.v.extent;
  const std::int64_t d = a.q.extent.head_dim;
  for (const TensorView* const view : {&a.q, &a.k, &a.delta})
    if (view->dtype != a.v.dtype) refuse(who, "q, k, v and delta have different types");
  cpu::require_extent(who, "q", a.q.extent, {v.batch, 1, v.length, d});
  cpu::require_extent(who, "k", a.k.extent, {v.batch, 1, v.length, d});
  cpu::require_extent(who, "delta", a.delta.extent, v);
  require_floats(who, "a", a.a, {1, v.heads, v.head_dim, d});
}

}  // namespace

void require_floats(std::string_view who, std::string_view name, const TensorView& tensor,
                    const Extent& expected) {
  if (tensor.data == nullptr) refuse(who, "there is no {}", name);
  if (tensor.dtype != DType::f32) refuse(who, "{} must be f32, not {}", name, word(tensor.dtype));
  cpu::require_extent(who, name, tensor.extent, expected);
}

void check_mixer(std::string_view who, const MixerOptions& options, const MixerArguments& a,
                 int threads) {
  cpu::require_threads(who, threads);
  if (a.v.dtype == DType::f64) throw Unsupported(fmt::format("{}: no kernel takes f64", who));
  const MixerShape shape = mixer_shape(options, a);
  check_options(who, options, a, shape);
  if (options.kind == Mixer::selective_scan) return check_scan(who, a);
  if (options.kind == Mixer::short_convolution) {
    if (!std::ranges::is_sorted(a.begins) ||
        (!a.begins.empty() && (a.begins.front() < 0 || a.begins.back() >= shape.n_tokens)))
      refuse(who, "begins are not ascending tokens of the sequence");
    return require_floats(who, "w", a.projection,
                          {1, shape.q_heads, options.rank, shape.value_dim});
  }
  cpu::check_inputs(who, a.q, a.k, a.v);
  if (a.q.extent.length != shape.n_tokens)
    refuse(who, "q has {} tokens and k has {}", a.q.extent.length, shape.n_tokens);
  if (options.kind == Mixer::ssd)
    require_floats(who, "decay", a.decay, {shape.batch, shape.q_heads, shape.n_tokens, 1});
  if (options.kind == Mixer::gated_delta) {
    const std::int64_t channels = a.decay.extent.head_dim == 1 ? 1 : shape.key_dim;
    require_floats(who, "decay", a.decay, {shape.batch, shape.q_heads, shape.n_tokens, channels});
    require_floats(who, "beta", a.beta, {shape.batch, shape.q_heads, shape.n_tokens, 1});
  }
  if (a.pair_bias.data != nullptr) {
    const std::int64_t columns = shape.n_tokens / options.rows;
    require_floats(who, "pair_bias", a.pair_bias, {1, shape.q_heads, columns, columns});
  }
  if (options.kind == Mixer::performer)
    require_floats(who, "omega", a.projection, {1, 1, options.rank, shape.key_dim});
  if (options.kind == Mixer::perceiver)
    require_floats(who, "L", a.projection, {1, 1, options.rank, shape.key_dim});
  if (options.kind == Mixer::linformer) {
    require_floats(who, "E", a.projection, {1, 1, options.rank, shape.n_tokens});
    if (a.value_projection.data != nullptr)
      require_floats(who, "F", a.value_projection, a.projection.extent);
  }
}

void check_output(std::string_view who, const MixerOptions& options, const MixerArguments& a) {
  const MixerShape shape = mixer_shape(options, a);
  require_floats(who, "out", a.out, {shape.batch, shape.q_heads, shape.n_tokens, shape.value_dim});
}

void check_state(std::string_view who, const MixerOptions& options, const MixerArguments& a,
                 const MixerState& state) {
  if (options.kind == Mixer::axial)
    throw Unsupported(fmt::format("{}: axial has no state; its passes are attend_lines()", who));
  if (options.exchange < 0 || options.exchange >= mixer_exchanges(options.kind))
    refuse(who, "{} has no exchange {}", word(options.kind), options.exchange);
  const MixerShape shape = mixer_shape(options, a);
  const MixerStateExtents extents = mixer_state_extents(options, shape);
  if (options.kind == Mixer::short_convolution && shape.n_tokens < options.rank - 1)
    refuse(who, "{} tokens are too few for the state of {} taps; take {} or more", shape.n_tokens,
           options.rank, options.rank - 1);
  require_floats(who, "the matrix of a state", state.matrix, extents.matrix);
  require_floats(who, "the vector of a state", state.vector, extents.vector);
  if (options.exchange == 0) return;
  MixerOptions first = options;
  first.exchange = 0;
  const MixerStateExtents landmarks = mixer_state_extents(first, shape);
  require_floats(who, "q_landmarks", a.q_landmarks, landmarks.matrix);
  require_floats(who, "k_landmarks", a.k_landmarks, landmarks.vector);
}

}  // namespace qb
