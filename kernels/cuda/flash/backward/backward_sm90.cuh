// SPDX-License-Identifier: Apache-2.0
// Computes the backward pass of flash attention for sm_90a: TMA loads the tiles, wgmma multiplies
// them, one warp produces and two warpgroups consume. The products and their names are those of
// backward_sm80.cuh.
//
// A block owns 128 rows of keys, 64 for each consumer warpgroup, whose tiles stay in shared
// memory and whose sums stay in registers. The producer brings blocks of the other side, 64 rows at
// d = 128 and 128 at d = 64, in a ring of two stages. A consumer takes 64 of these rows at a time:
//
//   issue S, dP | wait S: P | issue dV | wait dP: dS, to shared memory | meet | issue dQ, dK |
//   wait dQ: to shared memory, add it | wait dK
//
// So P becomes dS while dV is multiplied, and the copy engine adds dQ to device memory while dK is.
// dQ and the meeting are of the last part of a step: when all of its dS is there, each consumer
// computes 64 x 64 of the product over all 128 own rows: half of the columns at d = 128, half of
// the rows at d = 64. So each element of dQ gets one addition for 128 keys. dS has two places that
// steps take in turn: who has met for a step has waited for its product of the step before, so the
// place that is written next is read no more, and one meeting a step is enough.
//
// What this version leaves out: a persistent grid. To issue the next step's scores before a step's
// sums are waited for takes 240 registers and was 2 to 3 % slower on an H200.
#pragma once

#include "kernels/cuda/flash/backward/backward_sm90_shared.cuh"
#include "kernels/cuda/flash/backward/backward_step.cuh"
#include "kernels/cuda/flash/backward/backward_weights.cuh"

namespace qb::cuda {

template <class C>
class Sm90Backward {
 public:
  QB_DEVICE Sm90Backward(const BackwardParameters& p, const BackwardMaps& maps,
                         std::uint32_t shared)
      : p_(p), maps_(maps), shared_(shared) {}

  QB_DEVICE void run() {
    const int thread = ptx::thread_index();
    if (thread == 0) shared_.init_barriers();
    ptx::sync_threads();
    const int warpgroup = ptx::uniform(thread / 128);
    if (warpgroup == 0) {
      ptx::give_registers<C::kProducerRegisters>();
      if (thread < 32) produce();
    } else {
      ptx::take_registers<C::kConsumerRegisters>();
      consume();
    }
  }

 private:
  using Position = RingPosition<C::kStages>;

  // The thread's number is read again where it is needed, so that it takes no registers in loops.
  QB_DEVICE static unsigned thread() {
    return ptx::opaque(static_cast<unsigned>(ptx::thread_index()));
  }
  QB_DEVICE static int lane() { return static_cast<int>(thread() % 32); }
  QB_DEVICE static int consumer() { return ptx::uniform(static_cast<int>(thread() / 128)) - 1; }
  // Returns the warp's first row of the 16 that it has of each 64.
  QB_DEVICE static int warp_row() {
    return 16 * (ptx::uniform(static_cast<int>(thread() / 32)) % 4);
  }
  QB_DEVICE static int first_own() { return 64 * consumer() + warp_row(); }

  QB_DEVICE const WorkItem& item() const { return p_.items[ptx::opaque(ptx::block_index())]; }
  QB_DEVICE int own_begin() const { return p_.blocks[item().tile].begin; }

  // ---- Producer ---------------------------------------------------------------------------------

  QB_DEVICE void produce() {
    const int lane = Sm90Backward::lane();
    StepCursor at(p_, false);
    if (!at.found()) return;
    const WorkItem own = item();
    if (lane == 0) {
      const int begin = own_begin();
      ptx::barrier_arrive_expecting(shared_.own_full(), 2 * C::kOwnBytes);
      load(shared_.own_score(), C::kOwn, &maps_.own_score, shared_.own_full(), begin, own.q_head,
           own.batch);
      load(shared_.own_value(), C::kOwn, &maps_.own_value, shared_.own_full(), begin, own.q_head,
           own.batch);
    }
    unsigned count = 0;
    for (; at.found(); at.advance()) {
      const Position position(count++);
      const std::uint32_t full = shared_.full(position.stage);
      ptx::barrier_wait(shared_.empty(position.stage), position.parity ^ 1);
      if (lane == 0) {
        ptx::barrier_arrive_expecting(full, 2 * C::kOtherBytes);
        load(shared_.other_score(position.stage), C::kOther, &maps_.other_score, full, at.begin(),
             at.head(), own.batch);
        load(shared_.other_value(position.stage), C::kOther, &maps_.other_value, full, at.begin(),
             at.head(), own.batch);
      }
      store_numbers(p_.numbers_of(own.batch, at.head()) + at.begin(), position.stage, lane);
      // All lanes have passed the wait before lane 0 goes on to a later one.
      ptx::sync_warp();
      if (lane == 0) ptx::barrier_arrive(full);
    }
  }

  // Loads rows from `begin` on; columns and rows outside the tensor are zeros.
  QB_DEVICE static void load(std::uint32_t tile, int rows, const TensorMap* map, std::uint32_t full,
                             int begin, int head, int batch) {
    QB_UNROLL
    for (int panel = 0; panel < C::kD / kPanelColumns; ++panel)
      ptx::copy_box(tile + static_cast<std::uint32_t>(panel * rows * kPanelRowBytes), map, full,
                    panel * kPanelColumns, 0, begin, head, batch);
  }

  QB_DEVICE void store_numbers(const RowNumbers* from, int stage, int lane) const {
    for (int row = lane; row < C::kOther; row += 32) {
      const RowNumbers numbers = from[row];
      const std::uint32_t to = shared_.numbers(stage, 0) + static_cast<std::uint32_t>(8 * row);
      ptx::store_shared(to, numbers.lse_log2);
      ptx::store_shared(to + 4, numbers.delta);
    }
  }

  // ---- Consumers --------------------------------------------------------------------------------

  struct State {
    float sum_score[C::kD / 2];
    float sum_value[C::kD / 2];
  };

  // Says that what this warp has read may be overwritten.
  QB_DEVICE static void give_back(std::uint32_t empty) {
    if (lane() == 0) ptx::barrier_arrive(empty);
  }

  QB_DEVICE void consume() const {
    StepCursor at(p_, false);
    if (!at.found()) return;
    State state;
    QB_UNROLL
    for (int i = 0; i < C::kD / 2; ++i) state.sum_score[i] = state.sum_value[i] = 0.0F;
    ptx::barrier_wait(shared_.own_full(), 0);
    unsigned count = 0;
    QB_NO_UNROLL
    for (; at.found(); at.advance()) {
      const Position position(count++);
      ptx::barrier_wait(shared_.full(position.stage), position.parity);
      // Unrolled, since the last part also multiplies for dQ.
      QB_UNROLL
      for (int part = 0; part < C::kParts; ++part) add_part(state, at, position.stage, part);
      give_back(shared_.empty(position.stage));
    }
    finish(state);
  }

  // Issues S or dP: this consumer's 64 own rows by the 64 other rows of a part.
  QB_DEVICE static void issue_scores(float (&s)[32], std::uint32_t own, std::uint32_t other,
                                     int part) {
    const std::uint64_t a =
        advance(depth_major_descriptor(own), depth_major_step(C::kOwn, 64 * consumer(), 0));
    const std::uint64_t b =
        advance(depth_major_descriptor(other), depth_major_step(C::kOther, 64 * part, 0));
    ptx::hold(s);
    ptx::product_fence();
    ptx::product_of_shared<C::kBf16, false>(s, a, b);
    QB_UNROLL
    for (int depth = 16; depth < C::kD; depth += 16)
      ptx::product_of_shared<C::kBf16, true>(s, advance(a, depth_major_step(C::kOwn, 0, depth)),
                                             advance(b, depth_major_step(C::kOther, 0, depth)));
    ptx::product_commit();
  }

  // Issues sum += A . (64 rows of a part).
  QB_DEVICE static void issue_sum(float (&sum)[C::kD / 2], std::uint32_t (&packed)[16],
                                  std::uint32_t other, int part) {
    const std::uint64_t b =
        advance(column_major_descriptor(other, C::kOther), column_major_step(64 * part));
    ptx::hold(sum);
    ptx::hold(packed);
    ptx::product_fence();
    QB_UNROLL
    for (int row = 0; row < 64; row += 16)
      ptx::product_of_registers<C::kBf16>(sum, &packed[row / 4],
                                          advance(b, column_major_step(row)));
    ptx::product_commit();
  }

  // The 64 rows of a step and the 64 columns of which this consumer computes dQ.
  QB_DEVICE static int d_q_part() { return consumer() % C::kParts; }
  QB_DEVICE static int d_q_panel() { return consumer() / C::kParts; }

  // Issues 64 x 64 of dS^T . own score, as soon as both consumers have stored their dS.
  QB_DEVICE void issue_queries(float (&d_q)[32], int stage) const {
    ptx::store_fence();
    ptx::named_sync(1, 128 * C::kConsumers);
    const std::uint64_t a = column_major_descriptor(shared_.gradients(stage, d_q_part()), C::kOwn);
    const std::uint64_t b = column_major_descriptor(
        shared_.own_score() + static_cast<std::uint32_t>(d_q_panel() * C::kOwn * kPanelRowBytes),
        C::kOwn);
    ptx::hold(d_q);
    ptx::product_fence();
    ptx::product_of_transposed<C::kBf16, false>(d_q, a, b);
    QB_UNROLL
    for (int row = 16; row < C::kOwn; row += 16)
      ptx::product_of_transposed<C::kBf16, true>(d_q, advance(a, column_major_step(row)),
                                                 advance(b, column_major_step(row)));
    ptx::product_commit();
  }

  // Adds what issue_queries() has computed to dQ: the warp's 16 rows by 64 columns.
  QB_DEVICE void add_queries(const float (&d_q)[32], const StepCursor& at) const {
    const int row = at.begin() + 64 * d_q_part() + warp_row();
    if (p_.adds_boxes == 0)
      return add_share<true>(p_.sum_other.row<float>(item().batch, at.head(), 0),
                             p_.sum_other.token_stride, row, p_.other_length, 64 * d_q_panel(),
                             p_.head_dim, p_.scale, d_q, lane());
    const std::uint32_t sums = shared_.sums(4 * consumer() + warp_row() / 16);
    const int column = 64 * d_q_panel();    // the whole warp computes it
    if (lane() == 0) ptx::wait_for_sums();  // those of the step before
    ptx::sync_warp();
    store_sums(sums, p_.scale, d_q, lane());
    ptx::store_fence();
    ptx::sync_warp();
    if (lane() == 0) {
      QB_UNROLL
      for (int box = 0; box < 2; ++box)
        ptx::add_box(&maps_.sum_other, sums + box * (C::kSumsBytes / 2), column + kSumColumns * box,
                     0, row, at.head(), item().batch);
      ptx::commit_sums();
    }
    ptx::sync_warp();
  }

  QB_DEVICE void clear_hidden_of_part(float (&x)[32], int step, int part) const {
    if (step >= 0) clear_hidden(x, p_, p_.masked[step], first_own(), 64 * part, lane());
  }

  // Adds a part of a step to the own sums, and after the last one the step to dQ.
  QB_DEVICE void add_part(State& state, const StepCursor& at, int stage, int part) const {
    const bool adds_queries = part == C::kParts - 1;
    const std::uint32_t numbers = shared_.numbers(stage, part);
    float s[32];
    float d_p[32];
    issue_scores(s, shared_.own_score(), shared_.other_score(stage), part);
    issue_scores(d_p, shared_.own_value(), shared_.other_value(stage), part);
    ptx::product_wait<1>();
    ptx::hold(s);
    to_weights(s, numbers, p_.scale_log2, lane());
    clear_hidden_of_part(s, at.step(), part);
    std::uint32_t weights[16];
    pack_probabilities<C::kBf16, 8>(weights, s);
    issue_sum(state.sum_value, weights, shared_.other_value(stage), part);
    ptx::product_wait<1>();
    ptx::hold(d_p);
    to_score_gradients(s, d_p, numbers, lane());
    clear_hidden_of_part(s, at.step(), part);
    std::uint32_t gradients[16];
    pack_probabilities<C::kBf16, 8>(gradients, s);
    store_packed(shared_.gradients(stage, part), first_own(), gradients, lane());
    float d_q[32];
    if (adds_queries) issue_queries(d_q, stage);
    issue_sum(state.sum_score, gradients, shared_.other_score(stage), part);
    if (adds_queries) {
      ptx::product_wait<1>();
      ptx::hold(d_q);
      add_queries(d_q, at);
    }
    ptx::product_wait<0>();
    ptx::hold(state.sum_score);
    ptx::hold(gradients);
    ptx::hold(state.sum_value);
    ptx::hold(weights);
  }

  QB_DEVICE void finish(const State& state) const {
    if (lane() == 0) ptx::wait_for_sums();
    const WorkItem& own = item();
    const int first_row = own_begin() + first_own();
    add_share<false>(p_.sum_score.row<float>(own.batch, own.q_head, 0), p_.sum_score.token_stride,
                     first_row, p_.own_length, 0, p_.head_dim, p_.scale, state.sum_score, lane());
    add_share<false>(p_.sum_value.row<float>(own.batch, own.q_head, 0), p_.sum_value.token_stride,
                     first_row, p_.own_length, 0, p_.value_dim, 1.0F, state.sum_value, lane());
  }

  const BackwardParameters& p_;
  const BackwardMaps& maps_;
  BackwardSm90Shared<C> shared_;
};

}  // namespace qb::cuda
