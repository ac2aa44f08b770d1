// SPDX-License-Identifier: Apache-2.0
// qb reproduce [PAPER]: runs the experiments that answer a paper's tables, and answers them.
#include "harness/cli/options.h"
#include "harness/cli/views/paper_reproduction.h"

namespace qb {
namespace {

constexpr const char* kReproduceFooter =
    R"(It says which experiments it runs and about how long they take, runs those that answer rows of the
paper's tables (specs that fit this machine, which may be a tenth of the paper's size or less), the
shortest first, and answers all its rows. It prints what this machine measured beside what is
published, what the committed runs show, and which rows are disputed; OUT/PAPER.html, OUT/tables and
OUT/figures have all rows. The runs themselves are beside the other results. A finished run of this
build on this machine is not run again. Without a name the paper is cqs_attention, whose second case
study is run at a tenth of its N.

--full takes the size of the paper where there is a spec of it beside one of a tenth: for cqs_attention
N = 10,000 to 49,000, which takes about an hour on two cores; where the whole sequence's score matrix
exceeds the memory, there is an out-of-memory row, as the paper claims. If it is interrupted, the same
command goes on where it was.

--from names a folder of run folders, and nothing is run.

Exit codes: 0 also where rows are disputed, since that is an answer about the paper; 1 a case failed;
2 no such paper; 3 the disk is full, or matplotlib is missing; 4 this build answers the committed data
otherwise than data/papers/coverage.csv records, as `qb papers --help` says; 130 interrupted.

Examples:
  qb reproduce
  qb reproduce --full
  qb reproduce ring_flash_attention
  qb reproduce all --from data/measured --out paper_figures/papers)";

}  // namespace

void add_reproduce(Verb app) {
  auto [verb, words] = add_verb<PapersToReproduce>(
      app, "reproduce", "Runs what answers a paper's tables, and says what is reproduced.",
      reproduce_papers, kReproduceFooter);
  verb.add_option("PAPER", words.paper, "Names a paper of `qb papers`, or all.").show_default();
  const Option full =
      verb.add_flag("--full", words.full, "Takes the paper's size instead of a tenth of it.");
  verb.add_option(
          "--from", words.runs,
          "Takes the runs from the run folders in this folder or in its subfolders, instead "
          "of running them.")
      .excludes(full);
  verb.add_option("-o,--out", words.out, "Writes pages, tables and figures into this folder.")
      .show_default();
  verb.add_flag("--quiet", words.quiet, "Shows no progress of single cases.");
}

}  // namespace qb
