// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/files.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/temporary_folder.h"
#include "plots/frame/figure_layout.h"
#include "plots/frame/table.h"

namespace qb {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kFormats = {"svg", "pdf", "png"};

// Runs a script in its folder. Returns a sentence if gnuplot fails.
std::optional<std::string> failure_of_gnuplot(const fs::path& script) {
  const std::string command = fmt::format("cd -- {} && exec gnuplot {} 2>&1 >/dev/null </dev/null",
                                          shell_quote(script.parent_path().string()),
                                          shell_quote(script.filename().string()));
  FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return fmt::format("cannot run gnuplot: {}", std::strerror(errno));
  std::string message;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe))
    message += static_cast<char>(letter);
  const int status = ::pclose(pipe);
  if (status == 0) return std::nullopt;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return "cannot run gnuplot: install gnuplot-nox";
  message.erase(message.find_last_not_of(" \n") + 1);
  const std::size_t last_line = message.rfind('\n') + 1;  // 0 if there is one line
  return fmt::format("gnuplot failed on {}: {}", script.string(), message.substr(last_line));
}

// The drawing library writes the time of day into a PDF; the same figure must be the same file.
// (Since cairo 1.18 the time is in a compressed stream and stays.)
void fix_creation_date(const std::string& path) {
  constexpr std::string_view key = "/CreationDate (D:";
  constexpr std::string_view date = "20000101000000";
  std::string pdf = read_file(path);
  const std::size_t at = pdf.find(key);
  if (at == std::string::npos || at + key.size() + date.size() > pdf.size()) return;
  pdf.replace(at + key.size(), date.size(), date);
  write_file_atomically(path, pdf);
}

void append_point(CsvTable& table, const std::vector<std::string>& key, const Point& point) {
  std::vector<std::string> row = key;
  for (const double value : {point.x, point.y, point.low, point.high})
    row.push_back(to_text(value));
  const bool disturbed = table.header().back() == kCsvDisturbed;
  if (row.size() + (disturbed ? 1 : 0) < table.header().size())
    for (const double value : {point.x_low, point.x_high}) row.push_back(to_text(value));
  if (disturbed) row.emplace_back(point.disturbed ? "1" : "0");
  table.append(std::move(row));
}

}  // namespace

std::vector<std::string> write_figure(const Figure& figure, const std::string& directory) {
  if (!figure.empty_reason.empty())
    throw UsageError(fmt::format("{}: {}", figure.name, figure.empty_reason));
  ensure_directory(directory);
  const std::string stem = (fs::path(directory) / figure.name).string();
  std::vector<std::string> paths = {stem + ".csv", stem + ".gp"};
  write_file_atomically(paths[0], figure_csv(figure).to_string());
  write_file_atomically(paths[1], gnuplot_script(figure));
  std::error_code ignored;
  for (const std::string_view format : kFormats) {
    paths.push_back(fmt::format("{}.{}", stem, format));
    fs::remove(paths.back(), ignored);  // an old picture must not pass for a new one
  }
  if (const auto failure = failure_of_gnuplot(paths[1])) {
    for (std::size_t i = 2; i < paths.size(); ++i) fs::remove(paths[i], ignored);
    throw EnvironmentError(*failure);
  }
  for (std::size_t i = 2; i < paths.size(); ++i)
    if (!fs::exists(paths[i]) || fs::file_size(paths[i]) == 0)
      throw EnvironmentError(fmt::format("gnuplot left no {}: is the disk full?", paths[i]));
  fix_creation_date(paths[3]);
  if (figure.paper_width_in > 0.0) {
    paths.push_back(stem + ".tex");
    write_file_atomically(paths.back(), caption_latex(figure));
  }
  return paths;
}

std::string caption_latex(const Figure& figure) {
  std::string text = latex_escape(figure.title) + ".";
  for (const std::string& note : figure.notes) text += '\n' + latex_escape(note);
  if (!figure.subtitle.empty()) text += '\n' + latex_escape(figure.subtitle) + '.';
  return fmt::format("\\caption{{{}}}\n\\label{{fig:{}}}\n", text, figure.name);
}

void require_picture_format(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension.empty() || std::ranges::count(kFormats, extension.substr(1)) == 0)
    throw UsageError(fmt::format("{}: a picture ends in .svg, .pdf or .png", path));
}

void write_picture(const Figure& figure, const std::string& path) {
  require_picture_format(path);
  in_temporary_folder([&](const std::string& folder) {
    for (const std::string& file : write_figure(figure, folder))
      if (fs::path(file).extension() == fs::path(path).extension())
        write_file_atomically(path, read_file(file));
  });
}

CsvTable figure_csv(const Figure& figure) {
  CsvTable table(csv_columns(figure));
  std::set<std::tuple<std::size_t, std::string, std::string>> seen;
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Scale x = x_scale(figure, p);
    for (const Series& series : figure.panels[p].series) {
      const std::string kind(kind_word(series));
      if (!seen.insert({p, series.name, kind}).second)
        throw std::logic_error(
            fmt::format("figure {}: two series '{}' in one panel", figure.name, series.name));
      const std::vector<std::string> key = {fmt::format("{}", p + 1), series.name, kind};
      if (series.draw == Draw::limit) {
        for (const double end : {x.min, x.max})
          append_point(table, key, {.x = end, .y = series.points.at(0).y});
        continue;
      }
      for (const Point& point : series.points) append_point(table, key, point);
    }
  }
  return table;
}

}  // namespace qb
