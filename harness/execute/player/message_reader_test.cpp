#include "harness/execute/player/message_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "harness/execute/testing/execute_fixtures.h"

namespace qb {
namespace {

using ::testing::ElementsAre;

Plan plan_of_workers(std::size_t n_workers) {
  Plan plan;
  plan.workers.resize(n_workers);
  return plan;
}

Transfer transfer(int peer, TensorRole what, int groups, std::int64_t bytes) {
  return {TransferKind::p2p, what, peer, groups, {0, 1}, bytes};
}

std::vector<int> peers(const std::vector<MessageView>& messages) {
  std::vector<int> found;
  for (const MessageView& message : messages) found.push_back(message.peer);
  return found;
}

// Transfers to a few peers and the root, those to one peer seldom together.
std::vector<Transfer> random_transfers(std::mt19937_64& random, int n_workers) {
  std::vector<Transfer> transfers;
  const std::uint64_t count = random() % 12;
  for (std::uint64_t i = 0; i < count; ++i) {
    const int peer = static_cast<int>(random() % static_cast<std::uint64_t>(n_workers + 1)) - 1;
    // Inputs to some, results to the others: a message never mixes them.
    const TensorRole what = peer % 2 == 0 ? TensorRole::partial : TensorRole::v;
    transfers.push_back(transfer(peer, what, static_cast<int>(random() % 3),
                                 static_cast<std::int64_t>(random() % 1000)));
  }
  return transfers;
}

TEST(MessageReader, FindsTheMessagesThatTravel) {
  constexpr std::uint64_t kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  constexpr int kWorkers = 5;
  MessageReader reader(plan_of_workers(kWorkers));
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Transfer> transfers = random_transfers(random, kWorkers);
    const std::vector<Message> expected = messages_of(transfers);
    const std::vector<MessageView>& read = reader.read(transfers);
    ASSERT_EQ(read.size(), expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].peer, expected[i].peer);
      EXPECT_EQ(read[i].late, expected[i].late);
      EXPECT_EQ(std::vector<Transfer>(read[i].parts.begin(), read[i].parts.end()),
                expected[i].parts);
      std::int64_t bytes = 0;
      for (const Transfer& part : expected[i].parts) bytes += part.bytes;
      EXPECT_EQ(read[i].bytes, bytes);
    }
  }
}

TEST(MessageReader, JoinsWhatGoesToOnePeerThoughItStandsApart) {
  MessageReader reader(plan_of_workers(3));
  const std::vector<Transfer> transfers = {
      transfer(2, TensorRole::k, 0, 10), transfer(kRoot, TensorRole::q, 0, 1000),
      transfer(1, TensorRole::k, 0, 1), transfer(2, TensorRole::v, 0, 20)};
  const std::vector<MessageView>& messages = reader.read(transfers);
  EXPECT_THAT(peers(messages), ElementsAre(2, 1));
  EXPECT_EQ(messages[0].bytes, 30);
  // A peer that the last call met is met anew.
  EXPECT_THAT(peers(reader.read({transfer(2, TensorRole::k, 0, 10)})), ElementsAre(2));
}

TEST(MessageReader, ContentIsTheTensorsNotThePeer) {
  MessageReader reader(plan_of_workers(3));
  const std::vector<Transfer> transfers = {transfer(0, TensorRole::k, 4, 8),
                                           transfer(1, TensorRole::k, 4, 8),
                                           transfer(2, TensorRole::k, 5, 8)};
  const std::vector<MessageView>& messages = reader.read(transfers);
  EXPECT_TRUE(same_content(messages[0], messages[1]));
  EXPECT_FALSE(same_content(messages[0], messages[2]));
}

TEST(MessagesOf, AMessageNeverMixesInputsWithResults) {
  EXPECT_THROW(
      (void)messages_of({transfer(1, TensorRole::k, 0, 1), transfer(1, TensorRole::partial, 0, 1)}),
      std::logic_error);
}

}  // namespace
}  // namespace qb
