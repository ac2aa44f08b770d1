// SPDX-License-Identifier: Apache-2.0
// Computes operators in chunks of tokens. In a chunk, with the keys before it summed up in a state
// S = sum of phi(k) v^T,
//
//   W = phi(Q) phi(K)^T, only its lower triangle, times the decay between the tokens of an ssd
//   O = W V + phi(Q) S, over the row sums of W and phi(Q) (sum of phi(k)) unless it is an ssd
//   S := S + phi(K)^T V
//
// Where the operator is not causal, W does not exist: one pass sums up all keys, a second one
// multiplies all queries by the sum.
//
// Factors of an ssd's decay are 2 to differences of sums of a chunk, which are kept as two floats:
// where a token resets the state, the sum is far from 0 for all later ones.
#include "kernels/mixer/chunks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/cpu/every_set-inl.h"

#include <hwy/cache_control.h>

#include "kernels/mixer/chunk_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qb::cpu::HWY_NAMESPACE {
namespace {

class Chunks : ChunkRows {
 public:
  Chunks(const ChunkTask& task, const ChunkScratch& scratch) : ChunkRows(task, scratch) {}

  void run() {
    begin();
    const std::int64_t n = t_.a.k.extent.length;
    for (std::int64_t first = 0; first < n; first += t_.chunk())
      step(first, std::min(t_.chunk(), n - first));
    if (t_.after != nullptr) end();
    hwy::FlushStream();
  }

 private:
  void begin() {
    std::fill_n(s_.sums, f_, 0.0f);
    std::fill_n(s_.largest, f_, kMinusInfinity);
    if (t_.before == nullptr) {
      std::fill_n(s_.state, f_ * p_, 0.0f);
      return;
    }
    load_rows(t_.before->matrix, t_.batch, t_.state_head(), 0, features_, p_, s_.state);
    const auto vector = [&](std::int64_t r) {
      return *t_.before->vector.row_as<float>(t_.batch, t_.state_head(), r);
    };
    for (std::int64_t r = 0; r < features_ && kind_ != Mixer::ssd; ++r) {
      s_.sums[r] = exponential_ ? 1.0f : vector(r);
      s_.largest[r] = vector(r) * static_cast<float>(std::numbers::log2e);
    }
  }

  void end() const {
    for (std::int64_t r = 0; r < features_; ++r) {
      store_row(s_.state + r * p_, values_, exponential_ ? 1.0f / s_.sums[r] : 1.0f,
                t_.after->matrix.row_as<float>(t_.batch, t_.state_head(), r));
      if (kind_ != Mixer::ssd)
        *t_.after->vector.row_as<float>(t_.batch, t_.state_head(), r) =
            exponential_
                ? (s_.largest[r] + std::log2(s_.sums[r])) * static_cast<float>(std::numbers::ln2)
                : s_.sums[r];
    }
    if (kind_ == Mixer::ssd) end_decay();
  }

  void end_decay() const {
    const TensorView& decay = t_.a.decay;
    double sum = 0.0;
    for (std::int64_t i = 0; i < decay.extent.length; ++i)
      sum += *decay.row_as<float>(t_.batch, t_.head, i);
    if (t_.before != nullptr) sum += *t_.before->vector.row_as<float>(t_.batch, t_.head, 0);
    *t_.after->vector.row_as<float>(t_.batch, t_.head, 0) = static_cast<float>(sum);
  }

  void step(std::int64_t first, std::int64_t count) {
    look_ahead(first + count);
    if (t_.absorbs) load_chunk(first, count);
    const std::int64_t at_once = t_.options.causal ? kTriangleRows : 2 * kTriangleRows;
    for (std::int64_t row = 0; row < count && t_.attends; row += at_once)
      if (!attend(first, row, std::min(at_once, count - row), count)) {
        step(first, count / 2);
        return step(first + count / 2, count - count / 2);
      }
    if (t_.absorbs) absorb(count);
  }

  void load_chunk(std::int64_t first, std::int64_t count) {
    load_keys(first, count);
    if (kind_ == Mixer::ssd) load_decay(first, count);
    if (t_.options.causal) transpose_keys(count);
    v_ = rows_in_place(t_.a.v, t_.batch, t_.kv_head(), first, count, p_, s_.v);
  }

  // Computes so many rows of the chunk, which with their weights stay in the first-level cache.
  // Returns false where a later key of the chunk has such features that a row lost all it sees.
  bool attend(std::int64_t first, std::int64_t row, std::int64_t rows, std::int64_t count) {
    const std::int64_t seen = std::min(count, row + rows);
    load_queries(first + row, rows);
    if (t_.options.causal) weigh_keys(s_.q, rows, seen, count, s_.weights);
    for (std::int64_t i = 0; i < rows; ++i) finish_weights(i, row + i, seen);
    if (exponential_ && count > 1 && underflows(rows)) return false;
    const RowsTerm of_state{s_.q, f_, s_.state, p_, features_};
    if (t_.options.causal)
      sum_products<false>(ahead_, rows, values_, s_.out, p_, RowsTerm{s_.weights, c_, v_, p_, seen},
                          of_state);
    else
      sum_products<false>(ahead_, rows, values_, s_.out, p_, of_state);
    // Storing past the caches saves reading out; between the products of a causal call it costs
    // more.
    const bool streams = ahead_.count > 0 && !t_.options.causal;
    for (std::int64_t i = 0; i < rows; ++i)
      store_row(s_.out + i * p_, values_, s_.inverse[i],
                t_.a.out.row_as<float>(t_.batch, t_.head, first + row + i), streams);
    return true;
  }

  // Masks row i of the weights, of token `token` of the chunk, and gives it and its query their
  // decay; inverse := 1 over the sum of weights.
  void finish_weights(std::int64_t i, std::int64_t token, std::int64_t seen) {
    const Floats d;
    Vector sum = hn::Zero(d);
    if (t_.options.causal)
      change_row(s_.weights + i * c_, seen, [&](std::int64_t j, Vector weight) {
        weight = seen_weight(token, j, weight);
        sum = hn::Add(sum, weight);
        return weight;
      });
    const bool rescales = exponential_ && t_.absorbs;
    const Vector factor = kind_ == Mixer::ssd ? gate(token) : hn::Set(d, 1.0f);
    change_row(s_.q + i * f_, f_, [&](std::int64_t r, Vector feature) {
      feature = hn::Mul(feature, rescales ? hn::Load(d, s_.rescaling + r) : factor);
      sum = hn::MulAdd(feature, hn::Load(d, s_.sums + r), sum);
      return feature;
    });
    const float total = hn::GetLane(hn::SumOfLanes(d, sum));
    s_.inverse[i] = kind_ == Mixer::ssd ? 1.0f : total == 0.0f ? 0.0f : 1.0f / total;
  }

  [[nodiscard]] bool underflows(std::int64_t rows) const {
    return std::any_of(s_.inverse, s_.inverse + rows,
                       [](float inverse) { return !(inverse > 0.0f && inverse < 0x1p60f); });
  }

  // Makes the state relative to the largest features of the chunk.
  void rescale() {
    for (std::int64_t r = 0; r < features_; ++r) {
      const Vector factor = hn::Set(Floats(), s_.rescaling[r]);
      if (s_.rescaling[r] != 1.0f) multiply_row(s_.state + r * p_, p_, factor);
      s_.sums[r] *= s_.rescaling[r];
    }
    std::copy_n(s_.next_largest, f_, s_.largest);
  }

  void absorb(std::int64_t count) {
    if (exponential_) rescale();
    if (kind_ == Mixer::ssd) {
      multiply_row(s_.state, features_ * p_, gate_of_chunk(count));
      for (std::int64_t j = 0; j < count; ++j)
        multiply_row(s_.k + j * f_, f_, gate_to_end(j, count));
    } else {
      add_column_sums(s_.k, count, f_, f_, s_.sums);
    }
    sum_products<true>(ahead_, features_, values_, s_.state, p_,
                       ColumnsTerm{{s_.k, f_, v_, p_, count}});
  }

  const float* v_ = nullptr;  // [c][p], where they lie or in s_.v
};

void run(const ChunkTask& task, const ChunkScratch& scratch) { Chunks(task, scratch).run(); }

}  // namespace
}  // namespace qb::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qb::cpu {
HWY_EXPORT(run);

ChunkScratch ChunkScratch::carve(const ChunkTask& task, float* memory) {
  const auto up = [](std::int64_t width) { return round_up(width, kMixerColumns); };
  const std::int64_t c = chunk_columns(task);
  const std::int64_t f = up(task.features());
  const std::int64_t p = up(task.a.v.extent.head_dim);
  const std::int64_t weights = task.options.causal ? c * c : 0;
  const std::int64_t transposed = task.options.causal ? c * f : 0;
  const std::int64_t inputs = task.is_exponential() ? c * up(task.a.k.extent.head_dim) : 0;
  const std::int64_t delta = task.is_delta() ? 1 : 0;
  const std::int64_t columns = p + delta * f;
  ChunkScratch s{};
  s.floats = carve_floats(memory, {{&s.q, c * f},
                                   {&s.k, c * f},
                                   {&s.k_transposed, transposed},
                                   {&s.v, c * p},
                                   {&s.weights, weights},
                                   {&s.out, c * p},
                                   {&s.state, (f + kMixerColumns) * columns},
                                   {&s.sums, f},
                                   {&s.largest, f},
                                   {&s.next_largest, f},
                                   {&s.rescaling, f},
                                   {&s.inverse, c},
                                   {&s.gate, 2 * c},
                                   {&s.inputs, inputs},
                                   {&s.key_weights, delta * c * c},
                                   {&s.updates, delta * c * columns},
                                   {&s.rest, delta * 4 * columns},
                                   {&s.factors, task.a.decay.extent.head_dim > 1 ? c * f : 0},
                                   {&s.beta, delta * c}});
  return s;
}

void run_chunks(const ChunkTask& task, const ChunkScratch& scratch) {
  if (task.is_delta()) return run_delta(task, scratch);
  HWY_DYNAMIC_DISPATCH(run)(task, scratch);
}

}  // namespace qb::cpu
#endif  // HWY_ONCE
