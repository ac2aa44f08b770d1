// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/process/flash_turns.h"

#include <fmt/format.h>

#include <istream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "harness/run/device/attention_device.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/inputs.h"
#include "harness/verify/verify_gradients.h"
#include "kernels/cuda/flash/kernel_costs.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

struct FlashTurn {
  bool sm_80 = false;
  Pass pass = Pass::forward;
  std::string shape;  // the words of the request that the tensors depend on
  Problem problem;
  int warm_ups = 0;
  int repeats = 0;
};

FlashTurn parse_turn(const std::string& line) {
  std::istringstream words(line);
  std::string kernel;
  std::string pass;
  std::string dtype;
  std::string mask;
  std::int64_t d = 0;
  std::int64_t n = 0;
  std::int64_t heads = 0;
  FlashTurn turn;
  words >> kernel >> pass >> dtype >> d >> mask >> n >> heads >> turn.warm_ups >> turn.repeats;
  const auto known_pass = parse_word<Pass>(pass);
  const auto known_dtype = parse_word<DType>(dtype);
  const bool sizes = d > 0 && n > 0 && heads > 0 && turn.warm_ups >= 0 && turn.repeats > 0;
  if (words.fail() || !(words >> std::ws).eof() || !known_pass || !known_dtype || !sizes ||
      (mask != "full" && mask != "causal") || (kernel != "flash" && kernel != "flash_sm80"))
    throw UsageError(
        "'" + line +
        "' is not a turn; write flash or flash_sm80, pass, type, head_dim, mask, N, heads, "
        "warm-ups and repeats, such as flash forward bf16 128 causal 16384 16 2 5");
  turn.sm_80 = kernel == "flash_sm80";
  turn.pass = *known_pass;
  turn.shape = fmt::format("{} {} {} {} {} {}", pass, dtype, d, mask, n, heads);
  turn.problem = make_problem({1, heads, heads, n, n, d, d},
                              mask == "full" ? MaskKind::full : MaskKind::causal, *known_dtype, 1);
  return turn;
}

// A problem's tensors on a device, and a launch over them.
class FlashLaunches {
 public:
  FlashLaunches(const FlashTurn& turn, AttentionDevice& device)
      : problem_(turn.problem),
        pass_(turn.pass),
        device_(device),
        ledger_({.source = device.memory(AllocatorKind::pool), .allocator = AllocatorKind::pool}),
        q_(input(TensorRole::q)),
        k_(input(TensorRole::k)),
        v_(input(TensorRole::v)),
        out_(result(problem_.shape.out())),
        lse_(result(problem_.shape.lse())) {
    const std::int64_t n = problem_.shape.q_len;
    const SpanKind span = problem_.mask.kind == MaskKind::full ? SpanKind::full : SpanKind::causal;
    schedule_ = build_schedule(n, n, {{0, n, {0, n, span, 0}}},
                               device.tiles(Kernel::flash, problem_.shape.head_dim).query_tile);
    const AttentionDevice::Prepared launch = device.prepare(
        cuda::whole_call(
            {q_.view(), k_.view(), v_.view(), &schedule_, problem_.scale, out_.view(), lse_.view()},
            0),
        ledger_);
    launch_ = [launch] {
      launch.attend();
      launch.merge();
    };
    if (pass_ == Pass::backward) follow_by_backward();
  }

  // Returns what is wrong with an output, or an empty text.
  [[nodiscard]] std::string flaw() {
    constexpr std::int64_t kMostRows = 8;
    const std::int64_t n = problem_.shape.q_len;
    for (const Shared* written : written_)
      device_.fill(written->view().data, 0xff, static_cast<std::size_t>(written->view().bytes()));
    launch_();
    device_.wait();
    for (const Shared* read : {&out_, &lse_}) device_.download(read->view(), read->host.view());
    for (const Shared* read : written_) device_.download(read->view(), read->host.view());
    const std::vector<std::int64_t> rows = rows_to_verify(n, {0, n / 2, n - 1}, kMostRows, 1);
    const auto host = [](const Shared& tensor) { return tensor.host.view(); };
    Verification verification = verify_output(problem_, host(q_), host(k_), host(v_), host(out_),
                                              host(lse_), rows, available_cores());
    if (pass_ == Pass::backward && verification.correct)
      verify_gradients({host(q_), host(k_), host(v_), host(d_out_), problem_.mask, problem_.scale},
                       {host(d_q_), host(d_k_), host(d_v_)}, rows, {}, available_cores(),
                       verification);
    return verification.correct ? "" : verification.message;
  }

  [[nodiscard]] std::vector<double> seconds(int warm_ups, int repeats) {
    for (int i = 0; i < warm_ups; ++i) launch_();
    device_.forget_marks();
    for (int i = 0; i < repeats; ++i) {
      (void)device_.mark();
      launch_();
      (void)device_.mark();
    }
    device_.wait();
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i)
      seconds.push_back(device_.seconds(2 * i, 2 * i + 1, ClockKind::synchronized));
    return seconds;
  }

 private:
  struct Shared {
    Tensor host;
    Tensor device;
    [[nodiscard]] const TensorView& view() const { return device.view(); }
  };

  Shared input(TensorRole role) {
    Tensor host = make_input(problem_, role, heap_allocator(), available_cores(), "input");
    Tensor there(ledger_, problem_.dtype, host.view().extent, "input");
    device_.upload(host.view(), there.view());
    return {std::move(host), std::move(there)};
  }
  Shared result(const Extent& extent) {
    return {Tensor(heap_allocator(), DType::f32, extent, "result"),
            Tensor(ledger_, DType::f32, extent, "result")};
  }

  // The forward pass has been made; D, and clearing the sums, belong to the backward pass.
  void follow_by_backward() {
    launch_();
    d_out_ = input(TensorRole::d_out);
    delta_ = result(problem_.shape.lse());
    d_q_ = result(problem_.shape.q());
    d_k_ = result(problem_.shape.k());
    d_v_ = result(problem_.shape.v());
    const BackwardArguments call{q_.view(),   k_.view(),     v_.view(),  d_out_.view(),
                                 lse_.view(), delta_.view(), &schedule_, problem_.scale,
                                 d_q_.view(), d_k_.view(),   d_v_.view()};
    written_ = {&d_q_, &d_k_, &d_v_};
    launch_ = [this, call, kept = device_.keep_backward_schedule(Kernel::flash, call, ledger_, 0)] {
      for (const TensorView& sum : {call.d_q, call.d_k, call.d_v}) device_.clear_rows(sum);
      device_.compute_delta(out_.view(), call.d_out, call.delta);
      kept(call, ledger_);
    };
  }

  const Problem problem_;
  const Pass pass_;
  AttentionDevice& device_;
  MemoryLedger ledger_;
  Shared q_, k_, v_, out_, lse_, d_out_, delta_, d_q_, d_k_, d_v_;
  std::vector<const Shared*> written_{&out_, &lse_};  // by the launch
  TileSchedule schedule_;
  std::function<void()> launch_;
};

}  // namespace

std::unique_ptr<ComputeDevice> open_gpu_for_flash(bool sm_80) {
  const std::string reason = why_no_cuda(probe_cuda());
  if (!reason.empty()) throw EnvironmentError(reason);
  return open_cuda_device(sm_80);
}

void answer_flash_turns(std::istream& requests, std::ostream& answers, const OpenForFlash& open) {
  struct Contestant {
    std::unique_ptr<FlashLaunches> launches;
    std::string flaw;
  };
  std::map<bool, std::unique_ptr<ComputeDevice>> devices;
  std::map<bool, Contestant> contestants;  // at this shape
  std::string shape;
  for (std::string line; std::getline(requests, line);) {
    const FlashTurn turn = parse_turn(line);
    if (turn.shape != shape) contestants.clear();  // frees memory before as much is asked for
    shape = turn.shape;
    try {
      auto& device = devices[turn.sm_80];
      if (!device) device = open(turn.sm_80);
      Contestant& now = contestants[turn.sm_80];
      if (!now.launches) {
        auto& attention = device->as<AttentionDevice>();
        attention.require(Kernel::flash, turn.problem.dtype, turn.problem.shape.head_dim);
        now.launches = std::make_unique<FlashLaunches>(turn, attention);
        now.flaw = now.launches->flaw();
      }
      if (now.flaw.empty()) {
        answers << "ok";
        for (const double s : now.launches->seconds(turn.warm_ups, turn.repeats))
          answers << ' ' << to_text(s);
      } else {
        answers << "incorrect " << now.flaw;
      }
    } catch (const Unsupported& reason) {
      answers << "unsupported " << reason.what();
    }
    answers << std::endl;
  }
}

}  // namespace qb
