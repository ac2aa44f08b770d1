#include "plots/frame/sparse_cases.h"

#include "plots/frame/pattern_names.h"

namespace qb {
namespace {

std::string device_name(const Row& row) {
  if (!row.is("device", "cuda")) return "CPU";
  return row.is("gpu", "") ? "GPU" : row.text("gpu");
}

}  // namespace

SparseCases::SparseCases(const CsvTable& cases) {
  const Rows rows = order(where(standing_rows(cases), ran), "n_tokens");
  Columns told_by = {"mask", "kernel", "device"};
  if (cases.has("run")) told_by.emplace_back("run");
  others_ = splitting_columns(rows, joined({"n_tokens", "kv_len"}, told_by));
  others_.insert(others_.begin(), told_by.begin() + 2, told_by.end());
  for (const Row& row : where(where(rows, "mask", {"full"}), "kernel", {"flash"}))
    dense_[base_key(row)] = row;

  std::set<std::string> masks;
  std::set<std::string> kernels;
  for (const Row& row : rows) {
    masks.insert(row.text("mask"));
    kernels.insert(row.text("kernel"));
  }
  const std::map<std::string, std::string> names = mask_names(masks);
  std::map<std::string, std::map<std::string, int>> masks_of_kind;
  const Columns shown(others_.begin() + static_cast<std::ptrdiff_t>(told_by.size()) - 2,
                      others_.end());
  lines_ = group(rows, joined({"mask", "kernel"}, others_));
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
  // Two runs of one device would have lines of one name.
  std::map<std::pair<std::string, std::string>, int> lines_of_name;
  for (const Group& line : lines_) ++lines_of_name[{line.key[2], line.name}];
  for (Group& line : lines_)
    if (lines_of_name[{line.key[2], line.name}] > 1) line.name += ", " + line.rows[0].text("run");

  devices_ = group(rows, Columns{"device"});
  if (devices_.size() > 1)
    for (Group& device : devices_) device.name = device_name(device.rows.front());
}

bool SparseCases::has_patterns() const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [](const Group& line) { return line.key[0].starts_with('{'); });
}

std::string SparseCases::full_name(const Group& line) const {
  return devices_.size() < 2 ? line.name : listed({line.name, device_name(line.rows.front())});
}

std::vector<std::string> SparseCases::base_key(const Row& row) const {
  std::vector<std::string> key = {row.text("n_tokens")};
  for (const std::string& column : others_) key.push_back(row.text(column));
  return key;
}

double SparseCases::dense_time_s(const Row& row) const {
  const auto dense = dense_.find(base_key(row));
  return dense == dense_.end() ? kNaN : dense->second.number("wall_time_median_s");
}

double SparseCases::ideal_time_s(const Row& row) const {
  return dense_time_s(row) * kept_share(row);
}

double kept_share(const Row& row) {
  // The share is of all N x N pairs, whether dense attention ran or not.
  const double n = row.number("n_tokens");
  const double keys = row.number("kv_len");
  return row.number("unmasked_pairs") / (n * (keys > 0.0 ? keys : n));
}

double executed_ratio(const Row& row) {
  return row.number("executed_pairs") / row.number("unmasked_pairs");
}

}  // namespace qb
