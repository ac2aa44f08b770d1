// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/model_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The link carries one byte a second, so bytes are seconds.
constexpr ModelLink kSlow{.limit = {1.0, 0.25}};

// Returns when each message arrived, in the order of sending.
class Post {
 public:
  explicit Post(const ModelLink& link, int nodes) : network_(link, nodes, [](int) {}) {}

  void send(int from, int to, std::int64_t bytes, double at_s = 0.0) {
    sent_.push_back(network_.send_alone(from, to, bytes, at_s));
  }
  std::vector<double> done_s() {
    while (network_.next_s() < 1e300) network_.advance();
    std::vector<double> seconds;
    for (int index : sent_) seconds.push_back(network_.flight(index).passage.done_s);
    return seconds;
  }

 private:
  ModelNetwork network_;
  std::vector<int> sent_;
};

TEST(ModelNetwork, AnEarlyAndALateMessageOfOneStepAreTwo) {
  ModelNetwork network(kSlow, 2, [](int) {});
  const int early = network.send({0, 1, 1, false}, 2, 0.0);
  const int late = network.send({0, 1, 1, true}, 3, 0.0);
  EXPECT_NE(early, late);
  EXPECT_EQ(network.receive({0, 1, 1, true}, 0.0), late);
  EXPECT_EQ(network.receive({0, 1, 1, false}, 0.0), early);
  EXPECT_EQ(network.flight(early).bytes, 2);
  EXPECT_EQ(network.flight(late).bytes, 3);
}

TEST(ModelNetwork, AWorkersMessagesLeaveOneAfterTheOther) {
  Post post(kSlow, 4);
  post.send(0, 1, 4);
  post.send(0, 2, 2);
  post.send(0, 3, 1, 10.0);
  EXPECT_THAT(post.done_s(), ElementsAre(4.25, 6.25, 11.25));
}

TEST(ModelNetwork, OneThatAllSendToTakesTheirMessagesOneAfterTheOther) {
  Post post(kSlow, 5);
  for (int from : {1, 2, 3, 4}) post.send(from, 0, 3);
  // The nearest on the ring goes first: worker 4 is one place before worker 0.
  EXPECT_THAT(post.done_s(), ElementsAre(12.25, 9.25, 6.25, 3.25));
}

TEST(ModelNetwork, AnAllToAllKeepsEveryLinkBusyBothWays) {
  constexpr int kNodes = 8;
  Post post(kSlow, kNodes);
  for (int from = 0; from < kNodes; ++from)
    for (int to = 0; to < kNodes; ++to)
      if (to != from) post.send(from, to, 2);
  for (double seconds : post.done_s()) EXPECT_LE(seconds, (kNodes - 1) * 2 + 0.25 + 1e-9);
}

TEST(ModelNetwork, AMessageStartsWhenBothSidesAreReady) {
  int landed = -1;
  ModelNetwork network(kSlow, 3, [&](int index) { landed = index; });
  const int sent = network.send({0, 1, 5}, 3, 1.0);
  EXPECT_EQ(network.receive({0, 1, 5}, 7.0), sent);
  EXPECT_EQ(network.next_s(), 7.0);
  network.advance();
  network.advance();
  EXPECT_EQ(landed, sent);
  EXPECT_EQ(network.flight(sent).passage.started_s, 7.0);
  EXPECT_EQ(network.flight(sent).passage.done_s, 10.25);
}

TEST(ModelNetwork, WhatAWorkerSendsToItselfTakesNoTime) {
  Post post(kSlow, 3);
  post.send(1, 1, 100, 2.0);
  EXPECT_THAT(post.done_s(), ElementsAre(2.0));
}

// Workers 0 and 1 stand on a host, 2 and 3 on another; links inside are four times as fast.
TEST(ModelNetwork, ARootThatIsAWorkerSendsOverThatWorkersLinks) {
  const auto scatter = [](bool root_is_worker) {
    Post post({.limit = {1.0, 0.0},
               .hosts = {.workers_per_host = 2,
                         .inside = {4.0, 0.0},
                         .nics = 1,
                         .root_is_worker = root_is_worker}},
              5);
    for (int to : {0, 1, 2, 3}) post.send(4, to, 8);
    post.send(1, 2, 8, 1.0);
    return post.done_s();
  };
  // Its own link has all, one after the other; then a NIC, after what left by it before.
  EXPECT_THAT(scatter(false), ElementsAre(8.0, 16.0, 24.0, 32.0, 9.0));
  EXPECT_THAT(scatter(true), ElementsAre(0.0, 2.0, 8.0, 16.0, 24.0));
}

TEST(SharedCores, ServeAllJobsAlike) {
  SharedCores cores(2.0);
  for (int job = 0; job < 3; ++job) cores.add(0.0, 2.0, job);
  cores.add(1.5, 0.5, 3);  // each of the three has been served 1
  // Four jobs on two cores run at half speed; the short one ends after 1; then three share two.
  EXPECT_DOUBLE_EQ(cores.next_end_s(), 2.5);
  EXPECT_EQ(cores.take(), 3);
  EXPECT_DOUBLE_EQ(cores.next_end_s(), 3.25);
  EXPECT_EQ(cores.take(), 0);
  EXPECT_EQ(cores.take(), 1);
  EXPECT_EQ(cores.take(), 2);
  EXPECT_GT(cores.next_end_s(), 1e300);
}

TEST(NamedLinks, AreFoundAndMisspellingsNamed) {
  EXPECT_EQ(named_link("infiniband").first.bandwidth_byte_per_s, 12.5e9);
  for (const char* name : {"nvlink", "infiniband", "ethernet"}) {
    EXPECT_GT(named_link(name).first.latency_s, 0.0);
    EXPECT_THAT(named_link(name).second, HasSubstr("latency"));
  }
  try {
    (void)named_link("infinband");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("infiniband"));
  }
}

}  // namespace
}  // namespace qb
