// SPDX-License-Identifier: Apache-2.0
// Reads and writes the text form of a search's state; see minimum_sets.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/numbers.h"
#include "base/split.h"
#include "base/status.h"
#include "interest_sets/search/minimum_sets.h"

namespace qb {
namespace {

int number(std::string_view word) {
  const auto value = parse_integer(word);
  if (!value || *value < 0 || *value > 1'000'000'000)
    throw UsageError(fmt::format("'{}' is not a whole number", word));
  return static_cast<int>(*value);
}

void read_task(SearchState& state, std::string_view head, std::string_view sets) {
  const auto words = split_words(head, " ");
  if (words.size() != 2) throw UsageError("a task is written `m task` or `m task: residues; …`");
  const auto progress = state.sizes.find(number(words[0]));
  const auto task = static_cast<std::size_t>(number(words[1]));
  if (progress == state.sizes.end() || task >= progress->second.played.size())
    throw UsageError(fmt::format("there is no task {} of size {} above", words[1], words[0]));
  progress->second.played[task] = true;
  for (std::string_view text : split_words(sets, ";")) {
    const InterestSet set = parse_interest_set(text, state.modulus);
    verify(set);
    if (std::ssize(set.residues) != progress->first)
      throw UsageError(
          fmt::format("{} does not have {} residues", to_string(set), progress->first));
    progress->second.found.insert(set.residues);
  }
}

void read_line(SearchState& state, std::string_view line) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const auto words = split_words(line.substr(0, colon), " ");
  if (state.modulus == 0) {
    if (words.size() != 2 || words[0] != "search")
      throw UsageError("a search journal begins with `search W`");
    state.modulus = number(words[1]);
  } else if (!words.empty() && words[0] == "size" && words.size() == 3) {
    state.sizes[number(words[1])].played.assign(static_cast<std::size_t>(number(words[2])), false);
  } else {
    read_task(state, line.substr(0, colon), colon < line.size() ? line.substr(colon + 1) : "");
  }
}

}  // namespace

std::string journal_head(const SearchState& state) {
  return fmt::format("search {}\n", state.modulus);
}

std::string journal_line(const SearchState& state, const PlayedTask& played) {
  std::string text;
  const SearchState::Size& progress = state.sizes.at(played.size);
  if (progress.tasks_played() == 1)
    text = fmt::format("size {} {}\n", played.size, progress.played.size());
  text += fmt::format("{} {}", played.size, played.task);
  for (std::size_t i = 0; i < played.found.size(); ++i)
    text += fmt::format("{} {}", i == 0 ? ":" : ";", fmt::join(played.found[i].residues, " "));
  return text + "\n";
}

SearchState parse_journal(std::string_view text, std::string_view name) {
  SearchState state;
  int line_number = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    ++line_number;
    try {
      read_line(state, text.substr(0, end));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}:{}: {}", name, line_number, error.what()));
    }
    text.remove_prefix(end + 1);
  }
  if (state.modulus == 0)
    throw UsageError(fmt::format("{}: a search journal begins with `search W`", name));
  return state;
}

}  // namespace qb
