// SPDX-License-Identifier: Apache-2.0
// The tests of mixing operators share this: calls with random and adversarial inputs, states, and
// the gate of every comparison with float64.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/integers.h"
#include "kernels/mixer/mixer.h"
#include "kernels/testing/backward_support.h"

namespace qb::testing_support {

inline const std::vector<Mixer> kMixers = [] {
  std::vector<Mixer> all;
  for (const auto& row : kWords<Mixer>.rows) all.push_back(row.first);
  return all;
}();

struct MixerCase {
  MixerOptions options;
  MixerShape shape;
  DType dtype = DType::f32;
  int outlier_every = 0;
  bool strange = false;      // zero rows, decays of 0 and -inf, pairs and whole rows of bias -inf
  bool biased = false;       // axial: with a pair bias, some of it +-10^4
  bool of_channels = false;  // gated_delta: a decay for each channel of the keys
  std::uint64_t seed = 1;
};

inline std::string text(const MixerCase& c) {
  return std::string(word(c.options.kind)) + (c.options.causal ? " causal" : "") + " " +
         std::string(word(c.dtype)) + " b " + std::to_string(c.shape.batch) + " h " +
         std::to_string(c.shape.q_heads) + "/" + std::to_string(c.shape.kv_heads) + " n " +
         std::to_string(c.shape.n_tokens) + " d " + std::to_string(c.shape.key_dim) + " p " +
         std::to_string(c.shape.value_dim) + " rank " + std::to_string(c.options.rank) + " chunk " +
         std::to_string(c.options.chunk) + " rows " + std::to_string(c.options.rows) +
         " outliers " + std::to_string(c.outlier_every) + (c.strange ? " strange" : "") +
         (c.biased ? " biased" : "") + (c.of_channels ? " channels" : "") + " seed " +
         std::to_string(c.seed);
}

// Any shape that the operator takes: one token, fewer than a chunk, not a multiple of it, groups.
inline MixerCase random_case(Mixer kind, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto below = [&engine](std::int64_t limit) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(limit));
  };
  const std::int64_t dims[] = {1, 5, 16, 24, 64, 80};
  const DType dtypes[] = {DType::f32, DType::bf16, DType::f16};
  MixerCase c;
  c.seed = seed;
  c.dtype = dtypes[below(3)];
  c.options.kind = kind;
  c.options.causal = is_only_causal(kind) || (has_causal_form(kind) && below(2) == 0);
  c.options.chunk = below(3) == 0 ? 64 : 1 + below(40);
  c.shape = {1 + below(2),  1, 1, below(4) == 0 ? 1 : 1 + below(200), dims[below(6)],
             dims[below(6)]};
  c.shape.kv_heads = 1 + below(2);
  const bool shares = kind != Mixer::selective_scan && kind != Mixer::short_convolution;
  c.shape.q_heads = c.shape.kv_heads * (shares ? 1 + below(3) : 1);
  c.options.rank =
      1 + below(kind == Mixer::nystrom ? std::min<std::int64_t>(c.shape.n_tokens, 40) : 70);
  if (kind == Mixer::short_convolution) {
    c.shape.key_dim = c.shape.value_dim;
    c.options.rank = 2 + below(below(4) == 0 ? 70 : 4);
  }
  if (kind == Mixer::perceiver) {
    c.shape.value_dim = c.shape.key_dim;
    c.options.depth = below(4);
  }
  if (kind == Mixer::axial) {
    c.options.rows = c.shape.n_tokens == 1 ? 1 : 1 + below(14);
    if (c.shape.n_tokens > 1) c.shape.n_tokens = c.options.rows * (1 + below(14));
  }
  c.outlier_every = below(3) == 0 ? 50 : 0;
  c.strange = below(3) == 0;
  if (kind == Mixer::gated_delta) {
    c.of_channels = below(2) == 0;
    // Around the ends of chunks, and of blocks in them.
    if (below(3) == 0) c.shape.n_tokens = std::max<std::int64_t>(1, c.options.chunk - 1 + below(3));
  }
  return c;
}

// Replaces every element by change(element).
template <class Change>
void change_elements(const TensorView& view, Change change) {
  for (std::int64_t i = 0; i < view.extent.elements(); ++i) {
    void* const at = static_cast<std::byte*>(view.data) + i * size_of(view.dtype);
    store_element(at, view.dtype, change(load_element(at, view.dtype)));
  }
}

// Rows of length 1, but for rounding.
inline void make_unit_rows(const TensorView& view) {
  std::int64_t i = 0;
  double factor = 0.0;
  const std::vector<double> all = values(view);
  change_elements(view, [&](double x) {
    if (i % view.extent.head_dim == 0) {
      double sum = 0.0;
      for (std::int64_t r = 0; r < view.extent.head_dim; ++r)
        sum += all[static_cast<std::size_t>(i + r)] * all[static_cast<std::size_t>(i + r)];
      factor = 1.0 / std::sqrt(sum);
    }
    ++i;
    return factor * x;
  });
}

// A state in poisoned memory.
struct TestState {
  TestState(const MixerOptions& options, const MixerShape& shape)
      : matrix(testing_support::poisoned_allocator(), DType::f32,
               mixer_state_extents(options, shape).matrix, "state"),
        vector(testing_support::poisoned_allocator(), DType::f32,
               mixer_state_extents(options, shape).vector, "state") {}
  [[nodiscard]] MixerState view() const { return {matrix.view(), vector.view()}; }
  Tensor matrix;
  Tensor vector;
};

// The tensors of a call, and poisoned memory for its output and its states.
struct MixerCall {
  explicit MixerCall(const MixerCase& of) : options(of.options), shape(of.shape) {
    const bool scan = options.kind == Mixer::selective_scan;
    const Extent keys{shape.batch, scan ? 1 : shape.kv_heads, shape.n_tokens, shape.key_dim};
    const Extent rows{shape.batch, shape.q_heads, shape.n_tokens, shape.value_dim};
    Extent queries = keys;
    if (!scan) queries.heads = shape.q_heads;
    Extent values = rows;
    values.heads = shape.kv_heads;
    std::uint64_t seed = 100 * of.seed;
    const auto add = [&](DType dtype, const Extent& extent, int outliers = 0) {
      tensors.push_back(random_tensor(dtype, extent, ++seed, 1.0, outliers));
      return tensors.back().view();
    };
    const bool convolves = options.kind == Mixer::short_convolution;
    if (!convolves) a.q = add(of.dtype, queries, of.outlier_every);
    if (!convolves) a.k = add(of.dtype, keys, of.outlier_every);
    a.v = add(of.dtype, values, of.outlier_every);
    a.scale = 1.0 / std::sqrt(static_cast<double>(shape.key_dim));
    std::mt19937_64 engine(of.seed);
    if (options.kind == Mixer::gated_delta) {
      for (const TensorView& view : {a.q, a.k}) make_unit_rows(view);
      a.beta = add(DType::f32, {rows.batch, rows.heads, rows.length, 1});
      change_elements(a.beta, [&](double x) {
        const std::uint64_t draw = of.strange ? engine() % 8 : 7;
        return draw == 0 ? 0.0 : draw == 1 ? 1.0 : draw == 2 ? 2.0 : 1.0 / (1.0 + std::exp(-x));
      });
    }
    if (options.kind == Mixer::ssd || options.kind == Mixer::gated_delta) {
      a.decay = add(DType::f32,
                    {rows.batch, rows.heads, rows.length, of.of_channels ? shape.key_dim : 1});
      change_elements(a.decay, [&](double x) {
        const std::uint64_t draw = of.strange ? engine() % 8 : 7;
        return draw == 0   ? -HUGE_VAL
               : draw == 1 ? -0.0
               : draw == 2 ? -1e30
               : draw == 3 ? -30.0
                           : -0.2 * std::abs(x);
      });
    }
    if (scan) {
      a.delta = add(of.dtype, rows);
      change_elements(a.delta, [&](double x) {
        const std::uint64_t draw = of.strange ? engine() % 8 : 7;
        return draw == 0 ? 0.0 : draw == 1 ? 100.0 : 0.1 * std::abs(x);
      });
      a.a = add(DType::f32, {1, rows.heads, rows.head_dim, shape.key_dim});
      change_elements(a.a, [](double x) { return -8.0 * std::abs(x); });
    }
    if (convolves) {
      a.projection = add(DType::f32, {1, rows.heads, options.rank, rows.head_dim});
      for (std::int64_t i = 0; of.strange && i < rows.length; ++i)
        if (engine() % 8 == 0) begins.push_back(i);
      a.begins = begins;
    }
    if (options.kind == Mixer::performer) {
      a.projection = add(DType::f32, {1, 1, options.rank, shape.key_dim});
      fill_orthogonal(a.projection, of.seed);
    }
    if (options.kind == Mixer::perceiver)
      a.projection = add(DType::f32, {1, 1, options.rank, shape.key_dim}, of.outlier_every);
    if (options.kind == Mixer::linformer) {
      for (TensorView* const view : {&a.projection, &a.value_projection}) {
        *view = add(DType::f32, {1, 1, options.rank, shape.n_tokens});
        change_elements(
            *view, [&](double x) { return x / std::sqrt(static_cast<double>(shape.n_tokens)); });
        if (of.seed % 2 == 0) break;
      }
    }
    if (of.biased) {
      const std::int64_t columns = shape.n_tokens / options.rows;
      a.pair_bias = add(DType::f32, {1, shape.q_heads, columns, columns});
      const double size = of.seed % 3 == 0 ? 50.0 : 1.0;
      std::int64_t i = 0;
      change_elements(a.pair_bias, [&](double x) {
        const bool hidden = of.strange && (engine() % 4 == 0 || i / columns % 5 == 2);
        ++i;
        return hidden ? -HUGE_VAL : engine() % 50 == 0 ? std::copysign(1e4, x) + x : size * x;
      });
    }
    if (of.strange)
      for (const TensorView& view : {a.q, a.k, a.v})
        for (std::int64_t i = 0; i < view.extent.length; i += 3)
          for (std::int64_t h = 0; h < view.extent.heads; ++h)
            fill(view.heads(h, 1).tokens(i, 1), 0.0);
    tensors.emplace_back(heap_allocator(), DType::f32, rows, "out");
    a.out = tensors.back().view();
  }

  [[nodiscard]] std::vector<double> run(int threads, const MixerState* before = nullptr,
                                        const MixerState* after = nullptr) const {
    fill(a.out, std::nan(""));
    mix(options, a, {poisoned_allocator(), threads, 0}, before, after);
    return values(a.out);
  }
  [[nodiscard]] std::vector<std::int64_t> rows() const { return integers_below(shape.n_tokens); }
  [[nodiscard]] std::vector<double> reference() const {
    return mix_reference(options, a, rows(), 2);
  }

  MixerOptions options;
  MixerShape shape;
  std::vector<Tensor> tensors;
  std::vector<std::int64_t> begins;  // of documents
  MixerArguments a;
};

// The error may be 1.5 times that of a naive implementation in the same precision, besides a few
// roundings of the largest number of the tensor, or of terms that cancel.
inline void expect_near(const std::vector<double>& found, const std::vector<double>& exact,
                        const std::vector<double>& naive, const char* what = "out",
                        double largest_term = 0.0) {
  const double bound =
      1.5 * max_difference(naive, exact) +
      16.0 * unit_roundoff(DType::f32) * std::max(largest_term, largest_magnitude(exact));
  ASSERT_TRUE(max_difference(found, exact) <= bound)
      << what << ": " << max_difference(found, exact) << " > " << bound << ", naive "
      << max_difference(naive, exact) << ", largest " << largest_magnitude(exact);
}

}  // namespace qb::testing_support
