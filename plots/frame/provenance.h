// Where a figure came from: read from a run's manifest.json, written beside committed figures.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plots/frame/figure.h"

namespace qb {

// Empty and NaN mean "not available".
struct Provenance {
  std::string command{};  // words as a shell would take them
  std::string experiment{};
  std::string description{};
  std::string run_id{};
  std::string spec_hash{};
  std::string version{};  // of qb
  std::string peer{};     // the other program that computed, and its version: `torch 2.5.1`
  std::string commit{};
  bool sources_modified = false;
  std::string machine{};               // the device fingerprint
  std::string started_at{};            // UTC, ISO 8601
  double memory_bytes = kNaN;          // of the machine, or of its container where that is less
  std::vector<std::string> figures{};  // that the spec asks for
  // Every fact of the environment, flattened: `cpu.model`, `build.flags`, …
  std::vector<std::pair<std::string, std::string>> facts{};
};

// Throws UsageError `name: …` where the text is no JSON object. Keys that are missing leave their
// members empty.
[[nodiscard]] Provenance read_provenance(std::string_view manifest_json, std::string_view name);

// One line for under a title: machine, program and its commit, day.
[[nodiscard]] std::string provenance_line(const Provenance& provenance);

// command, commit, machine, date, spec hash as JSON; of the runs that were drawn beside it too.
[[nodiscard]] std::string provenance_json(const Provenance& provenance,
                                          std::span<const Provenance> beside = {});

// Writes provenance.json into `directory` and returns its path.
std::string write_provenance(const Provenance& provenance, const std::string& directory,
                             std::span<const Provenance> beside = {});

}  // namespace qb
