// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/model_simulation.h"

#include "harness/plan/messages.h"

namespace qb {
namespace {

std::int64_t root_bytes(const std::vector<Transfer>& transfers) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : transfers)
    if (transfer.peer == kRoot) bytes += transfer.bytes;
  return bytes;
}

}  // namespace

std::vector<ModelMessage> model_messages(const std::vector<Transfer>& transfers) {
  std::vector<ModelMessage> messages;
  for (const Message& message : messages_of(transfers))
    messages.push_back({message.peer, message.late, tensor_bytes(message), message.delay});
  return messages;
}

std::vector<StepMessages> messages_of_steps(const Worker& worker) {
  std::vector<StepMessages> steps;
  for (const Step& step : worker.steps)
    steps.push_back({model_messages(step.receives), model_messages(step.sends),
                     root_bytes(step.receives), root_bytes(step.sends)});
  return steps;
}

}  // namespace qb
