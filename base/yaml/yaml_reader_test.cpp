// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/yaml_reader.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace qb {
namespace {

std::string error_of(const std::string& yaml) {
  try {
    (void)read_yaml(yaml, "f.yaml");
    return "no error";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(YamlReader, EveryKeyAndValueKnowsItsPlace) {
  const YamlNode root = read_yaml("a: 1\nb:\n  - x\n  - {c: 2, d: \"3\"}\n", "f.yaml");
  ASSERT_EQ(root.kind, YamlNode::map);
  ASSERT_EQ(root.items.size(), 2u);
  EXPECT_EQ(to_string(root.items[1].key_place), "f.yaml:2:1");
  const YamlNode& list = *root.find("b");
  ASSERT_EQ(list.kind, YamlNode::list);
  EXPECT_EQ(to_string(list.items[0].place), "f.yaml:3:5");
  const YamlNode* d = list.items[1].find("d");
  ASSERT_NE(d, nullptr);
  EXPECT_EQ(to_string(d->key_place), "f.yaml:4:12");
  EXPECT_EQ(to_string(d->place), "f.yaml:4:15");
  EXPECT_EQ(d->text, "3");
  EXPECT_TRUE(d->quoted);
  EXPECT_FALSE(list.items[1].find("c")->quoted);
  EXPECT_EQ(root.find("z"), nullptr);
}

TEST(YamlReader, AMissingValueIsAtItsKey) {
  const YamlNode root = read_yaml("a:\n\n\nb: ~\n", "f.yaml");
  EXPECT_EQ(root.find("a")->kind, YamlNode::null);
  EXPECT_EQ(to_string(root.find("a")->place), "f.yaml:1:1");
  EXPECT_EQ(root.find("b")->kind, YamlNode::null);
}

TEST(YamlReader, AliasesAreCopiesOfTheirAnchor) {
  const YamlNode root = read_yaml("a: &sizes [1, 2]\nb: *sizes\nc: &k key\n*k : 3\n", "f.yaml");
  const YamlNode& b = *root.find("b");
  ASSERT_EQ(b.items.size(), 2u);
  EXPECT_EQ(b.items[1].text, "2");
  ASSERT_NE(root.find("key"), nullptr);
  EXPECT_EQ(to_string(root.find("key")->key_place), "f.yaml:4:1");
}

TEST(YamlReader, NoDocumentIsNull) {
  for (const char* text : {"", "\n", "# comment\n", "---\n"})
    EXPECT_EQ(read_yaml(text, "f.yaml").kind, YamlNode::null) << text;
}

TEST(YamlReader, TakesByteOrderMarksAndCarriageReturns) {
  const YamlNode root = read_yaml(
      "\xef\xbb\xbf"
      "a: 1\r\nb: 2\r\n",
      "f.yaml");
  EXPECT_EQ(root.find("a")->text, "1");
  EXPECT_EQ(root.find("b")->text, "2");
}

TEST(YamlReader, ADocumentMayEnd) {
  EXPECT_EQ(read_yaml("---\na: 1\n...\n", "f.yaml").find("a")->text, "1");
}

TEST(YamlReader, TextsMayEndWithTheFile) {
  EXPECT_EQ(read_yaml("a: 'one'", "f.yaml").find("a")->text, "one");
  EXPECT_EQ(read_yaml("a: |\n  one\n  two", "f.yaml").find("a")->text, "one\ntwo\n");
  EXPECT_EQ(read_yaml("a: one", "f.yaml").find("a")->text, "one");
}

TEST(YamlReader, OpenQuotesAreFoundWhereTheyOpen) {
  EXPECT_EQ(error_of("a: 'x\nb: 2\n"),
            "f.yaml:1:4: YAML: the quote that opens here is never closed");
  EXPECT_EQ(error_of("b: 2\na: \"x"),
            "f.yaml:2:4: YAML: the quote that opens here is never closed");
}

TEST(YamlReader, OpenBracketsAreFoundWhereTheyOpen) {
  EXPECT_EQ(error_of("a: {b: [1, 2\n"), "f.yaml:1:8: YAML: the '[' that opens here is not closed");
  EXPECT_EQ(error_of("a: {b: [1, 2]\nc: 3\n"),
            "f.yaml:1:4: YAML: the '{' that opens here is not closed");
}

TEST(YamlReader, TabsIndentNothing) {
  EXPECT_EQ(error_of("a:\n  \tb: 1\n"), "f.yaml:2:3: a tab in the indentation; use spaces");
  EXPECT_EQ(error_of("a: 1\n\t\n"), "f.yaml:2:1: a tab in the indentation; use spaces");
  EXPECT_EQ(error_of("a:\t1\t# one\n"), "no error");
}

TEST(YamlReader, AnAliasOfItselfIsRefused) {
  EXPECT_EQ(error_of("a: &x [1, *x]\n"), "f.yaml:1:11: an alias inside its own anchor");
}

TEST(YamlReader, DeepNestingIsRefused) {
  const std::string deep(100'000, '[');
  EXPECT_NE(error_of("a: " + deep + "\n"), "no error");
}

TEST(YamlReader, TextOfNoFileHasNoLines) {
  const YamlNode root = read_yaml("a: 1", "--set x=1", false);
  EXPECT_EQ(to_string(root.find("a")->place), "--set x=1");
}

}  // namespace
}  // namespace qb
