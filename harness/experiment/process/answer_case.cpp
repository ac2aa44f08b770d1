// The child's side of supervisor.h.
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <iterator>

#include "harness/experiment/process/result_json.h"
#include "harness/experiment/process/supervisor.h"

namespace qb {

void answer_case(const std::string& trace_directory) {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const std::string answer = result_to_json(run_case(case_from_json(text), trace_directory));
  for (std::size_t at = 0; at < answer.size();) {
    const ssize_t written = ::write(kAnswerFd, answer.data() + at, answer.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw EnvironmentError("__case is for `qb run` only: there is nobody to answer to");
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace qb
