// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/messages.h"

#include <algorithm>

#include "base/integers.h"

namespace qb {
namespace {

std::int64_t aligned(std::int64_t bytes) { return round_up(bytes, kMessageAlignment); }

Message& message_to(std::vector<Message>& messages, bool& ascending, const Transfer& transfer) {
  const int peer = transfer.peer;
  const bool late = !is_input(transfer.what);
  // Transfers of one message are usually adjacent, and peers usually ascend.
  const auto is_it = [&](const Message& message) {
    return message.peer == peer && message.late == late &&
           (peer != kTier ||
            (message.delay == transfer.delay && message.parts[0].until == transfer.until));
  };
  if (!messages.empty() && is_it(messages.back())) return messages.back();
  const bool may_be_there = !messages.empty() && (!ascending || peer <= messages.back().peer);
  ascending = ascending && (messages.empty() || peer >= messages.back().peer);
  if (may_be_there) {
    const auto found = std::ranges::find_if(messages, is_it);
    if (found != messages.end()) return *found;
  }
  messages.push_back({.peer = peer,
                      .late = late,
                      .delay = transfer.delay,
                      .parts = {},
                      .at = {},
                      .buffer_bytes = kMessageHeaderBytes});
  return messages.back();
}

}  // namespace

std::vector<Message> messages_of(const std::vector<Transfer>& transfers) {
  std::vector<Message> messages;
  bool ascending = true;  // whether peers have ascended so far
  for (const Transfer& transfer : transfers) {
    if (transfer.peer == kRoot) continue;
    Message& message = message_to(messages, ascending, transfer);
    message.parts.push_back(transfer);
    message.at.push_back(message.buffer_bytes);
    message.buffer_bytes += aligned(transfer.bytes);
  }
  if (!std::ranges::is_sorted(messages, {}, &Message::late))
    std::ranges::stable_sort(messages, {}, &Message::late);
  return messages;
}

std::int64_t tensor_bytes(const Message& message) {
  std::int64_t bytes = 0;
  for (const Transfer& part : message.parts) bytes += part.bytes;
  return bytes;
}

bool same_content(const Message& a, const Message& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Transfer& x, const Transfer& y) {
                      return x.what == y.what && x.groups == y.groups && x.heads == y.heads &&
                             x.bytes == y.bytes;
                    });
}

std::vector<std::size_t> first_equal(const std::vector<Message>& sends) {
  std::vector<std::size_t> first(sends.size());
  for (std::size_t i = 0; i < sends.size(); ++i) {
    first[i] = i;
    // An all-gather repeats one message; an all-to-all never does.
    if (i > 0 && same_content(sends[first[i - 1]], sends[i])) first[i] = first[i - 1];
  }
  return first;
}

}  // namespace qb
