// What the parser says about words that it does not understand.
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace qb {

// One sentence: what is wrong, the nearest word that exists, and where the others are listed. `app`
// as its parse() left it.
[[nodiscard]] std::string usage_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace qb
