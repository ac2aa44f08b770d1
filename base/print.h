// SPDX-License-Identifier: Apache-2.0
// What programs say to people. An answer goes to standard output, and one that cannot be written is
// an error; notes go to standard error, and work goes on where nobody can read them.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace qb {

// Throws EnvironmentError where standard output cannot be written.
void print_answer(std::string_view text);

template <class First, class... Others>
void print_answer(fmt::format_string<First, Others...> format, First&& first, Others&&... others) {
  print_answer(fmt::format(format, std::forward<First>(first), std::forward<Others>(others)...));
}

// A note that cannot be written is dropped.
template <class... Args>
void print_note(fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stderr);
}

// Throws EnvironmentError where something of the answers could not be written.
void finish_answers();

// To be called first. Standard streams that are closed are opened on nothing, so that no file of
// the program gets their numbers, and a reader that goes away ends nothing.
void guard_standard_streams();

}  // namespace qb
