#include "harness/experiment/store/resume.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/hash.h"
#include "base/status.h"
#include "harness/experiment/store/run_folder.h"

namespace qb {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

void require_same(const RunRequest& request, const Manifest& manifest) {
  if (manifest.spec_hash != request.spec_hash)
    throw UsageError(
        fmt::format("run {} has another spec than this one (or other --set and --filter); choose "
                    "another --run-id",
                    request.run_id));
  if (manifest.device_fingerprint != request.device_fingerprint)
    throw UsageError(
        fmt::format("run {} was measured on another machine ({}); choose another "
                    "--run-id",
                    request.run_id, manifest.device_fingerprint));
}

RunPlace named_run(const RunRequest& request, const std::string& folder) {
  if (!is_name(request.run_id))
    throw UsageError(
        fmt::format("--run-id {}: use letters, digits, '_', '-' and '.'", request.run_id));
  RunPlace place{folder + "/" + request.run_id, request.run_id};
  place.exists = std::filesystem::exists(place.path + "/manifest.json");
  if (!place.exists && request.retry)
    throw UsageError(fmt::format("--retry: there is no run {}", place.path));
  if (place.exists) require_same(request, read_manifest(place.path));
  return place;
}

RunPlace new_run(const RunRequest& request, const std::string& folder, std::time_t now) {
  // The low digits of the hash mix best.
  const std::string name = fmt::format("{:%Y%m%d-%H%M%S}-{}", fmt::gmtime(now),
                                       request.spec_hash.substr(request.spec_hash.size() - 6));
  RunPlace place{folder + "/" + name, name};
  for (int copy = 2; std::filesystem::exists(place.path + "/manifest.json"); ++copy) {
    place.run_id = fmt::format("{}-{}", name, copy);
    place.path = folder + "/" + place.run_id;
  }
  return place;
}

}  // namespace

std::string hash_spec(std::string_view resolved_yaml) {
  return fmt::format("{:016x}", fnv1a(resolved_yaml));
}

RunPlace find_run(const RunRequest& request, std::time_t now) {
  const std::string folder = request.out + "/" + request.experiment;
  if (!request.run_id.empty()) return named_run(request, folder);
  for (const Manifest& run : list_runs(folder))
    if (run.spec_hash == request.spec_hash &&
        run.device_fingerprint == request.device_fingerprint &&
        (request.retry || run.finished_at.empty()))
      return {run.folder, run.run_id, true};
  if (request.retry)
    throw UsageError(fmt::format("--retry: there is no run of this spec in {}", folder));
  return new_run(request, folder, now);
}

}  // namespace qb
