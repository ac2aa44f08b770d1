// SPDX-License-Identifier: Apache-2.0
// What wall_time, critical_path and worker_sum measure, as a small picture of a made-up case.
#pragma once

#include <string>

namespace qb {

// Lines of text in which a letter is a millisecond. The times are composed as the executors do it.
[[nodiscard]] std::string clocks_picture();

}  // namespace qb
