// SPDX-License-Identifier: Apache-2.0
#include "kernels/parallel.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/interruption.h"

namespace qb {
namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) CPU_ZERO(&set);
  return set;
}

// The processors of all of OpenMP's places; empty where its runtime is not linked.
cpu_set_t openmp_places() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const auto find = [](const char* name) { return ::dlsym(RTLD_DEFAULT, name); };
  const auto places = reinterpret_cast<int (*)()>(find("omp_get_num_places"));
  const auto size_of_place = reinterpret_cast<int (*)(int)>(find("omp_get_place_num_procs"));
  const auto processors = reinterpret_cast<void (*)(int, int*)>(find("omp_get_place_proc_ids"));
  if (places == nullptr || size_of_place == nullptr || processors == nullptr) return set;
  for (int place = 0; place < places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(size_of_place(place)));
    processors(place, ids.data());
    for (const int id : ids) CPU_SET(static_cast<std::size_t>(id), &set);
  }
  return set;
}

// The variables by which OpenMP's runtime binds threads, in the order in which they are named.
std::string binding_variable() {
  for (const char* const name :
       {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"})
    if (const char* const value = std::getenv(name); value != nullptr)
      return std::string(name) + "=" + value;
  return {};
}

// What was undone, and the cores of the process after that.
struct Unbound {
  std::string variable;
  cpu_set_t cores = affinity();

  Unbound() {
    const std::string asked = binding_variable();
    if (asked.empty()) return;
    const cpu_set_t places = openmp_places();
    cpu_set_t both;
    CPU_OR(&both, &places, &cores);
    if (CPU_EQUAL(&both, &cores) || sched_setaffinity(0, sizeof(both), &both) != 0) return;
    variable = asked;
    cores = affinity();
  }
};

const Unbound& unbound() {
  static const Unbound once;
  return once;
}

const cpu_set_t& process_cores() { return unbound().cores; }

constexpr int kAnyCore = -1;

// Pins the calling thread to this core, or allows it all cores; if that fails the system decides.
void pin_to(int core) {
  cpu_set_t set = process_cores();
  if (core != kAnyCore) {
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
  }
  (void)sched_setaffinity(0, sizeof(set), &set);
}

// Returns the process's cores, first the one that the caller runs on, so that it need not move.
std::vector<int> cores_from_here() {
  static const std::vector<int> all = [] {
    std::vector<int> found;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(static_cast<std::size_t>(core), &process_cores())) found.push_back(core);
    return found;
  }();
  std::vector<int> cores = all;
  const auto here = std::ranges::find(cores, sched_getcpu());
  if (here != cores.end()) std::rotate(cores.begin(), here, here + 1);
  return cores;
}

class Helper {
 public:
  Helper() : thread_([this] { serve(); }) {}
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    work_ = nullptr;
    set(kWorking);
  }

  void start(const std::function<void(int)>& work, int index, int core) {
    work_ = &work;
    index_ = index;
    core_ = core;
    set(kWorking);
  }
  void finish() { await_value(state_, kIdle); }

 private:
  static constexpr int kIdle = 0;
  static constexpr int kWorking = 1;

  // notify_one() reads who waits after this store, which a release alone does not order: a thread
  // that begins to wait meanwhile could wait for ever.
  void set(int state) {
    state_.store(state, std::memory_order_seq_cst);
    state_.notify_one();
  }

  void serve() {
    int pinned_to = kAnyCore;
    while (true) {
      await_value(state_, kWorking);
      if (work_ == nullptr) return;
      if (core_ != pinned_to) pin_to(pinned_to = core_);
      (*work_)(index_);
      set(kIdle);
    }
  }

  std::atomic<int> state_{kIdle};
  const std::function<void(int)>* work_ = nullptr;
  int index_ = 0;
  int core_ = kAnyCore;
  std::jthread thread_;  // last, because it reads the others
};

struct Idle {
  std::mutex mutex;
  std::vector<std::unique_ptr<Helper>> helpers;
  Idle* forgotten_before = nullptr;
};
Idle* forgotten = nullptr;  // those of processes from which this one was forked

// A process that forks has none of its parent's threads: it forgets the helpers, whose memory is
// lost, and the lock, which another thread may have held.
class Owner {
 public:
  Owner() {
    ::pthread_atfork(nullptr, nullptr, [] {
      owner().all_->forgotten_before = forgotten;
      forgotten = std::exchange(owner().all_, new Idle);
    });
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { delete all_; }
  static Owner& owner() {
    static Owner one;
    return one;
  }
  Idle& all() { return *all_; }

 private:
  Idle* all_ = new Idle;
};

Idle& idle() { return Owner::owner().all(); }

// Returns as many as are wanted, or fewer where the system gives fewer.
std::vector<std::unique_ptr<Helper>> take_helpers(std::size_t wanted) {
  const std::lock_guard lock(idle().mutex);
  auto& helpers = idle().helpers;
  try {
    while (helpers.size() < wanted) helpers.push_back(std::make_unique<Helper>());
  } catch (const std::system_error&) {  // the system has no more threads to give
  }
  const auto first = helpers.end() - static_cast<std::ptrdiff_t>(std::min(wanted, helpers.size()));
  std::vector<std::unique_ptr<Helper>> taken(std::make_move_iterator(first),
                                             std::make_move_iterator(helpers.end()));
  helpers.erase(first, helpers.end());
  return taken;
}

}  // namespace

void await_value(const std::atomic<int>& state, int wanted) {
  constexpr int kSpins = 1000;
  for (int spin = 0; spin < kSpins; ++spin) {
    if (state.load(std::memory_order_acquire) == wanted) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  for (int now = state.load(std::memory_order_acquire); now != wanted;
       now = state.load(std::memory_order_acquire))
    state.wait(now, std::memory_order_acquire);
}

void run_with_helpers(int n, const std::function<void(int)>& work) {
  if (n <= 1) return work(0);
  const std::vector<int> cores = n == available_cores()
                                     ? cores_from_here()
                                     : std::vector<int>(static_cast<std::size_t>(n), kAnyCore);
  auto helpers = take_helpers(static_cast<std::size_t>(n) - 1);
  for (std::size_t i = 0; i < helpers.size(); ++i)
    helpers[i]->start(work, static_cast<int>(i) + 1, cores[i + 1]);
  if (cores[0] == kAnyCore) {
    work(0);
  } else {
    const cpu_set_t before = affinity();
    pin_to(cores[0]);
    work(0);
    (void)sched_setaffinity(0, sizeof(before), &before);
  }
  for (const auto& helper : helpers) helper->finish();
  const std::lock_guard lock(idle().mutex);
  std::ranges::move(helpers, std::back_inserter(idle().helpers));
}

const std::string& undone_thread_binding() { return unbound().variable; }

int available_cores() { return std::max(1, CPU_COUNT(&process_cores())); }

int threads_for_bytes(std::int64_t bytes, int threads) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / (1 << 20), 1, threads));
}

void parallel_for(std::int64_t n, int threads, std::int64_t grain,
                  const std::function<void(std::int64_t, std::int64_t, int)>& body) {
  if (n <= 0) return;
  const std::int64_t step = std::max<std::int64_t>(1, grain);
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  // Takes chunks until none is left or a body has thrown.
  const std::atomic<bool>* const flag = interrupt_flag;
  const auto work = [&](int thread) noexcept {
    interrupt_flag = flag;
    try {
      for (std::int64_t begin = 0; (begin = next.fetch_add(step, std::memory_order_relaxed)) < n;) {
        poll_interrupt();
        body(begin, std::min(n, begin + step), thread);
      }
    } catch (...) {
      next.store(n, std::memory_order_relaxed);
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  };
  run_with_helpers(static_cast<int>(std::min<std::int64_t>(threads, (n - 1) / step + 1)), work);
  if (error) std::rethrow_exception(error);
}

}  // namespace qb
