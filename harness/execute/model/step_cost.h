// What a worker's device needs for each of its steps, apart from all waiting: the work of
// WorkerPlayer's three phases, priced instead of done.
#pragma once

#include <vector>

#include "harness/execute/model/device_model.h"
#include "harness/execute/player/call_walk.h"
#include "harness/plan/plan.h"

namespace qb {

struct StepCost {
  double take_up_s = 0.0;     // puts together what a collective brought, merges partials that came
  double pack_early_s = 0.0;  // copies Q, K and V into messages; none where one is passed on
  double kernel_s = 0.0;      // calls, and merges of what a later call on the same queries gives
  double pack_late_s = 0.0;   // copies results into messages
};

class StepPricer {
 public:
  StepPricer(const Plan& plan, const DeviceCosts& device);
  [[nodiscard]] std::vector<StepCost> price(int worker);

 private:
  [[nodiscard]] double take_up_s(const std::vector<MessageView>& receives) const;
  [[nodiscard]] double call_s(const CallTotals& call) const;
  void price_sends(const std::vector<MessageView>& receives, const std::vector<MessageView>& sends,
                   StepCost& cost) const;
  // The received message that a send can pass on as it is; nullptr: none.
  [[nodiscard]] const MessageView* in_place(const std::vector<MessageView>& receives) const;

  const Plan& plan_;
  const DeviceCosts& device_;
  MessageReader receives_;
  MessageReader sends_;
  CallWalk walk_;
};

}  // namespace qb
