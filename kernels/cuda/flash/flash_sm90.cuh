// SPDX-License-Identifier: Apache-2.0
// Flash attention for sm_90a: TMA loads the tiles, wgmma multiplies them, and warps specialise.
//
// A persistent block has one producer warpgroup, which gives its registers away and in which one
// thread feeds the copy engine, and two or three consumer warpgroups of 64 query rows each.
//
//   producer    item, Q | K0 V0 | K1 V1 | …      rings of kStages tiles, full/empty mbarriers
//   consumer 0  S0 | S1 , O+=P0V0 | softmax 1 | S2 , O+=P1V1 | softmax 2 …
//   consumer 1       S0 | S1 , O+=P0V0 | softmax 1 …
//
// Two overlaps hide the softmax. Within a consumer, the scores of step j are issued together with
// the output product of step j - 1, so the softmax of the first runs while the second is still in
// progress. Consumers take turns (ping-pong): one issues its products while the other computes its
// softmax, so that the tensor cores always have work.
//
// Causal tiles differ in cost, so the producer asks a counter in device memory for the next item
// when one is done; consumers read it from shared memory, with its queries.
//
// Order within a step: issue S_j; issue O += P_{j-1} V_{j-1}; wait for S_j, release K_j; mask,
// softmax; wait for O, release V_{j-1}; scale O, pack P_j. P is packed last because its registers
// are an operand until O is there.
#pragma once

#include "kernels/cuda/flash/flash_sm90_shared.cuh"
#include "kernels/cuda/flash/flash_softmax.cuh"

namespace qb::cuda {

template <class C>
class Sm90Block {
 public:
  QB_DEVICE Sm90Block(const FlashParameters& p, const TensorMaps& maps, std::uint32_t shared)
      : p_(p), maps_(maps), shared_(shared) {}

  QB_DEVICE void run() {
    const int thread = ptx::thread_index();
    if (thread == 0) shared_.init_barriers();
    ptx::sync_threads();
    const int warpgroup = ptx::uniform(thread / 128);
    if (warpgroup == 0) {
      ptx::give_registers<C::kProducerRegisters>();
      if (thread == 0) produce();
    } else {
      ptx::take_registers<C::kConsumerRegisters>();
      consume();
    }
  }

 private:
  using Position = typename Sm90Shared<C>::Position;

  // ---- Producer ---------------------------------------------------------------------------------

  // The first item of a block has the block's own number. Blocks ask until none is left: n_items
  // questions in all, after which the counter is 0 again and ready for the next launch.
  QB_DEVICE int ask_for_item() const {
    const auto last = static_cast<std::uint32_t>(p_.n_items - 1);
    return ptx::n_blocks() + static_cast<int>(ptx::increment_or_wrap(p_.items_asked_for, last));
  }

  // The place of item and queries may be overwritten when all consumers have released it.
  QB_DEVICE void hand_over(int item, int& parity) const {
    ptx::barrier_wait(shared_.query_empty(), parity ^ 1);
    ptx::store_shared(shared_.item(parity), item);
    parity ^= 1;
  }

  QB_DEVICE void produce() {
    ptx::prefetch_map(&maps_.q);
    ptx::prefetch_map(&maps_.k);
    ptx::prefetch_map(&maps_.v);
    unsigned count = 0;
    int query_parity = 0;
    // The producer asks while the consumers work on the last keys of the item before.
    for (int i = ptx::block_index(); i < p_.n_items; i = ask_for_item()) {
      const WorkItem item = p_.items[i];
      const TileWork work = p_.tiles[item.tile];
      hand_over(i, query_parity);
      if (work.n_masked + work.n_full == 0) {
        ptx::barrier_arrive(shared_.query_full());
        continue;
      }
      load(shared_.queries(), C::kRows, &maps_.q, shared_.query_full(), work.q_token,
           p_.q_map_stride, item.q_head, item.batch);
      KeyCursor cursor{work.first_masked, work.first_run, work.n_masked, work.n_full};
      for (cursor.next<C::kKeys>(p_); cursor.n_keys > 0; cursor.next<C::kKeys>(p_)) {
        const Position at(count++);
        ptx::barrier_wait(shared_.keys_empty(at.stage), at.parity ^ 1);
        load(shared_.keys(at.stage), C::kKeys, &maps_.k, shared_.keys_full(at.stage), cursor.token,
             p_.k_map_stride, item.kv_head, item.batch);
        ptx::barrier_wait(shared_.values_empty(at.stage), at.parity ^ 1);
        load(shared_.values(at.stage), C::kKeys, &maps_.v, shared_.values_full(at.stage),
             cursor.token, p_.k_map_stride, item.kv_head, item.batch);
      }
    }
    hand_over(p_.n_items, query_parity);
    ptx::barrier_arrive(shared_.query_full());
  }

  // Loads `rows` tokens from `token` on, every map_stride-th; columns and tokens outside are zeros.
  QB_DEVICE void load(std::uint32_t tile, int rows, const TensorMap* map, std::uint32_t full,
                      int token, int map_stride, int head, int batch) const {
    ptx::barrier_arrive_expecting(full, rows * C::kD * 2);
    QB_UNROLL
    for (int panel = 0; panel < C::kD / kPanelColumns; ++panel)
      ptx::copy_box(tile + static_cast<std::uint32_t>(panel * rows * kPanelRowBytes), map, full,
                    panel * kPanelColumns, map_stride == 1 ? 0 : token % map_stride,
                    map_stride == 1 ? token : token / map_stride, head, batch);
  }

  // ---- Consumers --------------------------------------------------------------------------------

  // A consumer thread keeps this from step to step; everything else is read where it is needed.
  struct State {
    float s[4 * C::kKeyTiles];
    std::uint32_t p[2 * C::kKeyTiles];
    float out[C::kD / 2];
    RowStatistics rows;
    typename Sm90Shared<C>::Progress
        at;  // counts steps whose scores were issued; the last values come later
  };

  // Named barriers 1, 2, …, one for each consumer, say whose turn it is to issue products: the
  // consumer waits at its own, and the one before it arrives there.
  // At d = 256 they take no turns.
  QB_DEVICE void wait_for_turn() const {
    if constexpr (C::kD != 256) ptx::named_sync(consumer() + 1, 256);
  }
  QB_DEVICE void pass_turn() const {
    if constexpr (C::kD != 256)
      ptx::named_arrive(consumer() + 1 == C::kConsumers ? 1 : consumer() + 2, 256);
  }

  // Says that what this warp has read may be overwritten.
  QB_DEVICE static void give_back(std::uint32_t empty) {
    if (lane() == 0) ptx::barrier_arrive(empty);
  }

  // The thread's number is read again where it is needed, so that it takes no registers in loops.
  QB_DEVICE static unsigned thread() {
    return ptx::opaque(static_cast<unsigned>(ptx::thread_index()));
  }
  QB_DEVICE static int lane() { return static_cast<int>(thread() % 32); }
  QB_DEVICE static int consumer() { return ptx::uniform(static_cast<int>(thread() / 128)) - 1; }
  QB_DEVICE static int first_row() {
    return 16 * (ptx::uniform(static_cast<int>(thread() / 32)) - 4);
  }

  // Returns the item that the producer hands over with its queries; n_items after the last one.
  QB_DEVICE int take_item(State& state) const {
    ptx::barrier_wait(shared_.query_full(), state.at.item_parity());
    state.at.next_item();
    const int item = item_number(state);
    ptx::sync_warp();  // No lane gives this place back, or the one before, while another reads it.
    return item;
  }
  // Reads again the number of the item taken last, so that it takes no register in between.
  QB_DEVICE int item_number(const State& state) const {
    return ptx::load_shared_int(shared_.item(state.at.item_parity() ^ 1));
  }

  QB_DEVICE void consume() {
    State state;
    if (consumer() == C::kConsumers - 1) pass_turn();
    for (int i = take_item(state); i < p_.n_items; i = take_item(state)) {
      state.rows = RowStatistics{};
      QB_UNROLL
      for (float& x : state.out) x = 0.0F;
      const TileWork& work = p_.tiles[p_.items[i].tile];
      if (work.n_masked + work.n_full == 0)
        give_back(shared_.query_empty());
      else if (64 * consumer() < work.n_rows)
        attend(state, work.first_masked, work.n_masked, work.n_full);
      else
        look_on(state, work.n_masked + work.n_full);
      QB_UNROLL
      for (float& sum : state.rows.sum) sum = sum_of_row(sum);
      const WorkItem item = p_.items[item_number(state)];
      store_rows(p_, p_.tiles[item.tile], item, state.out, state.rows, first_row(), lane());
    }
  }

  QB_DEVICE void attend(State& state, int first_masked, int n_masked, int n_full) const {
    QB_NO_UNROLL
    for (; n_masked > 0 && p_.masked[first_masked].n_keys <= kNarrowKeys;
         ++first_masked, --n_masked)
      narrow_step(state, first_masked);
    if (n_masked + n_full == 0) return give_back(shared_.query_empty());
    if (n_masked > 0) {
      first_step<true>(state, first_masked);
    } else {
      first_step<false>(state, 0);
      --n_full;
    }
    QB_NO_UNROLL
    for (; n_masked > 1; --n_masked) step<true>(state, ++first_masked);
    QB_NO_UNROLL
    for (; n_full > 0; --n_full) step<false>(state, 0);
    give_back(shared_.query_empty());
    const Position values_at(state.at.steps() - 1);
    ptx::barrier_wait(shared_.values_full(values_at.stage), values_at.parity);
    issue_values(state.out, state.p, values_at.stage);
    await_values(state.out, state.p, values_at.stage);
  }

  // Called by a consumer whose rows are all past the end of a group: it takes its turns and
  // releases what it does not read, in the same order as the others.
  QB_DEVICE void look_on(State& state, int n_steps) const {
    QB_NO_UNROLL
    for (int i = 0; i < n_steps; ++i) {
      const Position keys_at(state.at.steps());
      ptx::barrier_wait(shared_.keys_full(keys_at.stage), keys_at.parity);
      wait_for_turn();
      if (i > 0) pass_values(state.at.steps() - 1);
      pass_turn();
      give_back(shared_.keys_empty(keys_at.stage));
      state.at.next_step();
    }
    give_back(shared_.query_empty());
    pass_values(state.at.steps() - 1);
  }
  QB_DEVICE void pass_values(unsigned count) const {
    const Position at(count);
    ptx::barrier_wait(shared_.values_full(at.stage), at.parity);
    give_back(shared_.values_empty(at.stage));
  }

  template <bool kMasked>
  QB_DEVICE void first_step(State& state, int masked_step) const {
    const Position keys_at(state.at.steps());
    score(state.s, keys_at);
    state.at.next_step();
    float rescale[2];
    softmax<kMasked>(state, state.s, rescale, masked_step);
    scale_rows(state.out, rescale);
    pack_probabilities<C::kBf16, C::kKeyTiles>(state.p, state.s);
    if constexpr (kMasked) clear_values(keys_at, masked_step);
  }

  // Handles a block of few keys, from its scores to its part of O, overlapped only with the other
  // consumers: a quarter of the first product and of the second (two fifths for d = 256).
  QB_DEVICE void narrow_step(State& state, int masked_step) const {
    constexpr int kTiles = kNarrowKeys / 8;
    const Position at(state.at.steps());
    float s[4 * kTiles];
    score(s, at);
    state.at.next_step();
    float rescale[2];
    softmax<true>(state, s, rescale, masked_step);
    scale_rows(state.out, rescale);
    std::uint32_t p[2 * kTiles];
    pack_probabilities<C::kBf16, kTiles>(p, s);
    clear_values(at, masked_step);
    ptx::hold(p);
    issue_values(state.out, p, at.stage);
    await_values(state.out, p, at.stage);
  }

  template <bool kMasked>
  QB_DEVICE void step(State& state, int masked_step) const {
    const Position keys_at(state.at.steps());
    const Position values_at(state.at.steps() - 1);
    issue_scores(state.s, keys_at);
    ptx::barrier_wait(shared_.values_full(values_at.stage), values_at.parity);
    issue_values(state.out, state.p, values_at.stage);
    pass_turn();
    ptx::product_wait<1>();
    ptx::hold(state.s);
    give_back(shared_.keys_empty(keys_at.stage));
    float rescale[2];
    softmax<kMasked>(state, state.s, rescale, masked_step);
    // The trap is never taken; it keeps the exponentials before the wait, beside the product.
    ptx::trap_if_negative(fminf(state.rows.sum[0], state.rows.sum[1]));
    await_values(state.out, state.p, values_at.stage);
    state.at.next_step();
    scale_rows(state.out, rescale);
    pack_probabilities<C::kBf16, C::kKeyTiles>(state.p, state.s);
    if constexpr (kMasked) clear_values(keys_at, masked_step);
  }

  // The copy engine loads whole boxes, and a weight of 0 does not keep out NaN: zeros replace the
  // values past the end of a group. Each consumer writes all of them, so none waits for another.
  QB_DEVICE void clear_values(const Position& at, int masked_step) const {
    const int n_keys = p_.masked[masked_step].n_keys;
    if (n_keys == C::kKeys) return;
    constexpr int kChunks = C::kD / kChunkColumns;
    ptx::barrier_wait(shared_.values_full(at.stage), at.parity);
    QB_NO_UNROLL
    for (int i = n_keys * kChunks + ptx::thread_index() % 128; i < C::kKeys * kChunks; i += 128)
      ptx::store_zeros(shared_.values(at.stage) +
                       tile_address(C::kKeys, i / kChunks, i % kChunks * kChunkColumns));
    ptx::store_fence();
    ptx::named_sync(C::kConsumers + 1 + consumer(), 128);
  }

  template <bool kMasked, int kCount>
  QB_DEVICE void softmax(State& state, float (&s)[kCount], float (&rescale)[2],
                         int masked_step) const {
    if constexpr (kMasked) {
      const int n_rows = p_.tiles[p_.items[item_number(state)].tile].n_rows;
      mask_scores<false, kCount / 4>(s, p_, p_.masked[masked_step], n_rows, C::kWordsPerRow,
                                     first_row(), 0, lane());
    }
    online_softmax<kCount / 4>(s, state.rows, rescale, p_.scale_log2);
  }

  // Issues S = Q K^T for the first 2 kCount keys, 16 columns of depth at a time, when the keys are
  // there and it is this consumer's turn.
  template <int kCount>
  QB_DEVICE void issue_scores(float (&s)[kCount], const Position& at) const {
    ptx::barrier_wait(shared_.keys_full(at.stage), at.parity);
    wait_for_turn();
    ptx::hold(s);
    ptx::product_fence();
    const std::uint64_t q = advance(depth_major_descriptor(shared_.queries()),
                                    depth_major_step(C::kRows, 64 * consumer(), 0));
    const std::uint64_t k = depth_major_descriptor(shared_.keys(at.stage));
    ptx::product_of_shared<C::kBf16, false>(s, q, k);
    QB_UNROLL
    for (int depth = 16; depth < C::kD; depth += 16)
      ptx::product_of_shared<C::kBf16, true>(s, advance(q, depth_major_step(C::kRows, 0, depth)),
                                             advance(k, depth_major_step(C::kKeys, 0, depth)));
    ptx::product_commit();
  }
  // Does the same and waits for them, with nothing else in progress.
  template <int kCount>
  QB_DEVICE void score(float (&s)[kCount], const Position& at) const {
    issue_scores(s, at);
    pass_turn();
    ptx::product_wait<0>();
    ptx::hold(s);
    give_back(shared_.keys_empty(at.stage));
  }

  // Issues O += P V for the first 4 kCount keys, 16 keys at a time.
  template <int kCount>
  QB_DEVICE void issue_values(float (&out)[C::kD / 2], const std::uint32_t (&p)[kCount],
                              int stage) const {
    ptx::hold(out);
    ptx::product_fence();
    const std::uint64_t v = column_major_descriptor(shared_.values(stage), C::kKeys);
    QB_UNROLL
    for (int key = 0; key < 4 * kCount; key += 16)
      ptx::product_of_registers<C::kBf16>(out, &p[key / 4], advance(v, column_major_step(key)));
    ptx::product_commit();
  }
  template <int kCount>
  QB_DEVICE void await_values(float (&out)[C::kD / 2], std::uint32_t (&p)[kCount],
                              int stage) const {
    ptx::product_wait<0>();
    ptx::hold(out);
    ptx::hold(p);
    give_back(shared_.values_empty(stage));
  }

  const FlashParameters& p_;
  const TensorMaps& maps_;
  Sm90Shared<C> shared_;
};

}  // namespace qb::cuda
