// SPDX-License-Identifier: Apache-2.0
// A cluster: workers on hosts, with links inside of a host and links between hosts.
//
// A cluster is written HOSTSxWORKERS, such as 2x8, or as the name of a file of data/clusters/ and
// the number of its hosts: dgx_h100:2. Such a file has the links, and the NICs of a host, with the
// source of each number.
#pragma once

#include <optional>
#include <string>

#include "harness/run/transport/link_model.h"

namespace qb {

struct Cluster {
  int hosts = 1;
  int workers_per_host = 1;
  std::optional<LinkLimit> inside{};   // none: the text does not name it
  std::optional<LinkLimit> between{};  // of a NIC; likewise
  int nics = 0;                        // of a host; 0: one a worker
  std::string source{};                // of the links

  [[nodiscard]] int workers() const { return hosts * workers_per_host; }
};

// Reads 2x8, or dgx_h100:2 (a name or a path; one host where it names none). Throws UsageError for
// what is neither, for more than a million workers, and for a file that is missing or malformed.
[[nodiscard]] Cluster read_cluster(const std::string& text);

// The links of some workers, which fill the hosts in order: on one host those inside of it.
struct Network {
  LinkLimit limit{};  // between hosts
  Hosts hosts{};
};

// Throws UsageError where a cluster has fewer places or more NICs than workers, or lacks a link.
[[nodiscard]] Network network_of(const Cluster& cluster, int workers);

}  // namespace qb
