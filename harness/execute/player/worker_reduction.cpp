// Tree decoding's all-reduces at one worker; kernels/reduction.h says what they compute.
#include "harness/execute/player/worker.h"

namespace qb {

void WorkerPlayer::begin_reduction() {
  reducing_ = plan_.result == Result::everyone && plan_.workers.size() > 1;
  if (!reducing_) return;
  const Extent of_lse = resident_.lse.view().extent;
  row_max_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "row_max", index_);
  denominator_ = Tensor(*arguments_.allocator, DType::f32, of_lse, "denominator", index_);
  // The maximum over no keys is their LSE; the output is still unspecified.
  device_.clear_partial(resident_.out.view(), row_max_.view());
}

// Every worker has the maximum by now.
void WorkerPlayer::begin_denominator() {
  if (has_denominator_) return;
  has_denominator_ = true;
  device_.weigh_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                        denominator_.view());
}

// Returns the tensor of a reduction's part, ready for reading and writing.
const TensorView& WorkerPlayer::reduced(TensorRole what) {
  if (!resident_.begun) begin_partial(resident_);
  if (what == TensorRole::row_max) return row_max_.view();
  begin_denominator();
  return what == TensorRole::denominator ? denominator_.view() : resident_.out.view();
}

// `whole`: the full sum comes back and replaces the share; otherwise a share is added.
void WorkerPlayer::reduce_part(const Transfer& part, std::byte* data, bool whole) {
  const TensorView& target = reduced(part.what);
  const TensorView come = contiguous_view(data, DType::f32, target.extent);
  if (whole) {
    device_.copy_rows(come, target);
  } else if (part.what == TensorRole::row_max) {
    device_.combine(target, resident_.lse.view(), Combine::maximum);
    device_.combine(target, come, Combine::maximum);
  } else {
    device_.combine(target, come, Combine::sum);
  }
}

void WorkerPlayer::pack_reduced(const Transfer& part, std::byte* data) {
  const TensorView& source = reduced(part.what);
  const TensorView packed = contiguous_view(data, DType::f32, source.extent);
  device_.copy_rows(source, packed);
  // A maximum not yet compared with any other is the worker's own LSE.
  if (part.what == TensorRole::row_max)
    device_.combine(packed, resident_.lse.view(), Combine::maximum);
}

void WorkerPlayer::finish_reduction() {
  if (!reducing_) return;
  begin_denominator();
  device_.normalise_partial(resident_.out.view(), resident_.lse.view(), row_max_.view(),
                            denominator_.view());
}

}  // namespace qb
