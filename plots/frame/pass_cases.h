// Cases of pass_kv and pass_q: T = n_tokens new tokens attend to kv_len = P + T keys, of which P
// were cached.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/csv.h"

namespace qb {

// Cases that differ in algorithm and miss rate alone.
struct PassGroup {
  std::string name{};               // `W = 4, threads, 10 GB/s`, and what else tells it apart
  std::vector<std::size_t> rows{};  // ascending miss rate
};

// Groups with a case that ran. Of one group all cases have the same P + T, or, where the run has no
// two miss rates of one P + T, any.
[[nodiscard]] std::vector<PassGroup> pass_groups(const CsvTable& cases);

// T / (P + T), in %.
[[nodiscard]] double miss_rate_percent(const CsvTable& cases, std::size_t row);

// The standing rows of pass_kv and pass_q.
[[nodiscard]] std::vector<std::size_t> pass_rows(const CsvTable& cases);

}  // namespace qb
