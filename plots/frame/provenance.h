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
  std::string command{};  // words as typed in a shell
  std::string experiment{};
  std::string description{};
  std::string run_id{};
  std::string spec_hash{};
  std::string version{};  // version of qb
  std::string peer{};     // the other program that computed, and its version: `torch 2.5.1`
  std::string commit{};
  bool sources_modified = false;
  std::string machine{};       // the device fingerprint
  std::string started_at{};    // UTC, ISO 8601
  double memory_bytes = kNaN;  // memory of the machine, or of its container if that has less
  std::vector<std::string> figures{};  // figures that the spec asks for
  // Every fact of the environment, flattened: `cpu.model`, `build.flags`, …
  std::vector<std::pair<std::string, std::string>> facts{};
};

// Throws UsageError `name: …` if the text is no JSON object. Missing keys leave their members
// empty.
[[nodiscard]] Provenance read_provenance(std::string_view manifest_json, std::string_view name);

// Writes one line for below a title: machine, program and its commit, day.
[[nodiscard]] std::string provenance_line(const Provenance& provenance);

// Writes command, commit, machine, date, spec hash as JSON, also of the runs drawn beside it.
[[nodiscard]] std::string provenance_json(const Provenance& provenance,
                                          std::span<const Provenance> beside = {});

// Writes provenance.json into `directory` and returns its path.
std::string write_provenance(const Provenance& provenance, const std::string& directory,
                             std::span<const Provenance> beside = {});

}  // namespace qb
