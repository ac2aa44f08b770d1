// SPDX-License-Identifier: Apache-2.0
// Names the mistake in another program's attention: computes in float64 what each of the field's
// known mistakes gives, for the rows that are furthest off, and names the one that agrees.
#pragma once

#include <string>
#include <vector>

#include "harness/run/runner/executor.h"
#include "harness/verify/verify.h"

namespace qb {

struct Diagnosis {
  std::string tensor;          // O, LSE, dQ, dK or dV
  std::string mistake;         // a clause, such as "the scale is missing"; empty: none agrees
  double error = 0.0;          // the largest beside attention, over the rows that were tried
  double mistake_error = 0.0;  // the largest beside that mistake
};
[[nodiscard]] std::string explanation(const Diagnosis& diagnosis);

struct OtherProgram {
  double softcap = 0.0;        // scores become softcap tanh(score / softcap); 0: they do not
  DType outputs = DType::f32;  // their coarsest type
  // How often a sum of dK or dV is rounded to the type of the inputs on its way, in directions that
  // are as good as random.
  int sum_roundings = 1;
};

// Compares what tensors.out, lse, d_q, d_k and d_v hold (f32; those without data are left out) with
// float64. Unlike verify_output() it also takes a program that rounds its scores to 16-bit inputs'
// type. Gradients have no softcap: throws UsageError.
[[nodiscard]] Verification verify_tensors(const Plan& plan, const ExecutionArguments& tensors,
                                          const OtherProgram& other, std::int64_t rows = 256);

// Says of each tensor that is wrong which known mistake explains it. The plan says how the other
// program splits the tokens. `found` is what verify_tensors() said.
[[nodiscard]] std::vector<Diagnosis> diagnose(const Plan& plan, const ExecutionArguments& tensors,
                                              const OtherProgram& other, const Verification& found);

}  // namespace qb
