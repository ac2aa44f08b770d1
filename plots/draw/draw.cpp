// SPDX-License-Identifier: Apache-2.0
#include "plots/draw/draw.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/files.h"
#include "base/numbers.h"
#include "base/source_root.h"
#include "base/status.h"
#include "base/words.h"
#include "plots/frame/table.h"

namespace qb {
namespace embedded {
extern const std::string_view edit_py;
}  // namespace embedded
namespace {

namespace fs = std::filesystem;

// Debian's python3 comes first: another one in PATH does not see Debian's packages.
std::string python() {
  if (const char* const named = std::getenv("QB_PYTHON"); named != nullptr) return named;
  return fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

// Gives what the renderer says of each figure that it left out, or else the last line.
std::string sentences_of(const std::string& message) {
  constexpr std::string_view kRenderer = "qbdraw: ";
  std::vector<std::string> sentences;
  std::string last;
  for (const std::string_view line : split_words(message, "\n")) {
    last = line;
    if (line.starts_with(kRenderer)) sentences.emplace_back(line.substr(kRenderer.size()));
  }
  return sentences.empty() ? last : fmt::format("{}", fmt::join(sentences, "\n"));
}

// Starts the renderer on these JSON files. Throws as write_figures() does.
void render(const std::vector<std::string>& files, const DrawOptions& options) {
  const std::string renderer = source_path("plots/draw/qbdraw");
  if (!fs::exists(renderer))  // as on a bare machine with a GPU: figures are drawn elsewhere
    throw EnvironmentError(fmt::format("there is no {} to draw figures", renderer));
  std::string command = fmt::format("exec {} {} --format {}", shell_quote(python()),
                                    shell_quote(renderer), fmt::join(options.formats, ","));
  for (const std::vector<std::string>* words : {&options.words, &files})
    for (const std::string& word : *words) command += ' ' + shell_quote(word);
  FILE* const pipe = ::popen((command + " 2>&1 >/dev/null </dev/null").c_str(), "re");
  if (pipe == nullptr)
    throw EnvironmentError(fmt::format("cannot start {}: {}", python(), std::strerror(errno)));
  std::string message;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe))
    message += static_cast<char>(letter);
  const int status = ::pclose(pipe);
  if (status == 0) return;
  const std::string said = sentences_of(message);
  if (WIFEXITED(status) && WEXITSTATUS(status) == static_cast<int>(ExitCode::usage))
    throw UsageError(said);
  if (message.find("No module named 'matplotlib'") != std::string::npos ||
      (WIFEXITED(status) && WEXITSTATUS(status) == 127))
    throw EnvironmentError(fmt::format(
        "figures are drawn by {} with matplotlib, which is missing: install python3-matplotlib",
        python()));
  throw EnvironmentError(fmt::format("the renderer of figures failed: {}", said));
}

// A column of the CSV of marks, and what stands there of a mark.
using MarkColumn = std::pair<std::string, std::function<std::string(const Point&)>>;

std::vector<MarkColumn> mark_columns(const Figure& figure) {
  std::string x = figure.panels.at(0).x.column;
  std::string y = figure.panels.at(0).y.column;
  for (const Panel& panel : figure.panels) {
    if (panel.x.column != x) x.assign(1, 'x');
    if (panel.y.column != y) y.assign(1, 'y');
  }
  const auto any = [&](const auto& has) {
    return std::ranges::any_of(figure.panels, [&](const Panel& panel) {
      return std::ranges::any_of(panel.series, [&](const Series& series) {
        return std::ranges::any_of(series.points, has);
      });
    });
  };
  const auto number = [](double Point::*of) {
    return [of](const Point& point) { return to_text(point.*of); };
  };
  std::vector<MarkColumn> columns = {{x, number(&Point::x)},
                                     {y, number(&Point::y)},
                                     {y + "_low", number(&Point::low)},
                                     {y + "_high", number(&Point::high)}};
  if (any([](const Point& one) { return std::isfinite(one.x_low) || std::isfinite(one.x_high); })) {
    columns.emplace_back(x + "_low", number(&Point::x_low));
    columns.emplace_back(x + "_high", number(&Point::x_high));
  }
  if (any([](const Point& one) { return !one.text.empty(); }))
    columns.emplace_back("text", &Point::text);
  for (std::size_t i = 0; i < figure.more_columns.size(); ++i)
    columns.emplace_back(figure.more_columns[i], [i](const Point& point) {
      return i < point.more.size() ? point.more[i] : "";
    });
  if (any(&Point::disturbed))
    columns.emplace_back("disturbed", [](const Point& one) { return one.disturbed ? "1" : "0"; });
  return columns;
}

// Writes what the renderer reads, and lists all files of the figure.
std::vector<std::string> write_declaration(const Figure& figure, const std::string& directory,
                                           const DrawOptions& options) {
  const std::string stem = (fs::path(directory) / figure.name).string();
  std::vector<std::string> paths = {stem + ".csv", stem + ".json"};
  write_file_atomically(paths[0], figure_csv(figure).to_string());
  write_file_atomically(paths[1], figure_json(figure));
  for (const std::string& format : options.formats) {
    paths.push_back(fmt::format("{}.{}", stem, format));
    std::error_code ignored;
    fs::remove(paths.back(), ignored);  // an old picture must not pass for a new one
  }
  const auto has = [&](const char* format) {
    return std::ranges::count(options.formats, format) > 0;
  };
  if (has("pdf") || has("pgf")) {
    paths.push_back(stem + ".tex");
    write_file_atomically(paths.back(), caption_latex(figure));
  }
  paths.push_back(stem + ".py");
  write_file_atomically(paths.back(), std::string(embedded::edit_py));
  return paths;
}

}  // namespace

std::vector<std::vector<std::string>> write_figures(std::span<const Figure> figures,
                                                    const std::string& directory,
                                                    const DrawOptions& options) {
  std::vector<std::vector<std::string>> written;
  std::vector<std::string> declarations;
  for (const Figure& figure : figures)
    if (!figure.empty_reason.empty())
      throw UsageError(fmt::format("{}: {}", figure.name, figure.empty_reason));
  ensure_directory(directory);
  for (const Figure& figure : figures) {
    written.push_back(write_declaration(figure, directory, options));
    declarations.push_back(written.back()[1]);
  }
  if (!declarations.empty()) render(declarations, options);
  for (const std::vector<std::string>& paths : written)
    for (const std::string& path : paths)
      if (!fs::exists(path) || fs::file_size(path) == 0)
        throw EnvironmentError(fmt::format("the renderer left no {}: is the disk full?", path));
  return written;
}

std::string caption_latex(const Figure& figure) {
  std::string text = latex_escape(figure.title) + ".";
  if (!figure.finding.empty()) text += '\n' + latex_escape(figure.finding);
  for (const std::string& note : figure.notes) text += '\n' + latex_escape(note);
  if (!figure.subtitle.empty()) text += '\n' + latex_escape(figure.subtitle) + '.';
  return fmt::format("\\caption{{{}}}\n\\label{{fig:{}}}\n", text, figure.name);
}

void require_picture_format(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  const std::vector<std::string> formats = DrawOptions{}.formats;
  if (extension.empty() || std::ranges::count(formats, extension.substr(1)) == 0)
    throw UsageError(fmt::format("{}: a picture ends in .svg, .pdf or .png", path));
}

void write_picture(const Figure& figure, const std::string& path) {
  require_picture_format(path);
  in_temporary_folder([&](const std::string& folder) {
    const std::string format = fs::path(path).extension().string().substr(1);
    const auto written = write_figures({&figure, 1}, folder, {.formats = {format}});
    write_file_atomically(path, read_file(written.front()[2]));
  });
}

std::string_view kind_word(const Series& series) {
  if (is_cross(series) || series.draw == Draw::limit) return word(series.draw);
  return series.published ? "published" : "data";
}

CsvTable figure_csv(const Figure& figure) {
  const std::vector<MarkColumn> columns = mark_columns(figure);
  std::vector<std::string> header = {"panel", "panel_title", "series", "kind"};
  for (const MarkColumn& column : columns) header.push_back(column.first);
  CsvTable table(header);
  std::set<std::tuple<std::size_t, std::string, std::string>> seen;
  for (std::size_t p = 0; p < figure.panels.size(); ++p)
    for (const Series& series : figure.panels[p].series) {
      const std::string kind(kind_word(series));
      if (!seen.insert({p, series.name, kind}).second)
        throw std::logic_error(
            fmt::format("figure {}: two series '{}' in one panel", figure.name, series.name));
      for (const Point& point : series.points) {
        std::vector<std::string> row = {fmt::format("{}", p + 1), figure.panels[p].title,
                                        series.name, kind};
        for (const MarkColumn& column : columns) row.push_back(column.second(point));
        table.append(std::move(row));
      }
    }
  return table;
}

}  // namespace qb
