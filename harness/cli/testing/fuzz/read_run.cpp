// SPDX-License-Identifier: Apache-2.0
// For fuzzing only (cmake/fuzz.sh): reads a damaged run folder by the verbs that look at one. An
// input has all files of the folder, each after a line `== NAME`.

#include "base/testing/scratch_folder.h"
#include "harness/cli/testing/fuzz/reader.h"
#include "harness/cli/verb.h"

namespace qb::testing_support {
namespace {

constexpr std::string_view kFiles[] = {"manifest.json", "spec.resolved.yaml",  "cases.csv",
                                       "samples.csv",   "memory_timeline.csv", "steps.csv",
                                       "parts.csv"};
constexpr std::string_view kMark = "== ";

void write_files(const std::string& folder, std::string_view input) {
  for (const std::string_view name : kFiles) {
    const std::string path = folder + "/" + std::string(name);
    const std::string head = std::string(kMark) + std::string(name) + "\n";
    const std::size_t at = input.find(head);
    ::unlink(path.c_str());
    if (at == std::string_view::npos) continue;
    const std::string_view rest = input.substr(at + head.size());
    const std::string_view content = rest.substr(0, rest.find(kMark));
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    require(::write(fd, content.data(), content.size()) == static_cast<ssize_t>(content.size()));
    ::close(fd);
  }
}

}  // namespace
}  // namespace qb::testing_support

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qb;
  using namespace qb::testing_support;
  static const ScratchFolder folder;
  write_files(folder.path(), text_of(data, size));
  const auto look = [&](void (*add_verb)(Verb), const char* verb) {
    read_or_refuse<UsageError>([&] { run_words(add_verb, {verb, folder.path()}); });
  };
  look(add_verify, "verify");
  look(add_status, "status");
  look(add_table, "table");
  return 0;
}
