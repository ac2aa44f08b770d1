// SPDX-License-Identifier: Apache-2.0
// The links of a modelled run, and of threads whose links are emulated. Every worker has one, and
// so has the root of a modelled run, which is a separate node unless it is worker 0. A node's
// messages leave one after another at `bandwidth`; the first byte arrives `latency` later, and the
// receiver takes them one after another at `bandwidth` too, in order of arrival: so one receiver
// slows many senders (a gather at the root, an all-to-all). Contention occurs only at the ends, not
// in the network. Messages that a worker makes ready at the same moment leave in the order of the
// ring distance to their receivers, as an all-to-all is scheduled. A worker's message to itself
// takes no time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/run/transport/transport.h"

namespace qb {

// Workers on hosts. Messages inside of a host take its own links, one a worker; those between hosts
// leave by a NIC of the sender's host and arrive by one of the receiver's, at ModelLink::limit.
struct Hosts {
  int workers_per_host = 0;  // 0: one flat link
  LinkLimit inside{};
  int nics = 0;                 // of a host, each for an even part of its workers; 0: one a worker
  std::vector<int> slot{};      // where each worker stands; empty: worker w at slot w
  bool root_is_worker = false;  // the root is worker 0, as under MPI; false: it stands on no host

  [[nodiscard]] int slot_of(int worker) const {
    return slot.empty() ? worker : slot[static_cast<std::size_t>(worker)];
  }
  [[nodiscard]] bool shares_nics() const { return nics > 0 && nics < workers_per_host; }
  // Returns the NIC of a worker, counted over all hosts.
  [[nodiscard]] int nic_of(int worker) const {
    const int at = slot_of(worker);
    const int each = nics == 0 ? workers_per_host : nics;
    return at / workers_per_host * each + at % workers_per_host * each / workers_per_host;
  }
  [[nodiscard]] bool are_apart(int one, int other) const {
    return workers_per_host > 0 &&
           slot_of(one) / workers_per_host != slot_of(other) / workers_per_host;
  }
};

struct ModelLink {
  LinkLimit limit{};  // in each direction; bandwidth 0: no limit
  Hosts hosts{};
  // false: a step's Q, K and V are exchanged before it computes, and their time is added.
  bool overlap = true;
  // Transfers and their packing take no time: only compute and waiting for peers remain.
  bool no_communication = false;
  // A root sends and receives over its link and merges each partial when it arrives. false: as in
  // one memory, workers copy their shards and, when all have computed, share the merge.
  bool root_has_link = true;
};

// Returns the limit of a link such as nvlink, infiniband or ethernet, and the sources of its
// numbers; only the latency of infiniband is not an assumption. nvlink is that of the device, a
// name or a file such as h100; of others it is an A100's. Throws UsageError with the nearest name.
[[nodiscard]] std::pair<LinkLimit, std::string> named_link(std::string_view name,
                                                           std::string_view device = {});

// Reads a name, or BYTES_PER_S[,LATENCY_S] such as 50e9,5us, which have no source. `key` begins the
// UsageError of a text that is neither.
[[nodiscard]] std::pair<LinkLimit, std::string> parse_link(std::string_view key,
                                                           std::string_view text,
                                                           std::string_view device = {});
// Reads what sendrecv_perf of nccl-tests prints, or osu_bw and osu_latency of the OSU
// micro-benchmarks, one after the other: the largest bandwidth, and the time of the smallest
// message as latency. `name` begins the UsageError of a text without one of them, or of another
// test.
[[nodiscard]] LinkLimit measured_link(std::string_view text, const std::string& name);
[[nodiscard]] std::string link_text(const LinkLimit& limit);  // the shortest such numbers

}  // namespace qb
