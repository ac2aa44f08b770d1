// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status.h"
#include "harness/papers/paper.h"

namespace qb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

CsvTable cells_of(const std::string& file) {
  if (file == "minus.csv") return CsvTable::parse("method,per_s\nring,3.0\ncqs,-5\n", file);
  if (file != "t.csv") throw UsageError(fmt::format("data/published has no {}", file));
  return CsvTable::parse("method,n_tokens,time_s,speed_up\nring,8,2.0,\ncqs,8,1.0,2.0\n", file);
}

constexpr const char* kReaderColumns = R"(    columns:
      method: key
      n_tokens: key
      time_s: time
      speed_up: {role: value, is: "time_s[method=ring] / time_s"}
)";

std::string index_of(const std::string& after_columns,
                     const std::string& columns = kReaderColumns) {
  return "title: A paper\ncite: Somebody\nconstants: {peak: 312e12}\ntables:\n  - file: t.csv\n"
         "    title: Table 1\n    headline: time_s\n" +
         columns + after_columns;
}

Paper read(const std::string& yaml) { return read_paper(yaml, "data/papers/paper.yaml", cells_of); }

TEST(PaperReader, ReadsTablesColumnsAndClaims) {
  const Paper paper = read(index_of(R"(    tokens: n_tokens
    claims:
      - name: measured
        kind: shape
        where: method = 'cqs'
        published: speed_up
        run: smoke
        match: {algorithm: method, n_tokens: n_tokens * 2}
        ours: ours.wall_time_median_s[algorithm=ring] / ours.wall_time_median_s
        rule: order
        x: n_tokens
        series: [method]
        within: 2 x
        because: it is so
      - {name: step, kind: absolute, published: time_s, needs: [training, many_gpus]}
)"));
  EXPECT_EQ(paper.name, "paper");
  EXPECT_EQ(paper.constants.at("peak"), 312e12);
  ASSERT_EQ(paper.tables.size(), 1u);
  const PublishedTable& table = paper.tables[0];
  EXPECT_THAT(table.keys(), ElementsAre("method", "n_tokens"));
  EXPECT_EQ(table.tokens, "n_tokens");
  EXPECT_TRUE(table.is_headline("time_s"));
  EXPECT_FALSE(table.is_headline("speed_up"));
  EXPECT_EQ(table.column("time_s").role, ColumnRole::time);
  ASSERT_TRUE(table.column("speed_up").is);
  ASSERT_EQ(table.claims.size(), 2u);
  const Claim& shape = table.claims[0];
  EXPECT_EQ(shape.kind, ClaimKind::shape);
  EXPECT_EQ(shape.tolerance.factor, 2.0);
  ASSERT_EQ(shape.match.size(), 2u);
  EXPECT_EQ(shape.match[0].first, "algorithm");
  EXPECT_THAT(table.claims[1].needs, ElementsAre(Need::training, Need::many_gpus));
}

TEST(PaperReader, ReadsPercentAsAFactor) {
  const Paper paper =
      read(index_of("    claims:\n      - {name: c, kind: self, published: time_s, ours: time_s, "
                    "within: 5 %, because: b}\n"));
  EXPECT_DOUBLE_EQ(paper.tables[0].claims[0].tolerance.factor, 1.05);
}

void expect_reader_error(const std::string& yaml, const std::string& message) {
  EXPECT_THAT([&] { (void)read(yaml); }, ThrowsMessage<UsageError>(HasSubstr(message))) << yaml;
}

TEST(PaperReader, NamesThePlaceAndTheRemedyOfEveryMistake) {
  const std::string here = "data/papers/paper.yaml:";
  expect_reader_error("titel: x\n", here + "1:1: unknown key 'titel'; did you mean 'title'?");
  expect_reader_error("title: x\ncite: y\n", "a paper needs 'tables:'");
  expect_reader_error("title: x\ncite: y\ntables:\n  - {file: none.csv, title: t, columns: {}}\n",
                      here + "4:12: data/published has no none.csv");
  expect_reader_error(index_of("", "    columns: {method: key, n_tokens: key, time_s: time}\n"),
                      "column 'speed_up' of t.csv has no role");
  expect_reader_error(index_of("", "    columns: {methd: key}\n"),
                      "unknown column 'methd'; did you mean 'method'?");
  expect_reader_error(index_of("", "    columns: {method: keys}\n"),
                      "unknown role of a column 'keys'; did you mean 'key'?");
  expect_reader_error(
      "title: x\ncite: y\ntables:\n  - {file: t.csv, title: t, columns: {method: key, "
      "n_tokens: key, time_s: time, speed_up: value}}\n",
      "'headline:' is missing here");
  expect_reader_error(
      "title: x\ncite: y\ntables:\n  - {file: minus.csv, title: t, columns: {method: key, per_s: "
      "rate}}\n",
      "row 2 of minus.csv has -5; a rate is not negative (a difference has role value)");
  expect_reader_error(index_of("    tokens: time_s\n"), "'tokens:' names a column that is a key");
  const auto claim = [](const std::string& rest) {
    return index_of("    claims:\n      - {name: c, kind: self, published: time_s, " + rest +
                    "}\n");
  };
  expect_reader_error(claim("needs: []"), "a claim has 'ours:', or 'needs:'");
  expect_reader_error(claim("ours: time_"), "unknown column 'time_'; did you mean 'time_s'?");
  expect_reader_error(claim("ours: time_s +"), here + "14:");
  expect_reader_error(claim("ours: flor(time_s)"),
                      "unknown function 'flor'; did you mean 'floor'?");
  expect_reader_error(claim("ours: other.time_s"), "data/published has no other.csv");
  expect_reader_error(claim("ours: ours.wall_time_median_s"), "'run:' is missing here");
  expect_reader_error(claim("run: smoke, ours: ours.wall_time"),
                      "cases.csv has no column 'wall_time'");
  expect_reader_error(claim("ours: time_s, within: 5"),
                      "is not a tolerance such as '5 %' or '2 x'");
  expect_reader_error(claim("ours: time_s, within: 5 %"), "a tolerance needs its reason");
  expect_reader_error(claim("ours: time_s, rule: order"), "'rule:' is for claims of kind shape");
  expect_reader_error(claim("needs: [trainin]"),
                      "unknown need 'trainin'; did you mean 'training'?");
  expect_reader_error(index_of("contradictions:\n  - {name: a, says: b}\n"),
                      "a contradiction has either 'evidence:', or 'known:'");
  expect_reader_error(
      index_of("contradictions:\n  - {name: a, says: b, evidence: [{file: x.csv, claim: c}]}\n"),
      "this paper has no table x.csv");
}

}  // namespace
}  // namespace qb
