// SPDX-License-Identifier: Apache-2.0
// A worker's messages: a header that describes the contents, then the tensors.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/hash.h"
#include "base/integers.h"
#include "base/status.h"
#include "harness/run/runner/worker.h"

namespace qb {
namespace {

// Every message starts with it, so that a wrong message is noticed.
struct Header {
  std::uint64_t magic = 0x51424d5347303031;
  std::int32_t from = 0;
  std::int32_t step = 0;           // step in which it is sent
  std::uint64_t content = 0;       // contents according to the plan
  std::uint64_t payload_hash = 0;  // only with guard_messages
  double sent_s = 0.0;             // by the common clock
};
static_assert(sizeof(Header) <= static_cast<std::size_t>(kMessageHeaderBytes));

std::uint64_t content_of(const Message& message) {
  std::uint64_t hash = message.parts.size();
  for (const Transfer& part : message.parts)
    for (const std::int64_t value : {static_cast<std::int64_t>(part.what), part.heads.begin,
                                     part.heads.end, std::int64_t{part.groups}, part.bytes})
      hash = hash_with(hash, static_cast<std::uint64_t>(value));
  return hash;
}

std::uint64_t payload_hash(const Buffer& buffer) {
  std::uint64_t hash = 0;
  const auto* words = buffer.as<std::uint64_t>() + kMessageHeaderBytes / 8;
  const std::size_t n = buffer.bytes() / 8 - kMessageHeaderBytes / 8;
  for (std::size_t i = 0; i < n; ++i) hash = hash_with(hash, words[i]);
  return hash;
}

std::span<std::byte> bytes_of(const Buffer& buffer) {
  return {buffer.as<std::byte>(), buffer.bytes()};
}

}  // namespace

// A GPU that waits for another does not know who was late, so all of the time counts as exposed.
void WorkerRunner::hold_back(const Ticket& ticket) {
  tools_.watch.charge(&step_time().exposed_communication_s);
  (void)tools_.transport->wait(ticket);
  tools_.watch.charge(nullptr);
}

void WorkerRunner::wait(const Outgoing& outgoing) {
  if (tools_.transport->waits_on_device()) return hold_back(outgoing.ticket);
  const Passage passage = tools_.transport->timed_wait(outgoing.ticket, step_time().idle_s,
                                                       step_time().exposed_communication_s);
  // A transport that does not see when a message begins to leave gives only its end.
  const double start_s = passage.started_s < passage.done_s ? passage.started_s : outgoing.posted_s;
  const double begun_s = tools_.watch.begun_s();
  time_.steps[outgoing.step].send.add(start_s - begun_s, passage.done_s - begun_s);
}

void WorkerRunner::await_messages() {
  for (const Incoming& incoming : incoming_) {
    if (!incoming.buffer) throw std::logic_error("a step awaits a message that it began too late");
    if (incoming.message.peer == kTier) continue;
    if (tools_.transport->waits_on_device()) {
      hold_back(incoming.ticket);
      continue;
    }
    const double begin_s = now_s();
    const Passage passage = tools_.transport->wait(incoming.ticket);
    const double sent_s = device_.facts().on_host
                              ? check_header(incoming) - tools_.transport->clock_offset_s()
                              : passage.started_s;
    const double started_s = std::clamp(sent_s, passage.started_s, passage.done_s);
    split_wait(begin_s, started_s, now_s(), step_time().idle_s,
               step_time().exposed_communication_s);
    const double begun_s = tools_.watch.begun_s();
    step_time().receive.add(started_s - begun_s, passage.done_s - begun_s);
  }
  const TimeSpan& receive = step_time().receive;
  if (!std::isnan(receive.end_s)) step_time().communication_s += receive.end_s - receive.start_s;
}

// Returns the time at which it was sent, by the common clock.
double WorkerRunner::check_header(const Incoming& incoming) const {
  Header header;
  std::memcpy(&header, incoming.buffer->data(), sizeof(header));
  const auto sent_in = static_cast<std::int32_t>(step_) - incoming.message.delay;
  const auto fail = [&](std::string_view what) {
    throw CaseError(Status::error, fmt::format("worker {} step {}: the message of worker {} {}",
                                               index_, step_, incoming.message.peer, what));
  };
  if (header.magic != Header{}.magic) fail("is not a message of this program");
  if (header.from != incoming.message.peer || header.step != sent_in)
    fail(fmt::format("is one of worker {} of step {}", header.from, header.step));
  if (header.content != content_of(incoming.message)) fail("does not hold what the plan says");
  if (arguments_.guard_messages && header.payload_hash != payload_hash(*incoming.buffer))
    fail("was changed on its way: its buffer was used again too early");
  return header.sent_s;
}

void WorkerRunner::hold_arrived_blocks() {
  for (const Block& block : blocks_.arrived())
    for (const TensorRole what :
         block.of_queries ? query_inputs(plan_.pass) : std::span<const TensorRole>(kKeyInputs))
      hold_arrived(block, what);
  const auto brings_d_out = [](const Incoming& incoming) {
    return std::ranges::any_of(incoming.message.parts,
                               [](const Transfer& part) { return part.what == TensorRole::d_out; });
  };
  if (worker_.saved.end == 0 || std::ranges::none_of(incoming_, brings_d_out)) return;
  join_arrived(blocks_.block(kSavedQueries), TensorRole::d_out);
  make_delta(kSavedQueries);
}

// Makes one tensor of a block: in its only message, or joined from several.
void WorkerRunner::hold_arrived(const Block& block, TensorRole what) {
  const Incoming& incoming = incoming_[block.messages[0]];
  const auto& parts = incoming.message.parts;
  const auto part = std::ranges::find(parts, what, &Transfer::what);
  if (block.messages.size() != 1 || part == parts.end()) return join_arrived(block, what);
  Held& held = held_[block.id];
  held.message = incoming.buffer;
  held.views[what] =
      tensor_in(*part, incoming.part(static_cast<std::size_t>(part - parts.begin())));
}

void WorkerRunner::join_arrived(const Block& block, TensorRole what) {
  const TensorView view = own(block, what, extent(what, block.rows, block.heads)).view();
  for (const Incoming& incoming : incoming_) {
    for (std::size_t p = 0; p < incoming.message.parts.size(); ++p) {
      const Transfer& part = incoming.message.parts[p];
      const auto held = [&](int group) { return block.holds(group); };
      if (part.what != what || std::ranges::none_of(plan_.groups_of(part), held)) continue;
      const TensorView sent = tensor_in(part, incoming.part(p));
      for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
        device_.copy_rows(sent.tokens(at, count), rows_in(block, what, view, group, part.heads));
      });
    }
  }
}

void WorkerRunner::merge_messages() {
  for (const Incoming& incoming : incoming_) {
    for (std::size_t p = 0; p < incoming.message.parts.size(); ++p) {
      const Transfer& part = incoming.message.parts[p];
      if (part.what == TensorRole::partial)
        merge_partial_part(part, incoming.part(p));
      else if (is_gradient(part.what))
        add_gradient_part(incoming, part, incoming.part(p));
      else if (part.what == TensorRole::weighted)
        add_weighted_part(part, incoming.part(p));
      else if (!is_input(part.what) && part.what != TensorRole::partial_lse)
        reduce_part(part, incoming.part(p), incoming.message.peer < index_);
    }
  }
  weigh_partials();
}

TensorView WorkerRunner::tensor_in(const Transfer& part, std::byte* data) const {
  const std::int64_t rows = tokens_of(groups_for(part.what), plan_.groups_of(part));
  const DType sums = sent_sums(plan_.problem, part.what, plan_.gradients);
  return contiguous_view(data, tensor_dtype(plan_.problem, part.what, sums),
                         extent(part.what, rows, part.heads));
}

TensorView WorkerRunner::lse_in(const Transfer& part, std::byte* data) const {
  const TensorView out = tensor_in(part, data);
  Extent extent = out.extent;
  extent.head_dim = plan_.problem.lse_sent;
  return contiguous_view(data + round_up(out.bytes(), size_of(DType::f32)), DType::f32, extent);
}

void WorkerRunner::merge_partial_part(const Transfer& part, std::byte* data) {
  if (!resident_.exists()) return;
  if (!resident_.begun) begin_partial(resident_);
  const TensorView lse = lse_in(part, data);
  TensorView out = tensor_in(part, data);
  Tensor widened;
  if (out.dtype != DType::f32) {
    widened = Tensor(*arguments_.allocator, DType::f32, out.extent, "partial_in", index_);
    device_.copy_rows(out, widened.view());
    out = widened.view();
  }
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    const auto mine = [&](const Tensor& tensor) {
      return rows_in(blocks_.block(kResidentQueries), part.what, tensor.view(), group, part.heads);
    };
    device_.merge_partial(mine(resident_.out), mine(resident_.lse), out.tokens(at, count),
                          lse.tokens(at, count));
  });
}

void WorkerRunner::post_receives(int delay) {
  const std::size_t arrival = step_ + static_cast<std::size_t>(delay);
  if (arrival >= worker_.steps.size()) return;
  std::vector<Message> messages = messages_of(worker_.steps[arrival].receives);
  std::vector<Incoming>& expected = expected_[arrival];
  expected.resize(messages.size());
  for (std::size_t m = 0; m < messages.size(); ++m) {
    Message& message = messages[m];
    if (message.delay != delay) continue;
    Incoming& incoming = expected[m];
    incoming.buffer = std::make_shared<Buffer>(*arguments_.allocator,
                                               static_cast<std::size_t>(message.buffer_bytes),
                                               "message_in", index_);
    incoming.message = std::move(message);
    if (incoming.message.peer == kTier) {
      time_.from_root_bytes += tensor_bytes(incoming.message);
      tools_.watch.charge(&step_time().compute_s);
      for (std::size_t p = 0; p < incoming.message.parts.size(); ++p)
        fetch(incoming.message.parts[p], incoming.part(p));
      tools_.watch.charge(nullptr);
      continue;
    }
    incoming.ticket = tools_.transport->receive(
        {incoming.message.peer, index_, static_cast<int>(arrival), incoming.message.late},
        bytes_of(*incoming.buffer));
  }
}

// Takes a part from the caller's tensors, which are the memory tier.
void WorkerRunner::fetch(const Transfer& part, std::byte* data) const {
  Block block;
  block.heads = part.heads;
  block.groups = plan_.groups_of(part);
  for_each_group(part, [&](int, std::int64_t at, std::int64_t) { block.begins.push_back(at); });
  fill(part.what, block, tensor_in(part, data));
}

void WorkerRunner::write_back(const Message& message) {
  tools_.watch.charge(&step_time().compute_s);
  for (const Transfer& part : message.parts) {
    const Block* const block = blocks_.computed(part);
    const auto found = block != nullptr ? passing_.find(block->id) : passing_.end();
    for_each_group(part, [&](int group, std::int64_t, std::int64_t) {
      const auto whole = [&](const TensorView& tensor) {
        return rows_of(tensor, plan_.q_groups[static_cast<std::size_t>(group)])
            .heads(part.heads.begin, part.heads.count());
      };
      const auto computed = [&](const Tensor& tensor) {
        return rows_in(*block, part.what, tensor.view(), group, part.heads);
      };
      const TensorView out = whole(arguments_.out);
      const TensorView lse = whole(arguments_.lse);
      if (found == passing_.end()) {
        device_.clear_partial(out, lse);
      } else {
        device_.copy_rows(computed(found->second.out), out);
        device_.copy_rows(computed(found->second.lse), lse);
      }
      sinks_.merge_into(device_, out, lse, part.heads);
    });
  }
  tools_.watch.charge(nullptr);
}

// The nearest on the ring gets its message first, so that not all workers send to the same one.
void WorkerRunner::post_sends(bool late) {
  const std::vector<Message> sends = messages_of(blocks_.step().sends);
  const std::vector<std::size_t> first = first_equal(sends);
  const int n_workers = static_cast<int>(plan_.workers.size());
  std::vector<std::size_t> order(sends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return (sends[i].peer - index_ + n_workers) % n_workers; });
  std::map<std::size_t, std::shared_ptr<Buffer>> packed;  // messages with equal content share one
  for (const std::size_t i : order) {
    const Message& message = sends[i];
    if (message.late != late) continue;
    if (message.peer != index_) time_.sent_bytes += tensor_bytes(message);
    if (message.peer == kTier) {
      write_back(message);
      continue;
    }
    std::shared_ptr<Buffer>& buffer = packed[late ? i : first[i]];
    if (!buffer) buffer = whole_buffer(message);
    if (!buffer) {
      buffer = std::make_shared<Buffer>(*arguments_.allocator,
                                        static_cast<std::size_t>(message.buffer_bytes),
                                        "message_out", index_);
      pack(message, *buffer);
    }
    const std::size_t due = step_ + static_cast<std::size_t>(message.delay);
    Ticket ticket = tools_.transport->send({index_, message.peer, static_cast<int>(due), late},
                                           bytes_of(*buffer));
    sent_.push_back({buffer, std::move(ticket), step_, now_s(), due});
  }
  if (tools_.transport != nullptr) tools_.transport->flush(late);
  if (!late) return;
  forget_sent_partials(sends);
  forget_sent_sums(sends);
}

// Returns the buffer of a message that is passed on, or that was summed in place, with its header.
std::shared_ptr<Buffer> WorkerRunner::whole_buffer(const Message& message) {
  std::shared_ptr<Buffer> buffer;
  if (message.late) {
    buffer = summed_in_place(message);
  } else if (const auto passed_on = blocks_.passed_on(message)) {
    const Block& block =
        *std::find_if(blocks_.arrived().begin(), blocks_.arrived().end(),
                      [&](const Block& arrived) { return arrived.messages[0] == *passed_on; });
    buffer = held_.at(block.id).message;
  }
  if (buffer) write_header(message, *buffer);
  return buffer;
}

// On a GPU the order identifies messages, and their headers are not used.
void WorkerRunner::write_header(const Message& message, Buffer& buffer) const {
  if (!device_.facts().on_host) return;
  Header header;
  header.from = index_;
  header.step = static_cast<std::int32_t>(step_);
  header.content = content_of(message);
  header.sent_s = now_s() + tools_.transport->clock_offset_s();
  if (arguments_.guard_messages) header.payload_hash = payload_hash(buffer);
  std::memcpy(buffer.data(), &header, sizeof(header));
}

void WorkerRunner::pack(const Message& message, Buffer& buffer) {
  for (std::size_t p = 0; p < message.parts.size(); ++p) {
    const Transfer& part = message.parts[p];
    std::byte* data = buffer.as<std::byte>() + message.at[p];
    const std::int64_t end =
        p + 1 < message.parts.size() ? message.at[p + 1] : message.buffer_bytes;
    const std::int64_t rows = tokens_of(groups_for(part.what), plan_.groups_of(part));
    const std::int64_t used = tensor_bytes(plan_.problem, part.what, rows, part.heads,
                                           sent_sums(plan_.problem, part.what, plan_.gradients));
    if (device_.facts().on_host)
      std::memset(data + used, 0, static_cast<std::size_t>(end - message.at[p] - used));  // padding
    if (is_input(part.what))
      pack_input(part, data);
    else if (part.what == TensorRole::partial)
      pack_partial(part, data);
    else if (part.what == TensorRole::partial_lse || part.what == TensorRole::weighted)
      pack_share(part, data);
    else if (is_gradient(part.what))
      pack_gradient(part, data);
    else
      pack_reduced(part, data);
  }
  write_header(message, buffer);
}

void WorkerRunner::pack_input(const Transfer& part, std::byte* data) {
  const TensorView packed = tensor_in(part, data);
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    // The newest block, unless it has other tensors of these tokens only.
    const Block* block = &blocks_.block_of(!is_of_keys(part.what), group);
    if (!held_.at(block->id).views.contains(part.what))
      block = &blocks_.block(is_of_keys(part.what) ? kResidentKeys : kResidentQueries);
    const TensorView& view = held_.at(block->id).view(part.what);
    device_.copy_rows(rows_in(*block, part.what, view, group, part.heads),
                      packed.tokens(at, count));
  });
}

void WorkerRunner::pack_partial(const Transfer& part, std::byte* data) {
  const TensorView out = tensor_in(part, data);
  const TensorView lse = lse_in(part, data);
  const Block* block = blocks_.computed(part);
  const Partial* partial = nullptr;
  if (block != nullptr) partial = block->resident ? &resident_ : &passing_.at(block->id);
  if (partial == nullptr || !partial->begun) return device_.clear_partial(out, lse);
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    const auto computed = [&](const Tensor& tensor) {
      return rows_in(*block, part.what, tensor.view(), group, part.heads);
    };
    device_.copy_rows(computed(partial->out), out.tokens(at, count));
    device_.copy_rows(computed(partial->lse), lse.tokens(at, count));
  });
}

// LSE of a partial, or O of one that is weighed.
void WorkerRunner::pack_share(const Transfer& part, std::byte* data) {
  const Block& block = block_of_share(part);
  Partial& partial = partial_of(block);
  if (!partial.begun) begin_partial(partial);  // the mask left nothing
  const Tensor& from = part.what == TensorRole::weighted ? partial.out : partial.lse;
  const TensorView packed = tensor_in(part, data);
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    device_.copy_rows(rows_in(block, part.what, from.view(), group, part.heads),
                      packed.tokens(at, count));
  });
}

void WorkerRunner::add_weighted_part(const Transfer& part, std::byte* data) {
  const TensorView come = tensor_in(part, data);
  const Block& block = blocks_.block(kResidentQueries);
  for_each_group(part, [&](int group, std::int64_t at, std::int64_t count) {
    device_.add_rows(rows_in(block, part.what, resident_.out.view(), group, part.heads),
                     come.tokens(at, count));
  });
}

void WorkerRunner::forget_sent_partials(const std::vector<Message>& sends) {
  std::set<int> sent;
  for (const Message& message : sends)
    for (const Transfer& part : message.parts)
      if (part.what == TensorRole::weighted) {
        sent.insert(block_of_share(part).id);
      } else if (part.what == TensorRole::partial) {
        if (const Block* block = blocks_.computed(part)) sent.insert(block->id);
      }
  for (int id : sent) passing_.erase(id);
}

}  // namespace qb
