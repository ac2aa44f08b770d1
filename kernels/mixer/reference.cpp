// SPDX-License-Identifier: Apache-2.0
// The operators by their formulas (mixer.h), one head at a time. T is double, or float with
// intermediates rounded to the inputs' type.
#include <cmath>
#include <map>

#include "kernels/mixer/literal.h"
#include "kernels/mixer/mixer.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using namespace literal;

template <class T>
class Head {
 public:
  Head(const MixerOptions& options, const MixerArguments& arguments,
       std::span<const std::int64_t> rows, DType rounding, std::int64_t b, std::int64_t h)
      : options_(options), a_(arguments), rows_(rows), type_(rounding), b_(b), h_(h) {}

  void compute(Rows<T>& out, std::int64_t first) const {
    switch (options_.kind) {
      case Mixer::linear:
        return linear(out, first);
      case Mixer::performer:
        return performer(out, first);
      case Mixer::nystrom:
        return nystrom(out, first);
      case Mixer::linformer:
        return attend(
            projected(a_.projection, a_.k),
            projected(a_.value_projection.data == nullptr ? a_.projection : a_.value_projection,
                      a_.v),
            out, first);
      case Mixer::perceiver:
        return perceiver(out, first);
      case Mixer::axial:
        return axial(out, first);
      case Mixer::ssd:
        return ssd(out, first);
      case Mixer::gated_delta:
        return gated_delta(out, first);
      case Mixer::selective_scan:
        return selective_scan(out, first);
      case Mixer::short_convolution:
        return short_convolution(out, first);
    }
  }

 private:
  [[nodiscard]] Rows<T> own(const TensorView& view) const { return {view, b_, h_}; }
  [[nodiscard]] Rows<T> shared(const TensorView& view) const {
    return {view, b_, h_ / (a_.q.extent.heads / view.extent.heads)};
  }
  [[nodiscard]] Rows<T> weights(const TensorView& view) const { return {view, 0, 0}; }
  [[nodiscard]] std::int64_t n_seen(std::int64_t row) const {
    return options_.causal ? row + 1 : a_.k.extent.length;
  }
  [[nodiscard]] T scale() const { return static_cast<T>(a_.scale); }

  void linear(Rows<T>& out, std::int64_t first) const {
    const Rows<T> q = elu_features(own(a_.q), type_);
    const Rows<T> k = elu_features(shared(a_.k), type_);
    const Rows<T> v = shared(a_.v);
    for (const std::int64_t i : rows_) {
      T* const to = out.row(first++);
      T total = 0;
      for (std::int64_t j = 0; j < n_seen(i); ++j) {
        const T weight = rounded(dot(q.row(i), k.row(j), k.width), type_);
        total += weight;
        add_row(weight, v.row(j), v.width, to);
      }
      for (std::int64_t x = 0; x < v.width; ++x) to[x] = total == T{0} ? T{0} : to[x] / total;
    }
  }

  void performer(Rows<T>& out, std::int64_t first) const {
    const Rows<T> omega = weights(a_.projection);
    const Rows<T> q = own(a_.q);
    const Rows<T> k = shared(a_.k);
    const Rows<T> v = shared(a_.v);
    std::vector<Features<T>> of_rows;
    for (const std::int64_t i : rows_) of_rows.emplace_back(omega, q.row(i), scale(), type_);
    std::vector<WeighedSum<T>> sums(rows_.size(), WeighedSum<T>(v.width, type_));
    for (std::int64_t j = 0; j < k.count(); ++j) {
      const Features<T> of_key(omega, k.row(j), scale(), type_);
      for (std::size_t at = 0; at < rows_.size(); ++at)
        if (j < n_seen(rows_[at]))
          sums[at].add(Features<T>::log_dot(of_rows[at], of_key), v.row(j));
    }
    for (const WeighedSum<T>& sum : sums) sum.store(out.row(first++));
  }

  // out := softmax(scale Q keys^T) values
  void attend(const Rows<T>& keys, const Rows<T>& values, Rows<T>& out, std::int64_t first) const {
    const Rows<T> q = own(a_.q);
    for (const std::int64_t i : rows_) attend_row(q.row(i), keys, values, out.row(first++));
  }
  void attend_row(const T* query, const Rows<T>& keys, const Rows<T>& values, T* out) const {
    attend_row(query, keys, values, {0, keys.count()}, out);
  }
  // bias: one number for each key of `among`; nullptr: 0.
  void attend_row(const T* query, const Rows<T>& keys, const Rows<T>& values, const Range& among,
                  T* out, const T* bias = nullptr) const {
    WeighedSum<T> sum(values.width, type_);
    for (std::int64_t j = among.begin; j < among.end; ++j)
      sum.add(scale() * dot(query, keys.row(j), keys.width) +
                  (bias == nullptr ? T{0} : bias[j - among.begin]),
              values.row(j));
    sum.store(out);
  }

  [[nodiscard]] Rows<T> projected(const TensorView& by, const TensorView& rows) const {
    Rows<T> result = product(weights(by), shared(rows));
    round_rows(result, type_);
    return result;
  }

  [[nodiscard]] Rows<T> landmarks(const Rows<T>& of) const {
    const std::int64_t n = of.count();
    Rows<T> means(options_.rank, of.width);
    for (std::int64_t s = 0; s < options_.rank; ++s) {
      const std::int64_t begin = s * n / options_.rank;
      const std::int64_t end = (s + 1) * n / options_.rank;
      for (std::int64_t j = begin; j < end; ++j) add_row(T{1}, of.row(j), of.width, means.row(s));
      for (std::int64_t x = 0; x < of.width; ++x) means.row(s)[x] /= static_cast<T>(end - begin);
    }
    round_rows(means, type_);
    return means;
  }

  void nystrom(Rows<T>& out, std::int64_t first) const {
    const Rows<T> k = shared(a_.k);
    const Rows<T> v = shared(a_.v);
    const Rows<T> of_q = landmarks(own(a_.q));
    const Rows<T> of_k = landmarks(k);
    const std::int64_t rank = options_.rank;
    Rows<T> identity(rank, rank);
    for (std::int64_t i = 0; i < rank; ++i) identity.row(i)[i] = T{1};
    Rows<T> core(rank, rank);
    Rows<T> values(rank, v.width);
    for (std::int64_t i = 0; i < rank; ++i) {
      attend_row(of_q.row(i), of_k, identity, core.row(i));
      attend_row(of_q.row(i), k, v, values.row(i));
    }
    attend(of_k, product(inverse(core), values), out, first);
  }

  void perceiver(Rows<T>& out, std::int64_t first) const {
    const Rows<T> latents = weights(a_.projection);
    const Rows<T> k = shared(a_.k);
    const Rows<T> v = shared(a_.v);
    Rows<T> x(options_.rank, v.width);
    for (std::int64_t r = 0; r < options_.rank; ++r) attend_row(latents.row(r), k, v, x.row(r));
    for (std::int64_t i = 0; i < options_.depth; ++i) {
      const Rows<T> before = x;
      for (std::int64_t r = 0; r < options_.rank; ++r)
        attend_row(before.row(r), before, before, x.row(r));
    }
    attend(x, x, out, first);
  }

  void axial(Rows<T>& out, std::int64_t first) const {
    const Rows<T> q = own(a_.q);
    const Rows<T> k = shared(a_.k);
    const Rows<T> v = shared(a_.v);
    const std::int64_t width = q.count() / options_.rows;
    const bool is_biased = a_.pair_bias.data != nullptr;
    const Rows<T> bias = is_biased ? Rows<T>(a_.pair_bias, 0, h_) : Rows<T>(0, 1);
    std::map<std::int64_t, Rows<T>> columns;  // of Y
    for (const std::int64_t i : rows_) {
      const auto [at, is_new] = columns.try_emplace(i % width, options_.rows, v.width);
      Rows<T>& column = at->second;
      for (std::int64_t r = 0; r < options_.rows && is_new; ++r)
        attend_row(q.row(r * width + i % width), k, v, {r * width, (r + 1) * width}, column.row(r),
                   is_biased ? bias.row(i % width) : nullptr);
      if (is_new) round_rows(column, type_);
      attend_row(column.row(i / width), column, column, out.row(first++));
    }
  }

  // Six iterations of the pseudo-inverse.
  [[nodiscard]] static Rows<T> inverse(const Rows<T>& of) {
    const std::int64_t n = of.width;
    T rows = 0;
    T columns = 0;
    Rows<T> z(n, n);
    for (std::int64_t i = 0; i < n; ++i) {
      T row = 0;
      T column = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        row += std::abs(of.row(i)[j]);
        column += std::abs(of.row(j)[i]);
        z.row(i)[j] = of.row(j)[i];
      }
      rows = std::max(rows, row);
      columns = std::max(columns, column);
    }
    for (T& each : z.numbers) each /= rows * columns;
    // diagonal I - x
    const auto less = [n](T diagonal, Rows<T> x) {
      for (T& each : x.numbers) each = -each;
      for (std::int64_t i = 0; i < n; ++i) x.row(i)[i] += diagonal;
      return x;
    };
    for (int iteration = 0; iteration < 6; ++iteration) {
      const Rows<T> az = product(of, z);
      z = product(z, less(T{13}, product(az, less(T{15}, product(az, less(T{7}, az))))));
      for (T& each : z.numbers) each /= T{4};
    }
    return z;
  }

  void ssd(Rows<T>& out, std::int64_t first) const {
    const Rows<T> q = own(a_.q);
    const Rows<T> k = shared(a_.k);
    const Rows<T> v = shared(a_.v);
    const Rows<T> decay = own(a_.decay);
    for (const std::int64_t i : rows_) {
      T* const to = out.row(first++);
      T exponent = 0;
      for (std::int64_t j = i; j >= 0; exponent += decay.row(j)[0], --j) {
        const T weight = rounded(dot(q.row(i), k.row(j), k.width), type_) * std::exp(exponent);
        add_row(rounded(weight, type_), v.row(j), v.width, to);
      }
    }
  }

  void gated_delta(Rows<T>& out, std::int64_t first) const {
    const Rows<T> q = own(a_.q);
    DeltaState<T> state{shared(a_.k), shared(a_.v), own(a_.decay), own(a_.beta), type_};
    std::int64_t done = 0;
    for (const std::int64_t i : rows_) {  // ascending
      for (; done <= i; ++done) state.add(done);
      T* const to = out.row(first++);
      for (std::int64_t r = 0; r < q.width; ++r)
        add_row(scale() * q.row(i)[r], state.s.row(r), state.s.width, to);
    }
  }

  void selective_scan(Rows<T>& out, std::int64_t first) const {
    const Rows<T> c(a_.q, b_, 0);
    const Rows<T> b(a_.k, b_, 0);
    const Rows<T> x = own(a_.v);
    const Rows<T> delta = own(a_.delta);
    const Rows<T> a(a_.a, 0, h_);
    Rows<T> h(x.width, c.width);
    std::int64_t done = 0;
    for (const std::int64_t i : rows_) {  // ascending
      for (; done <= i; ++done)
        for (std::int64_t channel = 0; channel < x.width; ++channel) {
          const T step = delta.row(done)[channel];
          for (std::int64_t s = 0; s < c.width; ++s)
            h.row(channel)[s] = std::exp(step * a.row(channel)[s]) * h.row(channel)[s] +
                                step * b.row(done)[s] * x.row(done)[channel];
        }
      for (std::int64_t channel = 0; channel < x.width; ++channel)
        out.row(first)[channel] = dot(h.row(channel), c.row(i), c.width);
      ++first;
    }
  }

  void short_convolution(Rows<T>& out, std::int64_t first) const {
    const Convolution<T> of(a_, b_, h_);
    for (const std::int64_t i : rows_) {
      T* const to = out.row(first++);
      of.add_products(i, to);
      for (std::int64_t x = 0; x < of.v.width; ++x) to[x] *= sigmoid(to[x]);
    }
  }

  const MixerOptions& options_;
  const MixerArguments& a_;
  const std::span<const std::int64_t> rows_;
  const DType type_;
  const std::int64_t b_;
  const std::int64_t h_;
};

template <class T>
std::vector<double> compute(const MixerOptions& options, const MixerArguments& a,
                            std::span<const std::int64_t> rows, DType rounding, int threads) {
  const MixerShape shape = mixer_shape(options, a);
  const std::int64_t heads = shape.batch * shape.q_heads;
  Rows<T> out(heads * std::ssize(rows), shape.value_dim);
  parallel_for(heads, threads, 1, [&](std::int64_t head, std::int64_t, int) {
    Head<T>(options, a, rows, rounding, head / shape.q_heads, head % shape.q_heads)
        .compute(out, head * std::ssize(rows));
  });
  return {out.numbers.begin(), out.numbers.end()};
}

}  // namespace

std::vector<double> mix_reference(const MixerOptions& options, const MixerArguments& a,
                                  std::span<const std::int64_t> rows, int threads) {
  return compute<double>(options, a, rows, DType::f64, threads);
}

std::vector<double> mix_naive(const MixerOptions& options, const MixerArguments& a,
                              std::span<const std::int64_t> rows, int threads) {
  return compute<float>(options, a, rows, a.v.dtype, threads);
}

}  // namespace qb
