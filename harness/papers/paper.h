// SPDX-License-Identifier: Apache-2.0
// A paper's tables and what they claim: the content of data/papers/NAME.yaml, which
// data/papers/README.md describes. read_paper() is strict as specs are.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv.h"
#include "base/words.h"
#include "base/yaml/yaml_reader.h"
#include "harness/papers/expression.h"

namespace qb {

// How a published cell is answered.
enum class ClaimKind {
  exact,     // calculated here from the cell's own parameters
  self,      // from other cells of the same table
  same_as,   // equal to a cell of another table
  shape,     // a curve over a key, measured here
  modelled,  // by the cost model
  absolute   // only by the device itself
};

QB_WORDS(ClaimKind, "kind of claim", exact, self, same_as, shape, modelled, absolute);

// What this program cannot do yet, or not on this machine.
enum class Need {
  training,
  recursion,
  peer_kernels,
  one_gpu,
  many_gpus,
  helper_schedule,
  hybrid_schemes,
  pipeline_memory,
  split_passes
};

QB_WORDS(Need, "need", training, recursion, peer_kernels, one_gpu, many_gpus, helper_schedule,
         hybrid_schemes, pipeline_memory, split_passes);
[[nodiscard]] std::string_view sentence(Need need);  // `training steps`

// What a column holds; rules.h says which rules follow.
enum class ColumnRole {
  key,     // names the row together with the other keys
  time,    // falls with nothing, and grows with the tokens
  memory,  // the same
  rate,    // work in a time
  status,  // ok or oom
  count,   // a whole number that was calculated and not rounded
  value,   // anything else that is measured or calculated
  context  // explains the row; nothing follows from it
};

QB_WORDS(ColumnRole, "role of a column", key, time, memory, rate, status, count, value, context);

struct Tolerance {
  double factor = 1.0;    // published and ours may differ by this factor; 1: to the printed digit
  std::string text{};     // as written: `5 %`, `2 x`
  std::string because{};  // why so much
};

struct PublishedColumn {
  std::string name;
  ColumnRole role = ColumnRole::context;
  std::optional<Expression> is{};       // an identity that the column must obey
  std::optional<Expression> at_most{};  // and bounds
  std::optional<Expression> at_least{};
  Tolerance tolerance{};  // of the identity
  std::string because{};  // why identity or bounds must hold
  std::optional<Expression>
      affine{};  // of a memory: in which rows it is a constant and so much a token
  std::optional<Expression> bytes{};   // of a status: what must fit
  Tolerance neighbours{};              // how far it may be from what its neighbours give; 1: any
  std::optional<Expression> except{};  // the rows whose neighbours say nothing
};

// How the points of a shape are compared.
enum class ShapeRule {
  order,      // the same order, on the same side of `level`
  crossover,  // both cross `level`, at places that differ by a factor at most
  exponent    // equal slopes over log-log axes
};

QB_WORDS(ShapeRule, "rule of a shape", order, crossover, exponent);

// Names of parameters or columns and the formulas of their values.
using Match = std::vector<std::pair<std::string, Expression>>;

struct Claim {
  std::string name;
  ClaimKind kind = ClaimKind::absolute;
  std::string what;                   // a clause for people
  std::optional<Expression> where{};  // which rows; absent: all
  std::optional<Expression> published{};
  std::optional<Expression> ours{};  // absent: nothing here answers it, see needs
  Tolerance tolerance{};
  std::vector<Need> needs;
  std::string fitted;  // the constant of `ours` that is from the same table; empty: none
  std::string run;     // the experiment whose rows `ours.` reads
  Match match;         // of its rows, or of the parameters of `model.`
  std::string device;  // the device file of `model.`
  // Of a shape:
  ShapeRule rule = ShapeRule::order;
  std::optional<Expression> x{};
  std::vector<std::string> series;  // keys; a curve for each combination
  double level = 1.0;
};

struct PublishedTable {
  // A device file that was made from a table: it cannot answer these rows.
  struct InputOf {
    std::string device;
    std::optional<Expression> where{};  // which rows; absent: all
  };
  std::string file;   // in data/published/
  std::string title;  // `Table 4: …`
  std::string hardware;
  std::string tokens;                    // the key that is a sequence length; empty: none
  std::vector<std::string> headline;     // the columns that the paper measured, or calculated
  bool digitised = false;                // read off a picture; nothing of it is printed
  std::vector<PublishedColumn> columns;  // in the order of the file
  std::vector<Claim> claims;
  std::vector<InputOf> input_of;
  CsvTable cells;

  // The file without .csv.
  [[nodiscard]] std::string_view stem() const {
    return std::string_view(file).substr(0, file.size() - 4);
  }
  [[nodiscard]] const PublishedColumn& column(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> keys() const;
  [[nodiscard]] bool is_headline(std::string_view column) const;
  // Whether the claim is of the headline of its row: it reads no other measured cell, unless it is
  // of a curve, whose points may be quotients.
  [[nodiscard]] bool is_of_headline(const Claim& claim) const;
};

// A contradiction in published tables, of which answers with `contradicts` are the evidence; or a
// remark, whose evidence is said and not held against its rows.
struct Contradiction {
  struct Evidence {
    std::string file;
    std::string claim;   // or rule
    std::string column;  // of a rule; empty: any
    std::optional<Expression> where{};
  };
  std::string name;
  std::string says;  // one sentence with its numbers
  std::vector<Evidence> evidence;
  std::string known{};  // why no rule finds it; then there is no evidence
  int weight = 2;       // 3: it changes what the paper claims; 1: a digit
  bool remark = false;
  bool transcribed = false;  // a text is compared, from one transcription of it
  std::string excuse{};      // the reading by which it would be none; empty: there is none here
};

struct Paper {
  std::string name;  // of its file
  std::string title;
  std::string cite;
  std::map<std::string, double, std::less<>> constants;
  std::vector<PublishedTable> tables;
  std::vector<Contradiction> contradictions;
};

// `cells_of` returns a published table by its file name, and throws UsageError where there is none.
// Throws UsageError `source:line:column: …` for an unknown key, word, column or name in a formula,
// and for a column that has no role.
[[nodiscard]] Paper read_paper(std::string_view yaml, std::string_view source,
                               const std::function<CsvTable(const std::string&)>& cells_of);

}  // namespace qb
