// SPDX-License-Identifier: Apache-2.0
// Reads data/papers/NAME.yaml.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/numbers.h"
#include "base/schema/column_fields.h"
#include "base/schema/parameter_fields.h"
#include "base/status.h"
#include "harness/papers/paper.h"
#include "harness/papers/quantities.h"

namespace qb {
namespace {

constexpr std::string_view kPaperKeys[] = {"title", "cite", "constants", "tables",
                                           "contradictions"};
constexpr std::string_view kTableKeys[] = {"file",    "title",    "hardware",
                                           "tokens",  "headline", "digitised",
                                           "columns", "claims",   "input_of"};
constexpr std::string_view kColumnKeys[] = {"role",    "is",     "at_most", "at_least",  "within",
                                            "because", "affine", "bytes",   "neighbours"};
constexpr std::string_view kNeighbourKeys[] = {"within", "because", "except"};
constexpr std::string_view kClaimKeys[] = {
    "name", "kind",   "what",  "where", "published", "ours",   "within", "because", "needs",
    "run",  "device", "match", "rule",  "x",         "series", "level",  "fitted"};
constexpr std::string_view kInputKeys[] = {"device", "where"};
constexpr std::string_view kContradictionKeys[] = {"name",   "says",   "evidence",    "known",
                                                   "weight", "remark", "transcribed", "excuse"};
constexpr std::string_view kEvidenceKeys[] = {"file", "claim", "column", "where"};
constexpr std::string_view kSources[] = {"ours", "model"};

// The columns of cases.csv, which `ours.` and `model.` read.
bool is_case_column(std::string_view name) {
  return std::ranges::find(kResultFields, name, &Field::column) != std::end(kResultFields) ||
         std::ranges::find(kParameterFields, name, &Field::column) != std::end(kParameterFields) ||
         std::ranges::find(kIdentityFields, name, &Field::column) != std::end(kIdentityFields);
}

void require_map(const YamlNode& node, std::span<const std::string_view> known,
                 std::string_view what) {
  if (node.kind != YamlNode::map) fail_at(node.place, fmt::format("{} is a map of keys", what));
  for (const YamlNode& entry : node.items)
    if (std::ranges::find(known, entry.key) == known.end())
      fail_at(entry.key_place, unknown_word("key", entry.key, known));
}

const YamlNode& require(const YamlNode& map, std::string_view key) {
  const YamlNode* const found = map.find(key);
  if (found == nullptr) fail_at(map.place, fmt::format("'{}:' is missing here", key));
  return *found;
}

std::string text_of(const YamlNode& node) {
  if (node.kind != YamlNode::scalar) fail_at(node.place, "this must be a text");
  return node.text.substr(0, node.text.find_last_not_of(" \n") + 1);
}

std::string text_or_empty(const YamlNode& map, std::string_view key) {
  const YamlNode* const found = map.find(key);
  return found == nullptr ? std::string() : text_of(*found);
}

double number_of(const YamlNode& node) {
  const auto number = node.kind == YamlNode::scalar ? parse_real(node.text) : std::nullopt;
  if (!number) fail_at(node.place, fmt::format("'{}' is not a number", node.text));
  return *number;
}

std::span<const YamlNode> list_of(const YamlNode& map, std::string_view key) {
  const YamlNode* const found = map.find(key);
  if (found == nullptr) return {};
  if (found->kind != YamlNode::list) fail_at(found->place, fmt::format("'{}:' takes a list", key));
  return found->items;
}

template <class E>
E word_of(const YamlNode& node) {
  const auto value = parse_word<E>(node.text);
  if (!value) fail_at(node.place, unknown_word(kWords<E>.what, node.text, all_words<E>()));
  return *value;
}

// `5 %` or `2 x`.
Tolerance read_tolerance(const YamlNode& map) {
  const YamlNode* const within = map.find("within");
  if (within == nullptr) return {.because = text_or_empty(map, "because")};
  Tolerance tolerance{.text = text_of(*within), .because = text_or_empty(map, "because")};
  const std::size_t blank = tolerance.text.find(' ');
  const std::string unit = blank == std::string::npos ? "" : tolerance.text.substr(blank + 1);
  const auto number = parse_real(tolerance.text.substr(0, blank));
  if (!number || (unit != "%" && unit != "x"))
    fail_at(within->place,
            fmt::format("'{}' is not a tolerance such as '5 %' or '2 x'", tolerance.text));
  tolerance.factor = unit == "%" ? 1.0 + *number / 100.0 : *number;
  if (!(tolerance.factor > 1.0)) fail_at(within->place, "a tolerance is above 0 % or 1 x");
  if (tolerance.because.empty())
    fail_at(within->place, "a tolerance needs its reason: 'because:' is missing here");
  return tolerance;
}

class Reader {
 public:
  Reader(std::string_view source, const std::function<CsvTable(const std::string&)>& cells_of)
      : source_(source), cells_of_(cells_of) {}

  Paper read(const YamlNode& root) {
    require_map(root, kPaperKeys, "an index of published tables");
    const std::size_t slash = source_.find_last_of('/');
    paper_.name = source_.substr(slash == std::string_view::npos ? 0 : slash + 1);
    paper_.name = paper_.name.substr(0, paper_.name.find('.'));
    paper_.title = text_of(require(root, "title"));
    paper_.cite = text_of(require(root, "cite"));
    if (const YamlNode* constants = root.find("constants"))
      for (const YamlNode& constant : constants->items)
        paper_.constants[constant.key] = number_of(constant);
    for (const YamlNode& table : list_of(root, "tables")) read_table(table);
    if (paper_.tables.empty()) fail_at(root.place, "a paper needs 'tables:'");
    for (const YamlNode& entry : list_of(root, "contradictions")) read_contradiction(entry);
    return std::move(paper_);
  }

 private:
  // Reads a formula and looks up all names in it.
  Expression formula(const YamlNode& node, const PublishedTable& table,
                     const Claim* claim = nullptr) {
    Expression read = at_place(node.place, [&] { return Expression(text_of(node)); });
    for (const CellReference& reference : read.references())
      at_place(node.place, [&] { check(reference, table, claim); });
    for (const std::string& function : read.functions())
      at_place(node.place, [&] { check_function(function); });
    return read;
  }
  std::optional<Expression> optional_formula(const YamlNode& map, std::string_view key,
                                             const PublishedTable& table,
                                             const Claim* claim = nullptr) {
    const YamlNode* const found = map.find(key);
    if (found == nullptr) return std::nullopt;
    return formula(*found, table, claim);
  }

  static void check_function(const std::string& name) {
    std::vector<std::string_view> names(std::begin(kFunctions), std::end(kFunctions));
    for (const Quantity& known : quantities()) names.push_back(known.name);
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(unknown_word("function", name, names));
  }

  void check(const CellReference& reference, const PublishedTable& table,
             const Claim* claim) const {
    if (std::ranges::find(kSources, reference.source) != std::end(kSources)) {
      if (claim == nullptr)
        throw UsageError(fmt::format("'{}.' is for claims only", reference.source));
      if (reference.source == "ours" && claim->run.empty())
        throw UsageError("'ours.' reads the run of an experiment: 'run:' is missing here");
      require_case_column(reference.column);
      for (const auto& binding : reference.bindings) require_case_column(binding.key);
      return;
    }
    const CsvTable other =
        reference.source.empty() ? CsvTable() : cells_of_(reference.source + ".csv");
    const CsvTable& cells = reference.source.empty() ? table.cells : other;
    if (!reference.selects && reference.source.empty() &&
        paper_.constants.contains(reference.column))
      return;
    require_column(cells, reference.column);
    for (const auto& binding : reference.bindings) require_column(cells, binding.key);
  }

  static void require_column(const CsvTable& cells, const std::string& name) {
    const std::vector<std::string_view> names(cells.header().begin(), cells.header().end());
    if (!cells.has(name)) throw UsageError(unknown_word("column", name, names));
  }
  static void require_case_column(const std::string& name) {
    if (!is_case_column(name))
      throw UsageError(fmt::format("cases.csv has no column '{}'; `qb columns` lists them", name));
  }

  void read_table(const YamlNode& node) {
    require_map(node, kTableKeys, "a table");
    PublishedTable table;
    const YamlNode& file = require(node, "file");
    table.file = text_of(file);
    table.cells = at_place(file.place, [&] { return cells_of_(table.file); });
    table.title = text_of(require(node, "title"));
    table.hardware = text_or_empty(node, "hardware");
    table.tokens = text_or_empty(node, "tokens");
    for (const YamlNode& input : list_of(node, "input_of"))
      table.input_of.push_back(read_input(input, table));
    read_columns(require(node, "columns"), table);
    read_headline(require(node, "headline"), table);
    table.digitised = text_or_empty(node, "digitised") == "true";
    if (!table.tokens.empty() && table.column(table.tokens).role != ColumnRole::key)
      fail_at(node.find("tokens")->place, "'tokens:' names a column that is a key");
    std::set<std::string> names;
    for (const YamlNode& claim : list_of(node, "claims")) {
      table.claims.push_back(read_claim(claim, table));
      if (!names.insert(table.claims.back().name).second)
        fail_at(claim.place,
                fmt::format("the claim '{}' is there twice", table.claims.back().name));
    }
    paper_.tables.push_back(std::move(table));
  }

  // A column, or a list of them.
  static void read_headline(const YamlNode& node, PublishedTable& table) {
    const std::span<const YamlNode> names =
        node.kind == YamlNode::list ? std::span<const YamlNode>(node.items) : std::span(&node, 1);
    for (const YamlNode& name : names) {
      at_place(name.place, [&] { require_column(table.cells, text_of(name)); });
      table.headline.push_back(text_of(name));
    }
  }

  // `a100`, or `{device: h100, where: batch_size = 1}`.
  PublishedTable::InputOf read_input(const YamlNode& node, const PublishedTable& table) {
    if (node.kind != YamlNode::map) return {text_of(node), {}};
    require_map(node, kInputKeys, "an input of a device");
    return {text_of(require(node, "device")), optional_formula(node, "where", table)};
  }

  void read_columns(const YamlNode& node, PublishedTable& table) {
    if (node.kind != YamlNode::map) fail_at(node.place, "'columns:' is a map of columns");
    const std::vector<std::string>& header = table.cells.header();
    // Roles first: formulas ask for keys.
    for (const YamlNode& entry : node.items) {
      at_place(entry.key_place, [&] { require_column(table.cells, entry.key); });
      const bool is_map = entry.kind == YamlNode::map;
      if (is_map) require_map(entry, kColumnKeys, "a column");
      table.columns.push_back(
          {.name = entry.key,
           .role = word_of<ColumnRole>(is_map ? require(entry, "role") : entry)});
    }
    for (const std::string& name : header)
      if (node.find(name) == nullptr)
        fail_at(node.place, fmt::format("column '{}' of {} has no role; one that explains the row "
                                        "is context",
                                        name, table.file));
    for (const PublishedColumn& column : table.columns)  // a time, memory or rate
      for (std::size_t row = 0; row < table.cells.size(); ++row)
        if (const std::string& text = table.cells.text(row, column.name);
            column.role >= ColumnRole::time && column.role <= ColumnRole::rate &&
            parse_real(text).value_or(0.0) < 0.0)
          fail_at(
              node.find(column.name)->place,
              fmt::format("row {} of {} has {}; a {} is not negative (a difference has role value)",
                          row + 1, table.file, text, word(column.role)));
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (node.items[i].kind == YamlNode::map)
        read_identities(node.items[i], table, table.columns[i]);
  }

  void read_identities(const YamlNode& node, const PublishedTable& table, PublishedColumn& column) {
    column.is = optional_formula(node, "is", table);
    column.at_most = optional_formula(node, "at_most", table);
    column.at_least = optional_formula(node, "at_least", table);
    column.bytes = optional_formula(node, "bytes", table);
    column.tolerance = read_tolerance(node);
    column.because = text_or_empty(node, "because");
    column.affine = optional_formula(node, "affine", table);
    if (const YamlNode* neighbours = node.find("neighbours")) {
      require_map(*neighbours, kNeighbourKeys, "the rule of neighbours");
      (void)require(*neighbours, "within");
      column.neighbours = read_tolerance(*neighbours);
      column.except = optional_formula(*neighbours, "except", table);
    }
  }

  Claim read_claim(const YamlNode& node, const PublishedTable& table) {
    require_map(node, kClaimKeys, "a claim");
    Claim claim;
    claim.name = text_of(require(node, "name"));
    claim.kind = word_of<ClaimKind>(require(node, "kind"));
    claim.what = text_or_empty(node, "what");
    claim.run = text_or_empty(node, "run");
    claim.device = text_or_empty(node, "device");
    claim.fitted = text_or_empty(node, "fitted");
    claim.tolerance = read_tolerance(node);
    claim.where = optional_formula(node, "where", table);
    claim.published = formula(require(node, "published"), table);
    if (const YamlNode* match = node.find("match"))
      for (const YamlNode& entry : match->items) {
        at_place(entry.key_place, [&] { require_case_column(entry.key); });
        claim.match.emplace_back(entry.key, word_or_formula(entry, table));
      }
    claim.ours = optional_formula(node, "ours", table, &claim);
    for (const YamlNode& need : list_of(node, "needs")) claim.needs.push_back(word_of<Need>(need));
    if (!claim.ours && claim.needs.empty())
      fail_at(node.place, "a claim has 'ours:', or 'needs:' says what would answer it");
    read_shape(node, table, claim);
    return claim;
  }

  Expression word_or_formula(const YamlNode& node, const PublishedTable& table) {
    Expression read = at_place(node.place, [&] { return Expression(text_of(node)); });
    return read.is_word() ? std::move(read) : formula(node, table);
  }

  void read_shape(const YamlNode& node, const PublishedTable& table, Claim& claim) {
    for (const std::string_view key : {"rule", "x", "series", "level"})
      if (claim.kind != ClaimKind::shape && node.find(key) != nullptr)
        fail_at(node.find(key)->place, fmt::format("'{}:' is for claims of kind shape", key));
    if (claim.kind != ClaimKind::shape || !claim.ours) return;
    claim.rule = word_of<ShapeRule>(require(node, "rule"));
    claim.x = formula(require(node, "x"), table);
    for (const YamlNode& key : list_of(node, "series")) {
      claim.series.push_back(text_of(key));
      at_place(key.place, [&] { require_column(table.cells, claim.series.back()); });
    }
    if (const YamlNode* level = node.find("level")) claim.level = number_of(*level);
  }

  void read_contradiction(const YamlNode& node) {
    require_map(node, kContradictionKeys, "a contradiction");
    Contradiction contradiction{.name = text_of(require(node, "name")),
                                .says = text_of(require(node, "says")),
                                .evidence = {},
                                .known = text_or_empty(node, "known"),
                                .remark = text_or_empty(node, "remark") == "true",
                                .transcribed = text_or_empty(node, "transcribed") == "true",
                                .excuse = text_or_empty(node, "excuse")};
    if (const YamlNode* weight = node.find("weight"))
      contradiction.weight = static_cast<int>(number_of(*weight));
    for (const YamlNode& entry : list_of(node, "evidence")) {
      require_map(entry, kEvidenceKeys, "an evidence");
      const YamlNode& file = require(entry, "file");
      const auto table = std::ranges::find(paper_.tables, text_of(file), &PublishedTable::file);
      if (table == paper_.tables.end())
        fail_at(file.place, fmt::format("this paper has no table {}", text_of(file)));
      contradiction.evidence.push_back({table->file, text_of(require(entry, "claim")),
                                        text_or_empty(entry, "column"),
                                        optional_formula(entry, "where", *table)});
    }
    if (contradiction.evidence.empty() == contradiction.known.empty())
      fail_at(node.place,
              "a contradiction has either 'evidence:', or 'known:' with the reason why "
              "no rule finds it");
    paper_.contradictions.push_back(std::move(contradiction));
  }

  std::string_view source_;
  const std::function<CsvTable(const std::string&)>& cells_of_;
  Paper paper_;
};

}  // namespace

Paper read_paper(std::string_view yaml, std::string_view source,
                 const std::function<CsvTable(const std::string&)>& cells_of) {
  return Reader(source, cells_of).read(read_yaml(yaml, source));
}

}  // namespace qb
