// SPDX-License-Identifier: Apache-2.0
#include "harness/workload/mixer/operator_worker.h"

namespace qb {

// No message waits for its receiver, since all workers are prepared before one begins.
void OperatorWorker::prepare() {
  round_ = 0;
  outgoing_.clear();
  time_ = {};
  time_.steps.resize(static_cast<std::size_t>(steps()));
  for (Incoming& message : incoming_)
    message.ticket = messages_->receive({message.from, index_, message.round}, message.bytes);
}

void OperatorWorker::end_step() {
  StepTime& step = step_time();
  for (const Incoming& message : incoming_)
    if (message.round == round_)
      (void)messages_->timed_wait(message.ticket, step.idle_s, step.exposed_communication_s);
  ++round_;
}

void OperatorWorker::finish() {
  for (const Ticket& ticket : outgoing_) (void)messages_->wait(ticket);
  time_.wall_s = now_s() - begin_s_;
  time_.compute_s = time_.sum_s(&StepTime::compute_s);
  if (at_end_) at_end_(time_);
}

}  // namespace qb
