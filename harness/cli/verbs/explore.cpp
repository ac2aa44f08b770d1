// SPDX-License-Identifier: Apache-2.0
// `qb explore RUN…`: hands over to the Python package, which writes the page.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/cli/options.h"

namespace qb {
namespace {

constexpr const char* kExploreFooter =
    R"(One chooses x, y, colour and panels from the columns of cases.csv, marks cases to see their
statuses and the commands that run them again, and compares what was predicted with what was
measured. The page needs no network and no other file. The Python package writes it, in the python3
of PATH; `./qb explore` finds the one that `./qb python` has made.

Examples:
  qb explore results/smoke/latest
  qb explore results/schemes/latest data/measured/epyc-zen3-2-cores/schemes --out schemes.html)";

constexpr const char* kProgram = R"(import sys
try:
    from quorumbench._explore import main
except ImportError as missing:
    print(f"qb: explore needs the Python package, but {sys.executable} says: {missing}; run "
          "./qb python and then ./qb explore, or pip install the package", file=sys.stderr)
    sys.exit(3)
sys.exit(main(*sys.argv[1:])))";

struct ExploreWords {
  std::vector<std::string> runs;
  std::string page;
};

void explore(ExploreWords& said) {
  std::vector<std::string> words = {"python3", "-c", kProgram, said.page};
  words.insert(words.end(), said.runs.begin(), said.runs.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  throw EnvironmentError(
      fmt::format("explore needs python3, which cannot be started: {}", std::strerror(errno)));
}

}  // namespace

void add_explore(Verb app) {
  auto [verb, words] = add_verb<ExploreWords>(
      app, "explore", "Writes a page in which one chooses what is drawn of runs.", explore,
      kExploreFooter);
  verb.add_option("RUN", words.runs, "Names the run folders.").required();
  verb.add_option("-o,--out", words.page,
                  "Writes the page to this path (default: RUN/explore.html of the first).");
}

}  // namespace qb
