// SPDX-License-Identifier: Apache-2.0
// The two passes of attention, and the tensors that the plans of each move.
//
// The backward pass is a plan like the forward one: workers, steps, pair tasks and transfers. The
// pass is a property of the plan (StrategyOptions::pass, Plan::pass) and not of the problem, since
// both passes are of one problem. With the LSE of each whole row and D = rowsum(dO * O), which are
// known after the forward pass, a task of queries and keys computes
//   P = exp(S - LSE)   dV += P' dO   dS = P * (dO V' - D)   dQ += dS K scale   dK += dS' Q scale.
// So it reads Q, dO, LSE and D of its queries and K and V of its keys, and adds to dQ of its
// queries and to dK and dV of its keys. Pairs do not depend on each other: if a plan covers each
// pair once, as check() proves of every plan, its gradients are exact once their parts are added
// up. For the parts there is one rule:
//
//   A worker's sum of a gradient is zero where it holds the inputs. Its tasks add to it. To send
//   the sum is to move it: the sender has it no longer, and the receiver adds it to its own.
//
// So each part is in one place at any time. A ring whose dK and dV travel with K and V, an exchange
// that returns sums to their owners, a reduce-scatter, and a root that gathers are this rule with
// different transfers; a plan needs nothing else to say what is added where. check() proves by it
// that no part is lost or added twice and that nothing is added to a sum after it was sent
// (check/check_gradients.h): the last place of every sum is then its owner, or the root.
#pragma once

#include <span>

#include "base/words.h"

namespace qb {

enum class Pass { forward, backward };

QB_WORDS(Pass, "pass", forward, backward);

// Which passes somebody asks about or times: the one that makes the output, the one that makes the
// gradients, or one after the other, as in a step of training.
enum class Passes { forward, backward, both };

template <>
inline constexpr auto kWords<Passes> = word_table<Passes>("pass",
                                                          {{Passes::forward, word(Pass::forward)},
                                                           {Passes::backward, word(Pass::backward)},
                                                           {Passes::both, "both"}});

inline constexpr Pass kEveryPass[] = {Pass::forward, Pass::backward};
[[nodiscard]] constexpr std::span<const Pass> passes_of(Passes asked) {
  const std::span<const Pass> all = kEveryPass;
  if (asked == Passes::both) return all;
  return asked == Passes::forward ? all.first(1) : all.last(1);
}

// A partial is O and LSE over some keys. Tree decoding reduces the next three: the maximum LSE of
// each row, sum exp(LSE - maximum), and sum O exp(LSE - maximum). Helix exchanges the LSE of
// partials by itself, and then O of each partial times its weight in the whole, whose sum is the
// output. The rest is of a backward pass: dO, LSE and D of each row, and the gradients dQ, dK and
// dV.
// Inputs are seeded by their place here: add new ones at the end.
enum class TensorRole {
  q,
  k,
  v,
  partial,
  row_max,
  denominator,
  numerator,
  d_out,
  lse,
  delta,
  d_q,
  d_k,
  d_v,
  d_sinks,  // no plan moves it
  partial_lse,
  weighted
};

template <>
inline constexpr auto kWords<TensorRole> =
    word_table<TensorRole>("tensor", {{TensorRole::q, "Q"},
                                      {TensorRole::k, "K"},
                                      {TensorRole::v, "V"},
                                      {TensorRole::partial, "partial"},
                                      {TensorRole::row_max, "row_max"},
                                      {TensorRole::denominator, "denominator"},
                                      {TensorRole::numerator, "numerator"},
                                      {TensorRole::d_out, "dO"},
                                      {TensorRole::lse, "LSE"},
                                      {TensorRole::delta, "D"},
                                      {TensorRole::d_q, "dQ"},
                                      {TensorRole::d_k, "dK"},
                                      {TensorRole::d_v, "dV"},
                                      {TensorRole::d_sinks, "dSinks"},
                                      {TensorRole::partial_lse, "partial_LSE"},
                                      {TensorRole::weighted, "weighted_O"}});

// What a task reads of its queries (the forward pass: Q) and of its keys.
inline constexpr TensorRole kQueryInputs[] = {TensorRole::q, TensorRole::d_out, TensorRole::lse,
                                              TensorRole::delta};
inline constexpr TensorRole kKeyInputs[] = {TensorRole::k, TensorRole::v};
[[nodiscard]] constexpr std::span<const TensorRole> query_inputs(Pass pass) {
  const std::span<const TensorRole> all = kQueryInputs;
  return pass == Pass::forward ? all.first(1) : all;
}

inline constexpr TensorRole kGradients[] = {TensorRole::d_q, TensorRole::d_k, TensorRole::d_v};
// Returns the gradients of queries, or those of keys.
[[nodiscard]] constexpr std::span<const TensorRole> gradients_of(bool queries) {
  const std::span<const TensorRole> all = kGradients;
  return queries ? all.first(1) : all.last(2);
}

inline constexpr TensorRole kPartials[] = {TensorRole::partial};
// Returns what workers return to owners or to the root.
[[nodiscard]] constexpr std::span<const TensorRole> results_of(Pass pass) {
  if (pass == Pass::forward) return kPartials;
  return kGradients;
}

// The tensor has rows of keys; else of queries.
[[nodiscard]] constexpr bool is_of_keys(TensorRole what) {
  return what == TensorRole::k || what == TensorRole::v || what == TensorRole::d_k ||
         what == TensorRole::d_v;
}

[[nodiscard]] constexpr bool is_gradient(TensorRole what) {
  return what == TensorRole::d_q || what == TensorRole::d_k || what == TensorRole::d_v;
}

// Tasks read it, and it is known before the pass begins.
[[nodiscard]] constexpr bool is_input(TensorRole what) {
  return what == TensorRole::q || what == TensorRole::k || what == TensorRole::v ||
         what == TensorRole::d_out || what == TensorRole::lse || what == TensorRole::delta;
}

[[nodiscard]] constexpr bool belongs_to(Pass pass, TensorRole what) {
  if (pass == Pass::backward) return is_input(what) || is_gradient(what);
  return !is_gradient(what) && what != TensorRole::d_out && what != TensorRole::lse &&
         what != TensorRole::delta;
}

}  // namespace qb
