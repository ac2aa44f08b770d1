// SPDX-License-Identifier: Apache-2.0
// For fuzzing only (cmake/fuzz.sh): damages texts. Half of the changes are libFuzzer's own, of any
// bytes; the others replace one field or word, which keeps the form that most readers refuse first.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/hash.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

constexpr std::string_view kBetweenWords = " ,:\"'[]{}\n";
constexpr std::string_view kWords[] = {
    "",        "0",    "-1",     "1",    "7",    "64",    "2147483648", "9223372036854775807",
    "1e308",   "nan",  "1e-320", "null", "true", "dense", "cqs",        "ulysses",
    "threads", "error"};

struct Word {
  std::size_t begin;
  std::size_t end;
};

Word word_at(std::string_view text, std::size_t at) {
  const std::size_t before = text.find_last_of(kBetweenWords, at);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return {begin, std::min(text.find_first_of(kBetweenWords, begin), text.size())};
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  qb::SplitMix64 random(seed);
  if (size == 0 || random() % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Word at = word_at(text, random() % size);
  std::string word = text.substr(at.begin, at.end - at.begin);
  if (const auto kind = random() % 3; kind == 0) {
    const Word other = word_at(text, random() % size);
    word = text.substr(other.begin, other.end - other.begin);
  } else if (kind == 1) {
    word = kWords[random() % std::size(kWords)];
  } else {
    const std::size_t length = word.size();
    word.resize(length + 16);
    word.resize(
        LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(word.data()), length, word.size()));
  }
  const std::string changed = text.substr(0, at.begin) + word + text.substr(at.end);
  const std::size_t length = std::min(changed.size(), most);
  std::copy_n(changed.begin(), length, data);
  return length;
}
