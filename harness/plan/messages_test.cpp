// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qb {
namespace {

using testing::ElementsAre;

constexpr Range kHeads{0, 2};

Transfer transfer_to(int peer, TensorRole what, std::int64_t bytes, int groups = 0) {
  return {TransferKind::all_to_all, what, peer, groups, kHeads, bytes};
}

std::vector<int> peers_of(const std::vector<Message>& messages) {
  std::vector<int> peers;
  for (const Message& message : messages) peers.push_back(message.peer);
  return peers;
}

TEST(Messages, HaveAllTransfersOfAStepToOnePeer) {
  // Peers that ascend, descend, and come again, next to each other and later.
  const std::vector<Message> messages =
      messages_of({transfer_to(2, TensorRole::q, 1), transfer_to(2, TensorRole::k, 2),
                   transfer_to(5, TensorRole::k, 4), transfer_to(kRoot, TensorRole::k, 1000),
                   transfer_to(3, TensorRole::k, 8), transfer_to(2, TensorRole::v, 16),
                   transfer_to(5, TensorRole::v, 32), transfer_to(7, TensorRole::v, 64),
                   transfer_to(3, TensorRole::v, 128), transfer_to(0, TensorRole::v, 256)});
  EXPECT_THAT(peers_of(messages), ElementsAre(2, 5, 3, 7, 0));
  std::vector<std::int64_t> bytes;
  for (const Message& message : messages) bytes.push_back(tensor_bytes(message));
  EXPECT_THAT(bytes, ElementsAre(1 + 2 + 16, 4 + 32, 8 + 128, 64, 256));
  EXPECT_TRUE(messages_of({}).empty());
  EXPECT_TRUE(messages_of({transfer_to(kRoot, TensorRole::partial, 8)}).empty());
}

TEST(Messages, KeepTheOrderOfTransfersAndBeginEachAtAnAlignedPlace) {
  constexpr std::int64_t kLine = kMessageAlignment;
  const Message message =
      messages_of({transfer_to(1, TensorRole::q, kLine), transfer_to(1, TensorRole::k, kLine + 1),
                   transfer_to(1, TensorRole::v, 0), transfer_to(1, TensorRole::v, kLine - 1)})
          .at(0);
  constexpr std::int64_t kBegin = kMessageHeaderBytes;
  EXPECT_THAT(message.at,
              ElementsAre(kBegin, kBegin + kLine, kBegin + 3 * kLine, kBegin + 3 * kLine));
  EXPECT_EQ(message.buffer_bytes, kBegin + 4 * kLine);
  EXPECT_EQ(message.parts[0].what, TensorRole::q);
  EXPECT_EQ(message.parts[3].bytes, kLine - 1);
  EXPECT_FALSE(message.late);
}

TEST(Messages, OfResultsAreLateAndApartFromThoseOfInputs) {
  for (const TensorRole what :
       {TensorRole::partial, TensorRole::row_max, TensorRole::denominator, TensorRole::numerator,
        TensorRole::d_q, TensorRole::d_k, TensorRole::d_v}) {
    EXPECT_TRUE(messages_of({transfer_to(1, what, 8)}).at(0).late);
    const std::vector<Message> both =
        messages_of({transfer_to(1, what, 8), transfer_to(1, TensorRole::q, 16),
                     transfer_to(1, what, 32), transfer_to(1, TensorRole::delta, 64)});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_FALSE(both[0].late);
    EXPECT_TRUE(both[1].late);
    EXPECT_EQ(tensor_bytes(both[0]), 16 + 64);
    EXPECT_EQ(tensor_bytes(both[1]), 8 + 32);
    EXPECT_EQ(messages_of({transfer_to(1, TensorRole::q, 8), transfer_to(2, what, 8)}).size(), 2u);
  }
}

TEST(Messages, OfOneContentAreKnownByItsTensorsGroupsHeadsAndBytes) {
  const Transfer sent = transfer_to(1, TensorRole::k, 8, 4);
  const Message message = messages_of({sent}).at(0);
  const auto is_same = [&](const auto& change) {
    Transfer other = sent;
    change(other);
    return same_content(message, messages_of({other}).at(0));
  };
  EXPECT_TRUE(is_same([](Transfer& t) { t.peer = 3; }));
  EXPECT_FALSE(is_same([](Transfer& t) { t.what = TensorRole::v; }));
  EXPECT_FALSE(is_same([](Transfer& t) { t.groups = 5; }));
  EXPECT_FALSE(is_same([](Transfer& t) { t.heads.end = 1; }));
  EXPECT_FALSE(is_same([](Transfer& t) { t.bytes = 9; }));
  EXPECT_FALSE(same_content(message, messages_of({sent, sent}).at(0)));
  const auto first = [](const std::vector<Transfer>& transfers) {
    return first_equal(messages_of(transfers));
  };
  EXPECT_THAT(first({transfer_to(0, TensorRole::k, 8), transfer_to(1, TensorRole::k, 8),
                     transfer_to(2, TensorRole::k, 8), transfer_to(3, TensorRole::k, 9),
                     transfer_to(4, TensorRole::k, 9)}),
              ElementsAre(0u, 0u, 0u, 3u, 3u));
  EXPECT_TRUE(first({}).empty());
}

}  // namespace
}  // namespace qb
