#include "harness/plan/work/worker_memory.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/plan/blocks.h"
#include "harness/plan/work/tiling.h"
#include "harness/plan/work/work.h"

namespace qb {
namespace {

class MemoryWalk {
 public:
  MemoryWalk(const Plan& plan, const Worker& worker, Kernel kernel, int threads)
      : plan_(plan), worker_(worker), kernel_(kernel), threads_(threads), blocks_(plan, worker) {}

  std::int64_t peak() {
    hold_resident();
    for (std::size_t s = 0; s < worker_.steps.size(); ++s) {
      if (s > 0) end_sends();
      blocks_.enter_step();
      begin_step();
      if (s + 1 < worker_.steps.size()) post_receives(messages_of(worker_.steps[s + 1].receives));
      const std::vector<Message> sends = messages_of(worker_.steps[s].sends);
      post_early(sends);
      for (const KernelCall& call : blocks_.take_calls()) compute(call);
      post_late(sends);
    }
    return peak_;
  }

 private:
  void take(std::int64_t bytes) {
    held_ += bytes;
    peak_ = std::max(peak_, held_);
  }
  void give(std::int64_t bytes) { held_ -= bytes; }

  static std::int64_t take_out(std::map<int, std::int64_t>& from, int id) {
    const auto found = from.find(id);
    if (found == from.end()) return 0;
    const std::int64_t bytes = found->second;
    from.erase(found);
    return bytes;
  }

  [[nodiscard]] std::int64_t bytes_of(TensorRole what, std::int64_t rows,
                                      const HeadRange& heads) const {
    return tensor_bytes(plan_.problem, what, rows, heads);
  }

  [[nodiscard]] std::int64_t block_bytes(const Block& block) const {
    if (block.of_queries) return bytes_of(TensorRole::q, block.rows, block.heads);
    return bytes_of(TensorRole::k, block.rows, block.heads) +
           bytes_of(TensorRole::v, block.rows, block.heads);
  }

  void hold_resident() {
    const Block& q = blocks_.block(kResidentQueries);
    take(block_bytes(q) + block_bytes(blocks_.block(kResidentKeys)));
    if (q.rows == 0) return;
    partial_bytes_[kResidentQueries] = bytes_of(TensorRole::partial, q.rows, q.heads);
    take(partial_bytes_[kResidentQueries]);
    if (plan_.result == Result::everyone && plan_.workers.size() > 1)
      take(bytes_of(TensorRole::row_max, q.rows, q.heads) +
           bytes_of(TensorRole::denominator, q.rows, q.heads));
  }

  void post_receives(const std::vector<Message>& messages) {
    receiving_ = 0;
    for (const Message& message : messages) receiving_ += message.buffer_bytes;
    take(receiving_);
  }

  // What arrived is put together, or stays in its one message.
  void begin_step() {
    std::set<std::size_t> kept;
    for (const Block& block : blocks_.arrived())
      if (block.messages.size() == 1) {
        // Q and KV of one message: it lives as long as either.
        const std::int64_t bytes = blocks_.received()[block.messages[0]].buffer_bytes;
        block_bytes_[block.id] = kept.insert(block.messages[0]).second ? bytes : 0;
      } else {
        block_bytes_[block.id] = block_bytes(block);
        take(block_bytes_[block.id]);
      }
    for (std::size_t m = 0; m < blocks_.received().size(); ++m)
      if (!kept.contains(m)) give(blocks_.received()[m].buffer_bytes);
    receiving_ = 0;
  }

  // What the step before sent has gone, and what it held for itself with it.
  void end_sends() {
    give(sent_);
    sent_ = 0;
    for (int id : blocks_.leave_step()) give(take_out(block_bytes_, id));
  }

  void post_early(const std::vector<Message>& sends) {
    std::int64_t bytes = 0;
    const std::vector<std::size_t> first = first_equal(sends);
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (sends[i].late || first[i] != i || blocks_.passed_on(sends[i])) continue;
      bytes += sends[i].buffer_bytes;
    }
    take(bytes);
    sent_ += bytes;
  }

  void post_late(const std::vector<Message>& sends) {
    std::set<int> sent;
    for (const Message& message : sends) {
      if (!message.late) continue;
      take(message.buffer_bytes);
      sent_ += message.buffer_bytes;
      for (const Transfer& part : message.parts)
        if (const Block* block = blocks_.computed(part)) sent.insert(block->id);
    }
    for (int id : sent)
      if (id != kResidentQueries) give(take_out(partial_bytes_, id));
  }

  // For the one kernel that stores what it computes. Tiles of a call may stand across its tasks.
  [[nodiscard]] std::int64_t stored_pairs(const KernelCall& call) const {
    if (kernel_ != Kernel::staged) return -1;
    const std::int64_t tile = kernel_tiles(kernel_, plan_.problem.shape.head_dim).query_tile;
    if (call.tasks.size() == 1) return executed_pairs(plan_, call.tasks[0], kernel_, tile);
    return call_schedule(plan_, blocks_, call, tile).stored_pairs();
  }

  void compute(const KernelCall& call) {
    const Block& q = blocks_.block(call.q_block);
    if (!partial_bytes_.contains(call.q_block)) {
      partial_bytes_[call.q_block] = bytes_of(TensorRole::partial, q.rows, q.heads);
      take(partial_bytes_[call.q_block]);
    }
    const Shape& shape = plan_.problem.shape;
    const HeadRange kv_heads = kv_heads_of(shape, call.heads);
    const Extent q_extent{shape.batch, call.heads.end - call.heads.begin, call.q_end - call.q_begin,
                          shape.head_dim};
    const Extent k_extent{shape.batch, kv_heads.end - kv_heads.begin, call.k_end - call.k_begin,
                          shape.head_dim};
    std::int64_t bytes = kernel_workspace_bytes(kernel_, q_extent, k_extent, plan_.problem.dtype,
                                                threads_, shape.value_dim, stored_pairs(call));
    if (!call.first) bytes += bytes_of(TensorRole::partial, q_extent.length, call.heads);
    take(bytes);
    give(bytes);
  }

  const Plan& plan_;
  const Worker& worker_;
  const Kernel kernel_;
  const int threads_;
  BlockTracker blocks_;
  std::map<int, std::int64_t> block_bytes_;    // of received blocks
  std::map<int, std::int64_t> partial_bytes_;  // by block of queries
  std::int64_t receiving_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace

std::int64_t worker_peak_bytes(const Plan& plan, int index, Kernel kernel, int threads) {
  return MemoryWalk(plan, plan.workers[static_cast<std::size_t>(index)], kernel, threads).peak();
}

}  // namespace qb
