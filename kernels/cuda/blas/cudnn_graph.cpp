// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/blas/cudnn_graph.h"

#include <array>
#include <cstdint>

namespace qb::cuda {
namespace {

cudnnDataType_t native(DType dtype) {
  return dtype == DType::f16 ? CUDNN_DATA_HALF
                             : (dtype == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT);
}

using Four = std::array<std::int64_t, 4>;

Descriptor tensor(std::int64_t id, cudnnDataType_t type, const Four& extent, const Four& strides,
                  bool by_value = false, bool is_virtual = false,
                  cudnnBackendTensorReordering_t order = CUDNN_TENSOR_REORDERING_NONE) {
  Descriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor");
  const std::int64_t alignment = by_value ? 4 : 16;
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  result.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  result.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, extent.data());
  result.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
  result.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  if (by_value) result.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  if (is_virtual) result.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
  if (order != CUDNN_TENSOR_REORDERING_NONE)
    result.set(CUDNN_ATTR_TENSOR_REORDERING_MODE, CUDNN_TYPE_TENSOR_REORDERING_MODE, 1, &order);
  result.finalize();
  return result;
}

Descriptor tensor(TensorId id, const TensorView& view,
                  cudnnBackendTensorReordering_t order = CUDNN_TENSOR_REORDERING_NONE) {
  const Extent& e = view.extent;
  return tensor(id, native(view.dtype), {e.batch, e.heads, e.length, e.head_dim},
                {view.batch_stride, view.head_stride, view.token_stride, 1}, false, false, order);
}

Descriptor scalar(TensorId id) {
  return tensor(id, CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, true);
}

Descriptor one_node(const AttentionArguments& a, const TensorView& out) {
  // The operands live until the operation is complete.
  const std::pair<cudnnBackendAttributeName_t, Descriptor> operands[] = {
      {CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, tensor(kQ, a.q)},
      {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, tensor(kK, a.k)},
      {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, tensor(kV, a.v)},
      {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, tensor(kO, out)},
      {CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, tensor(kStatistics, a.lse)},
      {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scalar(kScale)}};
  Descriptor operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, "attention");
  for (const auto& [attribute, operand] : operands) operation.set(attribute, operand);
  operation.finalize();
  return operation;
}

// Builds the operations of a graph. Each writes a new tensor that only other operations read.
class Pattern {
 public:
  explicit Pattern(const Four& scores) : scores_(scores) {}

  [[nodiscard]] Descriptor matrix(cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return make(type, scores_);
  }
  // Makes a tensor with one value for each row of the scores.
  [[nodiscard]] Descriptor column() {
    return make(CUDNN_DATA_FLOAT, {scores_[0], scores_[1], scores_[2], 1});
  }

  // Returns the sums over d of the product of two tensors with a row of d for each of the scores.
  [[nodiscard]] Descriptor row_sums_of_product(const Descriptor& a, const Descriptor& b,
                                               std::int64_t dim) {
    const Descriptor product = make(CUDNN_DATA_FLOAT, {scores_[0], scores_[1], scores_[2], dim});
    pass(CUDNN_POINTWISE_MUL, a, &b, product);
    Descriptor sums = column();
    reduce(CUDNN_REDUCE_TENSOR_ADD, product, sums);
    return sums;
  }

  // Returns the transpose of a matrix of scores, rounded to the type.
  [[nodiscard]] Descriptor transpose(const Descriptor& x, cudnnDataType_t type) {
    const auto& [batch, heads, rows, columns] = scores_;
    Descriptor y = tensor(next_id_++, type, {batch, heads, columns, rows},
                          {heads * rows * columns, rows * columns, 1, columns}, false, true);
    Descriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, "a transposition");
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y);
    add(std::move(operation));
    return y;
  }

  void multiply(const Descriptor& a, const Descriptor& b, const Descriptor& c) {
    Descriptor how(CUDNN_BACKEND_MATMUL_DESCRIPTOR, "a product");
    how.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &kFloat);
    how.finalize();
    Descriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, "a product");
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, how);
    add(std::move(operation));
  }

  void reduce(cudnnReduceTensorOp_t what, const Descriptor& x, const Descriptor& y) {
    Descriptor how(CUDNN_BACKEND_REDUCTION_DESCRIPTOR, "a reduction");
    how.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &what);
    how.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &kFloat);
    how.finalize();
    Descriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, "a reduction");
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, how);
    add(std::move(operation));
  }

  // Adds y = what(x), or y = what(x, b); with a choice y = choice ? x : b.
  void pass(cudnnPointwiseMode_t what, const Descriptor& x, const Descriptor* b,
            const Descriptor& y, const Descriptor* choice = nullptr) {
    const cudnnDataType_t type = what == CUDNN_POINTWISE_CMP_GE ? CUDNN_DATA_BOOLEAN : kFloat;
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "a pass");
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pass_kind(what, type, nullptr));
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
    if (choice != nullptr) operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *choice);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    add(std::move(operation));
  }

  // Returns x times a scalar; x and the product are matrices of scores.
  [[nodiscard]] Descriptor scaled(const Descriptor& x, const Descriptor& factor) {
    Descriptor y = matrix();
    pass(CUDNN_POINTWISE_MUL, x, &factor, y);
    return y;
  }

  // Generates the number of each element's row (axis 2) or column (axis 3).
  [[nodiscard]] Descriptor number(const Descriptor& of, std::int64_t axis) {
    Descriptor y = matrix(CUDNN_DATA_INT32);
    Descriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, "numbering");
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                  pass_kind(CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32, &axis));
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, of);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    add(std::move(operation));
    return y;
  }

  [[nodiscard]] std::vector<Descriptor> take() { return std::move(operations_); }

 private:
  static constexpr cudnnDataType_t kFloat = CUDNN_DATA_FLOAT;

  static Descriptor pass_kind(cudnnPointwiseMode_t what, cudnnDataType_t type,
                              const std::int64_t* axis) {
    Descriptor how(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, "a pass");
    how.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &what);
    how.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &type);
    if (axis != nullptr) how.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, 1, axis);
    how.finalize();
    return how;
  }
  Descriptor make(cudnnDataType_t type, const Four& x) {
    return tensor(next_id_++, type, x, {x[1] * x[2] * x[3], x[2] * x[3], x[3], 1}, false, true);
  }
  void add(Descriptor operation) {
    operation.finalize();
    operations_.push_back(std::move(operation));
  }

  Four scores_;
  std::int64_t next_id_ = kFirstVirtual;
  std::vector<Descriptor> operations_;
};

// K or V as the right operand of a product over d: its rows are the depth, its columns the keys.
Descriptor transposed(TensorId id, const TensorView& view) {
  const Extent& e = view.extent;
  return tensor(id, native(view.dtype), {e.batch, e.heads, e.head_dim, e.length},
                {view.batch_stride, view.head_stride, 1, view.token_stride});
}

Pattern pattern_of(const TensorView& q, const TensorView& k) {
  return Pattern({q.extent.batch, q.extent.heads, q.extent.length, k.extent.length});
}

// Returns scale Q K^T, with -inf where the mask hides a pair.
Descriptor masked_scores(Pattern& pattern, const TensorView& q, const TensorView& k,
                         WholeMask mask) {
  const Descriptor scores = pattern.matrix();
  pattern.multiply(tensor(kQ, q), transposed(kK, k), scores);
  Descriptor scaled = pattern.scaled(scores, scalar(kScale));
  if (mask == WholeMask::none) return scaled;
  const Descriptor row = pattern.number(scaled, 2);
  const Descriptor column = pattern.number(scaled, 3);
  const Descriptor sees = pattern.matrix(CUDNN_DATA_BOOLEAN);
  pattern.pass(CUDNN_POINTWISE_CMP_GE, row, &column, sees);
  const Descriptor minus_infinity = scalar(kMasked);
  Descriptor masked = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_BINARY_SELECT, scaled, &minus_infinity, masked, &sees);
  return masked;
}

std::vector<Descriptor> causal_pattern(const AttentionArguments& a, const TensorView& out) {
  Pattern pattern = pattern_of(a.q, a.k);
  const Descriptor masked = masked_scores(pattern, a.q, a.k, WholeMask::causal);
  const Descriptor largest = pattern.column();
  pattern.reduce(CUDNN_REDUCE_TENSOR_MAX, masked, largest);
  const Descriptor shifted = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_SUB, masked, &largest, shifted);
  const Descriptor exponential = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_EXP, shifted, nullptr, exponential);
  const Descriptor sum = pattern.column();
  pattern.reduce(CUDNN_REDUCE_TENSOR_ADD, exponential, sum);
  const Descriptor logarithm = pattern.column();
  pattern.pass(CUDNN_POINTWISE_LOG, sum, nullptr, logarithm);
  pattern.pass(CUDNN_POINTWISE_ADD, logarithm, &largest, tensor(kStatistics, a.lse));
  const Descriptor weights = pattern.matrix(native(a.q.dtype));
  pattern.pass(CUDNN_POINTWISE_DIV, exponential, &sum, weights);
  pattern.multiply(weights, tensor(kV, a.v), tensor(kO, out));
  return pattern.take();
}

}  // namespace

std::vector<Descriptor> attention_operations(const AttentionArguments& a, const TensorView& out,
                                             WholeMask mask) {
  if (mask == WholeMask::causal) return causal_pattern(a, out);
  std::vector<Descriptor> one;
  one.push_back(one_node(a, out));
  return one;
}

std::vector<Descriptor> gradient_operations(const BackwardArguments& a, const NarrowTensors& narrow,
                                            WholeMask mask) {
  Pattern pattern = pattern_of(a.q, a.k);
  const cudnnDataType_t type = native(a.q.dtype);
  const Descriptor d_out = tensor(kDOut, a.d_out);
  const Descriptor one = scalar(kOne);
  const Descriptor sums =
      pattern.row_sums_of_product(d_out, tensor(kO, narrow.out), narrow.out.extent.head_dim);
  const Descriptor delta = pattern.column();
  pattern.pass(CUDNN_POINTWISE_MUL, sums, &one, delta);
  const Descriptor scores = masked_scores(pattern, a.q, a.k, mask);
  const Descriptor shifted = pattern.matrix();
  const Descriptor statistics = tensor(kStatistics, a.lse);
  pattern.pass(CUDNN_POINTWISE_SUB, scores, &statistics, shifted);
  const Descriptor weights = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_EXP, shifted, nullptr, weights);
  pattern.multiply(pattern.transpose(weights, type), d_out, tensor(kDV, narrow.d_v));

  const Descriptor d_weights = pattern.matrix();
  pattern.multiply(d_out, transposed(kV, a.v), d_weights);
  const Descriptor centred = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_SUB, pattern.scaled(d_weights, one), &delta, centred);
  const Descriptor product = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_MUL, centred, &weights, product);
  const Descriptor d_scores = pattern.scaled(product, scalar(kScale));
  pattern.multiply(pattern.transpose(d_scores, type), tensor(kQ, a.q), tensor(kDK, narrow.d_k));
  const Descriptor d_q_sum = tensor(kDQSum, narrow.d_q_sum, CUDNN_TENSOR_REORDERING_F16x16);
  pattern.multiply(d_scores, tensor(kK, a.k), d_q_sum);
  pattern.pass(CUDNN_POINTWISE_IDENTITY, d_q_sum, nullptr, tensor(kDQ, narrow.d_q));
  return pattern.take();
}

Bindings gradient_bindings(const BackwardArguments& a, const NarrowTensors& narrow) {
  static float one = 1.0F;
  return {{kQ, a.q.data},         {kK, a.k.data},
          {kV, a.v.data},         {kO, narrow.out.data},
          {kDOut, a.d_out.data},  {kStatistics, a.lse.data},
          {kOne, &one},           {kDQSum, narrow.d_q_sum.data},
          {kDQ, narrow.d_q.data}, {kDK, narrow.d_k.data},
          {kDV, narrow.d_v.data}};
}

}  // namespace qb::cuda
