// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/csv.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/source_root.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/forecast/device_model.h"

namespace qb {
namespace {

const std::string kClusterFolder = "data/clusters/";
const std::vector<std::string> kClusterColumns = {"cluster", "quantity", "value", "provenance",
                                                  "source"};
constexpr std::string_view kQuantities[] = {"workers_per_host",  "inside_byte_per_s",
                                            "inside_latency_s",  "between_byte_per_s",
                                            "between_latency_s", "nics"};
constexpr std::int64_t kMostPlaces = 1'000'000;

Cluster parse_cluster(std::string_view text, const std::string& name) {
  const CsvTable table = CsvTable::parse(text, name);
  if (table.header() != kClusterColumns)
    throw UsageError(
        fmt::format("{}:1: the header must be {}", name, fmt::join(kClusterColumns, ",")));
  std::map<std::string, double> numbers;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string& quantity = table.text(row, "quantity");
    const auto fail = [&](const std::string& what) {
      throw UsageError(fmt::format("{}:{}: {}", name, row + 2, what));
    };
    if (std::ranges::find(kQuantities, quantity) == std::end(kQuantities))
      fail(unknown_word("quantity", quantity, kQuantities));
    const auto value = parse_real(table.text(row, "value"));
    if (!value || !(*value > 0.0) || !(*value < 1e18)) fail("value must be a number above 0");
    if (!numbers.emplace(quantity, *value).second) fail("a second record of " + quantity);
    const std::string& provenance = table.text(row, "provenance");
    if (!parse_word<RateProvenance>(provenance))
      fail(unknown_word("provenance", provenance, all_words<RateProvenance>()));
    if (table.text(row, "source").empty()) fail("a number needs its source");
  }
  const auto number = [&](std::string_view quantity) {
    const auto found = numbers.find(std::string(quantity));
    if (found == numbers.end())
      throw UsageError(fmt::format("{}: no record of {}", name, quantity));
    return found->second;
  };
  Cluster cluster;
  cluster.workers_per_host = static_cast<int>(std::min(number("workers_per_host"), 1e6));
  if (cluster.workers_per_host > 1)
    cluster.inside = {number("inside_byte_per_s"), number("inside_latency_s")};
  cluster.between = {number("between_byte_per_s"), number("between_latency_s")};
  cluster.nics = static_cast<int>(std::min(number("nics"), 1e6));
  return cluster;
}

Cluster load_cluster(const std::string& text, const std::string& name) {
  const std::string path = find_data_file(kClusterFolder, name);
  if (path.empty())
    throw UsageError(fmt::format(
        "cluster {}: write HOSTSxWORKERS such as 2x8, or NAME:HOSTS such as dgx_h100:2 with a file "
        "or one of {}",
        text, fmt::join(names_in_data(kClusterFolder), ", ")));
  Cluster cluster = parse_cluster(read_text(path), path);
  cluster.source = path == name ? name : kClusterFolder + name + ".csv";
  return cluster;
}

}  // namespace

Cluster read_cluster(const std::string& text) {
  const std::size_t by = text.find('x');
  const std::size_t colon = text.rfind(':');
  const auto number = [&](std::size_t begin, std::size_t end) {
    return begin <= end ? parse_integer(std::string_view(text).substr(begin, end - begin))
                        : std::nullopt;
  };
  Cluster cluster;
  std::optional<std::int64_t> hosts = by == std::string::npos ? std::nullopt : number(0, by);
  std::optional<std::int64_t> each = hosts ? number(by + 1, text.size()) : std::nullopt;
  if (!each) {
    hosts = colon == std::string::npos ? 1 : number(colon + 1, text.size());
    cluster = load_cluster(text, hosts ? text.substr(0, colon) : text);
    each = cluster.workers_per_host;
    hosts = hosts.value_or(1);
  }
  if (*hosts < 1 || *each < 1 || *hosts > kMostPlaces / *each)
    throw UsageError(fmt::format("cluster {}: a cluster has 1 to {} workers", text,
                                 format_grouped(kMostPlaces)));
  cluster.hosts = static_cast<int>(*hosts);
  cluster.workers_per_host = static_cast<int>(*each);
  return cluster;
}

Network network_of(const Cluster& cluster, int workers) {
  const int each = cluster.workers_per_host;
  if (workers > cluster.workers())
    throw UsageError(
        fmt::format("{} workers do not fit on {} hosts of {}", workers, cluster.hosts, each));
  if (cluster.nics < 0 || cluster.nics > each)
    throw UsageError(
        fmt::format("a host of {} workers has 1 to {} NICs, not {}", each, each, cluster.nics));
  if (each > 1 && !cluster.inside)
    throw UsageError("a cluster needs the link inside of its hosts, inside, such as nvlink4");
  if (cluster.hosts > 1 && !cluster.between)
    throw UsageError("a cluster needs the link between its hosts, between, such as ndr");
  if (workers <= each) return {cluster.inside.value_or(LinkLimit{}), {}};
  return {*cluster.between,
          {.workers_per_host = each,
           .inside = cluster.inside.value_or(LinkLimit{}),
           .nics = cluster.nics}};
}

}  // namespace qb
