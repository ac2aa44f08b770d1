// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/plan.h"

#include <algorithm>
#include <atomic>

#include "base/integers.h"

namespace qb {

struct Workers::Made {
  Made(std::size_t size, Make rule) : make(std::move(rule)), kept(size) {}
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    for (const auto& worker : kept) delete worker.load();
  }
  const Make make;
  mutable std::vector<std::atomic<const Worker*>> kept;  // nullptr: not made yet
};

Workers::Workers(int size, Make make, std::shared_ptr<const Rotation> rotation)
    : n_made_(static_cast<std::size_t>(size)),
      made_(std::make_shared<const Made>(n_made_, std::move(make))),
      rotation_(std::move(rotation)) {}

const Worker& Workers::operator[](std::size_t index) const {
  if (!made_) return spelt_[index];
  std::atomic<const Worker*>& kept = made_->kept[index];
  if (const Worker* worker = kept.load()) return *worker;
  auto worker = std::make_unique<const Worker>(made_->make(static_cast<int>(index), Parts::all));
  const Worker* other = nullptr;  // non-null if another thread was first
  return kept.compare_exchange_strong(other, worker.get()) ? *worker.release() : *other;
}

const Worker& Workers::read(std::size_t index, Worker& scratch, Parts parts) const {
  if (!made_) return spelt_[index];
  if (const Worker* worker = made_->kept[index].load()) return *worker;
  return scratch = made_->make(static_cast<int>(index), parts);
}

Worker Workers::share(std::size_t index) const {
  if (made_) return made_->make(static_cast<int>(index), Parts::share);
  const Worker& worker = spelt_[index];
  return {worker.q_groups, worker.kv_groups, {}, worker.heads, worker.saved,
          worker.queries,  worker.results};
}

std::vector<Worker>& Workers::spell_out() {
  if (!made_) return spelt_;
  for (std::size_t i = 0; i < n_made_; ++i)
    spelt_.push_back(made_->make(static_cast<int>(i), Parts::all));
  made_.reset();
  rotation_.reset();
  return spelt_;
}

std::int64_t causal_pairs(std::int64_t n_queries, std::int64_t n_keys, std::int64_t offset) {
  // Row i sees clamp(i + offset + 1, 0, n_keys) keys: none before row `first`, one more in each row
  // from `first` to `full`, and every key from `full` on.
  const std::int64_t first = std::clamp<std::int64_t>(-offset, 0, n_queries);
  const std::int64_t full = std::clamp<std::int64_t>(n_keys - 1 - offset, first, n_queries);
  const __int128 ramp_rows = full - first;
  const __int128 ramp = ramp_rows * (first + offset + 1 + full + offset) / 2;
  return static_cast<std::int64_t>(ramp + static_cast<__int128>(n_queries - full) * n_keys);
}

std::int64_t task_pairs(const Plan& plan, const PairTask& task) {
  const TokenGroup& q = group_at(plan.q_groups, task.q_group);
  const TokenGroup& k = group_at(plan.kv_groups, task.kv_group);
  if (task.allowed == Allowed::all) return q.count * k.count;
  if (task.allowed == Allowed::pattern)
    return count_pairs(plan.problem.mask, q, k, kCoarseTiles).unmasked;
  return causal_pairs(q.count, k.count, task.offset);
}

bool communicates(const Plan& plan) {
  Worker scratch;
  for (std::size_t w = 0; w < plan.workers.size(); ++w)
    for (const Step& step : plan.workers.read(w, scratch, Workers::Parts::messages).steps)
      for (const Transfer& transfer : step.sends)
        if (transfer.peer >= 0) return true;
  return false;
}

Range kv_heads_of(const Shape& shape, const Range& heads) {
  const std::int64_t group = shape.q_heads / shape.kv_heads;
  return {heads.begin / group, ceil_div(heads.end, group)};
}

std::int64_t tokens_of(const std::vector<TokenGroup>& groups, const std::vector<int>& chosen) {
  std::int64_t tokens = 0;
  for (int group : chosen) tokens += group_at(groups, group).count;
  return tokens;
}

bool rounds_lse(const Plan& plan) {
  if (plan.problem.lse_kept == 1) return true;
  if (plan.problem.lse_sent > 1) return false;
  if (plan.pass == Pass::forward && plan.result == Result::root) return true;
  const auto holds_lse = [](const Transfer& transfer) {
    return transfer.what == TensorRole::partial || transfer.what == TensorRole::partial_lse ||
           transfer.what == TensorRole::lse;
  };
  // Workers that differ by rotation receive the same tensors.
  const std::size_t n = plan.workers.rotation() != nullptr ? 1 : plan.workers.size();
  for (std::size_t w = 0; w < n; ++w)
    for (const Step& step : plan.workers[w].steps)
      if (std::ranges::any_of(step.receives, holds_lse)) return true;
  return false;
}

Extent tensor_extent(const Problem& problem, TensorRole what, std::int64_t rows,
                     const Range& heads) {
  using enum TensorRole;
  const Shape& shape = problem.shape;
  const Range held = is_of_keys(what) ? kv_heads_of(shape, heads) : heads;
  std::int64_t dim = shape.value_dim;
  if (what == q || what == k || what == d_q || what == d_k) dim = shape.head_dim;
  if (what == lse || what == partial_lse) dim = problem.lse_sent;
  if (what == row_max || what == denominator || what == delta) dim = 1;
  return {shape.batch, held.end - held.begin, rows, dim};
}

DType tensor_dtype(const Problem& problem, TensorRole what, DType sums) {
  const bool is_statistic = what == TensorRole::lse || what == TensorRole::delta;
  if (is_input(what) && !is_statistic) return problem.dtype;
  const bool is_sum =
      is_gradient(what) || what == TensorRole::partial || what == TensorRole::weighted;
  return is_sum ? sums : DType::f32;
}

std::int64_t tensor_bytes(const Problem& problem, TensorRole what, std::int64_t rows,
                          const Range& heads, DType sums) {
  const std::int64_t bytes = tensor_extent(problem, what, rows, heads).elements() *
                             size_of(tensor_dtype(problem, what, sums));
  if (what != TensorRole::partial) return bytes;
  // LSE lies behind O.
  return round_up(bytes, size_of(DType::f32)) +
         tensor_extent(problem, TensorRole::lse, rows, heads).elements() * size_of(DType::f32);
}

}  // namespace qb
