// Chooses the run folder of a spec: a new one, or one to resume.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace qb {

struct RunRequest {
  std::string out;
  std::string experiment;
  std::string run_id;  // empty: choose
  std::string spec_hash;
  std::string device_fingerprint;
  bool retry = false;
};

struct RunPlace {
  std::string path;
  std::string run_id;
  bool exists = false;
};

[[nodiscard]] std::string hash_spec(std::string_view resolved_yaml);  // 16 hex digits

// A run id chooses that run; if it exists, its spec and machine must be the same. No run id chooses
// the newest unfinished run of this spec on this machine (retry: the newest of all), or else a new
// run named YYYYMMDD-HHMMSS-<6 hex of the hash>, in UTC. Throws UsageError.
[[nodiscard]] RunPlace find_run(const RunRequest& request, std::time_t now);

}  // namespace qb
