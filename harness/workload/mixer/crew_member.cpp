// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/crew_member.h"

namespace qb {

void CrewMember::receive(Transport& messages) {
  outgoing_.clear();
  times_ = {};
  for (Incoming& message : incoming_)
    message.ticket = messages.receive({message.from, index_, message.round}, message.bytes);
}

void CrewMember::await(int round, Transport& messages) {
  for (const Incoming& message : incoming_)
    if (message.round == round)
      (void)messages.timed_wait(message.ticket, times_.idle_s, times_.exposed_s);
  if (round < rounds()) return;
  for (const Ticket& ticket : outgoing_) (void)messages.wait(ticket);
  times_.end_s = now_s();
}

void CrewMember::play(WorkerTeam& team, MixerDevice& device, int threads) {
  receive(team);
  times_.begin_s = team.meet();
  for (int round = 0; round <= rounds(); ++round) {
    compute(round, {device, threads, team});
    await(round, team);
  }
}

}  // namespace qb
