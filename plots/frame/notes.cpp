// SPDX-License-Identifier: Apache-2.0
// The sentences below figures that say how their numbers were obtained and what is missing.
#include "plots/frame/claims.h"

namespace qb {
namespace {

// The reason in a message of a failed case, without what follows it.
std::string short_reason(const Row& row) {
  const std::string& message = row.text("message");
  const std::string text = message.substr(0, message.find_first_of("(;:"));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

Rows measured_rows(const Rows& rows) {
  return where(rows, [](const Row& row) { return ran(row) && !modelled(row); });
}

// Which cases have no point, and why; memory that ran out has its own marks.
std::string missing_note(const CsvTable& cases) {
  const Rows rows = standing_rows(cases);
  std::vector<Omission> missing;
  for (const Group& status :
       group(where(rows, [](const Row& row) { return !ran(row) && !out_of_memory(row); }),
             Columns{"status"}))
    missing.push_back({.number = status.rows.size(),
                       .what = "case",
                       .reason = status_reason(status),
                       .of = rows.size()});
  return not_drawn(missing);
}

// Tells what a note is about by its first words; most say what marks and lines mean.
int need_of(const std::string& note) {
  using Openings = std::initializer_list<std::string_view>;
  const auto opens = [&](Openings words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return note.starts_with(word); });
  };
  if (opens({"Model", "Predicted", "Published", "No published", "Base at", "Serial"})) return 1;
  if (opens({"Not drawn", "Out of memory"})) return 2;
  return opens({"Drawn", "N = ", "W = "}) ? 3 : 0;
}

}  // namespace

void order_by_need(std::vector<std::string>& notes) {
  std::ranges::stable_sort(notes, {}, need_of);
}

std::string status_reason(const Group& status) {
  constexpr std::size_t kLongest = 60;
  std::set<std::string> messages;
  for (const Row& row : status.rows) messages.insert(short_reason(row));
  const bool told =
      messages.size() == 1 && !messages.begin()->empty() && messages.begin()->size() <= kLongest;
  return listed({status.key[0], told ? *messages.begin() : ""}, ": ");
}

std::string interval_note(const Rows& rows) {
  const Rows repeated = where(rows, [](const Row& row) {
    return row.number("n_samples") >= 2.0 && row.number("interval_coverage") > 0.0;
  });
  if (repeated.empty()) return "Single repeats, without bars.";
  const auto span = [&](NumberColumn column, double factor) {
    return range_text(
        numbers_of(repeated, [&](const Row& row) { return factor * row.number(column); }));
  };
  const bool single =
      count(rows, [](const Row& row) { return row.number("n_samples") == 1.0; }) > 0;
  return fmt::format("Bars: {} % intervals, {} repeats{}.", span("interval_coverage", kPercent),
                     span("n_samples", 1.0), single ? "; none at single repeats" : "");
}

std::string rounding_note(const Rows& rows, const std::function<double(const Row&)>& error) {
  constexpr std::pair<std::string_view, double> kRoundings[] = {{"f16", 0x1p-11}, {"bf16", 0x1p-8}};
  std::vector<std::string> below;
  for (const auto& [type, rounding] : kRoundings)
    if (count(where(rows, "dtype", {type}),
              [&, most = rounding](const Row& row) { return error(row) < most; }) > 0)
      below.push_back(fmt::format("{} {:.1e}", type, rounding));
  return below.empty() ? ""
                       : fmt::format(
                             "Inputs have the type, results stay f32: errors may be below "
                             "its own rounding ({}).",
                             listed(below));
}

std::vector<std::string> case_notes(const CsvTable& cases) {
  const Rows rows = standing_rows(cases);
  const Rows measured = measured_rows(rows);
  return joined_notes({{interval_note(measured.empty() ? rows : measured), missing_note(cases)}});
}

std::vector<std::string> timing_notes(const Rows& rows) {
  if (rows.empty()) return {};
  const std::size_t of_model = count(rows, modelled);
  const std::size_t lost = count(rows, out_of_memory);
  return joined_notes(
      {{of_model == rows.size() ? "" : interval_note(measured_rows(rows)),  // those have no bars
        missing_note(*rows.front().table),
        lost > 0 ? fmt::format("Out of memory: {} of {} cases.", lost, rows.size()) : "",
        of_model > 0 ? kModelNote : "",
        where(rows, "ranks", {"serial"}).empty()
            ? ""
            : "Serial: workers computed in turn; messages cost nothing."}});
}

std::vector<std::string> joined_notes(std::initializer_list<std::vector<std::string>> parts) {
  std::vector<std::string> notes;
  for (const std::vector<std::string>& part : parts)
    for (const std::string& note : part)
      if (!note.empty()) notes.push_back(note);
  return notes;
}

}  // namespace qb
