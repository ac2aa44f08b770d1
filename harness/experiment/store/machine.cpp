// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <sstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/host_activity.h"
#include "base/numbers.h"

namespace qb {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n\"");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\n\"") - begin + 1));
}

// The value of the first line `key<separator>value`.
std::string field(const std::string& text, std::string_view key, char separator) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trimmed(std::string_view(line).substr(0, at)) == key)
      return trimmed(std::string_view(line).substr(at + 1));
  }
  return {};
}

// `32K` in sysfs is 32 KiB, and `24684096 kB` in meminfo are 24684096 KiB.
std::int64_t kibibytes(std::string text) {
  text.erase(std::ranges::find_if(text, [](char c) { return c < '0' || c > '9'; }), text.end());
  return parse_integer(text).value_or(0) * 1024;
}

void read_cpu(Machine& machine, const std::string& cpuinfo) {
  machine.cpu_model = field(cpuinfo, "model name", ':');
  if (machine.cpu_model.empty()) machine.cpu_model = field(cpuinfo, "CPU part", ':');
  const std::string family = field(cpuinfo, "cpu family", ':');
  if (!family.empty())
    machine.cpu_model += fmt::format(", family {} model {}", family, field(cpuinfo, "model", ':'));
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("processor")) ++machine.processors;

  std::string flags = field(cpuinfo, "flags", ':');
  if (flags.empty()) flags = field(cpuinfo, "Features", ':');
  constexpr std::array kInteresting = {
      "avx2",        "fma",         "f16c",     "avx_vnni", "avx512f", "avx512bw", "avx512vl",
      "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "asimd",   "sve",      "bf16"};
  std::istringstream words(flags);
  for (std::string word; words >> word;)
    if (std::ranges::count(kInteresting, word) > 0) machine.isa.push_back(word);
}

std::vector<Machine::Cache> read_caches(const std::string& folder) {
  std::vector<Machine::Cache> caches;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("{}/index{}/", folder, index);
    const auto level = parse_integer(trimmed(slurp(cache + "level")));
    if (!level) return caches;
    caches.push_back({static_cast<int>(*level), trimmed(slurp(cache + "type")),
                      kibibytes(trimmed(slurp(cache + "size"))),
                      trimmed(slurp(cache + "shared_cpu_list"))});
  }
}

// The processor names the hypervisor: leaf 0x40000000, valid where the hypervisor bit is set.
std::string hypervisor_name() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c >> 31) == 0) return {};
  __cpuid(0x40000000, a, b, c, d);
  const auto name = std::bit_cast<std::array<char, 12>>(std::array{b, c, d});
  const std::string text(name.data(), strnlen(name.data(), name.size()));
  const bool printable = std::ranges::all_of(text, [](char x) { return x >= ' ' && x <= '~'; });
  return printable && !text.empty() ? text : "unnamed";
#else
  return {};
#endif
}

// The least quota of the groups that this process is in (v2: `max 100000` or `150000 100000`).
double quota_of_groups(const std::string& root) {
  double least = 0.0;
  std::istringstream groups(slurp(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t second = line.rfind(':');
    if (second == std::string::npos) continue;
    const bool is_v2 = line.starts_with("0::");
    if (!is_v2 && line.find("cpu,") == std::string::npos && line.find(":cpu:") == std::string::npos)
      continue;
    const std::string mount = root + (is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    while (true) {
      const std::string folder = mount + path;
      double quota = 0.0;
      double period = 0.0;
      std::istringstream text(is_v2 ? slurp(folder + "/cpu.max")
                                    : slurp(folder + "/cpu.cfs_quota_us") + " " +
                                          slurp(folder + "/cpu.cfs_period_us"));
      if (text >> quota >> period && quota > 0.0 && period > 0.0 &&
          (least == 0.0 || quota / period < least))
        least = quota / period;
      if (path.empty()) break;
      path.erase(path.find_last_of('/'));
    }
  }
  return least;
}

// Names are judged by how they begin, so that a variable that a library adds needs no line here.
std::vector<std::string> telling_variables() {
  constexpr std::string_view kBegins[] = {
      "OMP_",  "GOMP_", "KMP_", "DNNL_",       "ONEDNN_",         "OPENBLAS_",
      "GOTO_", "BLIS_", "MKL_", "LD_PRELOAD=", "GLIBC_TUNABLES=", "MALLOC_"};
  std::vector<std::string> found;
  for (char* const* variable = ::environ; *variable != nullptr; ++variable)
    for (const std::string_view begin : kBegins)
      if (std::string_view(*variable).starts_with(begin)) found.emplace_back(*variable);
  std::ranges::sort(found);
  return found;
}

// `always [madvise] never` has its choice in brackets.
std::string chosen(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return text.substr(begin + 1, end - begin - 1);
}

// The least of 2^k and 1.5 * 2^k GiB that holds what the kernel reports.
std::int64_t memory_class_gib(std::int64_t bytes) {
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  for (std::int64_t gib = 1;; gib *= 2) {
    if (bytes <= gib * kGib) return gib;
    if (gib >= 2 && bytes <= gib * 3 / 2 * kGib) return gib * 3 / 2;
  }
}

}  // namespace

Machine probe_machine(const std::string& root) {
  Machine machine;
  read_cpu(machine, slurp(root + "/proc/cpuinfo"));
  machine.usable = allowed_cores();
  machine.quota_cores = quota_of_groups(root);
  machine.variables = telling_variables();
  machine.smt_siblings =
      trimmed(slurp(root + "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"));
  machine.huge_pages = chosen(slurp(root + "/sys/kernel/mm/transparent_hugepage/enabled"));
  machine.governor = trimmed(slurp(root + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  machine.caches = read_caches(root + "/sys/devices/system/cpu/cpu0/cache");
  machine.memory_bytes = kibibytes(field(slurp(root + "/proc/meminfo"), "MemTotal", ':'));
  machine.memory_limit_bytes =
      parse_integer(trimmed(slurp(root + "/sys/fs/cgroup/memory.max"))).value_or(0);
  machine.distribution = field(slurp(root + "/etc/os-release"), "PRETTY_NAME", '=');
  machine.container = std::filesystem::exists(root + "/.dockerenv") ||
                      std::filesystem::exists(root + "/run/.containerenv");
  utsname names{};
  if (uname(&names) == 0) machine.kernel = names.release;
  machine.hypervisor = hypervisor_name();
  return machine;
}

std::string host_name() {
  std::array<char, 65> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string load_average() {
  std::istringstream text(slurp("/proc/loadavg"));
  std::array<std::string, 3> loads;
  for (std::string& load : loads) text >> load;
  return text ? fmt::format("{}", fmt::join(loads, " ")) : std::string();
}

std::string fingerprint(const Machine& machine) {
  const auto has = [&](std::string_view isa) { return std::ranges::count(machine.isa, isa) > 0; };
  const std::string_view isa = has("avx512f") ? "avx512" : has("avx2") ? "avx2" : "baseline";
  const std::size_t cores = machine.usable.size();
  return fmt::format("{} | {} core{} | {} | {} GiB", machine.cpu_model, cores,
                     cores == 1 ? "" : "s", isa, memory_class_gib(machine.memory_bytes));
}

}  // namespace qb
