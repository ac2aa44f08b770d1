// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/bench/flash_bench.h"

#include <istream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>

#include "base/numbers.h"
#include "base/status.h"

namespace qb::cuda {

BenchRequest parse_request(const std::string& line) {
  std::istringstream words(line);
  std::string kernel;
  std::string pass;
  std::string dtype;
  std::string mask;
  BenchRequest request;
  BenchShape& shape = request.shape;
  words >> kernel >> pass >> dtype >> shape.d >> mask >> shape.queries >> shape.heads >>
      request.warm_ups >> request.repeats;
  const auto known_kernel = parse_word<BenchKernel>(kernel);
  const auto known_dtype = parse_word<DType>(dtype);
  const bool sizes = shape.d > 0 && shape.queries > 0 && shape.heads > 0 && request.warm_ups >= 0 &&
                     request.repeats > 0;
  if (words.fail() || !(words >> std::ws).eof() || !known_kernel || !known_dtype || !sizes ||
      (mask != "full" && mask != "causal") || (pass != "forward" && pass != "backward"))
    throw UsageError(
        "--serve: '" + line +
        "' is not a request; write kernel, pass, type, head_dim, mask, N, heads, warm-ups "
        "and repeats, such as flash forward bf16 128 causal 16384 16 2 5");
  request.kernel = *known_kernel;
  shape.backward = pass == "backward";
  shape.dtype = *known_dtype;
  shape.causal = mask == "causal";
  shape.keys = shape.queries;
  shape.kv_heads = shape.heads;
  return request;
}

void serve_rounds(BenchDevice& device, std::istream& requests, std::ostream& answers) {
  std::unique_ptr<BenchCall> call;
  BenchShape shape;
  unsigned seed = 0;
  std::map<BenchKernel, std::string> flaws;
  for (std::string line; std::getline(requests, line);) {
    const BenchRequest request = parse_request(line);
    if (!call || request.shape != shape) {
      call.reset();  // frees memory before the next one asks for as much
      shape = request.shape;
      call = std::make_unique<BenchCall>(shape, device, ++seed);
      flaws.clear();
    }
    try {
      const auto [flaw, is_new] = flaws.try_emplace(request.kernel);
      if (is_new) flaw->second = call->flaw(request.kernel);
      if (!flaw->second.empty()) {
        answers << "incorrect " << flaw->second << std::endl;
        continue;
      }
      const auto seconds = call->seconds(request.kernel, request.warm_ups, request.repeats);
      answers << "ok";
      for (const double s : seconds) answers << ' ' << to_text(s);
    } catch (const Unsupported& reason) {
      flaws.erase(request.kernel);
      answers << "unsupported " << reason.what();
    }
    answers << std::endl;
  }
}

}  // namespace qb::cuda
