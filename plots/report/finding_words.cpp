#include "plots/report/finding_parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "plots/frame/frame.h"
#include "plots/frame/table.h"

namespace qb::finding {

bool has_interval(const Point& point) {
  return std::isfinite(point.low) && std::isfinite(point.high);
}

namespace {

// Splits `time (ms)` into its name and its unit. A group that is divided by is not a unit: `T / (P
// + T)`.
std::pair<std::string, std::string> split_label(const std::string& label) {
  if (!label.ends_with(')')) return {label, ""};
  std::size_t open = label.size() - 1;
  for (int depth = 1; depth > 0 && open > 0;) {
    --open;
    depth += label[open] == ')' ? 1 : label[open] == '(' ? -1 : 0;
  }
  if (open < 2 || label[open - 1] != ' ' || label[open - 2] == '/') return {label, ""};
  return {label.substr(0, open - 1), label.substr(open + 1, label.size() - open - 2)};
}

}  // namespace

std::string name_of(const Axis& axis) {
  if (axis.column == "n_tokens") return "N";
  if (axis.column == "workers") return "W";
  if (axis.label.empty()) return replaced(axis.column, {{"_", " "}});
  return split_label(axis.label).first;
}

std::string unit_of(const Axis& axis) {
  if (axis.column == "n_tokens" || axis.column == "workers") return {};
  const std::string unit = split_label(axis.label).second;
  return unit.empty() ? unit : ' ' + unit;
}

std::string value_text(double value) {
  const bool long_one = std::abs(value) >= 1e3 && std::abs(value) < 1e15;
  return long_one ? format_grouped(static_cast<std::int64_t>(std::llround(value)))
                  : significant(value);
}

bool has_words(const Axis& axis) {
  return std::ranges::any_of(axis.tics,
                             [](const Axis::Tic& tic) { return !parse_real(tic.label); });
}

std::string place(const Axis& axis, double x) {
  for (const Axis::Tic& tic : axis.tics)
    if (tic.value == x && has_words(axis)) return tic.label;
  const bool whole = x == std::round(x) && std::abs(x) < 1e15;
  return fmt::format(
      "{} = {}{}", name_of(axis),
      whole ? format_grouped(static_cast<std::int64_t>(x)) : fmt::format("{:.4g}", x),
      unit_of(axis));
}

std::string with_interval(double value, double low, double high,
                          const std::function<std::string(double)>& text) {
  if (!std::isfinite(low) || !std::isfinite(high) || text(low) == text(high)) return text(value);
  return fmt::format("{} ({} to {})", text(value), text(low), text(high));
}

std::string panel_name(const Figure& figure, std::size_t panel) {
  if (figure.panels.size() < 2) return {};
  const std::string& title = figure.panels[panel].title;
  return fmt::format("panel {}{}", panel + 1, title.empty() ? "" : fmt::format(" ({})", title));
}

std::string sentence(const std::string& where, std::string_view article, const std::string& text) {
  if (where.empty()) return fmt::format("{}{}.", article, text);
  std::string small(article);
  if (!small.empty()) small.front() = static_cast<char>(small.front() - 'A' + 'a');
  return fmt::format("In {}, {}{}.", where, small, text);
}

}  // namespace qb::finding
