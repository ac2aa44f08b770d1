// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/crew_member.h"

#include "harness/workload/at_once.h"

namespace qb {

void CrewMember::receive(Transport& transport) {
  outgoing_.clear();
  for (Incoming& message : incoming_)
    message.ticket = transport.receive({message.from, index_, message.round}, message.bytes);
}

void CrewMember::await(int round, Transport& transport) {
  for (const Incoming& message : incoming_)
    if (message.round == round) wait(transport, message.ticket, times_.idle_s, times_.exposed_s);
}

void CrewMember::play(MixerDevice& device, int threads, Transport& transport) {
  begin(device, threads);
  for (int round = 0; round < rounds(); ++round) {
    post(round, device, threads, transport);
    await(round, transport);
  }
  finish(device, threads, transport);
}

void CrewMember::end(Transport& transport) {
  for (const Ticket& ticket : outgoing_) (void)transport.wait(ticket);
  times_.end_s = now_s();
}

}  // namespace qb
