// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/sweep/case_order.h"

#include <numeric>

#include "base/hash.h"
#include "base/numbers.h"
#include "harness/experiment/schema/parameters.h"

namespace qb {
namespace {

// Cases that differ only in n_tokens, or in n_tokens and a kv_len equal to it, form a series.
std::string series_of(const Case& c) {
  Case series = c;
  if (series.shape.kv_len == series.shape.q_len) series.shape.kv_len = 0;
  series.shape.q_len = 0;
  std::string key;
  for (const auto& [name, value] : case_parameters(series)) key += name + '=' + value + '\n';
  return key;
}

}  // namespace

std::vector<std::size_t> seeded_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  SplitMix64 random(seed);
  // The bias of the remainder is below n / 2^64.
  for (std::size_t left = n; left > 1; --left) std::swap(order[left - 1], order[random() % left]);
  return order;
}

void OutOfMemoryRecord::note(const Case& c) {
  const auto [known, first] = smallest_.emplace(series_of(c), c.shape.q_len);
  if (!first) known->second = std::min(known->second, c.shape.q_len);
}

std::optional<std::int64_t> OutOfMemoryRecord::smaller_that_ran_out(const Case& c) const {
  const auto known = smallest_.find(series_of(c));
  if (known == smallest_.end() || known->second >= c.shape.q_len) return std::nullopt;
  return known->second;
}

void GpuPeaks::read(const CsvTable& cases) {
  for (; rows_read_ < cases.size(); ++rows_read_) {
    const auto text = [&](const char* column) { return cases.text(rows_read_, column); };
    if (text("device") != word(Device::cuda)) continue;
    const auto peak = parse_real(text("peak_flop_per_s"));
    const auto workers = parse_real(text("workers"));
    if (!peak || !workers) continue;
    // With NCCL the column is the sum over the workers' GPUs.
    const double gpus = text("ranks") == word(Ranks::nccl) ? *workers : 1.0;
    of_dtype_.try_emplace(std::string(text("dtype")), *peak / gpus);
  }
}

std::optional<double> GpuPeaks::of(const Case& c) const {
  if (c.device != Device::cuda) return std::nullopt;
  const auto known = of_dtype_.find(word(c.dtype));
  if (known == of_dtype_.end()) return std::nullopt;
  return known->second;
}

}  // namespace qb
