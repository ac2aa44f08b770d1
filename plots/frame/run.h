// SPDX-License-Identifier: Apache-2.0
// A run folder as figures, tables and the report read it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/schema/row.h"
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
  std::string machine{};       // the device fingerprint, or those of all shards
  std::string started_at{};    // UTC, ISO 8601
  std::string unfinished{};    // how many cases are there, if some are not
  std::string noise_floor{};   // what a case differed by when it was measured again
  int cores = 0;               // that the run could use; 0: not known
  double memory_bytes = kNaN;  // memory of the machine, or of its container if that has less
  std::vector<std::string> figures{};  // figures that the spec asks for
  // Of a joined run: number, node, machine, predicted and calibration time of each shard.
  std::vector<std::vector<std::string>> shards{};
  // Every fact of the environment, flattened: `cpu.model`, `build.flags`, …
  std::vector<std::pair<std::string, std::string>> facts{};
};

// Throws UsageError `name: …` if the text is not a JSON object. Missing keys leave their members
// empty.
[[nodiscard]] Provenance read_provenance(std::string_view manifest_json, std::string_view name);

// Writes one line for below a title: machine, program and its commit, day.
[[nodiscard]] std::string provenance_line(const Provenance& provenance);

// Writes command, commit, machine, date, spec hash, also of the runs drawn beside it, into
// DIRECTORY/provenance.json, and returns its path.
std::string write_provenance(const Provenance& provenance, const std::string& directory,
                             std::span<const Provenance> beside = {});

// How near the cost model is to published times: factors, of which nine of ten are at most so
// large; 1 where nobody knows it.
struct ModelGrade {
  struct Errors {
    double p90 = 1.0;                         // of all schemes
    std::map<std::string, double> schemes{};  // of those that published times are of
  };
  Errors forward{};
  Errors both{};  // also of backward passes alone
  [[nodiscard]] const Errors& of(const Row& row) const;
  [[nodiscard]] double error(const Row& row) const;  // of its scheme, or of all
};

struct PlottedRun {
  PlottedRun() = default;
  PlottedRun(CsvTable own_cases) : cases(std::move(own_cases)) {}  // NOLINT: a run is its cases

  std::string path{};
  Provenance provenance{};
  CsvTable cases{};                      // no columns if the run has no cases
  std::optional<CsvTable> microbench{};  // microbench.csv, repeats of single kernels
  std::optional<CsvTable> timeline{};    // memory_timeline.csv
  std::optional<CsvTable> samples{};     // samples.csv, a row per repeat
  std::optional<CsvTable> steps{};       // steps.csv, a row per worker and step
  std::optional<CsvTable> parts{};       // parts.csv, a row per repeat and part of a layer
  std::vector<PlottedRun> beside{};      // runs whose cases appear in the panels of some figures
  bool published = false;                // some figures draw published numbers beside its own
  std::function<ModelGrade()> model_grade = [] { return ModelGrade{}; };
  // FLOP/s of the devices of a modelled case together at their peak; NaN where nobody knows it.
  std::function<double(const Row&)> modelled_peak = [](const Row&) { return kNaN; };

  [[nodiscard]] bool has_cases() const { return !cases.header().empty(); }
};

// Reads a run folder. It needs manifest.json and cases.csv or microbench.csv; throws UsageError if
// one is missing or no table.
[[nodiscard]] PlottedRun read_plotted_run(const std::string& path);

// Names a run and those beside it: by run ids, or by their folders if two runs share one.
[[nodiscard]] std::vector<std::string> run_names(const PlottedRun& run);

// Makes one table of the run's columns and `run`, with the rows run by run; cases of different runs
// never share a case_id in it. Throws UsageError if a run beside it lacks a column of the first.
[[nodiscard]] CsvTable joined_cases(const PlottedRun& run);

}  // namespace qb
