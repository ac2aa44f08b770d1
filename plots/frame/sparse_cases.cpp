// SPDX-License-Identifier: Apache-2.0
#include "plots/frame/sparse_cases.h"

namespace qb {
namespace {

// Names the kinds that a union or an intersection lists: causal longformer, global + random.
std::string kind_name(std::string_view mask) {
  std::string kind = pattern_kind(mask);
  if (kind != "all_of" && kind != "any_of") return kind;
  const std::size_t list = mask.find('[');
  if (list == std::string_view::npos) return kind;
  std::string name;
  int depth = 0;
  bool at_item = true;
  for (std::size_t i = list + 1; i < mask.size() && depth >= 0; ++i) {
    if (at_item && mask[i] != ' ') {
      const std::string_view item = mask.substr(i);
      const std::string own = item.front() == '{'
                                  ? kind_name(item)
                                  : std::string(item.substr(0, item.find_first_of(",]")));
      name += (name.empty() ? "" : kind == "all_of" ? " " : " + ") + own;
      at_item = false;
    }
    if (mask[i] == '{' || mask[i] == '[') ++depth;
    if (mask[i] == '}' || mask[i] == ']') --depth;
    if (mask[i] == ',' && depth == 0) at_item = true;
  }
  return name.empty() ? kind : name;
}

std::string device_name(const Row& row) {
  if (!row.is("device", "cuda")) return "CPU";
  return row.is("gpu", "") ? "GPU" : row.text("gpu");
}

// Two runs of one device would have lines of one name.
void tell_runs_apart(Groups& lines) {
  std::map<std::pair<std::string, std::string>, int> lines_of_name;
  for (const Group& line : lines) ++lines_of_name[{line.key[2], line.name}];
  for (Group& line : lines)
    if (lines_of_name[{line.key[2], line.name}] > 1) line.name += ", " + line.rows[0].at("run");
}

}  // namespace

std::string pattern_kind(std::string_view mask) {
  if (mask.empty() || mask.front() != '{') return std::string(mask);
  return std::string(mask.substr(1, mask.find(':') - 1));
}

std::map<std::string, std::string> mask_names(const std::set<std::string>& masks) {
  std::map<std::string, int> kinds;
  for (const std::string& mask : masks) ++kinds[kind_name(mask)];
  std::map<std::string, std::string> names;
  for (const std::string& mask : masks) {
    std::string name = kind_name(mask);
    if (kinds[name] > 1 && mask.starts_with('{')) {
      std::string inside = mask.substr(mask.find(':') + 1);
      std::erase_if(inside, [](char c) { return c == '{' || c == '}'; });
      name += ',' + inside;
    }
    names.emplace(mask, std::move(name));
  }
  return names;
}

SparseCases::SparseCases(const CsvTable& cases) {
  const Rows rows = order(where(standing_rows(cases), ran), number_in("n_tokens"));
  Columns told_by = {"mask", "kernel", "device"};
  if (cases.has("run")) told_by.emplace_back("run");
  Columns others = splitting_columns(rows, joined({"n_tokens", "kv_len"}, told_by));
  others.insert(others.begin(), told_by.begin() + 2, told_by.end());
  base_columns_ = joined({"n_tokens"}, others);
  for (const Row& row : where(where(rows, "mask", {"full"}), "kernel", {"flash"}))
    dense_[values_of(row, base_columns_)] = row;

  std::set<std::string> masks;
  std::set<std::string> kernels;
  for (const Row& row : rows) {
    masks.insert(row.text("mask"));
    kernels.insert(row.text("kernel"));
  }
  const std::map<std::string, std::string> names = mask_names(masks);
  std::map<std::string, std::map<std::string, int>> masks_of_kind;
  const Columns shown(others.begin() + static_cast<std::ptrdiff_t>(told_by.size()) - 2,
                      others.end());
  lines_ = group(rows, joined({"mask", "kernel"}, others));
  for (Group& line : lines_) {
    const std::string& mask = line.key[0];
    const std::string& kernel = line.key[1];
    line.name = names.at(mask) + (kernels.size() > 1 ? ", " + kernel : "");
    line.name = name_with(line.name, line.rows.front(), shown);
    const std::string kind = pattern_kind(mask);
    std::map<std::string, int>& seen = masks_of_kind[kind];
    line.style =
        pattern_style(kind, seen.emplace(mask, static_cast<int>(seen.size())).first->second);
    line.style.dash = static_cast<int>(std::distance(kernels.begin(), kernels.find(kernel)));
  }
  tell_runs_apart(lines_);
  devices_ = group(rows, Columns{"device"});
  if (devices_.size() > 1)
    for (Group& device : devices_) device.name = device_name(device.rows.front());
}

bool SparseCases::has_patterns() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const Group& line) { return line.key[0].starts_with('{'); });
}

Point SparseCases::over_ideal(const Row& row) const {
  const auto dense = dense_.find(values_of(row, base_columns_));
  if (dense == dense_.end() || dense->second == row) return {};
  const double n = row.number("n_tokens");
  const double keys = row.number("kv_len");
  return scaled(time_ratio(row, dense->second, "wall_time"),
                n * (keys > 0.0 ? keys : n) / row.number("unmasked_pairs"));
}

}  // namespace qb
