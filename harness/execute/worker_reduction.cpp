// Tree decoding's all-reduces at one worker: the maximum LSE of a row, then what the worker's own
// partial comes to relative to it: numerator O exp(LSE - maximum), denominator exp(LSE - maximum).
// The sum of the numerators over the sum of the denominators is O of all keys.
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/execute/worker.h"

namespace qb {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Calls visit(pointer, index) for the first element of each row of a contiguous tensor.
template <class Visit>
void visit_rows(const TensorView& view, const Visit& visit) {
  const std::int64_t rows = view.extent.batch * view.extent.heads * view.extent.length;
  auto* data = static_cast<float*>(view.data);
  for (std::int64_t row = 0; row < rows; ++row) visit(data + row * view.extent.head_dim, row);
}

}  // namespace

void WorkerPlayer::begin_reduction() {
  reducing_ = plan_.result == Result::everyone && plan_.workers.size() > 1;
  if (!reducing_) return;
  const Extent of_lse = resident_.lse.view().extent;
  row_max_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "row_max", index_);
  denominator_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "denominator", index_);
  auto* maximum = static_cast<float*>(row_max_.view().data);
  for (std::int64_t i = 0; i < of_lse.elements(); ++i) maximum[i] = kMinusInfinity;
}

// The maximum is everyone's by now.
void WorkerPlayer::begin_denominator() {
  if (has_denominator_) return;
  has_denominator_ = true;
  const auto* maximum = static_cast<const float*>(row_max_.view().data);
  const auto* lse = static_cast<const float*>(resident_.lse.view().data);
  auto* denominator = static_cast<float*>(denominator_.view().data);
  const std::int64_t width = resident_.out.view().extent.head_dim;
  visit_rows(resident_.out.view(), [&](float* out, std::int64_t row) {
    const float weight = lse[row] == kMinusInfinity ? 0.0f : std::exp(lse[row] - maximum[row]);
    denominator[row] = weight;
    for (std::int64_t x = 0; x < width; ++x) out[x] *= weight;
  });
}

// `whole`: the sum comes back and replaces; else a share comes and is added.
void WorkerPlayer::reduce_part(const Transfer& part, std::byte* data, bool whole) {
  if (!resident_.begun) begin_partial(resident_);
  if (part.what != TensorRole::row_max) begin_denominator();
  const TensorView target = part.what == TensorRole::row_max       ? row_max_.view()
                            : part.what == TensorRole::denominator ? denominator_.view()
                                                                   : resident_.out.view();
  const std::int64_t n = target.extent.elements();
  auto* values = static_cast<float*>(target.data);
  const auto* come = reinterpret_cast<const float*>(data);
  if (whole) {
    std::memcpy(values, come, static_cast<std::size_t>(target.bytes()));
  } else if (part.what == TensorRole::row_max) {
    const auto* lse = static_cast<const float*>(resident_.lse.view().data);
    for (std::int64_t i = 0; i < n; ++i) values[i] = std::max({values[i], lse[i], come[i]});
  } else {
    for (std::int64_t i = 0; i < n; ++i) values[i] += come[i];
  }
}

void WorkerPlayer::pack_reduced(const Transfer& part, std::byte* data) {
  if (!resident_.begun) begin_partial(resident_);
  if (part.what != TensorRole::row_max) begin_denominator();
  const TensorView source = part.what == TensorRole::row_max       ? row_max_.view()
                            : part.what == TensorRole::denominator ? denominator_.view()
                                                                   : resident_.out.view();
  std::memcpy(data, source.data, static_cast<std::size_t>(source.bytes()));
  if (part.what != TensorRole::row_max) return;
  // What was not yet compared with anyone's maximum is the worker's own LSE.
  auto* values = reinterpret_cast<float*>(data);
  const auto* lse = static_cast<const float*>(resident_.lse.view().data);
  for (std::int64_t i = 0; i < source.extent.elements(); ++i)
    values[i] = std::max(values[i], lse[i]);
}

void WorkerPlayer::finish_reduction() {
  if (!reducing_) return;
  begin_denominator();
  const auto* maximum = static_cast<const float*>(row_max_.view().data);
  const auto* denominator = static_cast<const float*>(denominator_.view().data);
  auto* lse = static_cast<float*>(resident_.lse.view().data);
  const std::int64_t width = resident_.out.view().extent.head_dim;
  visit_rows(resident_.out.view(), [&](float* out, std::int64_t row) {
    const bool has_keys = denominator[row] > 0.0f;
    lse[row] = has_keys ? maximum[row] + std::log(denominator[row]) : kMinusInfinity;
    for (std::int64_t x = 0; x < width; ++x) out[x] = has_keys ? out[x] / denominator[row] : 0.0f;
  });
}

}  // namespace qb
