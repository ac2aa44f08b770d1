// Types of triples of Z_W under x -> u x + t: what the exhaustive search distinguishes cases by.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace qb {

// A set of residues below 320.
struct ResidueBits {
  std::array<std::uint64_t, 5> words{};

  [[nodiscard]] bool has(int residue) const {
    return (words[static_cast<unsigned>(residue) / 64] >> (static_cast<unsigned>(residue) % 64) &
            1u) != 0;
  }
  void add(int residue) {
    words[static_cast<unsigned>(residue) / 64] |= std::uint64_t{1}
                                                  << (static_cast<unsigned>(residue) % 64);
  }
  friend bool operator==(const ResidueBits&, const ResidueBits&) = default;
};

// The types of triples two of whose members differ by a unit, in a fixed order: triples in
// arithmetic progression first (they repeat a difference), then the types with most triples.
class TripleTypes {
 public:
  explicit TripleTypes(int modulus);

  [[nodiscard]] int count() const { return static_cast<int>(thirds_.size()); }
  // x of the type's triple {0, 1, x}, the least one.
  [[nodiscard]] int third(int type) const { return thirds_[static_cast<std::size_t>(type)]; }
  // The type of {a, b, c}, distinct residues; count() where no two differ by a unit.
  [[nodiscard]] int of(int a, int b, int c) const;

  // Adds to `bits` every residue that makes with a and b a triple of a type before `type`.
  void forbid(int type, int a, int b, ResidueBits& bits) const;

 private:
  [[nodiscard]] std::size_t at(int difference, int other) const {
    return static_cast<std::size_t>(difference) * static_cast<std::size_t>(modulus_) +
           static_cast<std::size_t>(other);
  }

  int modulus_;
  std::vector<int> thirds_;
  std::vector<int> type_;  // of {0, difference, other}
  // of each type, then pair {a, b}: the residues that forbid() adds
  std::vector<std::vector<ResidueBits>> forbidden_;
};

}  // namespace qb
