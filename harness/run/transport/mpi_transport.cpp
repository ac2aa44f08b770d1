// SPDX-License-Identifier: Apache-2.0
// Carries the messages of MPI ranks.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "harness/run/transport/mpi_state.h"

namespace qb {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts in int
constexpr int kFailureTag = 1;

// A step has two tags, and those of the root, whose step numbers are negative, lie below.
int tag_of(const MessageKey& key) {
  constexpr int kFirstTag = 64;
  if (key.step < 0) return kFirstTag + key.step;
  return kFirstTag + 2 * key.step + (key.late ? 1 : 0);
}

// One message of this rank, in pieces that MPI can count.
struct Parcel {
  MessageKey key{};
  bool outgoing = false;
  std::vector<MPI_Request> requests{};
  std::vector<char> own{};  // its bytes, if no one else owns them
  bool done = false;
  Passage passage{};
};

class MpiTransport final : public WorkerTeam {
 public:
  MpiTransport(MpiRanks& world, MPI_Comm messages, double timeout_s)
      : world_(world), messages_(messages), timeout_s_(timeout_s) {
    {
      const std::lock_guard lock(world_.mutex);
      MPI_Comm_set_errhandler(messages_, MPI_ERRORS_RETURN);
      MPI_Comm_rank(messages_, &rank_);
      MPI_Comm_size(messages_, &size_);
      await_failures();
    }
    progress_ = std::jthread([this] { run(); });
  }
  ~MpiTransport() override;

  Passage wait(const Ticket& ticket) override;
  double clock_offset_s() const override { return world_.offset_s; }

  double meet() override;
  void fail(const std::exception_ptr& error) override;
  std::exception_ptr failure() override {
    const std::scoped_lock both(world_.mutex, mutex_);
    (void)test();
    return failure_;
  }
  void close() override;
  bool is_closed() const override { return closed_; }

 private:
  using Parcels = std::vector<std::shared_ptr<Parcel>>;

  void await_failures() {
    QB_MPI(MPI_Irecv(failure_text_.data(), static_cast<int>(failure_text_.size()), MPI_CHAR,
                     MPI_ANY_SOURCE, kFailureTag, messages_, &failure_request_));
  }
  void take_failure(int from);
  bool test();
  void run();
  Ticket post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) override;
  void give_up_receives();
  void throw_away(int from, std::int64_t n_pieces);

  MpiRanks& world_;
  MPI_Comm messages_;
  bool has_met_ = false;  // it has called meet()
  bool meeting_ = false;  // which has not ended
  int rank_ = 0;
  int size_ = 1;
  const double timeout_s_;

  std::mutex mutex_;  // guards what follows; locked after the world's
  std::condition_variable changed_;
  Parcels active_;
  std::map<int, std::int64_t> sent_;      // pieces to each rank
  std::map<int, std::int64_t> received_;  // pieces from each rank, including those still awaited
  std::exception_ptr failure_;
  bool told_ = false;
  bool closed_ = false;
  bool stop_ = false;
  std::array<char, 512> failure_text_{};
  MPI_Request failure_request_ = MPI_REQUEST_NULL;
  std::jthread progress_;
};

// Another rank reports a failure: its status, a space, what happened.
void MpiTransport::take_failure(int from) {
  const std::string text(failure_text_.data());
  if (!failure_) {
    const std::size_t space = text.find(' ');
    failure_ = std::make_exception_ptr(
        CaseError(static_cast<Status>(std::atoi(text.c_str())),
                  fmt::format("rank {}: {}", from,
                              space == std::string::npos ? "" : text.substr(space + 1))));
  }
  await_failures();
}

// Returns true if something has arrived or left. Call it with both locks held.
bool MpiTransport::test() {
  const std::size_t moved = std::erase_if(active_, [](const auto& parcel) {
    int done = 0;
    QB_MPI(MPI_Testall(static_cast<int>(parcel->requests.size()), parcel->requests.data(), &done,
                       MPI_STATUSES_IGNORE));
    if (done == 0) return false;
    parcel->passage.done_s = now_s();
    // The moment when the other side began to receive is unknown; most of the waiting is for that.
    if (parcel->outgoing) parcel->passage.started_s = parcel->passage.done_s;
    parcel->done = true;
    return true;
  });
  int failed = 0;
  MPI_Status status;
  QB_MPI(MPI_Test(&failure_request_, &failed, &status));
  if (failed != 0) take_failure(status.MPI_SOURCE);
  return moved > 0 || failed != 0;
}

void MpiTransport::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (active_.empty()) {
      // A failure elsewhere matters only to a thread that waits.
      changed_.wait(lock, [&] { return stop_ || !active_.empty(); });
      continue;
    }
    lock.unlock();
    bool moved = false;
    {
      const std::scoped_lock both(world_.mutex, mutex_);
      moved = test();
    }
    if (moved)
      changed_.notify_all();
    else
      rest(std::chrono::microseconds(10));
    lock.lock();
  }
}

Ticket MpiTransport::post(const MessageKey& key, bool outgoing, std::span<std::byte> bytes) {
  auto parcel = std::make_shared<Parcel>(Parcel{.key = key, .outgoing = outgoing});
  parcel->passage.started_s = now_s();
  {
    const std::scoped_lock both(world_.mutex, mutex_);
    const int peer = outgoing ? key.to : key.from;
    for (std::size_t at = 0; at == 0 || at < bytes.size(); at += kMostAtOnce) {
      const int count = static_cast<int>(std::min(kMostAtOnce, bytes.size() - at));
      MPI_Request& request = parcel->requests.emplace_back(MPI_REQUEST_NULL);
      std::byte* const piece = bytes.data() + at;
      const int tag = tag_of(key);
      if (outgoing)
        QB_MPI(MPI_Isend(piece, count, MPI_BYTE, peer, tag, messages_, &request));
      else
        QB_MPI(MPI_Irecv(piece, count, MPI_BYTE, peer, tag, messages_, &request));
      ++(outgoing ? sent_ : received_)[peer];
    }
    active_.push_back(parcel);
  }
  changed_.notify_all();
  return parcel;
}

MpiTransport::~MpiTransport() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  progress_.join();
  const std::lock_guard lock(world_.mutex);
  // Unfinished messages keep their bytes: the library may still write there.
  if (!closed_) (void)new Parcels(std::move(active_));
  if (failure_request_ != MPI_REQUEST_NULL) {
    MPI_Cancel(&failure_request_);
    MPI_Wait(&failure_request_, MPI_STATUS_IGNORE);
  }
  // Open MPI goes on with a barrier that has not ended, and crashes if its communicator is gone.
  if (!meeting_) MPI_Comm_free(&messages_);
}

Passage MpiTransport::wait(const Ticket& ticket) {
  const Parcel& parcel = *static_cast<const Parcel*>(ticket.get());
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(timeout_s_),
                    [&] { return parcel.done || failure_; });
  if (parcel.done) return parcel.passage;
  if (failure_) std::rethrow_exception(failure_);
  const MessageKey& key = parcel.key;
  throw CaseError(
      Status::timeout,
      fmt::format("rank {} waited {:.4g} s without success for {} rank {} in step {}", rank_,
                  timeout_s_, parcel.outgoing ? "its message to be taken by" : "a message of",
                  parcel.outgoing ? key.to : key.from, key.step));
}

double MpiTransport::meet() {
  has_met_ = meeting_ = true;
  // Sleeping would blur the common start.
  world_.complete([&](MPI_Request* request) { QB_MPI(MPI_Ibarrier(messages_, request)); },
                  timeout_s_, "the others", std::this_thread::yield);
  meeting_ = false;
  return now_s();
}

void MpiTransport::fail(const std::exception_ptr& error) {
  const CaseError failure = case_error(error);
  const std::scoped_lock both(world_.mutex, mutex_);
  if (told_ || failure_) return;  // the first one counts
  told_ = true;
  std::string text = fmt::format("{} {}", static_cast<int>(failure.status()), failure.what());
  text.resize(failure_text_.size() - 1);
  // MPI_Send is not used: a rank that is stuck receives nothing.
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    auto parcel =
        std::make_shared<Parcel>(Parcel{.outgoing = true,
                                        .requests = {MPI_REQUEST_NULL},
                                        .own = {text.c_str(), text.c_str() + text.size() + 1}});
    QB_MPI(MPI_Isend(parcel->own.data(), static_cast<int>(parcel->own.size()), MPI_CHAR, r,
                     kFailureTag, messages_, parcel->requests.data()));
    active_.push_back(std::move(parcel));
  }
  changed_.notify_all();
}

// Gives up receives that will not come. A receive that has begun cannot be given up: it must end.
void MpiTransport::give_up_receives() {
  Parcels awaited;
  {
    const std::scoped_lock both(world_.mutex, mutex_);
    (void)test();
    std::erase_if(active_, [&](const auto& parcel) {
      if (!parcel->outgoing) awaited.push_back(parcel);
      return !parcel->outgoing;
    });
    for (const auto& parcel : awaited)
      for (MPI_Request& request : parcel->requests)
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
  }
  for (const auto& parcel : awaited)
    for (MPI_Request& request : parcel->requests) {
      const auto has_ended = [&] {
        const std::lock_guard lock(world_.mutex);
        int done = request == MPI_REQUEST_NULL ? 1 : 0;
        if (done != 0) return true;
        MPI_Status status;
        QB_MPI(MPI_Test(&request, &done, &status));
        int cancelled = 0;
        if (done != 0) MPI_Test_cancelled(&status, &cancelled);
        if (cancelled != 0) --received_[parcel->key.from];
        return done != 0;
      };
      poll(has_ended, timeout_s_, rest_a_little, [&] {
        return fmt::format("rank {}: a message of rank {} does not end", rank_, parcel->key.from);
      });
    }
}

// Receives what a rank has sent and no worker waited for.
void MpiTransport::throw_away(int from, std::int64_t n_pieces) {
  const auto have_come = [&] {
    const std::scoped_lock both(world_.mutex, mutex_);
    for (; n_pieces > 0; --n_pieces) {
      MPI_Status status;
      int there = 0;
      QB_MPI(MPI_Iprobe(from, MPI_ANY_TAG, messages_, &there, &status));
      if (there != 0 && status.MPI_TAG == kFailureTag) (void)test();  // which takes it
      if (there == 0 || status.MPI_TAG == kFailureTag) return false;
      int bytes = 0;
      QB_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
      auto parcel = std::make_shared<Parcel>();
      parcel->own.resize(static_cast<std::size_t>(bytes));
      parcel->requests.push_back(MPI_REQUEST_NULL);
      QB_MPI(MPI_Irecv(parcel->own.data(), bytes, MPI_BYTE, from, status.MPI_TAG, messages_,
                       parcel->requests.data()));
      active_.push_back(std::move(parcel));
      changed_.notify_all();
    }
    return true;
  };
  poll(have_come, timeout_s_, rest_a_little,
       [&] { return fmt::format("rank {}: messages of rank {} do not come", rank_, from); });
}

void MpiTransport::close() {
  try {
    if (!has_met_) (void)meet();  // the others wait for it
  } catch (const CaseError&) {
    // The failure before it is the one that counts.
  }
  give_up_receives();
  std::vector<std::int64_t> to(static_cast<std::size_t>(size_));
  std::vector<std::int64_t> from(to.size());
  for (int r = 0; r < size_; ++r) to[static_cast<std::size_t>(r)] = sent_[r];
  world_.complete(
      [&](MPI_Request* request) {
        QB_MPI(MPI_Ialltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, messages_,
                             request));
      },
      timeout_s_, "the other workers to end");
  for (int r = 0; r < size_; ++r) throw_away(r, from[static_cast<std::size_t>(r)] - received_[r]);
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::duration<double>(timeout_s_),
                         [&] { return active_.empty(); }))
    throw CaseError(Status::timeout, fmt::format("rank {}: messages do not end", rank_));
  closed_ = true;
}

}  // namespace

std::unique_ptr<WorkerTeam> MpiRanks::make_transport(int workers, double timeout_s) {
  MPI_Comm& ranks = ranks_of(workers, timeout_s);
  if (ranks == MPI_COMM_NULL) return nullptr;
  // Every transport has its own communicator, so messages left by an earlier one cannot reach it.
  MPI_Comm messages = MPI_COMM_NULL;
  complete_by_all([&](MPI_Request* come) { QB_MPI(MPI_Comm_idup(ranks, &messages, come)); },
                  timeout_s);
  return std::make_unique<MpiTransport>(*this, messages, timeout_s);
}

}  // namespace qb
