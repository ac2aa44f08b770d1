// SPDX-License-Identifier: Apache-2.0
// The closed forms of sent_bytes.h, one for each kind of transfer of every scheme.
#pragma once

#include <cstdint>
#include <span>

#include "harness/plan/pass.h"

namespace qb {

struct SplitProblem {
  std::int64_t new_tokens = 0;     // T, for the whole sequence
  std::int64_t cached_tokens = 0;  // P, sharded evenly
  std::int64_t workers = 1;        // W
  std::int64_t q_heads = 1;        // NH
  std::int64_t kv_heads = 1;       // NKV
  std::int64_t head_dim = 1;       // d
  std::int64_t element_bytes = 1;  // e
};

struct TransferForm {
  // How many such messages a worker sends: one, W - 1 hops, or W hops home, of which one worker
  // alone needs none.
  enum class Times { once, hops, home };

  const char* schemes;  // whose names are separated by spaces
  const char* transfer;
  Times times;
  bool received;  // else sent
  std::int64_t (*bytes)(const SplitProblem&);
  const char* formula;
  const char* difference = "";  // why the plan may send another number of bytes

  [[nodiscard]] std::int64_t messages(std::int64_t workers) const {
    if (times == Times::once) return 1;
    return times == Times::hops || workers == 1 ? workers - 1 : workers;
  }
};

[[nodiscard]] std::span<const TransferForm> transfer_forms(Pass pass);

}  // namespace qb
