// SPDX-License-Identifier: Apache-2.0
// For fuzzing only (cmake/fuzz.sh): reads a damaged NPY or safetensors file as `qb attend` does,
// and the former as a stream too.
#include "harness/cli/testing/fuzz/reader.h"
#include "harness/cli/views/attend_files.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/verify/tensor_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qb;
  using namespace qb::testing_support;
  const std::string_view content = text_of(data, size);
  OpenFile file(content);
  const auto attend = [&](const AttendRequest& request) {
    MemoryLedger memory;
    read_or_refuse<CaseError>(
        [&] { read_or_refuse<ExitError>([&] { (void)read_attend_files(request, memory, 1); }); });
  };
  AttendRequest request;
  request.q = request.k = request.v = file.path();
  attend(request);
  request.safetensors = file.path();
  attend(request);
  file.become_pipe(content);
  read_or_refuse<UsageError>([&] {
    TensorFile stream(file.path());
    std::vector<double> row(1);
    stream.read_rows(1, DType::f64, [&](std::int64_t) { return row.data(); });
  });
  return 0;
}
