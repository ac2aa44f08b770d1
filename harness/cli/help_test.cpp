// SPDX-License-Identifier: Apache-2.0
// What --help says of every verb, option and argument.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "harness/cli/verb.h"

namespace qb {
namespace {

using testing::MatchesRegex;

// `Writes the run folders into this folder.`: a verb in the third person, then a full stop.
constexpr const char* kSentence = "[A-Z][a-z]*s[ ,](.|\n)*\\.";

void expect_sentences(const CLI::App& verb) {
  EXPECT_THAT(verb.get_description(), MatchesRegex(kSentence)) << verb.get_name();
  for (const CLI::Option* option : verb.get_options()) {
    EXPECT_THAT(option->get_description(), MatchesRegex(kSentence))
        << verb.get_name() << " " << option->get_name();
    if (option->check_lname("out")) {
      EXPECT_TRUE(option->check_sname("o")) << verb.get_name() << ": -o is --out everywhere";
    }
  }
  for (const CLI::App* below : verb.get_subcommands({}))
    if (!below->get_group().empty()) expect_sentences(*below);
}

TEST(Help, EveryTextIsASentenceWithAVerbInFrontAndOIsOut) {
  bool seen = false;
  const auto declare = [&](Verb app) {
#define QB_ADD_VERB(name) add_##name(app);
    QB_VERBS(QB_ADD_VERB)
#undef QB_ADD_VERB
    for (const CLI::App* verb : app.app()->get_subcommands({}))
      if (!verb->get_group().empty()) expect_sentences(*verb);
    seen = true;
  };
  EXPECT_THROW(run_words(declare, {}), UsageError);  // no verb is given
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace qb
