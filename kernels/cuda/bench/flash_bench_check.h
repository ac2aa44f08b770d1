// Checks whether what flash_bench times is attention: compares a few rows of an output with
// float64, by the rule of every test (a factor times the error of a naive computation in the
// inputs' type).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/mask/mask.h"
#include "kernels/tensor.h"

namespace qb::cuda {

class RowCheck {
 public:
  // q, k, v lie on the host, with as many query heads as key heads. The first, the middle and the
  // last query of each head are checked.
  RowCheck(const TensorView& q, const TensorView& k, const TensorView& v, const Mask& mask,
           double scale);

  [[nodiscard]] const std::vector<std::int64_t>& rows() const { return rows_; }
  // `got` is [heads][rows][head_dim] in float32. Returns an empty text where it is right, else a
  // sentence.
  [[nodiscard]] std::string flaw(const std::vector<float>& got) const;

 private:
  std::vector<std::int64_t> rows_;
  std::vector<double> exact_;
  std::vector<double> tolerance_;  // tolerance of each row
};

}  // namespace qb::cuda
