// SPDX-License-Identifier: Apache-2.0
// Tests the supervisor with shell scripts as the child.
#include "harness/experiment/process/supervisor.h"
#include "harness/experiment/schema/parameters.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/files.h"
#include "base/testing/scratch_folder.h"

namespace qb {
namespace {

// Waits for a killed process to end; whoever inherits it may leave it a zombie.
bool dies(pid_t pid) {
  const std::string stat = "/proc/" + std::to_string(pid) + "/stat";
  for (int i = 0; i < 1000; ++i) {
    try {
      if (read_file(stat).find(") Z ") != std::string::npos) return true;
    } catch (const UsageError&) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Supervisor : public testing::Test {
 protected:
  CaseResult run(const std::string& script, double timeout_s = 60.0) {
    Case c;
    c.experiment = "a_marked_case";
    c.measure.timeout_s = timeout_s;
    ProcessLauncher launcher({"/bin/sh", "-c", script}, interrupt_, folder_.path());
    return launcher.launch(c, {log_, ""});
  }
  // Writes what the kernel shows of the control group `name`.
  void show_kills(const std::string& name, int kills) {
    ensure_directory(folder_ / "proc/self");
    ensure_directory(folder_ / "sys/fs/cgroup" + name);
    write_file_atomically(folder_ / "proc/self/cgroup", "4:memory:/other\n0::" + name + "\n");
    write_file_atomically(folder_ / "sys/fs/cgroup" + name + "/memory.events",
                          "low 0\noom 9\noom_kill " + std::to_string(kills) + "\n");
  }

  InterruptGuard interrupt_;
  ScratchFolder folder_;
  const std::string log_ = folder_ / "case.log";
};

TEST_F(Supervisor, PassesTheCaseAndTakesTheAnswer) {
  CaseResult answer;
  answer.status = Status::incorrect;
  answer.message = "row 3";
  write_file_atomically(folder_ / "answer", result_to_json(answer));
  const CaseResult got =
      run("cat > " + (folder_ / "seen") + "; cat " + (folder_ / "answer") + " >&3");
  EXPECT_EQ(got.status, Status::incorrect);
  EXPECT_EQ(got.message, "row 3");
  EXPECT_EQ(case_from_json(read_file(folder_ / "seen")).experiment, "a_marked_case");
  EXPECT_FALSE(std::filesystem::exists(log_)) << "an empty log is only in the way";
}

TEST_F(Supervisor, AnAnswerLargerThanAPipeArrivesWhole) {
  CaseResult answer;
  answer.status = Status::ok;
  for (int i = 0; i < 50'000; ++i)
    answer.timeline.push_back(
        {{"time_s", std::to_string(i)}, {"action", "alloc"}, {"label", "scores"}});
  write_file_atomically(folder_ / "answer", result_to_json(answer));
  EXPECT_EQ(run("cat " + (folder_ / "answer") + " >&3").timeline.size(), 50'000u);
}

TEST_F(Supervisor, ADeathBySignalIsACrashWithItsNameAndLastWords) {
  const CaseResult got = run("echo first; echo 'bad thing' >&2; kill -SEGV $$");
  EXPECT_EQ(got.status, Status::crashed);
  EXPECT_EQ(got.message, "died of SIGSEGV; logs/case.log ends: bad thing");
  EXPECT_EQ(read_file(log_), "first\nbad thing\n");
}

TEST_F(Supervisor, OfLastWordsTheFirst300BytesOfTheLastLineThatHasAny) {
  const std::string start = "its process ended with exit code 1; logs/case.log ends: ";
  EXPECT_EQ(run("echo first; echo last; echo; exit 1").message, start + "last");
  const std::string longest(300, 'x');
  EXPECT_EQ(run("echo " + longest + "; exit 1").message, start + longest);
  EXPECT_EQ(run("echo " + longest + "y; exit 1").message, start + longest);
}

TEST_F(Supervisor, SigkillIsACrashUnlessTheKernelSaysThatMemoryWasShort) {
  const CaseResult unknown = run("kill -KILL $$");
  show_kills("/a", 3);
  const CaseResult outside = run("kill -KILL $$");
  for (const CaseResult& result : {unknown, outside}) {
    EXPECT_EQ(result.status, Status::crashed);
    EXPECT_EQ(result.message, "died of SIGKILL");
  }
}

TEST_F(Supervisor, TheKernelSaysThatItKilledForMemory) {
  show_kills("/a", 3);
  const CaseResult got =
      run("echo oom_kill 4 > " + (folder_ / "sys/fs/cgroup/a/memory.events") + "; kill -KILL $$");
  EXPECT_EQ(got.status, Status::oom);
  EXPECT_EQ(got.message, "killed by the kernel: out of memory");
}

TEST_F(Supervisor, WithoutACountOfTheGroupThatOfTheMachineSaysThatMemoryWasShort) {
  const std::string counts = folder_ / "proc/vmstat";
  ensure_directory(folder_ / "proc");
  write_file_atomically(counts, "pgfault 12\noom_kill 3\n");
  EXPECT_EQ(run("kill -KILL $$").status, Status::crashed);
  EXPECT_EQ(run("echo oom_kill 4 > " + counts + "; kill -KILL $$").status, Status::oom);
}

TEST_F(Supervisor, ADeathAfterTheAnswerIsACrash) {
  CaseResult answer;
  answer.status = Status::ok;
  write_file_atomically(folder_ / "answer", result_to_json(answer));
  const CaseResult got = run("cat " + (folder_ / "answer") + " >&3; kill -KILL $$");
  EXPECT_EQ(got.status, Status::crashed);
  EXPECT_EQ(got.message, "died of SIGKILL");
}

TEST_F(Supervisor, MalformedAnswersAreCrashes) {
  const CaseResult silent = run("exit 0");
  EXPECT_EQ(silent.status, Status::crashed);
  EXPECT_EQ(silent.message, "its process ended with exit code 0");
  EXPECT_EQ(run("printf '{\"status\":\"ok\"' >&3").status, Status::crashed);
  const CaseResult got = run("exit 7");
  EXPECT_EQ(got.status, Status::crashed);
  EXPECT_EQ(got.message, "its process ended with exit code 7");
}

TEST_F(Supervisor, AMissingProgramIsACrashOfTheCase) {
  ProcessLauncher launcher({"/no/such/program"}, interrupt_);
  EXPECT_EQ(launcher.launch({}, {log_, ""}).status, Status::crashed);
}

TEST_F(Supervisor, ATimeoutKillsTheWholeGroup) {
  const CaseResult got = run("sleep 600 & echo $! > " + (folder_ / "pid") + "; wait", 0.3);
  EXPECT_EQ(got.status, Status::timeout);
  EXPECT_NE(got.message.find("measure.timeout_s"), std::string::npos);
  EXPECT_TRUE(dies(std::stoi(read_file(folder_ / "pid"))));
}

TEST_F(Supervisor, ADeathIsSeenAtOnceEvenIfAnotherProcessHoldsTheAnswerOpen) {
  const CaseResult got = run("sleep 600 & echo $! > " + (folder_ / "pid") + "; kill -SEGV $$");
  EXPECT_EQ(got.status, Status::crashed);
  EXPECT_EQ(got.message, "died of SIGSEGV");
  EXPECT_TRUE(dies(std::stoi(read_file(folder_ / "pid"))));
}

TEST_F(Supervisor, AChildThatAnswersAndThenHangsTimesOut) {
  EXPECT_EQ(run("exec 3>&-; sleep 600", 0.3).status, Status::timeout);
}

TEST_F(Supervisor, OneInterruptStopsTheCase) {
  // The signal is pending from the start: no race, and no waiting.
  ::raise(SIGINT);
  EXPECT_TRUE(interrupt_.requested());
  EXPECT_EQ(run("sleep 600").status, Status::interrupted);
}

TEST_F(Supervisor, TheSecondInterruptEndsTheProgram) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::raise(SIGINT);
    ::raise(SIGINT);
    ::_exit(0);  // not reached
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  // The child inherited the guard before its first signal.
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

TEST_F(Supervisor, TheChildOffersItselfToTheOutOfMemoryKiller) {
  const CaseResult got = run("cat /proc/self/oom_score_adj >&2; exit 1");
  EXPECT_EQ(got.message, "its process ended with exit code 1; logs/case.log ends: 1000");
}

TEST_F(Supervisor, TheChildDiesWithItsParent) {
  const std::string pid_file = folder_ / "pid";
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)run("echo $$ > " + pid_file + ".part; mv " + pid_file + ".part " + pid_file +
              "; exec sleep 600");
    ::_exit(0);
  }
  while (!std::filesystem::exists(pid_file))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(dies(std::stoi(read_file(pid_file))));
}

TEST_F(Supervisor, AnUnwritableLogIsTheEnvironment) {
  ProcessLauncher launcher({"/bin/true"}, interrupt_);
  EXPECT_THROW((void)launcher.launch({}, {folder_ / "none/x.log", ""}), EnvironmentError);
}

}  // namespace
}  // namespace qb
