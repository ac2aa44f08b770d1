#include "harness/execute/player/message_reader.h"

#include <algorithm>

namespace qb {
namespace {

MessageView view_of(std::span<const Transfer> parts) {
  MessageView message{parts[0].peer, !is_input(parts[0].what), 0, parts};
  for (const Transfer& part : parts) message.bytes += part.bytes;
  return message;
}

}  // namespace

// False where the transfers of a message do not stand together.
bool MessageReader::read_runs(const std::vector<Transfer>& transfers) {
  ++call_;
  messages_.clear();
  for (std::size_t begin = 0; begin < transfers.size();) {
    const int peer = transfers[begin].peer;
    std::size_t end = begin + 1;
    while (end < transfers.size() && transfers[end].peer == peer) ++end;
    if (peer != kRoot) {
      std::uint64_t& seen = seen_[static_cast<std::size_t>(peer)];
      if (seen == call_) return false;
      seen = call_;
      messages_.push_back(view_of({transfers.data() + begin, end - begin}));
    }
    begin = end;
  }
  return true;
}

const std::vector<MessageView>& MessageReader::read(const std::vector<Transfer>& transfers) {
  if (read_runs(transfers)) return messages_;
  gathered_ = messages_of(transfers);
  messages_.clear();
  for (const Message& message : gathered_) messages_.push_back(view_of(message.parts));
  return messages_;
}

bool same_content(const MessageView& a, const MessageView& b) {
  return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const Transfer& x, const Transfer& y) {
                      return x.what == y.what && x.groups == y.groups && x.heads == y.heads &&
                             x.bytes == y.bytes;
                    });
}

}  // namespace qb
