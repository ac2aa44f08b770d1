// SPDX-License-Identifier: Apache-2.0
// The short convolution, with channels in the lanes. Tokens are taken in blocks, each with the
// tokens before it that taps see, and in a backward pass with those after it that see its own: what
// blocks share is computed twice.
#include "kernels/mixer/mix_parts.h"

#include <numbers>

#include "kernels/merge.h"
#include "kernels/parallel.h"

#include "kernels/cpu/every_set-inl.h"

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
  std::int64_t floats = 0;  // of its scratch memory

  // Without memory it counts floats.
  Convolution(const ConvolutionTask& task, float* memory)
      : t_(task), halo_(task.halo()), stride_(task.stride()) {
    const std::int64_t tokens = std::max(ConvolutionTask::kTokens, halo_);
    floats = carve_floats(memory, {{&weights_, (halo_ + 1) * stride_},
                                   {&d_weights_, (halo_ + 1) * stride_},
                                   {&row_, stride_},
                                   {&v_, (tokens + 2 * halo_) * stride_},
                                   {&d_sums_, (tokens + halo_) * stride_}});
  }

  // Computes the block from token `first` on, or all gradients.
  void run(std::int64_t first) {
    load_rows(t_.a.projection, 0, t_.head, 0, halo_ + 1, stride_, weights_);
    t_.is_backward() ? differentiate() : compute(first);
  }

 private:
  void compute(std::int64_t first) {
    const std::int64_t end = std::min(first + ConvolutionTask::kTokens, t_.n());
    load_tokens(first - halo_, end);
    for (std::int64_t i = first; i < end; ++i) {
      for_each_sum(i, row_, [](std::int64_t, Vector sum) { return hn::Mul(sum, sigmoid(sum)); });
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

  // to := change(x, the sum of the taps) of a token, in vectors of channels.
  template <class Change>
  HWY_INLINE void for_each_sum(std::int64_t i, float* to, Change change) const {
    const Floats d;
    const std::int64_t taps = t_.taps(i);
    const float* const v = token(i);
    for (std::int64_t x = 0; x < stride_; x += lanes()) {
      Vector sum = hn::Zero(d);
      for (std::int64_t t = 0; t < taps; ++t)
        sum = hn::MulAdd(hn::Load(d, weights_ + t * stride_ + x), hn::Load(d, v - t * stride_ + x),
                         sum);
      hn::Store(change(x, sum), d, to + x);
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
      for_each_sum(i, d_sum, [&](std::int64_t x, Vector sum) {
        const Vector gate = sigmoid(sum);
        const Vector slope = hn::MulAdd(hn::Mul(sum, gate), hn::Sub(one, gate), gate);
        return hn::Mul(slope, hn::Load(d, d_sum + x));
      });
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

std::int64_t convolve(const ConvolutionTask& task, std::int64_t first, float* memory) {
  Convolution convolution(task, memory);
  if (memory != nullptr) convolution.run(first);
  return convolution.floats;
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
namespace {

HWY_EXPORT(convolve);

// Computes each head in blocks, and its gradients at once.
void convolve_heads(const ConvolutionTask& of, const KernelContext& context) {
  const std::int64_t blocks = of.is_backward() ? 1 : ceil_div(of.n(), ConvolutionTask::kTokens);
  const std::int64_t floats = HWY_DYNAMIC_DISPATCH(convolve)(of, 0, nullptr);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats * context.threads),
                      "mixer_convolution", context.worker);
  if (!context.computes) return;
  const Extent& v = of.a.v.extent;
  parallel_for(v.batch * v.heads * blocks, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 ConvolutionTask task = of;
                 task.batch = item / blocks / v.heads;
                 task.head = item / blocks % v.heads;
                 HWY_DYNAMIC_DISPATCH(convolve)
                 (task, item % blocks * ConvolutionTask::kTokens,
                  memory.as<float>() + thread * floats);
               });
}

// after := the last tokens, and zeros in place of those of other documents.
void keep_tokens(const ConvolutionTask& of, const TensorView& after) {
  const std::int64_t first = of.n() - of.halo();
  copy_rows(of.a.v.tokens(first, of.halo()), after);
  clear_rows(after.tokens(0, std::min(of.first_kept() - first, of.halo())));
}

}  // namespace

void convolve(const MixerArguments& a, const KernelContext& context, const MixerState* before,
              const MixerState* after) {
  const ConvolutionTask task{.a = a, .before = before == nullptr ? TensorView{} : before->matrix};
  if (after != nullptr && context.computes) keep_tokens(task, after->matrix);
  if (a.out.data != nullptr) convolve_heads(task, context);
}

void convolve_backward(const MixerArguments& a, const MixerGradients& gradients,
                       const KernelContext& context, const TensorView& before,
                       const TensorView& later, const TensorView& earlier) {
  convolve_heads({a, gradients, before, later, earlier}, context);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
