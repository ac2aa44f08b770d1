// SPDX-License-Identifier: Apache-2.0
// A MaskSpec is a mask as a spec or the command line writes it, before the lengths are known:
//
//   full, causal
//   {block_local: {block: 16}}                      blocks of positions, no overlap
//   {sliding_window: {left: 128, right: 127}}       keys p - left … p + right; -1: no end (as in
//                                                   FlashAttention)
//   {variable_window: {sizes: [100, 28, 128]}}      blocks of these sizes, which add up to N
//   {dilated_window: {left: 8, right: 8, dilation: 4}}   8 keys to either side, 4 apart
//   {global: {tokens: 16}}                          the first 16, rows and columns; or indices: […]
//   {random: {fraction: 0.1, block: 64, seed: 1}}   this fraction of each block row; or blocks: 3
//   {strided: {stride: 128}}                        the nearest 128 to either side, and every 128th
//   {fixed: {block: 128, summary: 8}}               the own block, and the last 8 of every block
//   {longformer: {left: 128, right: 128, tokens: 16}}            sliding or dilated, and global
//   {bigbird: {left: 128, right: 128, tokens: 64, random_blocks: 3, block: 64, seed: 1}}
//   {any_of: [ … ]}   {all_of: [causal, … ]}
//
// (Child et al. 2019; Longformer 2020; BigBird 2020. Here the random blocks of BigBird are drawn
// from all blocks, including those of its window and its global tokens.)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/mask/mask.h"

namespace qb {

// A pattern as it is written: a name, its arguments, and the patterns that any_of and all_of join.
struct PatternNode {
  struct Argument {
    std::string name;
    std::vector<std::int64_t> integers;  // the one integer, or all of a list
    std::optional<double> real;          // set instead where the value is not an integer
    bool list = false;
  };
  std::string name;  // also `full` and `causal`
  std::vector<Argument> arguments{};
  std::vector<PatternNode> parts{};
};

[[nodiscard]] std::vector<std::string_view> pattern_names();  // with `full` and `causal`

class MaskSpec {
 public:
  MaskSpec() : MaskSpec(MaskKind::full) {}
  MaskSpec(MaskKind kind);  // NOLINT(google-explicit-constructor): a word is a mask
  // Throws UsageError on an unknown name or argument, naming the nearest, on a missing one, and on
  // a value that is wrong for every sequence.
  explicit MaskSpec(const PatternNode& node);

  [[nodiscard]] MaskKind kind() const { return kind_; }
  // Returns the mask in a canonical form: equal masks have equal texts.
  [[nodiscard]] const std::string& text() const { return text_; }
  // Returns the mask for q_len queries at the last of kv_len positions. Throws UsageError where
  // global tokens or a dilation exceed the lengths, or sizes do not add up.
  [[nodiscard]] Mask mask(std::int64_t q_len, std::int64_t kv_len) const;

  friend bool operator==(const MaskSpec& a, const MaskSpec& b) { return a.text_ == b.text_; }

 private:
  MaskKind kind_ = MaskKind::full;
  std::string text_;
  std::shared_ptr<const PatternNode> node_;
};

[[nodiscard]] inline const std::string& to_string(const MaskSpec& mask) { return mask.text(); }

}  // namespace qb
