#include "plots/frame/text.h"

#include <algorithm>
#include <utility>

namespace qb {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string current;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view found = text.substr(at, end - at);
    at = end + 1;
    if (found.empty()) continue;
    if (!current.empty() && characters(current) + 1 + characters(found) > columns) {
      lines.push_back(std::move(current));
      current.clear();
    }
    if (!current.empty()) current += ' ';
    current += found;
  }
  if (!current.empty()) lines.push_back(std::move(current));
  return lines;
}

}  // namespace qb
