#include "plots/frame/sparse_cases.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "plots/frame/case_series.h"
#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

std::string text_if_there(const CsvTable& cases, std::size_t row, const char* column) {
  return cases.has(column) ? cases.text(row, column) : std::string();
}

}  // namespace

SparseCases::SparseCases(const CsvTable& cases) : cases_(cases) {
  std::vector<std::size_t> rows;
  for (const std::size_t row : standing_rows(cases))
    if (ran(cases, row)) rows.push_back(row);
  std::vector<std::string> given;
  for (const char* column : {"n_tokens", "kv_len", "mask", "kernel", "device", "run"})
    if (cases.has(column)) given.emplace_back(column);
  others_ = splitting_columns(cases, rows, given);
  std::set<std::string> masks;
  std::set<std::string> kernels;
  std::map<std::tuple<std::string, std::string, std::vector<std::string>>, std::vector<std::size_t>>
      groups;
  for (const std::size_t row : rows) {
    const std::string& mask = cases.text(row, "mask");
    const std::string& kernel = cases.text(row, "kernel");
    masks.insert(mask);
    kernels.insert(kernel);
    std::vector<std::string> others = {text_if_there(cases, row, "device"),
                                       text_if_there(cases, row, "run")};
    for (const std::string& column : others_) others.push_back(cases.text(row, column));
    groups[{mask, kernel, std::move(others)}].push_back(row);
    if (mask == "full" && kernel == "flash") dense_[base_key(row)] = row;
  }
  const std::map<std::string, std::string> names = mask_names(masks);
  std::map<std::string, std::map<std::string, int>> masks_of_kind;
  for (auto& [key, members] : groups) {
    const auto& [mask, kernel, others] = key;
    std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      return cases.number(a, "n_tokens") < cases.number(b, "n_tokens");
    });
    SparseLine line{.device = others[0], .mask = mask, .kernel = kernel};
    line.name = names.at(mask);
    if (kernels.size() > 1) line.name += ", " + kernel;
    line.name = name_with(std::move(line.name), cases, members.front(), others_);
    const std::string kind = pattern_kind(mask);
    std::map<std::string, int>& seen = masks_of_kind[kind];
    line.style =
        pattern_style(kind, seen.emplace(mask, static_cast<int>(seen.size())).first->second);
    line.style.dash = static_cast<int>(std::distance(kernels.begin(), kernels.find(kernel)));
    line.rows = std::move(members);
    lines_.push_back(std::move(line));
  }
  // Two runs of one device would have lines of one name.
  std::map<std::pair<std::string, std::string>, int> count;
  for (const SparseLine& line : lines_) ++count[{line.device, line.name}];
  for (SparseLine& line : lines_)
    if (count[{line.device, line.name}] > 1)
      line.name += ", " + text_if_there(cases, line.rows.front(), "run");
}

bool SparseCases::has_patterns() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const SparseLine& line) { return line.mask.starts_with('{'); });
}

std::vector<std::string> SparseCases::devices() const {
  std::set<std::string> found;
  for (const SparseLine& line : lines_) found.insert(line.device);
  return {found.begin(), found.end()};
}

std::string SparseCases::device_name(const std::string& device) const {
  if (device != "cuda") return "CPU";
  for (const SparseLine& line : lines_)
    if (line.device == device)
      if (std::string gpu = text_if_there(cases_, line.rows.front(), "gpu"); !gpu.empty())
        return gpu;
  return "GPU";
}

double SparseCases::number(std::size_t row, const char* column) const {
  return cases_.has(column) ? cases_.number(row, column) : kNaN;
}

std::vector<std::string> SparseCases::base_key(std::size_t row) const {
  std::vector<std::string> key = {text_if_there(cases_, row, "device"),
                                  text_if_there(cases_, row, "run"), cases_.text(row, "n_tokens")};
  for (const std::string& column : others_) key.push_back(cases_.text(row, column));
  return key;
}

double SparseCases::dense_time_s(std::size_t row) const {
  const auto dense = dense_.find(base_key(row));
  return dense == dense_.end() ? kNaN : number(dense->second, "wall_time_median_s");
}

double SparseCases::kept_share(std::size_t row) const {
  // Of all N x N pairs, whether dense attention ran or not.
  const double n = number(row, "n_tokens");
  const double keys = number(row, "kv_len");
  return number(row, "unmasked_pairs") / (n * (keys > 0.0 ? keys : n));
}

double SparseCases::ideal_time_s(std::size_t row) const {
  return dense_time_s(row) * kept_share(row);
}

Point timed_point(const SparseCases& cases, std::size_t row, double factor) {
  return {.y = factor * cases.number(row, "wall_time_median_s"),
          .low = factor * cases.number(row, "wall_time_low95_s"),
          .high = factor * cases.number(row, "wall_time_high95_s")};
}

}  // namespace qb
