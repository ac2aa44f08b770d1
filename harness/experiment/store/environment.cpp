// SPDX-License-Identifier: Apache-2.0
#include "harness/experiment/store/environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "base/json.h"
#include "base/status.h"
#include "base/text_table.h"
#include "harness/experiment/store/machine.h"
#include "harness/experiment/store/run_folder.h"
#include "harness/run/transport/device_link.h"
#include "kernels/attention.h"
#include "kernels/cuda/runtime/device.h"
#include "kernels/cuda/runtime/loaded_library.h"
#include "kernels/parallel.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }
Json number_or_null(std::int64_t value) { return value == 0 ? Json() : Json(value); }

Json cpu_json(const Machine& machine) {
  Json caches = Json::array();
  for (const Machine::Cache& cache : machine.caches)
    caches.push_back({{"level", cache.level},
                      {"type", cache.type},
                      {"bytes", number_or_null(cache.bytes)},
                      {"shared_by_processors", cache.shared_by}});
  return {{"model", text_or_null(machine.cpu_model)},
          {"processors", number_or_null(machine.processors)},
          {"usable_processors", machine.usable},
          {"quota_cores", machine.quota_cores > 0.0 ? Json(machine.quota_cores) : Json()},
          {"smt_siblings", text_or_null(machine.smt_siblings)},
          {"instruction_sets", machine.isa},
          {"flash_kernel_runs_with", text_or_null(kernel_isa(Kernel::flash))},
          {"frequency_governor", text_or_null(machine.governor)},
          {"caches", caches}};
}

Json system_json(const Machine& machine) {
  return {{"kernel", text_or_null(machine.kernel)},
          {"distribution", text_or_null(machine.distribution)},
          {"hypervisor", text_or_null(machine.hypervisor)},
          {"container", machine.container},
          {"load_average", text_or_null(load_average())},
          {"huge_pages", text_or_null(machine.huge_pages)},
          {"thread_binding_undone", text_or_null(undone_thread_binding())},
          {"variables", machine.variables}};
}

Json build_json(const BuildInfo& build) {
  return {{"version", build.version},
          {"commit", text_or_null(build.commit)},
          {"sources_modified", build.commit.empty() ? Json() : Json(build.modified)},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"flags", build.flags},
          {"sanitizers", text_or_null(build.sanitizers)},
          {"libraries", build.libraries}};
}

// A device that is there and broken is a fact to record, not a reason to stop.
CudaProbe cuda_devices() {
  try {
    return probe_cuda();
  } catch (const EnvironmentError& error) {
    return {{}, error.what()};
  }
}

Json cuda_json(const CudaProbe& probe) {
  Json devices = Json::array();
  for (const CudaDevice& device : probe.devices)
    devices.push_back(
        {{"name", device.name},
         {"compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
         {"multiprocessors", device.multiprocessors},
         {"memory_bytes", device.memory_bytes}});
  std::string nccl;
  std::string why_no_nccl;
  try {
    nccl = nccl_version();
  } catch (const std::exception& reason) {
    why_no_nccl = reason.what();
  }
  return {{"in_build", build_info().cuda},
          {"devices", devices},
          {"why_none", text_or_null(why_no_cuda(probe))},
          {"nccl", text_or_null(nccl)},
          {"why_no_nccl", text_or_null(why_no_nccl)}};
}

// Writes `~` for the user's folder, whose name may be the user's.
std::string without_home(std::string path) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr || !path.starts_with(std::string(home) + "/")) return path;
  return path.replace(0, std::string_view(home).size(), "~");
}

Json libraries_json() {
  Json libraries = Json::object();
  if (build_info().cuda)
    for (const cuda::LibraryFound& found : cuda::find_nvidia_libraries())
      libraries[std::string(word(found.library))] = {
          {"file", text_or_null(without_home(found.file))},
          {"why_none", text_or_null(without_home(found.why_none))}};
  return libraries;
}

std::string fingerprint_with(const Machine& machine, const CudaProbe& probe) {
  std::string text = fingerprint(machine);
  for (const CudaDevice& device : probe.devices) text += " | " + device.name;
  return text;
}

Json environment(bool with_libraries) {
  const Machine machine = probe_machine();
  const CudaProbe cuda = cuda_devices();
  Json facts = {{"time_utc", utc_text(std::time(nullptr))},
                {"device_fingerprint", fingerprint_with(machine, cuda)},
                {"cpu", cpu_json(machine)},
                {"memory",
                 {{"total_bytes", number_or_null(machine.memory_bytes)},
                  {"container_limit_bytes", number_or_null(machine.memory_limit_bytes)}}},
                {"system", system_json(machine)},
                {"build", build_json(build_info())},
                {"cuda", cuda_json(cuda)}};
  if (with_libraries) facts["cuda"]["libraries"] = libraries_json();
  return facts;
}

std::string caches_text(const Json& caches) {
  std::string text;
  for (const Json& cache : caches)
    text += fmt::format("{}L{} {} {}", text.empty() ? "" : ", ", fact_text(cache["level"]),
                        fact_text(cache["type"]), fact_text(cache["bytes"], "bytes"));
  return text.empty() ? "not available" : text;
}

std::string gpus_text(const Json& cuda) {
  const Json& devices = cuda["devices"];
  if (devices.empty()) return fact_text(cuda["why_none"]);
  const Json& first = devices.front();
  return fmt::format("{} x {}, compute capability {}, {} multiprocessors, {}", devices.size(),
                     fact_text(first["name"]), fact_text(first["compute_capability"]),
                     fact_text(first["multiprocessors"]),
                     fact_text(first["memory_bytes"], "bytes"));
}

// `cublas, cupti; missing: nccl`
std::string libraries_text(const Json& libraries) {
  std::string found;
  std::string missing;
  for (const auto& [name, library] : libraries.items()) {
    std::string& list = library["file"].is_null() ? missing : found;
    list += (list.empty() ? "" : ", ") + name;
  }
  if (found.empty() && missing.empty()) return "not in this build";
  return fmt::format("{}{}{}", found.empty() ? "none" : found,
                     missing.empty() ? "" : "; missing: ", missing);
}

}  // namespace

std::string environment_json(bool with_libraries) { return environment(with_libraries).dump(2); }

std::string device_fingerprint() { return fingerprint_with(probe_machine(), cuda_devices()); }

std::string environment_table(bool with_libraries) {
  TextTable table({"fact", "value"});
  for (const auto& [fact, value] : facts_of(environment(with_libraries))) table.add({fact, value});
  return table.terminal();
}

std::string environment_summary() {
  const Json facts = environment(true);
  const Json& cpu = facts["cpu"];
  const Json& memory = facts["memory"];
  const Json& system = facts["system"];
  const Json& build = facts["build"];
  const auto text = [](const Json& value) { return fact_text(value); };
  TextTable table({"fact", "value"});
  table.add({"qb", fmt::format("{}, commit {}{}", text(build["version"]), text(build["commit"]),
                               build["sources_modified"] == true ? ", sources modified" : "")});
  table.add({"build", fmt::format("{}, {}", text(build["build_type"]), text(build["compiler"]))});
  table.add({"build libraries", text(build["libraries"])});
  table.add({"processor", text(cpu["model"])});
  table.add({"processors", fmt::format("{}, of which qb may use {}", text(cpu["processors"]),
                                       cpu["usable_processors"].size())});
  table.add({"instruction sets", text(cpu["instruction_sets"])});
  table.add({"flash runs with", text(cpu["flash_kernel_runs_with"])});
  table.add({"frequency governor", text(cpu["frequency_governor"])});
  table.add({"caches", caches_text(cpu["caches"])});
  table.add({"memory", fact_text(memory["total_bytes"], "bytes")});
  if (!memory["container_limit_bytes"].is_null())
    table.add({"container's limit", fact_text(memory["container_limit_bytes"], "bytes")});
  table.add({"system",
             fmt::format("{}, kernel {}", text(system["distribution"]), text(system["kernel"]))});
  table.add({"hypervisor", text(system["hypervisor"])});
  table.add({"load average", text(system["load_average"])});
  table.add({"GPUs", gpus_text(facts["cuda"])});
  table.add({"NVIDIA's libraries", libraries_text(facts["cuda"]["libraries"])});
  table.add({"fingerprint", text(facts["device_fingerprint"])});
  return table.terminal();
}

}  // namespace qb
