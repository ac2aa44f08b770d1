// SPDX-License-Identifier: Apache-2.0
// The short convolution, with channels in the lanes. Tokens are taken in blocks, each with the
// tokens before it that taps see, and in a backward pass with those after it that see its own: what
// blocks share is computed twice.
#include "kernels/mixer/mix_parts.h"

#include <numbers>

#include "kernels/merge.h"
#include "kernels/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/mixer/convolution.cpp"
#include "kernels/cpu/highway_targets.h"
// This include must come after highway_targets.h.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

// 1 / (1 + exp(-x))
HWY_INLINE Vector sigmoid(Vector x) {
  const Floats d;
  const Vector one = hn::Set(d, 1.0f);
  const Vector log2e = hn::Set(d, static_cast<float>(std::numbers::log2e));
  const Vector small = exp2_unbiased(hn::Neg(hn::Mul(log2e, hn::Abs(x))));
  const Vector part = hn::Div(one, hn::Add(one, small));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(small, part), part);
}

class Convolution {
 public:
  Convolution(const ConvolutionTask& task, float* memory)
      : t_(task), halo_(task.halo()), stride_(task.stride()), weights_(memory) {
    d_weights_ = weights_ + (halo_ + 1) * stride_;
    row_ = d_weights_ + (halo_ + 1) * stride_;
    v_ = row_ + stride_;
    d_sums_ = v_ + (std::max(ConvolutionTask::kTokens, halo_) + 2 * halo_) * stride_;
    load_rows(t_.a.projection, 0, t_.head, 0, halo_ + 1, stride_, weights_);
  }

  void compute(std::int64_t first) {
    const std::int64_t end = std::min(first + ConvolutionTask::kTokens, t_.n());
    load_tokens(first - halo_, end);
    for (std::int64_t i = first; i < end; ++i) {
      for_each_sum(i, [](std::int64_t, Vector sum) { return hn::Mul(sum, sigmoid(sum)); });
      store_row(row_, t_.a.v.extent.head_dim, 1.0f, t_.a.out.row_as<float>(t_.batch, t_.head, i));
    }
  }

  void differentiate() {
    if (t_.earlier.data != nullptr) differentiate(-halo_, 0, t_.earlier);
    if (t_.gradients.d_v.data == nullptr) return;
    std::fill_n(d_weights_, (halo_ + 1) * stride_, 0.0f);
    for (std::int64_t first = 0; first < t_.n(); first += ConvolutionTask::kTokens)
      differentiate(first, std::min(first + ConvolutionTask::kTokens, t_.n()), t_.gradients.d_v);
    for (std::int64_t t = 0; t <= halo_; ++t)
      store_row(d_weights_ + t * stride_, t_.a.v.extent.head_dim, 1.0f,
                t_.gradients.d_projection.row_as<float>(t_.batch, t_.head, t));
  }

 private:
  // V of the tokens from `first` on: of those before these tokens, and zeros of those that are not
  // there.
  void load_tokens(std::int64_t first, std::int64_t end) {
    first_ = first;
    for (std::int64_t i = first; i < end; ++i) {
      if (i >= 0 && i < t_.n())
        load_rows(t_.a.v, t_.batch, t_.head, i, 1, stride_, token(i));
      else if (i >= -halo_ && i < 0 && t_.before.data != nullptr)
        load_rows(t_.before, t_.batch, t_.head, halo_ + i, 1, stride_, token(i));
      else
        std::fill_n(token(i), stride_, 0.0f);
    }
  }
  [[nodiscard]] float* token(std::int64_t i) const { return v_ + (i - first_) * stride_; }

  // row_ := change(x, the sum of the taps) of a token, in vectors of channels.
  template <class Change>
  HWY_INLINE void for_each_sum(std::int64_t i, Change change) const {
    const Floats d;
    const std::int64_t taps = t_.taps(i);
    const float* const v = token(i);
    for (std::int64_t x = 0; x < stride_; x += lanes()) {
      Vector sum = hn::Zero(d);
      for (std::int64_t t = 0; t < taps; ++t)
        sum = hn::MulAdd(hn::Load(d, weights_ + t * stride_ + x), hn::Load(d, v - t * stride_ + x),
                         sum);
      hn::Store(change(x, sum), d, row_ + x);
    }
  }

  // Gradients of these tokens, rows of `to`, and of the weights what their own outputs give.
  void differentiate(std::int64_t first, std::int64_t end, const TensorView& to) {
    const Floats d;
    const Vector one = hn::Set(d, 1.0f);
    load_tokens(first - halo_, end + halo_);
    for (std::int64_t i = first; i < end + halo_; ++i) {
      float* const d_sum = d_sums_ + (i - first) * stride_;
      std::fill_n(d_sum, stride_, 0.0f);
      if (i < 0 || i >= t_.n()) continue;
      load_rows(t_.gradients.d_out, t_.batch, t_.head, i, 1, stride_, d_sum);
      for_each_sum(i, [&](std::int64_t x, Vector sum) {
        const Vector gate = sigmoid(sum);
        const Vector slope = hn::MulAdd(hn::Mul(sum, gate), hn::Sub(one, gate), gate);
        return hn::Mul(slope, hn::Load(d, d_sum + x));
      });
      std::copy_n(row_, stride_, d_sum);
    }
    for (std::int64_t t = 0; t <= halo_ && first >= 0; ++t) {
      std::fill_n(row_, stride_, 0.0f);  // sums of a block alone lose less
      for (std::int64_t i = first; i < end; ++i)
        if (t < t_.taps(i)) add_product(d_sums_ + (i - first) * stride_, token(i - t), row_);
      add_row(row_, d_weights_ + t * stride_);
    }
    for (std::int64_t j = first; j < end; ++j) {
      std::fill_n(row_, stride_, 0.0f);
      for (std::int64_t t = 0; t <= halo_; ++t)
        if (t < t_.taps(j + t))
          add_product(weights_ + t * stride_, d_sums_ + (j + t - first) * stride_, row_);
      const std::int64_t row = j < 0 ? halo_ + j : j;
      if (t_.later.data != nullptr && j >= t_.first_kept()) {
        load_rows(t_.later, t_.batch, t_.head, j - t_.n() + halo_, 1, stride_, v_);
        add_row(v_, row_);
      }
      store_row(row_, t_.a.v.extent.head_dim, 1.0f, to.row_as<float>(t_.batch, t_.head, row));
    }
  }
  HWY_INLINE void add_row(const float* row, float* to) const {
    change_row(to, stride_, [&](std::int64_t x, Vector sum) {
      return hn::Add(sum, hn::Load(Floats(), row + x));
    });
  }
  // to += a b
  HWY_INLINE void add_product(const float* a, const float* b, float* to) const {
    const Floats d;
    change_row(to, stride_, [&](std::int64_t x, Vector sum) {
      return hn::MulAdd(hn::Load(d, a + x), hn::Load(d, b + x), sum);
    });
  }

  const ConvolutionTask& t_;
  const std::int64_t halo_;
  const std::int64_t stride_;
  float* weights_;    // [taps][stride]
  float* d_weights_;  // [taps][stride]
  float* row_;
  float* v_;       // [tokens][stride], from first_ on
  float* d_sums_;  // [tokens][stride]
  std::int64_t first_ = 0;
};

void compute_block(const ConvolutionTask& task, std::int64_t first, float* memory) {
  Convolution(task, memory).compute(first);
}
void differentiate_head(const ConvolutionTask& task, std::int64_t, float* memory) {
  Convolution(task, memory).differentiate();
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(compute_block);
HWY_EXPORT(differentiate_head);

using Compute = void(const ConvolutionTask& task, std::int64_t first, float* memory);

// Computes each head in so many blocks.
void for_each_block(const ConvolutionTask& of, std::int64_t blocks, const KernelContext& context,
                    Compute& compute) {
  const Buffer memory(context.workspace,
                      static_cast<std::size_t>(4 * of.floats() * context.threads),
                      "mixer_convolution", context.worker);
  if (!context.computes) return;
  const Extent& v = of.a.v.extent;
  parallel_for(v.batch * v.heads * blocks, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 ConvolutionTask task = of;
                 task.batch = item / blocks / v.heads;
                 task.head = item / blocks % v.heads;
                 compute(task, item % blocks * ConvolutionTask::kTokens,
                         memory.as<float>() + thread * of.floats());
               });
}

// after := the last tokens, and zeros in place of those of other documents.
void keep_tokens(const ConvolutionTask& of, const TensorView& after) {
  const TensorView& v = of.a.v;
  const std::int64_t first = of.n() - of.halo();
  for (std::int64_t b = 0; b < after.extent.batch; ++b)
    for (std::int64_t h = 0; h < after.extent.heads; ++h)
      for (std::int64_t row = 0; row < after.extent.length; ++row)
        convert(v.row(b, h, first + row), v.dtype, after.row(b, h, row), DType::f32,
                v.extent.head_dim);
  clear_rows(after.tokens(0, std::min(of.first_kept() - first, of.halo())));
}

}  // namespace

void convolve(const MixerArguments& a, const KernelContext& context, const TensorView& before,
              const TensorView& after) {
  const ConvolutionTask task{.a = a, .before = before};
  if (after.data != nullptr && context.computes) keep_tokens(task, after);
  if (a.out.data != nullptr)
    for_each_block(task, ceil_div(task.n(), ConvolutionTask::kTokens), context,
                   HWY_DYNAMIC_DISPATCH(compute_block));
}

void convolve_backward(const MixerArguments& a, const MixerGradients& gradients,
                       const KernelContext& context, const TensorView& before,
                       const TensorView& later, const TensorView& earlier) {
  for_each_block({a, gradients, before, later, earlier}, 1, context,
                 HWY_DYNAMIC_DISPATCH(differentiate_head));
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
