// SPDX-License-Identifier: Apache-2.0
// The selective scan, with channels in the lanes: for each token and each element s of the state
//
//   h_s := 2^(delta a_s log2 e) h_s + (delta x) k_s,   out += q_s h_s
//
// The exponentials are most of the work: for `d` of them a vector of channels reads two vectors and
// writes one, far below what memory gives.
#include "kernels/mixer/mix_parts.h"

#include <numbers>

#include "kernels/parallel.h"

#include "kernels/cpu/every_set-inl.h"

#include "kernels/mixer/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Scan {
 public:
  std::int64_t floats = 0;  // of its scratch memory

  // Without memory it counts floats.
  Scan(const ScanTask& task, float* memory)
      : t_(task),
        size_(task.a.q.extent.head_dim),
        stride_(round_up(size_, kMixerColumns)),
        channels_(task.channels()) {
    constexpr std::int64_t kBlock = ScanTask::kTokens * ScanTask::kChannels;
    floats = carve_floats(memory, {{&delta_, kBlock},
                                   {&x_, kBlock},
                                   {&out_, kBlock},
                                   {&rates_, size_ * ScanTask::kChannels},
                                   {&state_, size_ * ScanTask::kChannels},
                                   {&total_, ScanTask::kChannels},
                                   {&q_, ScanTask::kTokens * stride_},
                                   {&k_, ScanTask::kTokens * stride_}});
  }

  void run() {
    begin();
    const std::int64_t n = t_.a.v.extent.length;
    for (std::int64_t first = 0; first < n; first += ScanTask::kTokens)
      step(first, std::min(ScanTask::kTokens, n - first));
    if (t_.after != nullptr) end();
  }

 private:
  // Calls function(channel, element of the state, its place in rates and state).
  template <class Function>
  void for_each_element(Function function) const {
    for (std::int64_t c = 0; c < channels_; ++c)
      for (std::int64_t s = 0; s < size_; ++s) function(c, s, s * ScanTask::kChannels + c);
  }

  void begin() {
    std::fill_n(rates_, size_ * ScanTask::kChannels, 0.0f);
    std::fill_n(state_, size_ * ScanTask::kChannels, 0.0f);
    std::fill_n(total_, ScanTask::kChannels, 0.0f);
    for_each_element([&](std::int64_t c, std::int64_t s, std::int64_t at) {
      const std::int64_t channel = t_.first_channel + c;
      rates_[at] =
          t_.a.a.row_as<float>(0, t_.head, channel)[s] * static_cast<float>(std::numbers::log2e);
      if (t_.before == nullptr) return;
      state_[at] = t_.before->matrix.row_as<float>(t_.batch, t_.head, channel)[s];
      total_[c] = *t_.before->vector.row_as<float>(t_.batch, t_.head, channel);
    });
  }

  void end() const {
    for_each_element([&](std::int64_t c, std::int64_t s, std::int64_t at) {
      const std::int64_t channel = t_.first_channel + c;
      t_.after->matrix.row_as<float>(t_.batch, t_.head, channel)[s] = state_[at];
      *t_.after->vector.row_as<float>(t_.batch, t_.head, channel) = total_[c];
    });
  }

  void step(std::int64_t first, std::int64_t count) {
    const auto load = [&](TensorView view, float* to) {
      view.data = view.row(0, 0, 0) + t_.first_channel * size_of(view.dtype);
      view.extent.head_dim = channels_;
      load_rows(view, t_.batch, t_.head, first, count, ScanTask::kChannels, to);
    };
    load(t_.a.delta, delta_);
    load(t_.a.v, x_);
    load_rows(t_.a.q, t_.batch, 0, first, count, stride_, q_);
    load_rows(t_.a.k, t_.batch, 0, first, count, stride_, k_);
    for (std::int64_t c = 0; c < channels_; c += lanes()) scan_vector(c, count);
    if (t_.a.out.data == nullptr) return;
    for (std::int64_t i = 0; i < count; ++i)
      store_row(out_ + i * ScanTask::kChannels, channels_, 1.0f,
                t_.a.out.row_as<float>(t_.batch, t_.head, first + i) + t_.first_channel);
  }

  // Goes over a block with the channels [c, c + lanes).
  HWY_NOINLINE void scan_vector(std::int64_t c, std::int64_t count) {
    const Floats d;
    const std::int64_t size = size_;  // not read again after each store
    Vector total = hn::Load(d, total_ + c);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = i * ScanTask::kChannels + c;
      const Vector delta = hn::Load(d, delta_ + at);
      const Vector step = hn::Mul(delta, hn::Load(d, x_ + at));
      const float* const q = q_ + i * stride_;
      const float* const k = k_ + i * stride_;
      const float* rates = rates_ + c;
      float* state = state_ + c;
      Vector out = hn::Zero(d);
      for (std::int64_t s = 0; s < size; ++s) {
        const Vector kept = exp2_unbiased(hn::Mul(delta, hn::Load(d, rates)));
        const Vector h = hn::MulAdd(kept, hn::Load(d, state), hn::Mul(step, hn::Set(d, k[s])));
        hn::Store(h, d, state);
        out = hn::MulAdd(h, hn::Set(d, q[s]), out);
        rates += ScanTask::kChannels;
        state += ScanTask::kChannels;
      }
      total = hn::Add(total, delta);
      hn::Store(out, d, out_ + at);
    }
    hn::Store(total, d, total_ + c);
  }

  const ScanTask& t_;
  const std::int64_t size_;
  const std::int64_t stride_;
  const std::int64_t channels_;
  float* delta_;  // [tokens][channels], and so are x and out
  float* x_;
  float* out_;
  float* rates_;  // [elements of the state][channels], in units of log 2
  float* state_;
  float* total_;  // [channels], the sum of delta
  float* q_;      // [tokens][elements of the state]
  float* k_;
};

std::int64_t scan_channels(const ScanTask& task, float* memory) {
  Scan scan(task, memory);
  if (memory != nullptr) scan.run();
  return scan.floats;
}

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(scan_channels);

void scan(const MixerArguments& a, const KernelContext& context, const MixerState* before,
          const MixerState* after) {
  const Extent& v = a.v.extent;
  const std::int64_t blocks = ceil_div(v.head_dim, ScanTask::kChannels);
  const std::int64_t floats =
      HWY_DYNAMIC_DISPATCH(scan_channels)({a, 0, 0, 0, before, after}, nullptr);
  const Buffer memory(context.workspace, static_cast<std::size_t>(4 * floats * context.threads),
                      "mixer_scan", context.worker);
  if (!context.computes) return;
  parallel_for(v.batch * v.heads * blocks, context.threads, 1,
               [&](std::int64_t item, std::int64_t, int thread) {
                 const std::int64_t head = item / blocks;
                 const ScanTask task{
                     a,      head / v.heads, head % v.heads, item % blocks * ScanTask::kChannels,
                     before, after};
                 HWY_DYNAMIC_DISPATCH(scan_channels)(task, memory.as<float>() + thread * floats);
               });
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
