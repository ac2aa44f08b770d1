// SPDX-License-Identifier: Apache-2.0
// The mistakes that the field's programs are known to make (diagnosis.h), and the rows of O, LSE
// and gradients that come of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "harness/run/runner/executor.h"
#include "harness/verify/worst_error.h"
#include "kernels/cpu/plain_loops.h"

namespace qb::mistakes {

using Token = std::int64_t;
using Tokens = std::vector<Token>;

[[nodiscard]] inline std::size_t at(Token index) { return static_cast<std::size_t>(index); }

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Attention as it was asked for, but for one mistake, which has the name.
struct Mistake {
  std::string name;
  std::function<bool(Token row, Token key)> allows;
  double scale = 1.0;
  double softcap = 0.0;
  bool interleaved = false;  // query head h reads key head h mod G
  bool caps_masked = false;  // a masked score is -softcap
  bool is_mean_without_keys = false;
  bool drops_delta = false;             // dS is P dP
  double last_scale = 1.0;              // a factor of dQ and dK
  double (*lse)(double lse) = nullptr;  // what stands for LSE
  // How much query head `head` of the `heads` that share a key adds to dK and dV; empty: all.
  std::function<double(std::int64_t head, std::int64_t heads)> of_heads{};
  double sinks = 1.0;            // how often the sink of a head counts
  Tokens row{}, key{}, value{};  // whose Q, K and V stand at each token; empty: its own
  std::function<double(Token row, Token key)> times{};  // how often a pair counts; empty: once
};

using Mistakes = std::vector<Mistake>;

// Those of all rows, each beside `asked`. splits: how the other program may have split the tokens.
[[nodiscard]] Mistakes known_mistakes(const Problem& problem, const Mistake& asked,
                                      const std::vector<Plan>& splits);
// Those that a group of queries (of_keys: of keys, in dK and dV) may have by itself.
[[nodiscard]] Mistakes mistakes_of_group(const Plan& plan, const Mistake& asked, int group,
                                         bool of_keys);
[[nodiscard]] Mistakes lse_mistakes(const Mistake& asked);
// Those of a backward pass alone. heads: how many query heads share a key, for dK and dV.
[[nodiscard]] Mistakes gradient_mistakes(const Mistake& asked, std::int64_t heads);
[[nodiscard]] std::string tokens_text(const TokenGroup& group);  // 3 to 63 (every 4th)

// A row of O, with what its softmax needs.
struct MistakenRow {
  std::vector<double> out;
  double lse = -kInfinity;
  Token keys = 0;
};

// Computes rows in T, and rounds scores and weights to a type, as a plain program in it would.
template <class T>
class MistakenRows {
 public:
  MistakenRows(const ExecutionArguments& of, std::span<const float> sinks, DType rounding)
      : of_(of), sinks_(sinks), rounding_(rounding) {}

  MistakenRow out(const Mistake& mistake, const RowPlace& place) {
    MistakenRow row;
    const std::vector<T> p = weights(mistake, place, true, row);
    row.out = weighted(p, mistake.value, rows(of_.v, place.batch, kv_head(mistake, place.head)),
                       of_.v.extent.head_dim);
    return row;
  }

  // Makes P and dS of a row.
  void pairs(const Mistake& mistake, const RowPlace& place, std::vector<T>& p,
             std::vector<T>& d_s) {
    MistakenRow of_row;
    p = weights(mistake, place, false, of_row);
    const Token row = in(mistake.row, place.row);
    const std::vector<T> d_p = products(d_out({place.batch, place.head, row}), of_.v, place.batch,
                                        kv_head(mistake, place.head));
    T delta = 0;
    for (Token j = 0; j < std::ssize(p) && !mistake.drops_delta; ++j)
      delta += p[at(j)] * d_p[at(in(mistake.value, j))];
    d_s.resize(p.size());
    for (Token j = 0; j < std::ssize(p); ++j) {
      const T times = mistake.times ? static_cast<T>(mistake.times(row, j)) : T{1};
      d_s[at(j)] = times * p[at(j)] * (d_p[at(in(mistake.value, j))] - delta) *
                   static_cast<T>(mistake.scale * mistake.last_scale);
      p[at(j)] *= times;
    }
  }

  std::vector<double> d_q(const Mistake& mistake, const RowPlace& place) {
    std::vector<T> p;
    std::vector<T> d_s;
    pairs(mistake, place, p, d_s);
    return weighted(d_s, mistake.key, rows(of_.k, place.batch, kv_head(mistake, place.head)),
                    of_.q.extent.head_dim);
  }

  const T* query(const RowPlace& at_row) {
    return rows(of_.q, at_row.batch, at_row.head) + at_row.row * of_.q.extent.head_dim;
  }
  const T* d_out(const RowPlace& at_row) {
    return rows(of_.d_out, at_row.batch, at_row.head) + at_row.row * of_.v.extent.head_dim;
  }
  [[nodiscard]] std::int64_t kv_head(const Mistake& mistake, std::int64_t head) const {
    const std::int64_t heads = of_.k.extent.heads;
    return mistake.interleaved ? head % heads : head / (of_.q.extent.heads / heads);
  }
  void forget() { heads_.clear(); }  // the heads that were loaded

 private:
  static Token in(const Tokens& order, Token token) {
    return order.empty() ? token : order[at(token)];
  }

  // A head in T, transposed in panels (plain_loops.h) where asked for.
  const T* rows(const TensorView& view, std::int64_t batch, std::int64_t head,
                bool transposed = false) {
    const std::scoped_lock lock(mutex_);
    auto& loaded = heads_[{view.data, batch, head, transposed}];
    if (loaded == nullptr) loaded = cpu::load_head<T>(view, batch, head, transposed, 1);
    return loaded.get();
  }

  // The products of a row with every token of a head.
  std::vector<T> products(const T* row, const TensorView& view, std::int64_t batch,
                          std::int64_t head) {
    const T* const transposed = rows(view, batch, head, true);
    const Token tokens = view.extent.length;
    const Token dim = view.extent.head_dim;
    std::vector<T> sums(at(tokens));
    for (Token j = 0; j < tokens; j += cpu::kPanel<T>) {
      const Token n = std::min(cpu::kPanel<T>, tokens - j);
      cpu::add_products(cpu::PlainProducts<T>{1, dim, n, row, dim, transposed + j * dim, n,
                                              sums.data() + j, tokens});
    }
    return sums;
  }

  static std::vector<double> weighted(const std::vector<T>& weights, const Tokens& order,
                                      const T* rows, Token dim) {
    const Token tokens = std::ssize(weights);
    std::vector<T> moved(weights.size());
    for (Token j = 0; j < tokens; ++j) moved[at(in(order, j))] += weights[at(j)];
    std::vector<T> sums(at(dim));
    cpu::add_weighted_rows(
        cpu::PlainProducts<T>{1, tokens, dim, moved.data(), tokens, rows, dim, sums.data(), dim});
    return {sums.begin(), sums.end()};
  }

  // Returns the weights of all keys. counted: with the times that a pair counts.
  std::vector<T> weights(const Mistake& mistake, const RowPlace& place, bool counted,
                         MistakenRow& of_row) {
    constexpr T kNever = -std::numeric_limits<T>::infinity();
    const Token row = in(mistake.row, place.row);
    const std::vector<T> raw = products(query({place.batch, place.head, row}), of_.k, place.batch,
                                        kv_head(mistake, place.head));
    const auto counts = [&](Token j) {
      return static_cast<T>(counted && mistake.times ? mistake.times(row, j) : 1.0);
    };
    const T cap = static_cast<T>(mistake.softcap);
    std::vector<T> p(raw.size(), kNever);
    const T sink = sinks_.empty() ? kNever
                                  : static_cast<T>(sinks_[at(place.head)]) +
                                        static_cast<T>(std::log(mistake.sinks));
    T largest = sink;
    for (Token j = 0; j < std::ssize(p); ++j) {
      const bool allowed = mistake.allows(row, j);
      if (allowed) ++of_row.keys;
      if (!(allowed || mistake.caps_masked) || counts(j) == T{0}) continue;
      T score = cpu::rounded(raw[at(in(mistake.key, j))], rounding_);
      score = cpu::rounded(score * static_cast<T>(mistake.scale), rounding_);
      if (cap > T{0}) score = allowed ? cap * std::tanh(score / cap) : -cap;
      largest = std::max(largest, p[at(j)] = score);
    }
    T total = sink == kNever ? T{0} : std::exp(sink - largest);
    for (Token j = 0; j < std::ssize(p); ++j)
      total += p[at(j)] = p[at(j)] == kNever ? T{0} : std::exp(p[at(j)] - largest) * counts(j);
    if (total > T{0})
      of_row.lse = static_cast<double>(largest) + std::log(static_cast<double>(total));
    const T without_keys = mistake.is_mean_without_keys ? T{1} / static_cast<T>(p.size()) : T{0};
    for (T& one : p) one = total > T{0} ? cpu::rounded(one / total, rounding_) : without_keys;
    return p;
  }

  const ExecutionArguments& of_;
  std::span<const float> sinks_;
  DType rounding_;
  std::mutex mutex_;
  std::map<std::tuple<const void*, std::int64_t, std::int64_t, bool>, std::unique_ptr<T[]>> heads_;
};

}  // namespace qb::mistakes
