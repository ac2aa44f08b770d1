// SPDX-License-Identifier: Apache-2.0
// What the forms of peak_memory.h are made of: bytes of tensors and of messages, the shards of a
// deal, and what a worker holds from step to step.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/plan/builder.h"
#include "harness/plan/messages.h"
#include "harness/plan/worker_group.h"

namespace qb {

// Kinds of what a worker holds. kMerged: the result of a call, or O of a message in float32, until
// it is merged; in a backward pass O, of which the worker makes D.
enum HeldKind { kShard, kResults, kGathered, kMessages, kToLeave, kMerged, kWorkspace, kHeldKinds };
using HeldBytes = std::array<std::int64_t, kHeldKinds>;

// The most that any worker held at one time.
struct MostHeld {
  HeldBytes bytes{};
  std::int64_t total = 0;
};

// Bytes of `c` rows of queries and `m` rows of keys of some query heads: of what tasks read and of
// what they compute, where they are held and as a message.
struct HeldSizes {
  const Problem& problem;
  Pass pass;
  std::int64_t workspace;        // of a kernel call
  DType gradients = DType::f32;  // as in Plan

  using Roles = std::span<const TensorRole>;
  [[nodiscard]] bool backward() const { return pass == Pass::backward; }
  [[nodiscard]] Range all_heads() const { return {0, problem.shape.q_heads}; }
  [[nodiscard]] std::int64_t inputs(std::int64_t c, std::int64_t m, const Range& heads,
                                    bool sent = false) const {
    return bytes(query_inputs(pass), c, heads, sent) + bytes(kKeyInputs, m, heads, sent);
  }
  [[nodiscard]] std::int64_t results(std::int64_t c, std::int64_t m, const Range& heads,
                                     bool sent = false) const {
    return bytes(results_of(pass).first(1), c, heads, sent) +
           bytes(results_of(pass).subspan(1), m, heads, sent);
  }
  [[nodiscard]] std::int64_t sent_inputs(std::int64_t c, std::int64_t m, const Range& heads) const {
    return kMessageHeaderBytes + inputs(c, m, heads, true);
  }
  [[nodiscard]] std::int64_t sent_results(std::int64_t c, std::int64_t m,
                                          const Range& heads) const {
    return kMessageHeaderBytes + results(c, m, heads, true);
  }
  [[nodiscard]] std::int64_t bytes(Roles what, std::int64_t rows, const Range& heads,
                                   bool sent) const;
  [[nodiscard]] std::int64_t out(std::int64_t c, const Range& heads) const;  // O in float32
  // What O of a message takes while it is merged.
  [[nodiscard]] std::int64_t widened(std::int64_t c, const Range& heads) const {
    return backward() || problem.partials == DType::f32 ? 0 : out(c, heads);
  }
};

// The shards of a deal, by worker.
struct DealtShards {
  static constexpr std::int64_t kNoKey = std::numeric_limits<std::int64_t>::max();
  struct Shard {
    std::vector<int> q_groups;
    std::int64_t c = 0;  // queries
    std::int64_t m = 0;  // keys
    std::int64_t first_key = kNoKey;
  };

  DealtShards(const Problem& problem, int workers, Shards (*deal)(Plan&, int));
  [[nodiscard]] const Shard& operator[](int worker) const {
    return shards[static_cast<std::size_t>(worker)];
  }
  // Returns the rows of a call: those from the first to the last of these groups, which ascend,
  // that sees a key. first_key: of all keys of the call; kNoKey if there are none.
  [[nodiscard]] std::int64_t rows(const std::vector<int>& q_groups, std::int64_t first_key) const;
  [[nodiscard]] bool computes(int queries_of, int keys_of) const {
    return rows((*this)[queries_of].q_groups, (*this)[keys_of].first_key) > 0;
  }

  std::vector<Shard> shards;
  std::int64_t query_room = 0;  // of the longest shard
  std::int64_t key_room = 0;
  Plan dealt;
};

// One worker, step by step.
class HeldByWorker {
 public:
  HeldByWorker(const HeldSizes& sizes, std::int64_t c, std::int64_t m, MostHeld& most)
      : z_(sizes), most_(most) {
    held[kShard] = z_.inputs(c, m, z_.all_heads());
    if (!z_.backward()) held[kResults] = z_.results(c, m, z_.all_heads());
  }
  // Makes D of O, where no root has sent it.
  void make_delta(std::int64_t c) {
    if (z_.backward()) offer(kMerged, z_.out(c, z_.all_heads()));
  }
  // A step begins: messages have come, of which so many bytes are used where they are; the others
  // are joined to so many bytes, or merged through so many.
  void arrive(std::int64_t used, std::int64_t joined = 0, std::int64_t merged = 0) {
    held[kMessages] = kept_ + coming_;
    held[kGathered] += joined;
    offer(kMerged, merged);
    held[kMessages] = kept_ + used;
    coming_ = 0;
  }
  // A message that has come is used where it is to the end.
  void keep(std::int64_t message) {
    kept_ += message;
    held[kMessages] += message;
  }
  // Makes room for the messages of the next step, and sends inputs.
  void post(std::int64_t coming, std::int64_t sent = 0) {
    coming_ = coming;
    held[kMessages] += coming + sent;
  }
  void call(std::int64_t result = 0) {
    held[kMerged] = result;
    offer(kWorkspace, z_.workspace);
    held[kMerged] = 0;
  }
  // The step ends: results leave, in so many bytes besides messages that they came in.
  void end(std::int64_t sent) { offer(kMessages, sent); }

  HeldBytes held{};

 private:
  void offer(HeldKind kind, std::int64_t bytes);

  const HeldSizes& z_;
  MostHeld& most_;
  std::int64_t coming_ = 0;
  std::int64_t kept_ = 0;
};

// A grid of workers, which dealt tokens. exchanges: heads are shared, as in Ulysses' forward pass
// even on one worker. padded: messages of keys have room for the longest shard, as in rings.
struct HeldGrid {
  GridShape shape;
  bool exchanges = false;
  bool padded = false;
};
void hold_grid(const HeldSizes& sizes, const DealtShards& dealt, const HeldGrid& grid,
               MostHeld& most);

}  // namespace qb
