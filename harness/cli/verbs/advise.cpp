// SPDX-License-Identifier: Apache-2.0
// qb advise: which scheme to use for a problem on a machine or a cluster, and why.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/views/advise_view.h"
#include "harness/cli/views/model_error.h"
#include "harness/cli/views/paper_sources.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/forecast/cluster.h"
#include "harness/run/transport/link_model.h"
#include "harness/workload/needs.h"
#include "harness/workload/sum_workload.h"

namespace qb {
namespace {

constexpr const char* kAdviseFooter =
    R"(It plans every scheme, checks the plan, and steps through it on a model of the device and the link. It ranks
what fits the budget by predicted time, and looks for the bandwidth, the tokens and the workers at
which the answer would change. Times are those of the worker that ends last: predicted = compute + idle
(it waits for workers that are not ready) + exposed (communication that no compute hides). decode,
flash_decoding, tree_decode and helix are considered for at most 16 new tokens.

For each scheme it prints how long published cases of that pass took beside what the model, which was
not made from them, predicts (over links of 100 GB/s or more, or over slower ones: networks and
PCIe). Schemes are a tie where these ranges overlap.

A backward pass has 10 d FLOP a pair in place of 4 d, at the share of the forward rate that the
device's file says (0.8 where it says none). What its tasks read moves while they compute; gradients
move when a step ends, and the receiver adds them. With --pass both, a step of training, times and
bytes are sums over the two passes. pass_q and the decoding algorithms have no backward pass; burst
differs from zigzag only there.

Without --dtype it takes f32, or the first type that the device has rates for.

Without --link the workers are threads that share one memory and the device's cores. With it every
worker has its own device and its own link.

Exit codes: 0 whatever the advice is, 2 usage.

With --cluster the workers are on hosts. Grids of workers are then forecast in each shape, heads x rows x
columns, and in each order of the three (hrc: heads vary fastest, so that Ulysses stays inside of a host):
usp 8x1x2 is Ulysses over 8 workers and a zigzag ring of 2 such groups, mesh 1x4x4 gathers queries over 4
workers and sends keys round 4. The four fastest that fit are shown; a change of the bandwidth is searched
among these, and one of the tokens or workers among all shapes in the order hrc.

Examples:
  qb advise --n-tokens 64Ki --cluster 2x8 --inside nvlink4 --between 50e9,5us --device h100 --dtype bf16 \
      --q-heads 32 --kv-heads 8 --head-dim 128 --mask causal --pass both
  qb advise --n-tokens 64Ki --cluster dgx_h100:2 --device h100 --dtype bf16 --q-heads 32 --kv-heads 8
  qb advise --n-tokens 16Ki --workers 4 --mask causal --q-heads 8
  qb advise --n-tokens 128Ki --workers 8 --mask causal --device a100 --link infiniband --q-heads 32
  qb advise --n-tokens 4096 --cached-tokens 124Ki --workers 8 --mask causal --device a100 \
      --link 25e9,5us --q-heads 32 --kv-heads 8 --head-dim 128
  qb advise --stack qwen3_5_397b --n-tokens 1Mi --cluster dgx_h100:2 --device h100 --pass both
  qb advise --n-tokens 1 --cached-tokens 1Mi --workers 8 --device a100 --link nvlink --q-heads 32
  qb advise --n-tokens 1Mi --workers 8 --device a100 --link nvlink --memory-budget 16GiB --json
  qb advise --n-tokens 128Ki --workers 8 --device h800 --link 25e9,5us --q-heads 32 --pass both)";

struct AdviseWords {
  Case c;
  std::int64_t cached_tokens = 0;
  std::optional<Option> dtype;
  std::string device = "here";
  std::optional<Option> workers;
  std::string link = "none";
  std::string cluster;
  std::string stack;
  std::string inside;
  std::string between;
  int nics = 0;
  Passes passes = Passes::forward;
  bool json = false;
  bool brief = false;
};

// A limit, if there is one, and where a name's numbers come from.
using GivenLink = std::pair<std::optional<LinkLimit>, std::string>;

// Reads a file of measurements too.
GivenLink link_of(const char* option, const std::string& text, const std::string& device) {
  if (!std::filesystem::is_regular_file(text)) return parse_link(option, text, device);
  const LinkLimit limit = measured_link(read_text(text), text);
  return {limit, fmt::format("{}: {}, as measured", text, link_text(limit))};
}

// Puts the workers on the hosts of `--cluster 2x8` or dgx_h100:2, and returns the link between
// them.
GivenLink place_on_hosts(const AdviseWords& asked, SchemeQuestion& question) {
  if (asked.workers->was_given() || asked.link != "none")
    throw UsageError("--cluster gives the workers and the links; leave --workers and --link out");
  Cluster cluster = read_cluster(asked.cluster);
  std::string sources = cluster.source;
  for (const auto& [option, text, link] : {std::tuple{"--inside", &asked.inside, &cluster.inside},
                                           {"--between", &asked.between, &cluster.between}}) {
    if (text->empty()) continue;
    const auto [limit, source] = link_of(option, *text, asked.device);
    *link = limit;
    sources += fmt::format("{}{}: {}", sources.empty() ? "" : "; ", option + 2,
                           source.empty() ? "given" : source);
  }
  if (asked.nics != 0) cluster.nics = asked.nics;
  if (cluster.workers() > kMostWorkers)
    throw UsageError(fmt::format("--cluster {}: schemes are compared for at most {} workers",
                                 asked.cluster, kMostWorkers));
  question.workers = cluster.workers();
  const Network network = network_of(cluster, question.workers);
  question.hosts = network.hosts;
  return {network.limit, sources};
}

DType default_dtype(const DeviceModel& device, Kernel kernel) {
  std::optional<DType> first;
  for (const RatePoint& point : device.rates) {
    if (point.kernel != kernel) continue;
    if (point.dtype == DType::f32) return DType::f32;
    if (!first) first = point.dtype;
  }
  return first.value_or(DType::f32);
}

DeviceModel measured_here(const Case& c) {
  print_note("qb: measuring this machine's rates, which takes a few seconds\n");
  return calibrate_here(c.kernel, c.dtype, c.shape.head_dim,
                        std::min<std::int64_t>(c.shape.kv_len, 4096));
}

constexpr double kTie = 0.10;  // what the model of attention over links is off by (docs/model.md)

// A layout with an exchange, whose parts are modelled once for all that have them.
struct Choice {
  using Known = std::map<std::string, std::pair<Sample, SentBytes>>;
  Choice(const Case& c, Known& known)
      : name(fmt::format("{}, {}", word(c.stack.layout), word(c.mixer.scan))),
        sent_bytes(static_cast<std::size_t>(c.workers), 0) {
    for (const CasePart& part : stack_parts(c)) {
      const auto [place, is_new] = known.try_emplace(case_id(part.of));
      auto& [sample, sent] = place->second;
      if (is_new) {
        const std::unique_ptr<Workload> workload = plan_workload(part.of);
        sample = workload->run(false);
        sent = workload->sent();
      }
      (part.of.workload == WorkloadKind::attention ? attention_s : others_s) +=
          part.count * sample.wall_s;
      exposed_s += part.count * sample.exposed_communication_s;
      for (std::size_t w = 0; w < sent_bytes.size(); ++w) sent_bytes[w] += part.count * sent.all[w];
    }
  }
  [[nodiscard]] double time_s() const { return attention_s + others_s; }

  std::string name;
  double attention_s = 0.0;
  double others_s = 0.0;
  double exposed_s = 0.0;
  std::vector<std::int64_t> sent_bytes;
};

// Models each layout of a stack's layers with each exchange of states, of a case whose stack,
// workers, links and device are given: a table, the fastest first, and the advice. Throws
// Unsupported where no layout fits, and UsageError as read_stack() does.
std::string stack_advice(const Case& asked) {
  Choice::Known known;
  std::vector<Choice> choices;
  std::string refused;
  for (const auto& row : kWords<StackLayout>.rows)
    for (const ScanKind scan : {ScanKind::chain, ScanKind::all_gather, ScanKind::tree,
                                ScanKind::all_scan, ScanKind::all_to_all}) {
      if (row.first == StackLayout::best ||
          (row.first == StackLayout::zigzag_heads) != (scan == ScanKind::all_to_all))
        continue;
      Case c = asked;
      c.stack.layout = row.first;
      c.mixer.scan = scan;
      try {
        choices.emplace_back(c, known);
      } catch (const Unsupported& reason) {
        refused += fmt::format("{}: {}\n", row.second, reason.what());
      }
    }
  if (choices.empty()) throw Unsupported(refused);
  std::ranges::stable_sort(choices, {}, &Choice::time_s);
  TextTable table(
      {"layout, exchange", "time", "of attention", "exposed", "busiest sends", "all send"}, 1);
  std::string ties;
  for (const Choice& choice : choices) {
    const auto bytes = [](std::int64_t count) {
      return format_si(static_cast<double>(count)) + "B";
    };
    const auto& sent = choice.sent_bytes;
    table.add({choice.name, format_seconds(choice.time_s()), format_seconds(choice.attention_s),
               format_seconds(choice.exposed_s), bytes(std::ranges::max(sent)),
               bytes(std::accumulate(sent.begin(), sent.end(), std::int64_t{0}))});
    if (&choice != &choices.front() && choice.time_s() <= (1.0 + kTie) * choices.front().time_s())
      ties += fmt::format("{}{}", ties.empty() ? "; within 10 % of it: " : "; ", choice.name);
  }
  return fmt::format(
      "{}\n{}{} takes {} for all layers of {}{}.\nOnly attention has rates of kernels: the rest is "
      "a lower bound, of products at the datasheet's rate and of messages without packing.\n",
      table.terminal(), refused, choices.front().name, format_seconds(choices.front().time_s()),
      asked.stack.layers, ties);
}

// The workers and links are those of a case here, which says what it lacks.
void advise_stack(const AdviseWords& asked) {
  Case c = asked.c;
  c.workload = WorkloadKind::stack;
  c.stack.layers = asked.stack;
  c.algorithm = "dense";
  c.mask = MaskKind::causal;
  c.ranks = Ranks::model;
  c.pass = asked.passes;
  c.model_device = asked.device;
  c.shape.kv_len = c.shape.q_len;
  if (c.shape.kv_heads == 0) c.shape.kv_heads = c.shape.q_heads;
  if (!asked.dtype->was_given()) c.dtype = DType::bf16;
  if (!asked.cluster.empty()) {
    if (asked.workers->was_given())
      throw UsageError("--cluster gives the workers; leave --workers out");
    c.cluster = asked.cluster;
    c.workers = read_cluster(asked.cluster).workers();
    if (!asked.inside.empty()) c.cluster_inside = asked.inside;
    if (!asked.between.empty()) c.cluster_between = asked.between;
    c.cluster_nics = asked.nics;
  } else if (asked.link != "none") {
    const LinkLimit limit = link_of("--link", asked.link, asked.device).first.value_or(LinkLimit{});
    c.link_bandwidth_byte_per_s = limit.bandwidth_byte_per_s;
    if (limit.latency_s > 0.0) c.link_latency_s = limit.latency_s;
  }
  if (asked.json || asked.brief) throw UsageError("--stack has neither --json nor --brief");
  if (c.workers > kMostWorkers)
    throw UsageError(fmt::format("layouts are compared for at most {} workers", kMostWorkers));
  require_needs(c);
  print_answer("{}", stack_advice(resolve_case(c)));
}

void give_advice(const AdviseWords& asked) {
  if (!asked.stack.empty()) return advise_stack(asked);
  const Case c = case_with_cache(asked.c, asked.cached_tokens);
  if (c.mask.kind() == MaskKind::pattern)
    throw UsageError("--mask: advice is about full and causal masks");
  if (asked.cluster.empty() && (!asked.inside.empty() || !asked.between.empty() || asked.nics != 0))
    throw UsageError("--inside, --between and --nics describe a cluster; give --cluster too");
  if (asked.cluster.empty() && !asked.workers->was_given())
    throw UsageError("give --workers, or --cluster HOSTSxWORKERS");
  // Refuses a bad problem before anything is measured.
  Problem problem = make_problem(c.shape, c.mask.kind(), c.dtype, 0);
  problem.partials = c.partial_dtype;
  SchemeQuestion question{.problem = problem,
                          .workers = c.workers,
                          .device = {},
                          .kernel = c.kernel,
                          .memory_budget_bytes = c.memory_budget_bytes,
                          .passes = asked.passes};
  GivenLink given;
  if (!asked.cluster.empty())
    given = place_on_hosts(asked, question);
  else if (asked.link != "none")
    given = link_of("--link", asked.link, asked.device);
  const auto& [link, link_source] = given;
  question.link = link;
  Case asked_case = c;
  asked_case.workers = question.workers;
  if (link) asked_case.link_bandwidth_byte_per_s = link->bandwidth_byte_per_s;
  if (link && link->latency_s > 0.0) asked_case.link_latency_s = link->latency_s;
  print_cautions({&asked_case, 1});
  question.device = asked.device == "here" ? measured_here(c) : load_device_model(asked.device);
  if (!asked.dtype->was_given()) question.problem.dtype = default_dtype(question.device, c.kernel);
  const Advice advice = advise(question);
  const Library library = read_library();
  const std::vector<AnsweredPaper> papers = answer_all(library, RunsAndModel({}));
  const auto published = published_schemes(question, advice, graded_rows(papers));
  if (asked.json) return print_answer(advice_json(question, link_source, advice, published));
  const auto sentences = advice_sentences(question, advice, published);
  if (asked.brief) return print_answer("{}\n", sentences.front());
  for (const std::string& line : advice_assumptions(question, link_source))
    print_answer("{}\n", line);
  print_answer("\n{}\n", advice_table(advice));
  for (const std::string& sentence : sentences) print_answer("{}\n", sentence);
  print_answer("\n{}", published_table(published));
}

}  // namespace

void add_advise(Verb app) {
  auto [verb, words] = add_verb<AdviseWords>(
      app, "advise", "Says which scheme to use for a problem on a machine, and why.", give_advice,
      kAdviseFooter);
  words.c.algorithm = "grid";  // which sends partials
  words.c.shape = {1, 1, 0, 0, 0, 64, 64};
  add_parameter(verb, words.c, "n_tokens").required();
  words.workers = add_parameter(verb, words.c, "workers");
  verb.add_option("--link", words.link,
                  "Sets the link, one way: nvlink (of the device), nvlink4, infiniband (HDR100, "
                  "12.5 GB/s), hdr "
                  "(25), ndr (50), ethernet (10 Gbit/s), 400Gb/s,5us, or a file with what "
                  "sendrecv_perf of nccl-tests or osu_bw and osu_latency print (default: none, "
                  "the workers share one memory).");
  verb.add_option(
      "--cluster", words.cluster,
      "Puts the workers on hosts in place of --workers and --link: HOSTSxWORKERS such as "
      "2x8, or a file with its links, such as dgx_h100:2 for two hosts of "
      "data/clusters.");
  verb.add_option("--stack", words.stack,
                  "Advises on the layouts of a stack's layers and the exchange of its "
                  "recurrences: a name of data/stacks such as qwen3_5_397b, or a file. It has a "
                  "causal mask and heads of its own.");
  verb.add_option("--inside", words.inside,
                  "Sets the link of each worker inside of its host, as --link does.");
  verb.add_option("--between", words.between,
                  "Sets the link of each NIC between hosts, as --link does.");
  add_integer(
      verb, "--nics", words.nics,
      "Sets the number of NICs of a host, shared evenly by its workers (default: 0, those of "
      "the file, or one a worker).");
  verb.add_option("--device", words.device,
                  "Sets the device: here (this machine, measured now), one of data/devices such as "
                  "a100 or h100 "
                  "(published rates), or a file (default: here).");
  add_integer(verb, "--cached-tokens", words.cached_tokens,
              "Sets P, the number of tokens in the cache (default: 0).");
  add_parameters(verb, words.c, {"q_heads", "kv_heads", "head_dim", "batch", "mask", "kernel"});
  words.dtype = add_parameter(verb, words.c, "dtype");
  add_parameters(verb, words.c, {"partial_dtype", "memory_budget"});
  add_word(verb, "--pass", words.passes, "Sets the pass, or both as in a step of training");
  const Option json = verb.add_flag("--json", words.json, "Prints JSON with every digit.");
  verb.add_flag("--brief", words.brief, "Prints the advice alone, in one paragraph.")
      .excludes(json);
}

}  // namespace qb
