// qb advise: which scheme to use for a problem on a machine or a cluster, and why.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/numbers.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/advise_view.h"
#include "harness/execute/transport/link_model.h"

namespace qb {
namespace {

constexpr const char* kFooter =
    R"(Plans every scheme, checks the plan, and plays it on a model of the device and the link; ranks by
predicted time what fits the budget, and looks for the bandwidth, the tokens and the workers at which
the answer would change. Times are of the worker that ends last: predicted = compute + idle (waiting
for workers that are not ready) + exposed (what no compute hides). decode, flash_decoding and
tree_decode are asked up to 16 new tokens.

Without --link the workers are threads of one memory that share the device's cores. With it every
worker has a device and a link of its own.

Exit codes: 0 whatever the advice is, 2 usage.

Examples:
  qb advise --n-tokens 16Ki --workers 4 --mask causal --q-heads 8
  qb advise --n-tokens 128Ki --workers 8 --mask causal --device a100 --link infiniband --q-heads 32
  qb advise --n-tokens 4096 --cached-tokens 124Ki --workers 8 --mask causal --device a100 \
      --link 25e9,5us --q-heads 32 --kv-heads 8 --head-dim 128
  qb advise --n-tokens 1 --cached-tokens 1Mi --workers 8 --device a100 --link nvlink --q-heads 32
  qb advise --n-tokens 1Mi --workers 8 --device a100 --link nvlink --memory-budget 16GiB --json)";

struct AdviseWords {
  Shape shape{1, 1, 0, 0, 0, 64, 64};
  std::int64_t cached_tokens = 0;
  int workers = 1;
  MaskKind mask = MaskKind::full;
  DType dtype = DType::f32;
  bool dtype_given = false;
  Kernel kernel = Kernel::flash;
  std::string device = "here";
  std::string link = "none";
  std::int64_t memory_budget_bytes = 0;
  bool json = false;
};

struct GivenLink {
  std::optional<LinkLimit> limit;
  std::string source;
};

// `none`, the name of a link, or BYTES_PER_S[,LATENCY_S].
GivenLink read_link(const std::string& text) {
  if (text == "none") return {};
  const std::size_t comma = text.find(',');
  const auto bandwidth = parse_real(text.substr(0, comma));
  if (!bandwidth) {
    const NamedLink& named = find_link(text);
    return {named.limit, std::string(named.source)};
  }
  const auto latency = comma == std::string::npos ? 0.0 : parse_real(text.substr(comma + 1));
  if (!(*bandwidth > 0.0) || !latency || !(*latency >= 0.0))
    throw UsageError(fmt::format(
        "--link {}: a bandwidth above 0 and a latency of 0 or more are written 12.5e9,5us", text));
  return {LinkLimit{*bandwidth, *latency}, ""};
}

// f32, or what the device has rates for.
DType default_dtype(const DeviceModel& device, Kernel kernel) {
  std::optional<DType> first;
  for (const RatePoint& point : device.rates) {
    if (point.kernel != kernel) continue;
    if (point.dtype == DType::f32) return DType::f32;
    if (!first) first = point.dtype;
  }
  return first.value_or(DType::f32);
}

DeviceModel calibrate(const AdviseWords& words) {
  fmt::print(stderr, "qb: measuring this machine's rates, a few seconds\n");
  return calibrate_here(words.kernel, words.dtype, words.shape.head_dim,
                        {.max_tokens = std::min<std::int64_t>(words.shape.kv_len, 4096)});
}

ExitCode give_advice(const AdviseWords& words) {
  AdviseWords asked = words;
  Shape& shape = asked.shape;
  if (asked.cached_tokens < 0)
    throw UsageError(fmt::format("--cached-tokens {}: 0 or more", asked.cached_tokens));
  if (asked.memory_budget_bytes < 0)
    throw UsageError(fmt::format("--memory-budget {}: 0 or more", asked.memory_budget_bytes));
  if (asked.workers < 1 || asked.workers > kMostWorkers)
    throw UsageError(fmt::format("--workers {}: 1 to {}", asked.workers, kMostWorkers));
  if (shape.kv_heads == 0) shape.kv_heads = shape.q_heads;
  shape.kv_len = shape.q_len + asked.cached_tokens;
  shape.value_dim = shape.head_dim;
  const GivenLink link = read_link(asked.link);
  // Refuses a bad problem before anything is measured.
  const Problem problem = make_problem(shape, asked.mask, asked.dtype, 0);
  SchemeQuestion question{.problem = problem,
                          .workers = asked.workers,
                          .device = asked.device == "here"   ? calibrate(asked)
                                    : asked.device == "a100" ? a100_device()
                                                             : load_device_model(asked.device),
                          .link = link.limit,
                          .kernel = asked.kernel,
                          .memory_budget_bytes = asked.memory_budget_bytes};
  if (!asked.dtype_given) question.problem.dtype = default_dtype(question.device, asked.kernel);
  const Advice advice = advise(question);
  if (asked.json) {
    fmt::print("{}", advice_json(question, link.source, advice));
    return ExitCode::ok;
  }
  for (const std::string& line : advice_assumptions(question, link.source))
    fmt::print("{}\n", line);
  fmt::print("\n{}\n", advice_table(advice));
  for (const std::string& sentence : advice_sentences(question, advice))
    fmt::print("{}\n", sentence);
  return ExitCode::ok;
}

}  // namespace

void add_advise(Verb app) {
  Verb verb = app.add_verb("advise", "Which scheme to use for a problem on a machine, and why");
  const auto words = std::make_shared<AdviseWords>();
  Shape& shape = words->shape;
  add_integer(verb, "--n-tokens", shape.q_len,
              "N, tokens of the sequence; with a cache the new ones")
      .required();
  add_integer(verb, "--workers", words->workers, "W").required();
  verb.option(
      "--link", words->link,
      "nvlink, infiniband, ethernet, or BYTES_PER_S[,LATENCY_S] (default none: one memory)");
  verb.option("--device", words->device,
              "here: measured now (default); a100: from published rates; or a file");
  add_integer(verb, "--cached-tokens", words->cached_tokens, "P, default 0");
  add_integer(verb, "--q-heads", shape.q_heads, "query heads (default 1)");
  add_integer(verb, "--kv-heads", shape.kv_heads, "key-value heads (default q-heads)");
  add_integer(verb, "--head-dim", shape.head_dim, "default 64");
  add_integer(verb, "--batch", shape.batch, "default 1");
  const Option dtype = add_word(verb, "--dtype", words->dtype,
                                "default f32, or the first that the device has rates for");
  add_word(verb, "--mask", words->mask, "default full");
  add_word(verb, "--kernel", words->kernel, "default flash");
  add_integer(verb, "--memory-budget", words->memory_budget_bytes,
              "bytes that a worker may hold, such as 16GiB (default: any)");
  verb.flag("--json", words->json, "machine-readable, every digit");
  verb.footer(kFooter);
  verb.runs([words, dtype] {
    words->dtype_given = dtype.given();
    return give_advice(*words);
  });
}

}  // namespace qb
