// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/status.h"

namespace qb {
namespace {

// Returns the T from which a hop of K and V hides behind the attention of a shard.
double hiding_new_tokens(const Prefill& p) {
  return static_cast<double>(p.workers * p.kv_heads * p.element_bytes) * p.compute_flop_per_s /
         (2.0 * static_cast<double>(p.q_heads) * p.link_byte_per_s);
}

// Returns the miss rate from which K and V are the smaller message.
double smaller_message_miss_rate(const Prefill& p) {
  return 2.0 * static_cast<double>(p.kv_heads) / static_cast<double>(p.q_heads);
}

RingVariant pass_kv_if(bool condition) {
  return condition ? RingVariant::pass_kv : RingVariant::pass_q;
}

RingVariant choose_above(const Prefill& p, double miss_rate) {
  return pass_kv_if(static_cast<double>(p.new_tokens) >= hiding_new_tokens(p) ||
                    p.miss_rate() >= miss_rate);
}

constexpr std::size_t kFeatures = 3;
using Vector = std::array<double, kFeatures>;
using Matrix = std::array<Vector, kFeatures>;

Vector features(const Prefill& p) {
  return {1.0, std::log(static_cast<double>(p.new_tokens)), std::log(p.miss_rate())};
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Solves A x = b by elimination for a symmetric positive definite A (the ridge ensures that).
Vector solve(Matrix a, Vector b) {
  for (std::size_t pivot = 0; pivot < kFeatures; ++pivot)
    for (std::size_t row = pivot + 1; row < kFeatures; ++row) {
      const double factor = a[row][pivot] / a[pivot][pivot];
      for (std::size_t c = pivot; c < kFeatures; ++c) a[row][c] -= factor * a[pivot][c];
      b[row] -= factor * b[pivot];
    }
  for (std::size_t row = kFeatures; row-- > 0;) {
    for (std::size_t c = row + 1; c < kFeatures; ++c) b[row] -= a[row][c] * b[c];
    b[row] /= a[row][row];
  }
  return b;
}

struct Labelled {
  std::vector<Vector> x;  // 1, then the scaled features
  std::vector<double> y;  // +1 pass-KV, -1 pass-Q
  Vector mean{};
  Vector deviation{1.0, 1.0, 1.0};
};

Labelled scaled(std::span<const SelectorSample> samples) {
  Labelled data;
  const auto n = static_cast<double>(samples.size());
  for (const SelectorSample& sample : samples) {
    data.x.push_back(features(sample.prefill));
    data.y.push_back(sample.best() == RingVariant::pass_kv ? 1.0 : -1.0);
  }
  for (std::size_t f = 1; f < kFeatures; ++f) {
    for (const Vector& x : data.x) data.mean[f] += x[f] / n;
    double variance = 0.0;
    for (const Vector& x : data.x) variance += (x[f] - data.mean[f]) * (x[f] - data.mean[f]) / n;
    // A constant feature is scaled with deviation 1, so it becomes 0.
    if (variance > 1e-20) data.deviation[f] = std::sqrt(variance);
    for (Vector& x : data.x) x[f] = (x[f] - data.mean[f]) / data.deviation[f];
  }
  return data;
}

// It is small beside any real preference, and large enough to make the loss strictly convex.
constexpr double kRidge = 1e-3;

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

double loss(const Labelled& data, const Vector& weights) {
  double sum = 0.5 * kRidge * dot(weights, weights);
  for (std::size_t i = 0; i < data.x.size(); ++i)
    sum += softplus(-data.y[i] * dot(weights, data.x[i]));
  return sum;
}

// Returns the downhill direction of Newton's method.
Vector newton_step(const Labelled& data, const Vector& weights, Vector& gradient) {
  Matrix hessian{};
  for (std::size_t f = 0; f < kFeatures; ++f) {
    gradient[f] = kRidge * weights[f];
    hessian[f][f] = kRidge;
  }
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    const double wrong = 1.0 / (1.0 + std::exp(data.y[i] * dot(weights, data.x[i])));
    for (std::size_t f = 0; f < kFeatures; ++f) {
      gradient[f] -= wrong * data.y[i] * data.x[i][f];
      for (std::size_t g = 0; g < kFeatures; ++g)
        hessian[f][g] += wrong * (1.0 - wrong) * data.x[i][f] * data.x[i][g];
    }
  }
  return solve(hessian, gradient);
}

// Newton with halved steps: the loss is strictly convex and falls at every step.
Vector minimise(const Labelled& data) {
  Vector weights{};
  double value = loss(data, weights);
  for (int iteration = 0; iteration < 200; ++iteration) {
    Vector gradient{};
    const Vector step = newton_step(data, weights, gradient);
    double length = 1.0;
    Vector next = weights;
    double next_value = value;
    do {
      for (std::size_t f = 0; f < kFeatures; ++f) next[f] = weights[f] - length * step[f];
      next_value = loss(data, next);
      length /= 2.0;
    } while (!(next_value < value) && length > 1e-12);
    if (!(next_value < value)) break;
    const double fell = value - next_value;
    weights = next;
    value = next_value;
    if (fell < 1e-14 * (1.0 + value)) break;
  }
  return weights;
}

void validate(std::span<const SelectorSample> samples) {
  if (samples.empty())
    throw UsageError("a selector is fitted to at least one measurement; there is none");
  for (const SelectorSample& sample : samples) {
    const Prefill& p = sample.prefill;
    if (p.new_tokens < 1 || p.cached_tokens < 0)
      throw UsageError(fmt::format("a prefill cannot have {} new and {} cached tokens",
                                   p.new_tokens, p.cached_tokens));
    if (!(sample.pass_kv_s > 0.0 && sample.pass_q_s > 0.0))
      throw UsageError(fmt::format("times of {} and {} s are not a measurement", sample.pass_kv_s,
                                   sample.pass_q_s));
  }
}

// choose(i) chooses for sample i.
template <class Choose>
SelectorScore score_of(std::span<const SelectorSample> samples, const Choose& choose) {
  SelectorScore score;
  double regret_sum = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const RingVariant chosen = choose(i);
    const bool kv_best = samples[i].best() == RingVariant::pass_kv;
    const bool kv_chosen = chosen == RingVariant::pass_kv;
    ++(kv_best ? (kv_chosen ? score.kv_best_kv_chosen : score.kv_best_q_chosen)
               : (kv_chosen ? score.q_best_kv_chosen : score.q_best_q_chosen));
    const double regret = samples[i].seconds(chosen) / samples[i].seconds(samples[i].best()) - 1.0;
    regret_sum += regret;
    score.max_regret = std::max(score.max_regret, regret);
  }
  if (!samples.empty()) score.mean_regret = regret_sum / static_cast<double>(samples.size());
  return score;
}

}  // namespace

double Prefill::miss_rate() const {
  return static_cast<double>(new_tokens) / static_cast<double>(new_tokens + cached_tokens);
}

RingVariant choose_algorithm_1(const Prefill& prefill) {
  return choose_above(prefill, smaller_message_miss_rate(prefill));
}

RingVariant choose_algorithm_5(const Prefill& prefill) {
  const double lowered =
      4.0 * static_cast<double>(prefill.new_tokens) * prefill.link_byte_per_s /
      (static_cast<double>(prefill.workers * prefill.element_bytes) * prefill.compute_flop_per_s);
  return choose_above(prefill, smaller_message_miss_rate(prefill) - lowered);
}

RingVariant LogLinearSelector::choose(const Prefill& prefill) const {
  return pass_kv_if(dot({gamma, alpha, beta}, features(prefill)) > 0.0);
}

RingVariant SelectorSample::best() const { return pass_kv_if(pass_kv_s <= pass_q_s); }

double SelectorSample::seconds(RingVariant variant) const {
  return variant == RingVariant::pass_kv ? pass_kv_s : pass_q_s;
}

LogLinearSelector fit_appendix_d(std::span<const SelectorSample> samples) {
  validate(samples);
  const Labelled data = scaled(samples);
  const Vector weights = minimise(data);
  LogLinearSelector fitted;
  fitted.alpha = weights[1] / data.deviation[1];
  fitted.beta = weights[2] / data.deviation[2];
  fitted.gamma = weights[0] - fitted.alpha * data.mean[1] - fitted.beta * data.mean[2];
  return fitted;
}

std::size_t SelectorScore::samples() const {
  return kv_best_kv_chosen + kv_best_q_chosen + q_best_kv_chosen + q_best_q_chosen;
}

double SelectorScore::accuracy() const {
  if (samples() == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(kv_best_kv_chosen + q_best_q_chosen) / static_cast<double>(samples());
}

SelectorScore score_selector(std::span<const SelectorSample> samples, const Selector& choose) {
  return score_of(samples, [&](std::size_t i) { return choose(samples[i].prefill); });
}

SelectorScore score_appendix_d_left_out(std::span<const SelectorSample> samples) {
  if (samples.size() < 2) throw UsageError("leaving one measurement out needs two or more of them");
  return score_of(samples, [&](std::size_t left_out) {
    std::vector<SelectorSample> others(samples.begin(), samples.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    return fit_appendix_d(others).choose(samples[left_out].prefill);
  });
}

}  // namespace qb
