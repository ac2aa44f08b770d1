// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/mixer_verify.h"

#include <map>

#include "harness/verify/worst_error.h"
#include "kernels/reference.h"

namespace qb {
namespace {

// Calls visit(place, element, i) for the elements of these rows, of which i counts all.
template <class Visit>
void for_each_element(const Extent& extent, const std::vector<std::int64_t>& rows,
                      const Visit& visit) {
  std::size_t i = 0;
  for (std::int64_t b = 0; b < extent.batch; ++b)
    for (std::int64_t h = 0; h < extent.heads; ++h)
      for (const std::int64_t row : rows)
        for (std::int64_t x = 0; x < extent.head_dim; ++x, ++i) visit(RowPlace{b, h, row}, x, i);
}

double at(const TensorView& out, const RowPlace& place, std::int64_t x) {
  return static_cast<double>(out.row_as<float>(place.batch, place.head, place.row)[x]);
}

std::string name_of(const RowPlace& place, std::int64_t x) {
  return fmt::format("output at {}, element {}", place.text(), x);
}

bool sees_later_keys(const Mask& mask, std::int64_t row, std::int64_t n_keys) {
  for (std::int64_t key = row + mask.offset + 1; key < n_keys; ++key)
    if (mask.allows(row, key)) return true;
  return false;
}

}  // namespace

Verification verify_mixer(const MixerProblem& problem, const MixerArguments& arguments,
                          const std::vector<std::int64_t>& rows, int threads) {
  const TensorView& out = arguments.out;
  const Extent& extent = out.extent;
  Verification verification = verify_finite(
      {static_cast<const float*>(out.data), static_cast<std::size_t>(extent.elements())},
      rows.size(), [&](std::int64_t i) {
        const std::int64_t row = i / extent.head_dim;
        const std::int64_t head = row / extent.length;
        return name_of({head / extent.heads, head % extent.heads, row % extent.length},
                       i % extent.head_dim);
      });
  if (verification.correct || !verification.message.empty()) return verification;
  const std::vector<double> reference = mix_reference(problem.options, arguments, rows, threads);
  const std::vector<double> naive = mix_naive(problem.options, arguments, rows, threads);
  RelativeL2 l2;
  std::map<int, WorstError> classes;  // by class_of_row() of the tokens seen
  for_each_element(extent, rows, [&](const RowPlace& place, std::int64_t x, std::size_t i) {
    const std::int64_t seen = problem.options.causal ? place.row + 1 : extent.length;
    l2.add(at(out, place, x), reference[i]);
    classes[class_of_row(seen)].add(place, x, at(out, place, x), naive[i], reference[i]);
  });
  verification.relative_l2_error = l2.error();
  conclude(
      verification, classes,
      [&](int, const WorstError& worst) { return out_tolerance(worst, arguments.v.dtype); },
      [](int, const WorstError& worst) { return name_of(worst.place, worst.element); });
  return verification;
}

double distance_to_attention(const TensorView& q, const TensorView& k, const TensorView& v,
                             const TensorView& out, const Mask& mask, double scale,
                             const std::vector<std::int64_t>& rows, int threads) {
  Mask exact = Mask::causal(q.extent.length, k.extent.length);
  for (const std::int64_t row : rows)
    if (sees_later_keys(mask, row, k.extent.length)) exact = Mask::full();
  const ReferenceRows reference = reference_rows(q, k, v, exact, scale, rows, threads);
  RelativeL2 l2;
  for_each_element(out.extent, rows, [&](const RowPlace& place, std::int64_t x, std::size_t i) {
    l2.add(at(out, place, x), reference.out[i]);
  });
  return l2.error();
}

double distance_to_attention(const MixerProblem& problem, const MixerArguments& a,
                             const std::vector<std::int64_t>& rows, int threads) {
  const auto for_all_heads = [&](TensorView view) {
    if (problem.scans()) {
      view.extent.heads = a.v.extent.heads;
      view.head_stride = 0;
    }
    return view;
  };
  return distance_to_attention(for_all_heads(a.q), for_all_heads(a.k), a.v, a.out,
                               problem.problem.mask, a.scale, rows, threads);
}

}  // namespace qb
