// SPDX-License-Identifier: Apache-2.0
// Runs every spec of experiments/ but those for GPUs, with short sequences, and verifies the runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/csv.h"
#include "base/source_root.h"
#include "harness/cli/testing/run_binary.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/workload/prediction.h"

namespace qb {
namespace {

using testing_support::run_qb;
using testing_support::Said;

// So few tokens that a case takes milliseconds, and so many that every worker and block has some.
std::int64_t few_tokens(const Case& c) {
  return c.mask.kind() == MaskKind::pattern ? 320 : std::max(64, 2 * c.workers);
}

// The same case with few tokens, and with small heads in a layer. A model computes nothing.
Case shortened(Case c) {
  c.measure = {.warmups = 0,
               .min_repeats = 1,
               .max_repeats = 1,
               .timeout_s = 60.0,
               .retakes = 0,
               .verify_rows = 4,
               .memory_timeline = c.measure.memory_timeline};
  if (c.ranks == Ranks::model) return c;
  const std::int64_t longest = std::max(c.shape.q_len, c.shape.kv_len);
  const std::int64_t few = std::min(longest, few_tokens(c));
  const auto shorten = [&](std::int64_t& tokens) {
    tokens = (tokens * few + longest - 1) / longest;
  };
  for (std::int64_t* tokens : {&c.shape.q_len, &c.shape.kv_len, &c.layer_block_tokens})
    shorten(*tokens);
  if (c.workload == WorkloadKind::transformer_layer) {
    c.shape.head_dim = c.shape.value_dim = 8;
    c.layer_feed_forward_dim = 0;  // that of the hidden width
  }
  if (c.mixer.kind && standard_rank(*c.mixer.kind, c.shape.head_dim) > 0) c.mixer.rank = 8;
  c.mixer.rows = 0;  // those of the few tokens
  if (c.sequences.empty()) return c;
  c.shape.q_len = c.shape.kv_len = 0;
  for (Sequence& sequence : c.sequences) {
    shorten(sequence.cached_tokens);
    shorten(sequence.new_tokens);
    c.shape.q_len += sequence.new_tokens;
    c.shape.kv_len += sequence.new_tokens + sequence.cached_tokens;
  }
  return c;
}

// Whether no case has had one of its values yet; they are added to `seen`.
bool has_new_value(const Case& c, std::set<std::string>& seen) {
  const std::size_t before = seen.size();
  for (const auto& [column, value] : case_parameters(c)) seen.insert(column + '=' + value);
  return seen.size() > before;
}

// The status of the case before anything runs: `ok`, or why the spec has it nevertheless.
std::string status_of_plan(const Case& c) {
  try {
    return std::string(word(infeasible(c, predicted_values(resolve_case(c)).number("unmasked_flop"))
                                ? Status::infeasible
                                : Status::ok));
  } catch (const CaseError& error) {
    return std::string(word(error.status()));
  }
}

std::vector<std::string> shipped_specs() {
  const std::filesystem::path root = source_path("experiments");
  std::vector<std::string> specs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (const auto name = entry.path().lexically_relative(root);
        name.extension() == ".yaml" && *name.begin() != "gpu")
      specs.push_back(name.string());
  std::ranges::sort(specs);
  return specs;
}

constexpr bool kHasMpi = !std::string_view(QB_MPIEXEC).empty();

class ShippedSpec : public testing::TestWithParam<std::string> {
 protected:
  // Replaces the cases by short ones, so many that each value of the spec, each algorithm among
  // them, has one. In a random order, neighbours differ in many values, so that few cases have all.
  void shorten() {
    spec_.figures.clear();
    std::set<std::string> seen;
    std::ranges::shuffle(spec_.cases, std::mt19937(1));
    for (const Case& c : std::exchange(spec_.cases, {})) {
      const Case small = shortened(c);
      if ((c.ranks == Ranks::mpi && !kHasMpi) || !has_new_value(small, seen)) continue;
      spec_.cases.push_back(small);
      planned_[case_id(resolve_case(small))] = status_of_plan(c);
      if (c.ranks == Ranks::mpi) ranks_ = std::max(ranks_, c.workers);
    }
    write_file_atomically(scratch_.path("small.yaml"), write_resolved(spec_));
  }
  // The folder of the checkout is that from which specs name files.
  [[nodiscard]] std::string before_the_command() const {
    const std::string in_folder = "cd " + source_root().string() + " && ";
    if (ranks_ == 0) return in_folder;
    return in_folder +
           "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 " QB_MPIEXEC
           " --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n " +
           std::to_string(ranks_);
  }
  // A row ends as its plan says. A spec may also show what one float32 LSE loses.
  void check_row(const CsvTable& rows, std::size_t row) {
    const std::string& status = rows.text(row, "status");
    const std::string& message = rows.text(row, "message");
    const bool shown = status == "incorrect" && message.ends_with("as two it does (lse: two)");
    EXPECT_EQ(status, shown ? "incorrect" : planned_.at(rows.text(row, "case_id"))) << message;
    shows_mistakes_ |= shown;
  }

  const ScratchFolder scratch_;
  Spec spec_ = load_spec(source_path("experiments/" + GetParam()), {});
  std::map<std::string, std::string> planned_;  // statuses by case_id()
  int ranks_ = 0;
  bool shows_mistakes_ = false;
};

TEST_P(ShippedSpec, RunSmallPassesVerify) {
  shorten();
  if (spec_.cases.empty()) GTEST_SKIP() << "all cases need MPI ranks, and this build has no MPI";
  const Said ran = run_qb(
      "run " + scratch_.path("small.yaml") + " --quiet --run-id a --out " + scratch_.path("out"),
      before_the_command());
  const std::string folder = scratch_.path("out/" + spec_.name + "/a");
  ASSERT_THAT(ran.exit_code, testing::AnyOf(0, 1)) << ran.err;
  const Said said = run_qb("verify " + folder);
  EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
  const CsvTable rows = CsvTable::parse(read_file(folder + "/cases.csv"), "cases.csv");
  EXPECT_EQ(rows.size(), spec_.cases.size());
  for (std::size_t row = 0; row < rows.size(); ++row) check_row(rows, row);
  EXPECT_EQ(ran.exit_code, shows_mistakes_ ? 1 : 0) << ran.err;
}

std::string name_of_spec(const testing::TestParamInfo<std::string>& spec) {
  std::string name = spec.param;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Experiments, ShippedSpec, testing::ValuesIn(shipped_specs()),
                         name_of_spec);

}  // namespace
}  // namespace qb
