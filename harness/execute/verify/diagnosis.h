// SPDX-License-Identifier: Apache-2.0
// Names the mistake in another program's attention. It computes in float64 what that program would
// have computed with each of the field's known mistakes, for the rows that are furthest off, and
// names the one whose answer agrees: a mask at the other corner, heads interleaved, a partial left
// out, and so on. docs/conventions.md says which libraries do what.
#pragma once

#include <string>
#include <vector>

#include "harness/execute/player/executor.h"
#include "harness/execute/verify/verify.h"

namespace qb {

struct Diagnosis {
  std::string tensor;          // O, LSE, dQ, dK or dV
  std::string mistake;         // a clause, such as "the scale is missing"; empty: none agrees
  double error = 0.0;          // the largest beside attention, over the rows that were tried
  double mistake_error = 0.0;  // the largest beside that mistake
};

// Such as "the scale is missing (error 3e-07; 0.5 beside attention)".
[[nodiscard]] std::string explanation(const Diagnosis& diagnosis);

// How another program computed: what attention it was asked for besides the problem, and the
// coarsest type that its outputs were kept in.
struct OtherProgram {
  double softcap = 0.0;  // scores become softcap tanh(score / softcap); 0: they do not
  DType outputs = DType::f32;
};

// Compares what tensors.out, lse, d_q, d_k and d_v hold (f32; those without data are left out) with
// float64. Unlike verify_output() it also takes a program that rounds its scores to 16-bit inputs'
// type. Gradients have no softcap: throws UsageError.
[[nodiscard]] Verification verify_tensors(const Plan& plan, const ExecutionArguments& tensors,
                                          const OtherProgram& other, std::int64_t rows = 256);

// Says of each tensor that is wrong which known mistake explains it. The plan says how the other
// program splits the tokens: which partials there are, and which layouts. `found` is what
// verify_tensors() said.
[[nodiscard]] std::vector<Diagnosis> diagnose(const Plan& plan, const ExecutionArguments& tensors,
                                              const OtherProgram& other, const Verification& found);

}  // namespace qb
