// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/hash.h"
#include "base/status.h"
#include "harness/verify/inputs.h"
#include "harness/verify/verify.h"
#include "kernels/merge.h"

namespace qb {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// The seeds of what attention does not have.
std::uint64_t other_seed(const Problem& problem, std::uint64_t which) {
  return mixed(problem.seed + which * kGoldenGamma);
}

// Replaces each element x of a contiguous tensor by change(x).
template <class Change>
void change_elements(const TensorView& view, Change change) {
  std::array<double, 1024> values;
  const std::int64_t most = std::ssize(values);
  for (std::int64_t at = 0; at < view.extent.elements(); at += most) {
    const std::int64_t count = std::min(most, view.extent.elements() - at);
    std::byte* const data = static_cast<std::byte*>(view.data) + at * size_of(view.dtype);
    convert(data, view.dtype, values.data(), DType::f64, count);
    std::for_each_n(values.begin(), count, [&](double& value) { value = change(value); });
    convert(values.data(), DType::f64, data, view.dtype, count);
  }
}

// These tokens' columns of E: the numbers of a tensor with a head for each of its rows.
void fill_columns(const Problem& problem, const Range& tokens, const TensorView& view,
                  int threads) {
  Problem of_rows = problem;
  of_rows.inputs = InputKind::random;
  of_rows.seed = other_seed(problem, 4);
  of_rows.shape.batch = of_rows.shape.head_dim = 1;
  of_rows.shape.q_heads = view.extent.length;
  fill_input(of_rows, TensorRole::q, tokens,
             contiguous_view(view.data, view.dtype, {1, view.extent.length, tokens.count(), 1}),
             threads);
}

// change(one random number) for each token, head and channel.
template <class Change>
void fill_rates(const Problem& problem, std::uint64_t which, const Range& tokens,
                const TensorView& view, int threads, Change change) {
  Problem of_rates = problem;
  of_rates.inputs = InputKind::random;
  of_rates.seed = other_seed(problem, which);
  of_rates.shape.head_dim = view.extent.head_dim;
  fill_input(of_rates, TensorRole::q, tokens, view, threads);
  change_elements(view, change);
}

// Calls change(row) for each row.
template <class Change>
void change_rows(const TensorView& view, Change change) {
  std::vector<double> row(static_cast<std::size_t>(view.extent.head_dim));
  for (std::int64_t b = 0; b < view.extent.batch; ++b)
    for (std::int64_t h = 0; h < view.extent.heads; ++h)
      for (std::int64_t i = 0; i < view.extent.length; ++i) {
        convert(view.row(b, h, i), view.dtype, row.data(), DType::f64, std::ssize(row));
        change(row);
        convert(row.data(), DType::f64, view.row(b, h, i), view.dtype, std::ssize(row));
      }
}

// Makes the row as long as 1, but for rounding.
void make_unit(std::vector<double>& row) {
  double squares = 0.0;
  for (const double x : row) squares += x * x;
  for (double& x : row) x /= squares == 0.0 ? 1.0 : std::sqrt(squares);
}

std::vector<TensorView> those_with_data(std::vector<TensorView> views) {
  std::erase_if(views, [](const TensorView& view) { return view.data == nullptr; });
  return views;
}

}  // namespace

Problem MixerProblem::of_queries() const {
  Problem other = problem;
  if (!scans()) return other;
  other.shape.q_heads = other.shape.kv_heads = 1;
  other.shape.head_dim = options.rank;
  other.scale = 1.0 / std::sqrt(options.rank);
  return other;
}

MixerShape MixerProblem::shape(std::int64_t n_tokens) const {
  const Shape& s = problem.shape;
  return {s.batch, s.q_heads, s.kv_heads, n_tokens, of_queries().shape.head_dim, s.value_dim};
}

MixerProblem mixer_problem_of(const Case& c) {
  MixerProblem mixer{problem_of(c),
                     {.kind = *c.mixer.kind,
                      .causal = c.mask.kind() == MaskKind::causal,
                      .rank = c.mixer.rank,
                      .chunk = c.mixer.chunk,
                      .depth = c.mixer.depth,
                      .rows = c.mixer.rows},
                     c.mixer.pair_bias == PairBias::random,
                     c.mixer.gate};
  const Shape& shape = mixer.problem.shape;
  if (mixer.options.kind == Mixer::nystrom && c.mixer.rank > shape.q_len)
    throw Unsupported(
        fmt::format("{} tokens do not make {} landmarks; the nearest is mixer.rank: {}",
                    shape.q_len, c.mixer.rank, shape.q_len));
  if (mixer.options.kind == Mixer::axial && shape.q_len % c.mixer.rows != 0)
    throw Unsupported(
        fmt::format("{} tokens do not make {} equal rows; the nearest is mixer.rows: {}",
                    shape.q_len, c.mixer.rows, nearest_rows(shape.q_len, c.mixer.rows)));
  if ((mixer.scans() || mixer.options.kind == Mixer::short_convolution) &&
      shape.kv_heads != shape.q_heads)
    throw Unsupported(fmt::format("{} has no groups of heads; the nearest is kv_heads: q_heads",
                                  word(mixer.options.kind)));
  return mixer;
}

MixerTensors::MixerTensors(const MixerProblem& problem, const Range& tokens, Allocator& memory,
                           int worker, bool with_gradients)
    : MixerViews(tokens), problem_(problem), memory_(memory), worker_(worker) {
  const DType dtype = problem.problem.dtype;
  const std::int64_t rank = problem.options.rank;
  const std::int64_t n = tokens.count();
  Shape shape = problem.problem.shape;
  Problem queries = problem.of_queries();
  shape.q_len = shape.kv_len = queries.shape.q_len = queries.shape.kv_len = n;
  const bool convolves = problem.options.kind == Mixer::short_convolution;
  arguments_ = {.q = convolves ? TensorView{} : take(dtype, queries.shape.q(), "q"),
                .k = convolves ? TensorView{} : take(dtype, queries.shape.k(), "k"),
                .v = take(dtype, shape.v(), "v"),
                .scale = queries.scale,
                .first_token = tokens.begin,
                .all_tokens = problem.problem.shape.q_len};
  switch (problem.options.kind) {
    case Mixer::ssd:
    case Mixer::gated_delta: {
      Extent decays = shape.lse();
      if (problem.gate == DecayGate::channel) decays.head_dim = shape.head_dim;
      arguments_.decay = take(DType::f32, decays, "decay");
      if (problem.options.kind == Mixer::gated_delta)
        arguments_.beta = take(DType::f32, shape.lse(), "beta");
      break;
    }
    case Mixer::selective_scan:
      arguments_.delta = take(dtype, shape.v(), "delta");
      arguments_.a = take(DType::f32, {1, shape.kv_heads, shape.value_dim, rank}, "a");
      break;
    case Mixer::performer:
      arguments_.projection = take(DType::f32, {1, 1, rank, shape.head_dim}, "omega");
      break;
    case Mixer::perceiver:
      arguments_.projection = take(DType::f32, {1, 1, rank, shape.head_dim}, "latents");
      break;
    case Mixer::linformer:
      arguments_.projection = take(DType::f32, {1, 1, rank, n}, "projection");
      break;
    case Mixer::short_convolution:
      arguments_.projection =
          take(DType::f32, {1, shape.kv_heads, rank, shape.value_dim}, "weights");
      for (const Segment& document : problem.problem.mask.segments)
        if (tokens.begin <= document.q_begin && document.q_begin < tokens.end)
          begins_.push_back(document.q_begin - tokens.begin);
      arguments_.begins = begins_;
      break;
    case Mixer::axial:
      if (problem.has_pair_bias) {
        const std::int64_t columns = problem.problem.shape.q_len / problem.options.rows;
        arguments_.pair_bias = take(DType::f32, {1, shape.q_heads, columns, columns}, "pair_bias");
      }
      break;
    case Mixer::linear:
    case Mixer::nystrom:
      break;
  }
  arguments_.out = take(DType::f32, shape.out(), "output");
  if (!with_gradients) return;
  gradients_ = {.d_out = take(dtype, shape.out(), "d_out")};
  if (!convolves) {
    gradients_.d_q = take(DType::f32, arguments_.q.extent, "d_q");
    gradients_.d_k = take(DType::f32, arguments_.k.extent, "d_k");
  }
  gradients_.d_v = take(DType::f32, arguments_.v.extent, "d_v");
  if (arguments_.decay.data != nullptr)
    gradients_.d_decay = take(DType::f32, arguments_.decay.extent, "d_decay");
  if (arguments_.beta.data != nullptr)
    gradients_.d_beta = take(DType::f32, arguments_.beta.extent, "d_beta");
  if (convolves) {
    Extent weights = arguments_.projection.extent;
    weights.batch = shape.batch;
    gradients_.d_projection = take(DType::f32, weights, "d_weights");
  }
}

std::vector<TensorView> MixerViews::read(Pass pass) const {
  if (pass == Pass::backward) return {gradients_.d_out};
  return those_with_data(
      {arguments_.q, arguments_.k, arguments_.v, arguments_.decay, arguments_.beta});
}

std::vector<TensorView> MixerViews::written(Pass pass) const {
  if (pass == Pass::forward) return {arguments_.out};
  const MixerGradients& g = gradients_;
  return those_with_data({g.d_q, g.d_k, g.d_v, g.d_decay, g.d_beta, g.d_projection});
}

TensorView MixerTensors::take(DType dtype, const Extent& extent, const char* label) {
  return owned_.emplace_back(memory_, dtype, extent, label, worker_).view();
}

void MixerTensors::fill(int threads) {
  const Problem& problem = problem_.problem;
  const Problem of_queries = problem_.of_queries();
  if (arguments_.q.data != nullptr) {
    fill_input(of_queries, TensorRole::q, tokens_, arguments_.q, threads);
    fill_input(of_queries, TensorRole::k, tokens_, arguments_.k, threads);
  }
  fill_input(problem, TensorRole::v, tokens_, arguments_.v, threads);
  if (problem_.options.kind == Mixer::gated_delta)
    for (const TensorView& rows : {arguments_.q, arguments_.k}) change_rows(rows, make_unit);
  if (arguments_.decay.data != nullptr)
    fill_rates(problem, 1, tokens_, arguments_.decay, threads,
               [](double value) { return std::abs(value) / -16.0; });
  for (const Segment& document : problem.mask.segments) {
    const Range first = intersection({document.q_begin, document.q_begin + 1}, tokens_);
    if (first.count() > 0 && document.q_begin > 0 && arguments_.decay.data != nullptr)
      change_rows(arguments_.decay.tokens(first.begin - tokens_.begin, 1),
                  [](std::vector<double>& row) { std::ranges::fill(row, kMinusInfinity); });
  }
  if (arguments_.delta.data != nullptr)
    fill_rates(problem, 2, tokens_, arguments_.delta, threads,
               [](double value) { return std::abs(value) / 16.0; });
  if (arguments_.beta.data != nullptr)
    fill_rates(problem, 7, tokens_, arguments_.beta, threads,
               [](double value) { return 1.0 / (1.0 + std::exp(-value)); });
  if (problem_.scans())
    change_elements(arguments_.a, [&, i = std::int64_t{0}](double) mutable {
      return -static_cast<double>(i++ % problem_.options.rank + 1);
    });
  if (problem_.options.kind == Mixer::performer)
    fill_orthogonal(arguments_.projection, other_seed(problem, 3));
  if (problem_.options.kind == Mixer::perceiver)
    fill_normal(arguments_.projection, other_seed(problem, 5), threads);
  if (problem_.options.kind == Mixer::short_convolution) {
    fill_normal(arguments_.projection, other_seed(problem, 8), threads);
    change_elements(arguments_.projection,
                    [&](double value) { return value / std::sqrt(problem_.options.rank); });
  }
  if (const TensorView& bias = arguments_.pair_bias; bias.data != nullptr) {
    const Tensor typed(heap_allocator(), problem.dtype, bias.extent, "pair_bias");
    fill_normal(typed.view(), other_seed(problem, 6), threads);
    copy_rows(typed.view(), bias, threads);
  }
  if (problem_.options.kind == Mixer::linformer) {
    fill_columns(problem, tokens_, arguments_.projection, threads);
    change_elements(arguments_.projection,
                    [&](double value) { return value / std::sqrt(problem_.options.rank); });
  }
  poison(arguments_.out);
  if (gradients_.d_out.data == nullptr) return;
  fill_input(problem, TensorRole::d_out, tokens_, gradients_.d_out, threads);
  for (const TensorView& gradient : written(Pass::backward)) poison(gradient);
}

}  // namespace qb
