// The links of a modelled run.
//
// Every worker has one link, and so has the root, which is a node of its own beside the workers. A
// node's messages leave one after the other at `bandwidth`; the first byte arrives `latency` later,
// and the receiver takes them one after the other at `bandwidth` too, as they come: many that send
// to one (a gather at the root, an all-to-all) are held back by the one. The network between is not
// modelled: no contention but at the ends. Messages that a worker makes ready at the same moment
// leave in the order of the ring distance to their receivers, as an all-to-all is scheduled. What a
// worker sends to itself takes no time.
#pragma once

#include <span>
#include <string_view>

#include "harness/execute/transport/transport.h"

namespace qb {

struct ModelLink {
  LinkLimit limit{};  // each way; bandwidth 0: no limit
  // Off: a step's messages of Q, K and V are exchanged before it computes, and their time is added.
  bool overlap = true;
  // Transfers and their packing take no time, whatever the limit: what is left is compute and
  // waiting for peers.
  bool no_communication = false;
  // Where the plan scatters from and gathers at a root: the root sends and receives over its link
  // and merges each partial as it comes. Off: as in one memory (ranks: threads), workers copy their
  // shards out of it and, when all have computed, share out the merge.
  bool root_has_link = true;
};

struct NamedLink {
  std::string_view name;
  LinkLimit limit;
  std::string_view source;  // of the bandwidth; the latencies are assumptions
};

// nvlink, infiniband, ethernet.
[[nodiscard]] std::span<const NamedLink> named_links();
// Throws UsageError with the nearest name.
[[nodiscard]] const NamedLink& find_link(std::string_view name);

}  // namespace qb
