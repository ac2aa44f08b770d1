// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/source_root.h"
#include "base/status.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

using ::testing::HasSubstr;

std::string cluster_refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing thrown";
}

TEST(Cluster, IsWrittenAsHostsAndWorkers) {
  const Cluster cluster = read_cluster("2x8");
  EXPECT_EQ(cluster.hosts, 2);
  EXPECT_EQ(cluster.workers_per_host, 8);
  EXPECT_FALSE(cluster.inside || cluster.between);
  for (const char* text :
       {"", "x", "2x", "x8", "0x8", "2x0", "2x-1", "2", "1000x1001", "2x8x2", "nowhere",
        "nowhere:2", "dgx_h100:0", "dgx_h100:x", "4294967296x4294967296"})
    EXPECT_THAT(cluster_refusal([&] { (void)read_cluster(text); }), HasSubstr("cluster")) << text;
}

TEST(Cluster, OfAFileHasItsLinks) {
  const Cluster two = read_cluster("dgx_h100:2");
  EXPECT_EQ(two.workers(), 16);
  EXPECT_EQ(two.inside->bandwidth_byte_per_s, 450e9);
  EXPECT_EQ(two.between->bandwidth_byte_per_s, 50e9);
  EXPECT_EQ(two.nics, 8);
  EXPECT_EQ(read_cluster("dgx_h100").hosts, 1);
  EXPECT_EQ(read_cluster("two_laptops:2").workers(), 2);
}

// Each number of each file has a source, which read_cluster() demands.
TEST(Cluster, FilesOfTheCheckoutAreWhole) {
  const auto names = names_in_data("data/clusters/");
  EXPECT_GE(names.size(), 6u);
  for (const std::string& name : names) {
    const Cluster cluster = read_cluster(name + ":3");
    const Network network = network_of(cluster, cluster.workers());
    EXPECT_EQ(network.hosts.workers_per_host, cluster.workers_per_host) << name;
    EXPECT_LE(network.limit.bandwidth_byte_per_s,
              cluster.workers_per_host > 1 ? network.hosts.inside.bandwidth_byte_per_s : 1e12)
        << name;
  }
}

TEST(Cluster, MistakesInFilesAreNamedWithTheirLine) {
  const ScratchFolder folder;
  const std::string header = "cluster,quantity,value,provenance,source\n";
  const auto refused = [&](const std::string& text) {
    const std::string path = folder.file("mine.csv", text);
    return cluster_refusal([&] { (void)read_cluster(path + ":2"); });
  };
  EXPECT_THAT(refused("quantity,value\n"), HasSubstr("mine.csv:1: the header must be"));
  EXPECT_THAT(refused(header + "mine,nicks,1,assumed,me\n"), HasSubstr("mine.csv:2: unknown"));
  EXPECT_THAT(refused(header + "mine,nics,0,assumed,me\n"), HasSubstr("value must be a number"));
  EXPECT_THAT(refused(header + "mine,nics,1,assumed,\n"), HasSubstr("needs its source"));
  EXPECT_THAT(refused(header + "mine,nics,1,assumed,me\nmine,nics,1,assumed,me\n"),
              HasSubstr("mine.csv:3: a second record of nics"));
  EXPECT_THAT(refused(header + "mine,nics,1,assumed,me\n"), HasSubstr("no record of"));
}

TEST(Network, OfOneHostIsItsLinkAndMoreHaveTwo) {
  Cluster cluster{.hosts = 2, .workers_per_host = 4};
  EXPECT_THAT(cluster_refusal([&] { (void)network_of(cluster, 8); }), HasSubstr("inside"));
  cluster.inside = {4e9, 1e-6};
  EXPECT_THAT(cluster_refusal([&] { (void)network_of(cluster, 8); }), HasSubstr("between"));
  cluster.between = {1e9, 2e-6};
  EXPECT_THAT(cluster_refusal([&] { (void)network_of(cluster, 9); }), HasSubstr("do not fit"));
  cluster.nics = 5;
  EXPECT_THAT(cluster_refusal([&] { (void)network_of(cluster, 8); }), HasSubstr("NICs, not 5"));
  cluster.nics = 2;
  EXPECT_EQ(network_of(cluster, 8).hosts.nics, 2);
  EXPECT_EQ(network_of(cluster, 8).limit.bandwidth_byte_per_s, 1e9);
  EXPECT_EQ(network_of(cluster, 4).limit.bandwidth_byte_per_s, 4e9) << "all are on the first host";
  EXPECT_EQ(network_of(cluster, 4).hosts.workers_per_host, 0);
  EXPECT_THAT(cluster_refusal([] { (void)parse_link("--inside", "nvlinc"); }),
              HasSubstr("--inside: unknown link 'nvlinc'; did you mean 'nvlink'?"));
  EXPECT_EQ(parse_link("", "nvlink", "h100").first.bandwidth_byte_per_s, 450e9);
  EXPECT_EQ(parse_link("", "nvlink", "data/devices/a100.csv").first.bandwidth_byte_per_s, 300e9);
  EXPECT_EQ(link_text(parse_link("", "50e9,5us").first), "5e+10,5e-06");
}

}  // namespace
}  // namespace qb
