// SPDX-License-Identifier: Apache-2.0
// qb plan: shows what a strategy decides, without running anything.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/partition_view.h"
#include "harness/plan/work/work.h"
#include "harness/rehearse/device_rehearsal.h"
#include "harness/workload/case.h"
#include "plots/draw/draw.h"
#include "plots/frame/patterns.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

// Above this many local tokens over all workers, half-open `token_ranges` replace the `tokens`
// lists. Above as many pairs, a list of pairs is refused (UsageError).
constexpr std::int64_t kMaxListed = 10'000'000;

// Lists the groups that a worker holds for queries or for keys, ascending and without repeats.
std::vector<TokenGroup> held_groups(const Plan& plan, const Worker& worker) {
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  std::vector<TokenGroup> groups;
  const auto add = [&](const std::vector<TokenGroup>& from, const std::vector<int>& indices) {
    for (int index : indices) {
      const TokenGroup& group = from[static_cast<std::size_t>(index)];
      if (seen.insert({group.first, group.count}).second) groups.push_back(group);
    }
  };
  add(plan.q_groups, worker.q_groups);
  // If keys have a length of their own, the tokens are those of the queries.
  if (plan.problem.shape.q_len == plan.problem.shape.kv_len) add(plan.kv_groups, worker.kv_groups);
  std::ranges::sort(groups, {}, &TokenGroup::first);
  return groups;
}

Json token_list(const std::vector<TokenGroup>& groups) {
  std::vector<std::int64_t> tokens;
  for (const TokenGroup& group : groups)
    for (std::int64_t i = 0; i < group.count; ++i) tokens.push_back(group.token(i));
  std::ranges::sort(tokens);
  return tokens;
}

// Writes [[begin, end), …] with touching ranges joined; a strided group is [first, last + 1,
// stride].
Json token_ranges(const std::vector<TokenGroup>& groups) {
  Json ranges = Json::array();
  for (const TokenGroup& group : groups) {
    const std::int64_t end = group.token(group.count - 1) + 1;
    if (group.stride != 1)
      ranges.push_back({group.first, end, group.stride});
    else if (!ranges.empty() && ranges.back().size() == 2 && ranges.back()[1] == group.first)
      ranges.back()[1] = end;
    else
      ranges.push_back({group.first, end});
  }
  return ranges;
}

Json pair_list(const Plan& plan, const Worker& worker) {
  const Problem& problem = plan.problem;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const Step& step : worker.steps) {
    for (const PairTask& task : step.tasks) {
      const TokenGroup& q = plan.q_groups[static_cast<std::size_t>(task.q_group)];
      const TokenGroup& k = plan.kv_groups[static_cast<std::size_t>(task.kv_group)];
      for (std::int64_t i = 0; i < q.count; ++i)
        for (std::int64_t j = 0; j < k.count; ++j)
          if (problem.mask.allows(q.token(i), k.token(j)))
            pairs.emplace_back(q.token(i), k.token(j));
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

Json moved_json(std::span<const MovedTensor> moved) {
  Json rows = Json::array();
  for (const MovedTensor& row : moved)
    rows.push_back({{"tensor", word(row.what)},
                    {"transfer", word(row.kind)},
                    {"transfers", row.transfers},
                    {"bytes", row.bytes},
                    {"busiest_worker_bytes", row.busiest_bytes}});
  return rows;
}

// One worker alone holds the caller's tensors.
std::int64_t of_device(const PlanMemory& memory, std::size_t worker) {
  return memory.worker_peak_bytes.size() == 1 ? memory.device_peak_bytes
                                              : memory.worker_peak_bytes[worker];
}

std::int64_t tasks_of(const Worker& worker) {
  std::int64_t tasks = 0;
  for (const Step& step : worker.steps) tasks += std::ssize(step.tasks);
  return tasks;
}

void add_traffic(Json& entry, const WorkerWork& worker, std::int64_t peak_bytes) {
  for (const StepWork& step : worker.steps) entry["pairs_by_step"].push_back(step.unmasked_pairs);
  entry["sent_bytes"] = worker.bytes_out;
  entry["active_peak_bytes"] = peak_bytes;
}

// {"longest_subsequence", "shortest_subsequence", "responsibility_ratio", "critical_path_pairs",
//  "pass", "check", "device_sent_bytes", "root_sent_bytes", "device_peak_bytes", "root_peak_bytes",
//  "moved": [{"tensor", "transfer", "transfers", "bytes", "busiest_worker_bytes"}],
//  "workers": [{"worker", "tokens": [global, ascending], "pairs_count", "pairs": [[q, k], …],
//               …, "tasks_count"}]}
// `memory` assumes kernels on one thread.
std::string plan_json(const Plan& plan, const Work& work, const PlanMemory& memory,
                      bool with_pairs) {
  if (with_pairs && work.unmasked_pairs > kMaxListed)
    throw UsageError(fmt::format("--pairs would list {} pairs; the most is {}",
                                 format_grouped(work.unmasked_pairs), format_grouped(kMaxListed)));
  std::int64_t local_tokens = 0;
  for (const WorkerWork& worker : work.workers) local_tokens += worker.q_tokens;
  Json workers = Json::array();
  Worker scratch;
  const bool has_traffic = communicates(plan);
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const std::vector<TokenGroup> groups = held_groups(plan, plan.workers.share(w));
    Json entry;
    entry["worker"] = w;
    if (local_tokens <= kMaxListed)
      entry["tokens"] = token_list(groups);
    else
      entry["token_ranges"] = token_ranges(groups);
    entry["pairs_count"] = work.workers[w].unmasked_pairs;
    const Worker& worker = plan.workers.read(w, scratch);
    if (with_pairs) entry["pairs"] = pair_list(plan, worker);
    if (has_traffic) add_traffic(entry, work.workers[w], of_device(memory, w));
    entry["tasks_count"] = tasks_of(worker);
    workers.push_back(std::move(entry));
  }
  Json out;
  out["longest_subsequence"] = work.longest_subsequence;
  out["shortest_subsequence"] = work.shortest_subsequence;
  out["responsibility_ratio"] = work.responsibility_ratio;
  out["critical_path_pairs"] = work.critical_path_pairs;
  out["pass"] = word(plan.pass);
  out["check"] = "exact";  // else checked_plan() has thrown
  out["moved"] = moved_json(moved_tensors(plan));
  out["workers"] = std::move(workers);
  out["device_sent_bytes"] = work.sent_bytes_max;
  out["root_sent_bytes"] = work.root_sent_bytes;
  out["device_peak_bytes"] = memory.device_peak_bytes;
  out["root_peak_bytes"] = memory.root_peak_bytes;
  return out.dump() + "\n";
}

// Inputs leave when a step begins, so that its tasks can hide their transfer; results cannot.
std::string moved_table(std::span<const MovedTensor> moved) {
  if (moved.empty()) return {};
  TextTable table(
      {"moved", "transfer", "leaves a step at", "transfers", "bytes", "of the busiest worker"});
  for (const MovedTensor& row : moved)
    table.add({std::string(word(row.what)), std::string(word(row.kind)),
               is_input(row.what) ? "its beginning" : "its end", format_grouped(row.transfers),
               format_bytes(row.bytes), format_bytes(row.busiest_bytes)});
  return "\n" + table.terminal();
}

// `Moved: K 3.50 MiB, V 3.50 MiB.`
std::string moved_note(const Plan& plan) {
  std::string text;
  for (const MovedTensor& row : moved_tensors(plan))
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", word(row.what), format_bytes(row.bytes));
  return text.empty() ? "Nothing is moved." : fmt::format("Moved: {}.", text);
}

// `0-3 8`, shortened.
std::string ranges_text(const std::vector<TokenGroup>& groups) {
  std::string ranges;
  for (const Json& range : token_ranges(groups)) {
    const auto first = range[0].get<std::int64_t>();
    const auto last = range[1].get<std::int64_t>() - 1;
    ranges += ranges.empty() ? "" : " ";
    ranges += first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  }
  return ranges.size() > 48 ? ranges.substr(0, 45) + "..." : ranges;
}

// `, 384 MiB by the root`; no text where there is none.
std::string also(std::int64_t bytes, std::string_view where) {
  return bytes == 0 ? std::string() : fmt::format(", {} {}", format_bytes(bytes), where);
}

std::string plan_sums(const Plan& plan, const Work& work, const PlanMemory& memory) {
  std::string out = fmt::format(
      "\nlongest subsequence    {} tokens\nshortest subsequence   {} tokens\n"
      "responsibility ratio   {:.4f} of {}\ncritical path          {} pairs a head\n"
      "all workers            {} pairs a head, {} executed\n{:<23}{}FLOP\n"
      "moved                  {}, {} by the device that sends most{}\n"
      "peak memory            {} of a device{}\n",
      format_grouped(work.longest_subsequence), format_grouped(work.shortest_subsequence),
      work.responsibility_ratio, plan.workers.size(), format_grouped(work.critical_path_pairs),
      format_grouped(work.unmasked_pairs), format_grouped(work.executed_pairs),
      fmt::format("{} pass", word(plan.pass)), format_si(work.flops),
      format_bytes(work.bytes_total), format_bytes(work.sent_bytes_max),
      also(work.root_sent_bytes,
           plan.result == Result::tier ? "fetched from the memory tier" : "by the root"),
      format_bytes(memory.device_peak_bytes), also(memory.root_peak_bytes, "of the root"));
  if (work.rows_without_keys > 0)
    out +=
        fmt::format("queries without a key  {} of {}: {}\n", format_grouped(work.rows_without_keys),
                    format_grouped(plan.problem.shape.q_len),
                    plan.pass == Pass::backward ? "gradient 0" : "output 0, LSE -inf");
  return out;
}

std::string plan_table(const Plan& plan, const Work& work, const PlanMemory& memory,
                       Kernel kernel) {
  const Shape& shape = plan.problem.shape;
  const bool in_place = plan.workers.size() == 1;
  TextTable table(
      {"worker", "tokens", "ranges", "pairs", "executed pairs", "bytes in", "bytes out", "memory"});
  for (std::size_t w = 0; w < plan.workers.size(); ++w) {
    const WorkerWork& worker = work.workers[w];
    table.add({fmt::format("{}", w), format_grouped(worker.q_tokens),
               ranges_text(held_groups(plan, plan.workers.share(w))),
               format_grouped(worker.unmasked_pairs), format_grouped(worker.executed_pairs),
               format_bytes(worker.bytes_in), format_bytes(worker.bytes_out),
               format_bytes(of_device(memory, w))});
  }
  const bool backward = plan.pass == Pass::backward;
  std::string out =
      fmt::format("{} · {} tokens · {} worker{} · {} mask · kernel {}{}\n", plan.algorithm,
                  format_grouped(shape.q_len), plan.workers.size(), in_place ? "" : "s",
                  to_string(plan.problem.mask), word(kernel), backward ? " · backward pass" : "");
  out += backward ? "exact gradients: proved (each unmasked pair is added exactly once)\n\n"
                  : "exact cover: proved (each unmasked pair exactly once)\n\n";
  return out + table.terminal() + moved_table(moved_tensors(plan)) + plan_sums(plan, work, memory);
}

struct PlanWords {
  Case c;
  Pass pass = Pass::forward;
  bool json = false;
  bool pairs = false;
  std::string picture;
};

void show_plan(const PlanWords& words) {
  if (!words.picture.empty()) require_picture_format(words.picture);
  const Case c = whole_case(words.c);
  if (c.shape.q_len == 0 && c.sequences.empty())
    throw UsageError("--n-tokens is missing (or --sequences for a packed batch)");
  print_cautions({&c, 1});
  const Plan plan = with_mask_option([&] { return checked_plan(c, words.pass); });
  const Representatives alike(plan);
  const Work work = model_work(plan, alike, c.kernel);
  const PlanMemory memory = plan_memory(plan, alike, c.kernel, 1);
  print_answer(words.json ? plan_json(plan, work, memory, words.pairs)
                          : plan_table(plan, work, memory, c.kernel));
  if (words.picture.empty()) return;
  Figure figure =
      partition_figure(plan, work,
                       fmt::format("{}: N = {}, W = {}, {} mask{}", plan.algorithm,
                                   format_grouped(plan.problem.shape.q_len), c.workers,
                                   pattern_kind(to_string(plan.problem.mask)),
                                   plan.pass == Pass::backward ? ", backward pass" : ""));
  figure.notes.push_back(moved_note(plan));
  write_picture(figure, words.picture);
}

}  // namespace

void add_plan(Verb app) {
  auto [verb, words] = add_verb<PlanWords>(app, "plan", "Shows which worker computes which pairs.",
                                           show_plan, R"(Examples:
  qb plan --algorithm cqs --n-tokens 10 --workers 7 --interest-set 0,1,3 --json --pairs
  qb plan --n-tokens 49000 --workers 31 --mask causal
  qb plan --n-tokens 8192 --workers 8 --distillation balanced
  qb plan --n-tokens 10 --workers 7 --picture partition.svg
  qb plan --algorithm cqs --n-tokens 128 --workers 7 --picture bigbird.svg \
    --mask '{bigbird: {left: 8, right: 7, tokens: 4, random_blocks: 2, block: 8}}'
  qb plan --n-tokens 1e9 --workers 1057
  qb plan --algorithm zigzag --n-tokens 65536 --workers 8 --mask causal --json
  qb plan --algorithm burst --n-tokens 65536 --workers 8 --mask causal --pass backward
  qb plan --algorithm decode --sequences '1000+4 37+4' --workers 3 --mask causal)");
  words.c.algorithm = "cqs";
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  add_parameters(
      verb, words.c,
      {"algorithm",    "n_tokens",     "kv_len",        "sequences", "new_key_owner", "workers",
       "interest_set", "distillation", "mask",          "q_heads",   "kv_heads",      "head_dim",
       "batch",        "dtype",        "kernel",        "lse",       "partial_dtype", "grid.heads",
       "grid.rows",    "grid.layout",  "helix.exchange"});
  add_word(verb, "--pass", words.pass, "Sets the pass that is planned");
  Option json = verb.add_flag("--json", words.json, "Prints JSON with exact integers.");
  verb.add_flag("--pairs", words.pairs, "Lists every pair of every worker; needs --json.")
      .needs(json);
  verb.add_option(
      "--picture", words.picture,
      "Draws which worker computes which pairs of a head, and how many each has (.svg, .pdf or "
      ".png). Grey is hidden by the mask; a pattern is drawn by its pairs, and beyond 256 tokens "
      "by squares of pairs. A note says what is moved.");
}

}  // namespace qb
