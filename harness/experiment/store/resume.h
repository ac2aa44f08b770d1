// Which run folder a spec goes to: a new one, or one to go on with.
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
  bool finished = false;
};

// 16 hex digits over the resolved spec.
[[nodiscard]] std::string hash_spec(std::string_view resolved_yaml);

// With a run id: that run, which must be of this spec and machine where it exists. Without one: the
// newest unfinished run of this spec on this machine (retry: the newest of all), else a new run
// named YYYYMMDD-HHMMSS-<6 hex of the hash>, in UTC. Throws UsageError.
[[nodiscard]] RunPlace find_run(const RunRequest& request, std::time_t now);

}  // namespace qb
