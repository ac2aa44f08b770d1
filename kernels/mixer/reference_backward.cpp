// SPDX-License-Identifier: Apache-2.0
// The gradients of the operators that have some by their formulas, one query head at a time:
// of axial those of attention (kernels/attention_backward.h), of the columns and then of the rows.
// With w_ij the weight of a pair, g_i the gradient of out_i and, for linear, D_i = sum_j w_ij:
//
//   linear   dw_ij = g_i.(v_j - out_i) / D_i     dv_j = sum_i w_ij / D_i g_i
//            dphi(q_i) = sum_j dw_ij phi(k_j)    dphi(k_j) = sum_i dw_ij phi(q_i)
//   ssd      w_ij = e_ij q_i.k_j, e_ij = exp(sum of decay_t over j < t <= i), dw_ij = g_i.v_j
//            dv_j = sum_i w_ij g_i    dq_i = sum_j e_ij dw_ij k_j    dk_j = sum_i e_ij dw_ij q_i
//            ddecay_t = sum of w_ij dw_ij over j < t <= i
//
// Those of gated_delta are the recurrence backwards, with dS the gradient of the state after token
// i and S' = Diag(exp(decay_i)) S_(i-1), e = v_i - S'^T k_i, u = beta_i e:
//
//   dS += c q_i g_i^T    dq_i = c S_i g_i    du = dS^T k_i    dbeta_i = du.e    dv_i = beta_i du
//   dk_i = dS u - S' dv_i    dS' = dS - k_i dv_i^T    ddecay_i = the sums of dS' S' over their rows
//   dS := Diag(exp(decay_i)) dS'
//
// The gradients of short_convolution are, with y_i the sum of the taps and
// s_i = 1 / (1 + exp(-y_i)):
//
//   dy_i = g_i s_i (1 + y_i (1 - s_i))    dv_j = sum_t w_t dy_(j+t)    dw_t = sum_i dy_i v_(i-t)
#include <algorithm>
#include <cmath>

#include "kernels/mixer/literal.h"
#include "kernels/mixer/mixer.h"

namespace qb {
namespace {

using namespace literal;

template <class T>
class HeadGradients {
 public:
  // A group of query heads shares keys and values.
  HeadGradients(const MixerOptions& options, const MixerArguments& a, const TensorView& d_out,
                DType rounding, std::int64_t b, std::int64_t h, std::int64_t group)
      : options_(options),
        type_(rounding),
        q(a.q, b, h),
        k(a.k, b, h / group),
        v(a.v, b, h / group),
        g(d_out, b, h),
        phi_q(features(q)),
        phi_k(features(k)),
        d_q(q.count(), q.width),
        d_k(q.count(), q.width),
        d_v(v.count(), v.width),
        d_decay(q.count(), std::max<std::int64_t>(1, a.decay.extent.head_dim)),
        d_beta(q.count(), 1),
        d_projection(options.rank, v.width) {
    const auto scale = static_cast<T>(a.scale);
    if (options.kind == Mixer::short_convolution) {
      add_convolution({a, b, h});
    } else if (options.kind == Mixer::gated_delta) {
      add_delta({k, v, Rows<T>(a.decay, b, h), Rows<T>(a.beta, b, h), rounding}, scale);
    } else if (options.kind == Mixer::axial) {
      add_axial(scale);
    } else if (options.kind == Mixer::ssd) {
      const Rows<T> decay(a.decay, b, h);
      for (std::int64_t i = 0; i < q.count(); ++i) add_ssd_row(i, decay);
    } else {
      for (std::int64_t i = 0; i < q.count(); ++i) add_linear_row(i);
      multiply_slopes(q, d_q);
      multiply_slopes(k, d_k);
    }
  }

 private:
  [[nodiscard]] Rows<T> features(const Rows<T>& rows) const {
    return options_.kind == Mixer::linear ? elu_features(rows, type_) : rows;
  }
  static void multiply_slopes(const Rows<T>& x, Rows<T>& gradient) {
    for (std::size_t i = 0; i < x.numbers.size(); ++i)
      if (!(x.numbers[i] > T{0})) gradient.numbers[i] *= std::exp(x.numbers[i]);
  }

  static std::vector<T> softmax(const T* query, const Rows<T>& keys, const TokenGroup& line,
                                T scale) {
    std::vector<T> weights;
    for (std::int64_t j = 0; j < line.count; ++j)
      weights.push_back(scale * dot(query, keys.row(line.token(j)), keys.width));
    const T largest = *std::ranges::max_element(weights);
    T total = 0;
    for (T& weight : weights) total += weight = std::exp(weight - largest);
    for (T& weight : weights) weight /= total;
    return weights;
  }
  // What a pass reads, and its output.
  struct Attention {
    const Rows<T>& q;
    const Rows<T>& k;
    const Rows<T>& v;
    Rows<T>& out;
  };
  void attend(const Attention& of, const TokenGroup& line, T scale) const {
    for (std::int64_t i = 0; i < line.count; ++i) {
      const std::int64_t row = line.token(i);
      const std::vector<T> weights = softmax(of.q.row(row), of.k, line, scale);
      for (std::int64_t j = 0; j < line.count; ++j)
        add_row(rounded(weights[static_cast<std::size_t>(j)], type_), of.v.row(line.token(j)),
                of.v.width, of.out.row(row));
    }
  }
  void add_attention(const Attention& of, const Rows<T>& d_out, const TokenGroup& line, T scale,
                     Rows<T>& to_q, Rows<T>& to_k, Rows<T>& to_v) const {
    for (std::int64_t i = 0; i < line.count; ++i) {
      const std::int64_t row = line.token(i);
      const std::vector<T> weights = softmax(of.q.row(row), of.k, line, scale);
      const T shared = dot(d_out.row(row), of.out.row(row), of.v.width);
      for (std::int64_t j = 0; j < line.count; ++j) {
        const std::int64_t key = line.token(j);
        const T weight = weights[static_cast<std::size_t>(j)];
        const T d_weight = dot(d_out.row(row), of.v.row(key), of.v.width) - shared;
        const T d_score = rounded(scale * weight * d_weight, type_);
        add_row(d_score, of.k.row(key), of.k.width, to_q.row(row));
        add_row(d_score, of.q.row(row), of.k.width, to_k.row(key));
        add_row(rounded(weight, type_), d_out.row(row), of.v.width, to_v.row(key));
      }
    }
  }
  void add_axial(T scale) {
    const std::int64_t rows = options_.rows;
    const std::int64_t columns = q.count() / rows;
    Rows<T> y(q.count(), v.width);
    Rows<T> out = y;
    Rows<T> d_out = g;
    Rows<T> d_y = y;
    round_rows(d_out, type_);
    const Attention first{q, k, v, y};
    for (std::int64_t r = 0; r < rows; ++r) attend(first, {r * columns, columns}, scale);
    round_rows(y, type_);
    for (std::int64_t c = 0; c < columns; ++c) {
      attend({y, y, y, out}, {c, rows, columns}, scale);
      add_attention({y, y, y, out}, d_out, {c, rows, columns}, scale, d_y, d_y, d_y);
    }
    round_rows(d_y, type_);
    for (std::int64_t r = 0; r < rows; ++r)
      add_attention(first, d_y, {r * columns, columns}, scale, d_q, d_k, d_v);
  }

  void add_linear_row(std::int64_t i) {
    const std::int64_t end = options_.causal ? i + 1 : q.count();
    std::vector<T> weights;
    std::vector<T> out(static_cast<std::size_t>(v.width));
    T total = 0;
    for (std::int64_t j = 0; j < end; ++j) {
      weights.push_back(rounded(dot(phi_q.row(i), phi_k.row(j), q.width), type_));
      total += weights.back();
      add_row(weights.back(), v.row(j), v.width, out.data());
    }
    if (total == T{0}) return;  // out is 0 whatever the inputs are
    const T shared = dot(g.row(i), out.data(), v.width) / total;
    for (std::int64_t j = 0; j < end; ++j) {
      const T d_weight = rounded((dot(g.row(i), v.row(j), v.width) - shared) / total, type_);
      add_row(d_weight, phi_k.row(j), q.width, d_q.row(i));
      add_row(d_weight, phi_q.row(i), q.width, d_k.row(j));
      add_row(weights[static_cast<std::size_t>(j)] / total, g.row(i), v.width, d_v.row(j));
    }
  }

  void add_ssd_row(std::int64_t i, const Rows<T>& decay) {
    std::vector<T> products(static_cast<std::size_t>(i + 1));  // w_ij dw_ij
    T exponent = 0;
    for (std::int64_t j = i; j >= 0; exponent += decay.row(j)[0], --j) {
      const T factor = std::exp(exponent);
      const T weight = rounded(factor * dot(q.row(i), k.row(j), q.width), type_);
      const T d_weight = dot(g.row(i), v.row(j), v.width);
      add_row(rounded(factor * d_weight, type_), k.row(j), q.width, d_q.row(i));
      add_row(rounded(factor * d_weight, type_), q.row(i), q.width, d_k.row(j));
      add_row(weight, g.row(i), v.width, d_v.row(j));
      products[static_cast<std::size_t>(j)] = weight * d_weight;
    }
    T before = 0;
    for (std::int64_t t = 1; t <= i; ++t) {
      before += products[static_cast<std::size_t>(t - 1)];
      d_decay.row(t)[0] += before;
    }
  }

  void add_convolution(const Convolution<T>& of) {
    for (std::int64_t i = 0; i < v.count(); ++i) {
      std::vector<T> y(static_cast<std::size_t>(v.width));
      of.add_products(i, y.data());
      for (std::int64_t x = 0; x < v.width; ++x) {
        const T at = y[static_cast<std::size_t>(x)];
        const T gate = sigmoid(at);
        const T d_y = g.row(i)[x] * gate * (T{1} + at * (T{1} - gate));
        for (std::int64_t t = 0; t < of.taps(i); ++t) {
          d_v.row(i - t)[x] += of.w.row(t)[x] * d_y;
          d_projection.row(t)[x] += d_y * v.row(i - t)[x];
        }
      }
    }
  }

  // Keeps some states, and makes the others from them again.
  void add_delta(DeltaState<T> at, T scale) {
    constexpr std::int64_t kTokens = 16;
    std::vector<Rows<T>> kept;
    for (std::int64_t i = 0; i < q.count(); ++i) {
      if (i % kTokens == 0) kept.push_back(at.s);
      at.add(i);
    }
    Rows<T> d_state(q.width, v.width);
    for (std::int64_t i = q.count() - 1; i >= 0; --i) {
      at.s = kept[static_cast<std::size_t>(i / kTokens)];
      for (std::int64_t j = i / kTokens * kTokens; j < i; ++j) at.add(j);
      add_delta_token(i, at, d_state, scale);
    }
  }
  void add_delta_token(std::int64_t i, DeltaState<T>& at, Rows<T>& d_state, T scale) {
    const Rows<T> before = at.s;
    at.add(i);
    std::vector<T> d_update(at.update.size());
    for (std::int64_t r = 0; r < q.width; ++r) {
      d_q.row(i)[r] = scale * dot(at.s.row(r), g.row(i), v.width);
      add_row(scale * q.row(i)[r], g.row(i), v.width, d_state.row(r));
      add_row(k.row(i)[r], d_state.row(r), v.width, d_update.data());
      d_k.row(i)[r] = dot(d_state.row(r), at.update.data(), v.width);
    }
    d_beta.row(i)[0] = dot(d_update.data(), at.error.data(), v.width);
    for (std::int64_t x = 0; x < v.width; ++x)
      d_v.row(i)[x] = rounded(at.beta.row(i)[0] * d_update[static_cast<std::size_t>(x)], type_);
    for (std::int64_t r = 0; r < q.width; ++r) {
      const T factor = at.factor(i, r);
      d_k.row(i)[r] -= factor * dot(before.row(r), d_v.row(i), v.width);
      add_row(-k.row(i)[r], d_v.row(i), v.width, d_state.row(r));
      for (std::int64_t x = 0; x < v.width; ++x) d_state.row(r)[x] *= factor;
      d_decay.row(i)[d_decay.width == 1 ? 0 : r] += dot(d_state.row(r), before.row(r), v.width);
    }
  }

  const MixerOptions& options_;
  const DType type_;

 public:
  const Rows<T> q;
  const Rows<T> k;
  const Rows<T> v;
  const Rows<T> g;
  const Rows<T> phi_q;
  const Rows<T> phi_k;
  Rows<T> d_q;
  Rows<T> d_k;
  Rows<T> d_v;
  Rows<T> d_decay;
  Rows<T> d_beta;
  Rows<T> d_projection;
};

template <class T>
MixerGradientValues compute(const MixerOptions& options, const MixerArguments& a,
                            const TensorView& d_out, DType rounding, int threads) {
  const MixerShape s = mixer_shape(options, a);
  const std::int64_t group = s.q_heads / s.kv_heads;
  const auto zeros = [](const Extent& extent) {
    return std::vector<double>(static_cast<std::size_t>(extent.elements()));
  };
  Extent of_taps = a.projection.extent;
  of_taps.batch = s.batch;
  MixerGradientValues all{zeros(a.q.extent),     zeros(a.k.extent),    zeros(a.v.extent),
                          zeros(a.decay.extent), zeros(a.beta.extent), zeros(of_taps)};
  const auto add = [](const Rows<T>& rows, std::int64_t head, std::vector<double>& to) {
    for (std::size_t i = 0; i < rows.numbers.size() && !to.empty(); ++i)
      to[static_cast<std::size_t>(head) * rows.numbers.size() + i] +=
          static_cast<double>(rows.numbers[i]);
  };
  parallel_for(s.batch * s.kv_heads, threads, 1, [&](std::int64_t kv, std::int64_t, int) {
    for (std::int64_t head = kv * group; head < (kv + 1) * group; ++head) {
      const HeadGradients<T> of(options, a, d_out, rounding, head / s.q_heads, head % s.q_heads,
                                group);
      add(of.d_q, head, all.d_q);
      add(of.d_k, kv, all.d_k);
      add(of.d_v, kv, all.d_v);
      add(of.d_decay, head, all.d_decay);
      add(of.d_beta, head, all.d_beta);
      add(of.d_projection, head, all.d_projection);
    }
  });
  return all;
}

}  // namespace

MixerGradientValues mix_backward_reference(const MixerOptions& options, const MixerArguments& a,
                                           const TensorView& d_out, int threads) {
  return compute<double>(options, a, d_out, DType::f64, threads);
}

MixerGradientValues mix_backward_naive(const MixerOptions& options, const MixerArguments& a,
                                       const TensorView& d_out, int threads) {
  return compute<float>(options, a, d_out, a.v.dtype, threads);
}

}  // namespace qb
