// SPDX-License-Identifier: Apache-2.0
// Every wait of this file checks the communicator and a clock. The communicator is non-blocking, so
// a rank whose peers are gone returns from its calls and can end it.
#include "harness/run/transport/device_link.h"

#include <fmt/format.h>
#include <nccl.h>

#include <cstring>
#include <deque>
#include <thread>

#include "base/clock.h"
#include "base/status.h"
#include "kernels/cuda/runtime/loaded_library.h"
#include "kernels/cuda/runtime/runtime.h"

namespace qb {
namespace {

struct Nccl : cuda::LoadedLibrary {
  Nccl() : LoadedLibrary(cuda::NvidiaLibrary::nccl, "ranks: nccl needs NCCL") {}
  decltype(&ncclGetVersion) version = function("ncclGetVersion");
  decltype(&ncclGetUniqueId) unique_id = function("ncclGetUniqueId");
  decltype(&ncclCommInitRankConfig) init = function("ncclCommInitRankConfig");
  decltype(&ncclCommGetAsyncError) async_error = function("ncclCommGetAsyncError");
  decltype(&ncclCommAbort) abort = function("ncclCommAbort");
  decltype(&ncclGroupStart) group_start = function("ncclGroupStart");
  decltype(&ncclGroupEnd) group_end = function("ncclGroupEnd");
  decltype(&ncclSend) send = function("ncclSend");
  decltype(&ncclRecv) receive = function("ncclRecv");
  decltype(&ncclGetErrorString) text = function("ncclGetErrorString");
  decltype(&ncclGetLastError) last_error = function("ncclGetLastError");
};

// Without NCCL this kind of ranks is unsupported; an EnvironmentError would end the whole run.
const Nccl& nccl() try { return cuda::loaded<Nccl>(); } catch (const EnvironmentError& error) {
  throw Unsupported(error.what());
}

// A failure of a peer or a GPU is a crash; others are the machine's or this program's error.
void check_nccl(ncclResult_t result, const char* call, ncclComm_t communicator = nullptr) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  const char* const last = nccl().last_error(communicator);
  const std::string text =
      fmt::format("{}: {}{}{}", call, nccl().text(result),
                  last == nullptr || *last == '\0' ? "" : ": ", last == nullptr ? "" : last);
  const bool gone = result == ncclRemoteError || result == ncclUnhandledCudaError;
  throw CaseError(gone ? Status::crashed : Status::error, text);
}

#define QB_NCCL(call) check_nccl(nccl().call, "NCCL's " #call)

class NcclLink final : public DeviceLink {
 public:
  NcclLink(void* stream, const std::string& id, int rank, int ranks, double timeout_s)
      : compute_(stream), side_(cuda::Stream::Priority::high) {
    ncclUniqueId unique{};
    if (id.size() != sizeof(unique)) throw std::invalid_argument("this is not an id of NCCL's");
    std::memcpy(&unique, id.data(), sizeof(unique));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const double deadline_s = now_s() + timeout_s;
    try {
      QB_NCCL(init(&communicator_, ranks, unique, rank, &config));
      finish([&] {
        if (now_s() > deadline_s)
          throw CaseError(
              Status::timeout,
              fmt::format("NCCL did not connect the {} ranks within {} s", ranks, timeout_s));
      });
    } catch (...) {
      abort();
      throw;
    }
  }
  // It is aborted, not destroyed, since that needs the other ranks and they may be gone.
  ~NcclLink() override { abort(); }

  int enqueue(std::span<const DeviceLink::Part> parts,
              const std::function<void()>& patience) override {
    if (n_groups_ == groups_.size()) groups_.emplace_back();
    Group& group = groups_[n_groups_];
    computed_.record(compute_);
    computed_.hold_back(side_);
    group.begin.record(side_);
    QB_NCCL(group_start());
    try {
      for (const DeviceLink::Part& part : parts) give(part);
    } catch (...) {
      (void)nccl().group_end();  // otherwise this thread's next calls would join the group
      throw;
    }
    QB_NCCL(group_end());
    finish(patience);  // nothing is on the stream until this returns
    group.end.record(side_);
    return static_cast<int>(n_groups_++);
  }

  void hold_back(int group) override { at(group).end.hold_back(compute_); }
  bool has_ended(int group) override { return at(group).end.has_happened(); }
  double seconds(int group) const override {
    const Group& one = groups_[static_cast<std::size_t>(group)];
    return one.end.seconds_since(one.begin);
  }

  void check() override { (void)in_progress(); }

  void abort() noexcept override {
    if (communicator_ == nullptr) return;
    (void)nccl().abort(communicator_);
    communicator_ = nullptr;
    try {
      side_.wait();
    } catch (const std::exception&) {
      return;  // a lost device moves nothing more either
    }
  }
  void forget_groups() override { n_groups_ = 0; }

 private:
  struct Group {
    cuda::Event begin;
    cuda::Event end;
  };

  [[nodiscard]] Group& at(int group) { return groups_[static_cast<std::size_t>(group)]; }

  void give(const DeviceLink::Part& part) const {
    const auto stream = static_cast<cudaStream_t>(side_.get());
    if (part.outgoing)
      QB_NCCL(send(part.data, part.bytes, ncclInt8, part.peer, communicator_, stream));
    else
      QB_NCCL(receive(part.data, part.bytes, ncclInt8, part.peer, communicator_, stream));
  }

  [[nodiscard]] bool in_progress() const {
    if (communicator_ == nullptr) throw CaseError(Status::error, "NCCL's communicator has ended");
    ncclResult_t state = ncclSuccess;
    QB_NCCL(async_error(communicator_, &state));
    check_nccl(state, "NCCL", communicator_);
    return state == ncclInProgress;
  }

  void finish(const std::function<void()>& patience) const {
    while (in_progress()) {
      patience();
      std::this_thread::yield();
    }
  }

  void* const compute_;  // the device's stream
  cuda::Stream side_;
  cuda::Event computed_;
  std::deque<Group> groups_;
  std::size_t n_groups_ = 0;
  ncclComm_t communicator_ = nullptr;
};

}  // namespace

std::string nccl_version() {
  int code = 0;
  QB_NCCL(version(&code));
  return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

std::string new_nccl_id() {
  ncclUniqueId id{};
  QB_NCCL(unique_id(&id));
  return {id.internal, sizeof(id.internal)};
}

std::unique_ptr<DeviceLink> open_nccl_link(void* stream, const std::string& id, int rank, int ranks,
                                           double timeout_s) {
  return std::make_unique<NcclLink>(stream, id, rank, ranks, timeout_s);
}

}  // namespace qb
