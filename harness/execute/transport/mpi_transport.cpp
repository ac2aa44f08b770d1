// Carries the messages of MPI ranks.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/execute/transport/mpi_state.h"

namespace qb {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // MPI counts in int
constexpr int kFirstTag = 64;  // tag of step 0; tags of the root are lower
constexpr int kFailureTag = 1;

}  // namespace

// One message of this rank, in pieces that MPI can count.
struct MpiParcel final : Transit {
  MessageKey key;
  bool outgoing = false;
  std::size_t bytes = 0;
  std::vector<MPI_Request> requests;
  std::vector<char> own;  // its bytes, if no one else owns them
  bool done = false;
  Passage passage;
};

struct MpiTransport::State {
  MpiWorld::State& world;
  MPI_Comm messages = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  double timeout_s = 60.0;

  std::mutex mutex;  // guards what follows; locked after the world's
  std::condition_variable changed;
  std::vector<std::shared_ptr<MpiParcel>> active;
  std::map<int, std::int64_t> sent;      // pieces to each rank
  std::map<int, std::int64_t> received;  // pieces from each rank, including those still awaited
  std::optional<CaseError> failure;
  bool told = false;
  bool closed = false;
  bool stop = false;
  std::array<char, 512> failure_text{};
  MPI_Request failure_request = MPI_REQUEST_NULL;
  std::jthread progress;

  explicit State(MpiWorld::State& given) : world(given) {}

  void await_failures() {
    QB_MPI(MPI_Irecv(failure_text.data(), static_cast<int>(failure_text.size()), MPI_CHAR,
                     MPI_ANY_SOURCE, kFailureTag, messages, &failure_request));
  }

  // Another rank reports a failure: its status, a space, what happened.
  void take_failure(int from) {
    const std::string text(failure_text.data());
    if (!failure) {
      const auto status = static_cast<Status>(std::atoi(text.c_str()));
      const std::size_t space = text.find(' ');
      failure.emplace(status,
                      fmt::format("rank {}: {}", from,
                                  space == std::string::npos ? "" : text.substr(space + 1)));
    }
    await_failures();
  }

  // Returns true if something has arrived or left. Call it with both locks held.
  bool test() {
    bool moved = false;
    for (const auto& parcel : active) {
      int done = 0;
      QB_MPI(MPI_Testall(static_cast<int>(parcel->requests.size()), parcel->requests.data(), &done,
                         MPI_STATUSES_IGNORE));
      if (done == 0) continue;
      parcel->passage.done_s = now_s();
      // The moment when the other side began to receive is unknown; most of the waiting is for
      // that.
      if (parcel->outgoing) parcel->passage.started_s = parcel->passage.done_s;
      parcel->done = true;
      moved = true;
    }
    if (moved) std::erase_if(active, [](const auto& parcel) { return parcel->done; });
    int failed = 0;
    MPI_Status status;
    QB_MPI(MPI_Test(&failure_request, &failed, &status));
    if (failed != 0) take_failure(status.MPI_SOURCE);
    return moved || failed != 0;
  }

  void run() {
    std::unique_lock lock(mutex);
    while (!stop) {
      if (active.empty()) {
        // A failure elsewhere matters only to a thread that waits.
        changed.wait(lock, [&] { return stop || !active.empty(); });
        continue;
      }
      lock.unlock();
      bool moved = false;
      {
        const std::scoped_lock both(world.mutex, mutex);
        moved = test();
      }
      if (moved)
        changed.notify_all();
      else
        rest(std::chrono::microseconds(10));
      lock.lock();
    }
  }

  void give_up_receives();
  void throw_away(int from, std::int64_t n_pieces);

  Ticket post(const MessageKey& key, std::byte* data, std::size_t bytes, bool outgoing) {
    auto parcel = std::make_shared<MpiParcel>();
    parcel->key = key;
    parcel->outgoing = outgoing;
    parcel->bytes = bytes;
    parcel->passage.started_s = now_s();
    {
      const std::scoped_lock both(world.mutex, mutex);
      const int peer = outgoing ? key.to : key.from;
      const int tag = kFirstTag + key.step;
      for (std::size_t at = 0; at == 0 || at < bytes; at += kMostAtOnce) {
        const int count = static_cast<int>(std::min(kMostAtOnce, bytes - at));
        parcel->requests.push_back(MPI_REQUEST_NULL);
        if (outgoing)
          QB_MPI(
              MPI_Isend(data + at, count, MPI_BYTE, peer, tag, messages, &parcel->requests.back()));
        else
          QB_MPI(
              MPI_Irecv(data + at, count, MPI_BYTE, peer, tag, messages, &parcel->requests.back()));
        ++(outgoing ? sent : received)[peer];
      }
      active.push_back(parcel);
    }
    changed.notify_all();
    return parcel;
  }
};

std::unique_ptr<MpiTransport> MpiWorld::make_transport(int workers, double timeout_s) {
  MPI_Comm& ranks = state_->ranks_of(workers, timeout_s);
  if (ranks == MPI_COMM_NULL) return nullptr;
  auto state = std::make_unique<MpiTransport::State>(*state_);
  state->timeout_s = timeout_s;
  // Every transport has its own communicator, so messages left by an earlier one cannot reach it.
  MPI_Request come = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(state_->mutex);
    QB_MPI(MPI_Comm_idup(ranks, &state->messages, &come));
  }
  state_->await_all(come, timeout_s);
  {
    const std::lock_guard lock(state_->mutex);
    MPI_Comm_set_errhandler(state->messages, MPI_ERRORS_RETURN);
    MPI_Comm_rank(state->messages, &state->rank);
    MPI_Comm_size(state->messages, &state->size);
    state->await_failures();
  }
  return std::make_unique<MpiTransport>(std::move(state));
}

MpiTransport::MpiTransport(std::unique_ptr<State> state) : state_(std::move(state)) {
  state_->progress = std::jthread([s = state_.get()] { s->run(); });
}

MpiTransport::~MpiTransport() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
  state_->progress.join();
  const std::lock_guard lock(state_->world.mutex);
  // Unfinished messages keep their bytes: the library may still write there.
  if (!state_->closed) (void)new std::vector<std::shared_ptr<MpiParcel>>(std::move(state_->active));
  if (state_->failure_request != MPI_REQUEST_NULL) {
    MPI_Cancel(&state_->failure_request);
    MPI_Wait(&state_->failure_request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&state_->messages);
}

double MpiTransport::clock_offset_s() const { return state_->world.offset_s; }

Ticket MpiTransport::send(const MessageKey& key, std::span<const std::byte> bytes) {
  // MPI's C++ callers have no const here; it only reads.
  return state_->post(key, const_cast<std::byte*>(bytes.data()), bytes.size(), true);
}

Ticket MpiTransport::receive(const MessageKey& key, std::span<std::byte> bytes) {
  return state_->post(key, bytes.data(), bytes.size(), false);
}

Passage MpiTransport::wait(const Ticket& ticket) {
  const auto& parcel = static_cast<const MpiParcel&>(*ticket);
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::duration<double>(state_->timeout_s),
                           [&] { return parcel.done || state_->failure; });
  if (parcel.done) return parcel.passage;
  if (state_->failure) throw *state_->failure;
  const MessageKey& key = parcel.key;
  throw CaseError(Status::timeout,
                  fmt::format("rank {} waited {} s in vain for {} rank {} in step {}", state_->rank,
                              state_->timeout_s,
                              parcel.outgoing ? "its message to be taken by" : "a message of",
                              parcel.outgoing ? key.to : key.from, key.step));
}

void MpiTransport::meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(state_->world.mutex);
    QB_MPI(MPI_Ibarrier(state_->messages, &request));
  }
  const double deadline_s = now_s() + state_->timeout_s;
  for (int done = 0; done == 0;) {
    {
      const std::lock_guard lock(state_->world.mutex);
      QB_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    if (done == 0 && now_s() > deadline_s)
      throw CaseError(Status::timeout, fmt::format("rank {} waited {} s in vain for the others",
                                                   state_->rank, state_->timeout_s));
    if (done == 0) std::this_thread::yield();  // sleeping would blur the common start
  }
}

void MpiTransport::fail(Status status, const std::string& message) {
  const std::scoped_lock both(state_->world.mutex, state_->mutex);
  if (state_->told || state_->failure) return;  // the first one counts
  state_->told = true;
  std::string text = fmt::format("{} {}", static_cast<int>(status), message);
  text.resize(state_->failure_text.size() - 1);
  // MPI_Send is not used: a rank that is stuck receives nothing.
  for (int r = 0; r < state_->size; ++r) {
    if (r == state_->rank) continue;
    auto parcel = std::make_shared<MpiParcel>();
    parcel->outgoing = true;
    parcel->own.assign(text.c_str(), text.c_str() + text.size() + 1);
    parcel->requests.push_back(MPI_REQUEST_NULL);
    QB_MPI(MPI_Isend(parcel->own.data(), static_cast<int>(parcel->own.size()), MPI_CHAR, r,
                     kFailureTag, state_->messages, parcel->requests.data()));
    state_->active.push_back(std::move(parcel));
  }
  state_->changed.notify_all();
}

// Gives up receives that will not come. A receive that has begun cannot be given up: it must end.
void MpiTransport::State::give_up_receives() {
  std::vector<std::shared_ptr<MpiParcel>> awaited;
  {
    const std::scoped_lock both(world.mutex, mutex);
    (void)test();
    std::erase_if(active, [&](const auto& parcel) {
      if (!parcel->outgoing) awaited.push_back(parcel);
      return !parcel->outgoing;
    });
    for (const auto& parcel : awaited)
      for (MPI_Request& request : parcel->requests)
        if (request != MPI_REQUEST_NULL) MPI_Cancel(&request);
  }
  const double deadline_s = now_s() + timeout_s;
  for (const auto& parcel : awaited) {
    for (MPI_Request& request : parcel->requests) {
      while (request != MPI_REQUEST_NULL) {
        int done = 0;
        {
          const std::lock_guard lock(world.mutex);
          MPI_Status status;
          QB_MPI(MPI_Test(&request, &done, &status));
          int cancelled = 0;
          if (done != 0) MPI_Test_cancelled(&status, &cancelled);
          if (cancelled != 0) --received[parcel->key.from];
        }
        if (done != 0) break;
        if (now_s() > deadline_s)
          throw CaseError(Status::timeout, fmt::format("rank {}: a message of rank {} does not end",
                                                       rank, parcel->key.from));
        rest(std::chrono::microseconds(200));
      }
    }
    parcel->done = true;
  }
}

// Receives what a rank has sent and no worker waited for.
void MpiTransport::State::throw_away(int from, std::int64_t n_pieces) {
  const double deadline_s = now_s() + timeout_s;
  while (n_pieces > 0) {
    MPI_Status status;
    int there = 0;
    {
      const std::scoped_lock both(world.mutex, mutex);
      QB_MPI(MPI_Iprobe(from, MPI_ANY_TAG, messages, &there, &status));
      if (there != 0 && status.MPI_TAG == kFailureTag) {
        there = 0;
        (void)test();  // removes it from the active ones
      }
      if (there != 0) {
        auto parcel = std::make_shared<MpiParcel>();
        int bytes = 0;
        QB_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
        parcel->own.resize(static_cast<std::size_t>(bytes));
        parcel->requests.push_back(MPI_REQUEST_NULL);
        QB_MPI(MPI_Irecv(parcel->own.data(), bytes, MPI_BYTE, from, status.MPI_TAG, messages,
                         parcel->requests.data()));
        active.push_back(std::move(parcel));
        --n_pieces;
      }
    }
    if (there != 0) {
      changed.notify_all();
      continue;
    }
    if (now_s() > deadline_s)
      throw CaseError(Status::timeout,
                      fmt::format("rank {}: messages of rank {} do not come", rank, from));
    rest(std::chrono::microseconds(200));
  }
}

void MpiTransport::close() {
  State& s = *state_;
  s.give_up_receives();
  const auto n = static_cast<std::size_t>(s.size);
  std::vector<std::int64_t> to(n);
  std::vector<std::int64_t> from(n);
  for (int r = 0; r < s.size; ++r) to[static_cast<std::size_t>(r)] = s.sent[r];
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(s.world.mutex);
    QB_MPI(MPI_Ialltoall(to.data(), 1, MPI_INT64_T, from.data(), 1, MPI_INT64_T, s.messages,
                         &request));
  }
  s.world.await(request, s.timeout_s, "the other workers to end");
  for (int r = 0; r < s.size; ++r)
    s.throw_away(r, from[static_cast<std::size_t>(r)] - s.received[r]);
  std::unique_lock lock(s.mutex);
  if (!s.changed.wait_for(lock, std::chrono::duration<double>(s.timeout_s),
                          [&] { return s.active.empty(); }))
    throw CaseError(Status::timeout, fmt::format("rank {}: messages do not end", s.rank));
  s.closed = true;
}

bool MpiTransport::has_failed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failure.has_value();
}

std::optional<CaseError> MpiTransport::failure() {
  const std::scoped_lock both(state_->world.mutex, state_->mutex);
  (void)state_->test();
  return state_->failure;
}

bool MpiTransport::is_closed() const { return state_->closed; }

}  // namespace qb
