// SPDX-License-Identifier: Apache-2.0
// What the titles of declared figures claim.
#include <cctype>
#include <ranges>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "plots/frame/claims.h"
#include "plots/frame/declared.h"

namespace qb {
namespace {

constexpr double kSame = 1.001;  // values as near as this are one

std::string ratio_text(double ratio) {
  if (ratio < 1e3) return fmt::format("{:.3g}", ratio);
  const double digit = std::pow(10.0, std::floor(std::log10(ratio)) - 2.0);
  return grouped(std::round(ratio / digit) * digit);
}

// Whether two rows differ in one parameter alone.
bool differ_in_one(const Row& a, const Row& b) {
  return std::ranges::count_if(kParameterFields, [&](const Field& field) {
           return own_value(a, std::string(field.column)) !=
                  own_value(b, std::string(field.column));
         }) == 1;
}

// Whether the title may speak of a row's value.
bool may_tell(const Row& row, const ShownValue& value) {
  const double y = value.value(row).y;
  if (!ran(row) || !(y > 0.0) || (value.timed && !counts(row))) return false;
  if (!value.quotient()) return true;
  const auto base = value.base(row);
  return base && counts(*base);
}

std::string at_x(const Row& row, const DeclaredClaim& claim) {
  const std::string& x = claim.declared.x;
  const std::string name = name_of(row, x);
  const bool words = std::isnan(claim.x(row)) ||
                     (find_field(x) != nullptr && !is_number_kind(find_field(x)->kind));
  return (words ? "With " : "At ") + name + (words ? "," : "");
}

std::string in_panel(const DeclaredClaim& claim, const DeclaredPanel& panel) {
  const bool several = claim.panels.size() > claim.values.size();
  return several && !panel.name.empty() ? fmt::format(" ({})", panel.name) : "";
}

// Two rows of one x, whose values are farthest apart.
struct Farthest {
  std::string more{};
  std::string less{};
  Row row{};  // of the less
  Row other{};
  double ratio = 0.0;
};

Farthest farthest_at(const DeclaredPanel& panel, const ShownValue& value, double x,
                     const DeclaredClaim& claim, const ModelGrade& grade) {
  std::vector<std::pair<const Group*, Row>> there;
  for (const Group& line : panel.lines)
    for (const Row& row : line.rows)
      if (claim.x(row) == x && may_tell(row, value)) there.emplace_back(&line, row);
  Farthest best;
  for (const auto& [line, row] : there)
    for (const auto& [other, more] : there) {
      const double ratio = value.value(more).y / value.value(row).y;
      if (ratio <= std::fmax(best.ratio, kSame) || modelled(row) != modelled(more)) continue;
      if (!comparable(row, more) && !differ_in_one(row, more)) continue;
      if (value.timed && side_of(row, more, grade).value_or(0) == 0) continue;
      // The clocks are apart, and so are the intervals of the value itself, if it has any.
      if (!modelled(row) && value.value(more).low <= value.value(row).high) continue;
      best = {other->name, line->name, row, more, ratio};
    }
  return best;
}

// Compares two lines at the greatest x where two may be compared.
std::string farthest_title(const DeclaredClaim& claim, std::size_t at, const ModelGrade& grade) {
  const ShownValue& value = claim.values[at];
  const std::size_t groups = claim.panels.size() / claim.values.size();
  for (std::size_t g = 0; g < groups; ++g) {
    const DeclaredPanel& panel = claim.panels[at * groups + g];
    std::set<double, std::greater<>> places;
    for (const Group& line : panel.lines)
      for (const Row& row : line.rows) places.insert(claim.x(row));
    for (const double x : places)
      if (const Farthest found = farthest_at(panel, value, x, claim, grade); found.ratio > 0.0)
        return modelled_first(
            {found.row, found.other},
            fmt::format("{} {} has {} times the {} of {}{}", at_x(found.row, claim), found.more,
                        ratio_text(found.ratio), value.name, found.less, in_panel(claim, panel)));
  }
  return {};
}

// Says between which x a line's quotient passes through 1, by times that are told apart.
std::string crossing_of(const Group& line, const ShownValue& value, const DeclaredClaim& claim,
                        const ModelGrade& grade) {
  std::string before;
  int side = 0;
  std::vector<std::string> found;
  for (const Row& row : line.rows) {
    if (!may_tell(row, value)) continue;
    const auto now = side_of(row, *value.base(row), grade);
    if (!now || *now == 0) continue;
    const std::string place = name_of(row, claim.declared.x);
    if (side != 0 && *now != side) found.push_back(fmt::format("{} and {}", before, place));
    side = *now;
    before = place;
  }
  return found.empty() ? "" : "; it passes 1 between " + listed(found, ", and between ");
}

// Says what the line reaches that gains most at its greatest x.
std::string reached_title(const DeclaredClaim& claim, const ModelGrade& grade) {
  const std::size_t groups = claim.panels.size() / claim.values.size();
  const std::size_t last = claim.values.size() - 1;  // the whole gain is the last value
  const ShownValue& value = claim.values[last];
  std::optional<std::pair<std::size_t, std::size_t>> best;  // a panel, and a line of it
  std::pair<double, double> most(-kNaN, 0.0);
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t l = 0; l < claim.panels[g].lines.size(); ++l) {
      const Rows told = where(claim.panels[last * groups + g].lines[l].rows, [&](const Row& row) {
        return may_tell(row, value) && !(*value.base(row) == row);
      });
      if (told.empty()) continue;
      const double gain = value.value(told.back()).y;
      const double better = value.more_is_better ? gain : 1.0 / gain;
      if (best && std::pair(claim.x(told.back()), better) <= most) continue;
      most = {claim.x(told.back()), better};
      best = {g, l};
    }
  if (!best) return {};
  std::vector<std::string> said;
  Rows told;
  for (std::size_t v = 0; v <= last; ++v) {
    const ShownValue& one = claim.values[v];
    if (!one.quotient()) continue;
    told = where(claim.panels[v * groups + best->first].lines[best->second].rows,
                 [&](const Row& row) { return may_tell(row, one) && !(*one.base(row) == row); });
    if (told.empty()) continue;
    said.push_back(fmt::format("{} {}", one.name, range_text(numbers_of(told, [&](const Row& row) {
                                 return one.value(row).y * one.unit.factor;
                               }))));
  }
  const DeclaredPanel& panel = claim.panels[last * groups + best->first];
  const Group& line = panel.lines[best->second];
  const std::string crossing =
      claim.declared.base.empty() ? "" : crossing_of(line, value, claim, grade);
  return modelled_first(
      told, fmt::format("{}{}: {}{}", line.name, in_panel(claim, panel), listed(said), crossing));
}

// Says which line runs out of memory where another one that compares does not.
std::string fits_title(const DeclaredClaim& claim, const std::string& limit) {
  for (const DeclaredPanel& panel : claim.panels)
    for (const Group& line : std::views::reverse(panel.lines))
      for (const Group& other : panel.lines)
        for (const Row& row : std::views::reverse(line.rows))
          for (const Row& more : other.rows) {
            if (!ran(row) || !out_of_memory(more) || !comparable(row, more)) continue;
            Row first = more;  // from which on none fits
            for (const Row& shorter : std::views::reverse(other.rows))
              if (ran(shorter))
                break;
              else if (out_of_memory(shorter))
                first = shorter;
            return fmt::format("{} does not fit into {} from {} on; {} fits at {}", other.name,
                               limit, name_of(first, claim.declared.x), line.name,
                               name_of(row, claim.declared.x));
          }
  return {};
}

}  // namespace

std::string declared_title(const DeclaredClaim& claim) {
  const ModelGrade grade = claim.run.model_grade();
  std::string title;
  if (claim.declared.bound == "memory" && claim.memory_limit > 0.0)
    title = fits_title(claim, format_bytes(claim.memory_limit));
  if (title.empty() && claim.values.back().quotient()) title = reached_title(claim, grade);
  for (std::size_t at = 0; title.empty() && at < claim.values.size(); ++at)
    if (!claim.values[at].quotient()) title = farthest_title(claim, at, grade);
  if (!title.empty()) return title;
  std::vector<std::string> names;
  for (const ShownValue& value : claim.values) names.push_back(value.name);
  const std::string& x = claim.declared.x;
  title = fmt::format("{} against {}", listed(names),
                      replaced(find_parameter_field(x) != nullptr ? parameter_heading(x) : x,
                               {{"_", " "}, {" byte per s", ""}}));
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  return title;
}

}  // namespace qb
