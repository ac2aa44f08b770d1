// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace qb {
namespace {

// Aliases of aliases grow exponentially; no real spec has this many values.
constexpr std::size_t kMaxAliasedNodes = 100'000;

// A comment that is appended to the text. yaml-cpp closes an unclosed quote at the end of the file;
// such a quote then contains the comment, which shows the error.
constexpr std::string_view kEndMark = "#end of the text#";

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1;
  for (const YamlNode& item : node.items) count += count_nodes(item);
  return count;
}

// Builds the tree from the parser's events. (yaml-cpp's own node tree silently keeps the first of
// two equal keys, so the checks must be below it.)
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view source, bool line_numbers)
      : source_(source), line_numbers_(line_numbers) {}

  [[nodiscard]] Place place_of(const YAML::Mark& mark) const {
    if (!line_numbers_) return {source_, 0, 0};
    return {source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }
  [[nodiscard]] YamlNode take() { return std::move(root_); }

  // Throws the parser's message, reworded; for a list or map that does not end it names the start.
  [[noreturn]] void fail(const YAML::Exception& problem) const {
    const bool list = problem.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
    if ((list || problem.msg == YAML::ErrorMsg::END_OF_MAP_FLOW) && !frames_.empty())
      fail_at(frames_.back().node.place,
              fmt::format("YAML: the '{}' that opens here is not closed", list ? '[' : '{'));
    std::string what = problem.msg;
    if (what.starts_with(YAML::ErrorMsg::UNKNOWN_ANCHOR))  // yaml-cpp 0.8 appends its name
      what = "no anchor before this alias has its name; quote a text that begins with '*'";
    else if (what == YAML::ErrorMsg::MAP_VALUE)
      what =
          "a ':' is not allowed here; indent a key as much as the one above it, and quote a text "
          "that contains one";
    else if (what == YAML::ErrorMsg::END_OF_MAP || what == YAML::ErrorMsg::END_OF_SEQ)
      what = "indent this line as the one above it, and put a space after its ':'";
    fail_at(place_of(problem.mark), fmt::format("YAML: {}", what));
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0)
      fail_at(place_of(mark),
              "a second YAML document begins here, or this line is indented less than the first; a "
              "file may have one experiment only");
    root_.place = place_of(mark);
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    complete({YamlNode::null, place_of(mark)}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail_at(place_of(mark), "an alias inside its own anchor");
    aliased_nodes_ += count_nodes(found->second);
    if (aliased_nodes_ > kMaxAliasedNodes)
      fail_at(place_of(mark), "the aliases of this file expand to too many values");
    YamlNode copy = found->second;
    if (!frames_.empty() && !expects_value()) copy.place = place_of(mark);
    complete(std::move(copy), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // "?" means a plain scalar, "!" a quoted or block one.
    if (tag != "?" && tag != "!") refuse_tag(mark, tag);
    if (tag == "!" && value.find(kEndMark) != std::string::npos)
      fail_at(place_of(mark), "YAML: the quote that opens here is never closed");
    complete({YamlNode::scalar, place_of(mark), value, tag == "!"}, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(YamlNode::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<std::pair<std::string, Place>> key;  // the key of a map whose value comes next
  };

  [[nodiscard]] bool expects_value() const {
    return frames_.back().node.kind == YamlNode::list || frames_.back().key.has_value();
  }

  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail_at(place_of(mark), fmt::format("the tag '{}' has no meaning here; leave it out", tag));
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(mark, tag);
    if (!frames_.empty() && !expects_value()) fail_at(place_of(mark), "a key must be one word");
    frames_.push_back({{kind, place_of(mark)}, anchor, std::nullopt});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    complete(std::move(frame.node), frame.anchor);
  }

  void complete(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (frames_.empty()) {
      root_ = std::move(node);
    } else if (Frame& parent = frames_.back(); parent.node.kind == YamlNode::list) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.key) {
      // The parser places a missing value at the next word; its key is the better place.
      if (node.kind == YamlNode::null) node.place = parent.key->second;
      std::tie(node.key, node.key_place) = *std::exchange(parent.key, std::nullopt);
      parent.node.items.push_back(std::move(node));
    } else {
      take_key(parent, std::move(node));
    }
  }

  static void take_key(Frame& map, YamlNode node) {
    if (node.kind != YamlNode::scalar) fail_at(node.place, "a key must be one word");
    if (node.text == "<<" && !node.quoted)
      fail_at(node.place, "merge keys ('<<') are not supported; write the keys out");
    if (const YamlNode* first = std::as_const(map.node).find(node.text)) {
      const std::string where = first->key_place.line > 0 ? fmt::format("; the first is on line {}",
                                                                        first->key_place.line)
                                                          : "";
      fail_at(node.place, fmt::format("the key '{}' is given twice{}", node.text, where));
    }
    map.key.emplace(std::move(node.text), node.place);
  }

  std::string_view source_;
  bool line_numbers_;
  int documents_ = 0;
  YamlNode root_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t aliased_nodes_ = 0;
};

// The parser accepts some tabs and misreads others, so all are errors.
void refuse_tabs(std::string_view text, std::string_view source) {
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view row = text.substr(0, text.find('\n'));
    const std::size_t tab = row.find('\t');
    if (tab < row.find_first_not_of(" \t\r"))
      fail_at({source, line, static_cast<int>(tab) + 1}, "a tab in the indentation; use spaces");
    text.remove_prefix(std::min(row.size() + 1, text.size()));
  }
}

}  // namespace

std::string to_string(const Place& place) {
  if (place.line == 0) return std::string(place.source);
  return fmt::format("{}:{}:{}", place.source, place.line, place.column);
}

void fail_at(const Place& place, const std::string& message) {
  throw UsageError(fmt::format("{}: {}", to_string(place), message));
}

const YamlNode* YamlNode::find(std::string_view wanted) const {
  const auto at = std::ranges::find(items, wanted, &YamlNode::key);
  return kind != map || at == items.end() ? nullptr : &*at;
}

YamlNode* YamlNode::find(std::string_view wanted) {
  return const_cast<YamlNode*>(std::as_const(*this).find(wanted));
}

YamlNode read_yaml(std::string_view text, std::string_view source, bool line_numbers) {
  if (line_numbers) refuse_tabs(text, source);
  TreeBuilder builder(source, line_numbers);
  try {
    std::istringstream in(fmt::format("{}\n{}\n", text, kEndMark));
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& problem) {
    builder.fail(problem);
  }
  YamlNode root = builder.take();
  if (line_numbers && root.place.line == 0) root.place = {source, 1, 1};
  if (!line_numbers) root.place = {source, 0, 0};
  return root;
}

}  // namespace qb
