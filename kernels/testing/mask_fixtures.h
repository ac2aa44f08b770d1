// SPDX-License-Identifier: Apache-2.0
// Makes masks for tests, as a spec would write them, and random ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/mask/mask_spec.h"

namespace qb::mask_fixtures {

inline PatternNode::Argument number(std::string name, std::int64_t value) {
  return {std::move(name), {value}, {}, false};
}
inline PatternNode::Argument real(std::string name, double value) {
  return {std::move(name), {}, value, false};
}
inline PatternNode::Argument list(std::string name, std::vector<std::int64_t> values) {
  return {std::move(name), std::move(values), {}, true};
}

inline PatternNode sliding_window(std::int64_t left, std::int64_t right) {
  return {"sliding_window", {number("left", left), number("right", right)}, {}};
}
inline PatternNode global_tokens(std::int64_t tokens) {
  return {"global", {number("tokens", tokens)}, {}};
}
inline PatternNode block_local(std::int64_t block) {
  return {"block_local", {number("block", block)}, {}};
}
inline PatternNode random_blocks(std::int64_t blocks, std::int64_t block, std::int64_t seed = 1) {
  return {"random", {number("blocks", blocks), number("block", block), number("seed", seed)}, {}};
}

// Returns any pattern that n positions can have, n >= 2: odd sizes, windows wider than the
// sequence, blocks of one token and of all.
inline PatternNode random_pattern(std::mt19937_64& engine, std::int64_t n, int depth = 0) {
  const auto draw = [&engine](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
  };
  const auto side = [&] { return draw(0, 5) == 0 ? -1 : draw(1, draw(0, 3) == 0 ? 2 * n : 20); };
  const auto block = [&] { return draw(0, 2) == 0 ? draw(1, n + 5) : draw(1, 40); };
  const auto globals = [&] {
    if (n < 4 || draw(0, 1) == 0)
      return number("tokens", draw(1, std::min<std::int64_t>(n - 1, 9)));
    return list("indices", {draw(0, n - 1), draw(0, n - 1), draw(0, n / 2)});
  };
  const auto windows = [&] { return std::vector{number("left", side()), number("right", side())}; };
  switch (draw(0, depth == 0 ? 11 : 9)) {
    case 0:
      return block_local(block());
    case 1:
      return {"sliding_window", windows(), {}};
    case 2: {
      std::vector<std::int64_t> sizes;
      for (std::int64_t left = n; left > 0; left -= sizes.back())
        sizes.push_back(draw(1, std::min<std::int64_t>(left, 40)));
      return {"variable_window", {list("sizes", sizes)}, {}};
    }
    case 3: {
      PatternNode node{"dilated_window", windows(), {}};
      node.arguments.push_back(number("dilation", draw(1, std::min<std::int64_t>(n - 1, 6))));
      return node;
    }
    case 4:
      return {"global", {globals()}, {}};
    case 5:
      return {"random",
              {draw(0, 1) == 0 ? real("fraction", 0.01 * static_cast<double>(draw(1, 99)))
                               : number("blocks", draw(1, 4)),
               number("block", draw(0, 2) == 0 ? 1 : block()), number("seed", draw(0, 99))},
              {}};
    case 6:
      return {"strided", {number("stride", block())}, {}};
    case 7: {
      const std::int64_t size = block();
      return {"fixed", {number("block", size), number("summary", draw(1, size))}, {}};
    }
    case 8: {
      PatternNode node{"longformer", windows(), {}};
      node.arguments.push_back(globals());
      return node;
    }
    case 9: {
      PatternNode node{"bigbird", windows(), {}};
      node.arguments.push_back(globals());
      node.arguments.push_back(number("random_blocks", draw(1, 3)));
      node.arguments.push_back(number("block", block()));
      return node;
    }
    case 10:
      return {"any_of",
              {},
              {random_pattern(engine, n, 1), random_pattern(engine, n, 1),
               draw(0, 3) == 0 ? PatternNode{"causal"} : random_pattern(engine, n, 1)}};
    default:
      return {"all_of", {}, {PatternNode{"causal"}, random_pattern(engine, n, 1)}};
  }
}

inline Mask mask_of(const PatternNode& node, std::int64_t q_len, std::int64_t kv_len) {
  return MaskSpec(node).mask(q_len, kv_len);
}

}  // namespace qb::mask_fixtures
