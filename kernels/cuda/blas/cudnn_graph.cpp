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
                  bool by_value = false, bool is_virtual = false) {
  Descriptor result(CUDNN_BACKEND_TENSOR_DESCRIPTOR, "a tensor");
  const std::int64_t alignment = by_value ? 4 : 16;
  result.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &id);
  result.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
  result.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, extent.data());
  result.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
  result.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
  if (by_value) result.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  if (is_virtual) result.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
  result.finalize();
  return result;
}

Descriptor tensor(TensorId id, const TensorView& view) {
  const Extent& e = view.extent;
  return tensor(id, native(view.dtype), {e.batch, e.heads, e.length, e.head_dim},
                {view.batch_stride, view.head_stride, view.token_stride, 1});
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

// K is the right operand of the first product: its rows are the depth, its columns the keys.
Descriptor transposed_keys(const TensorView& k) {
  const Extent& e = k.extent;
  return tensor(kK, native(k.dtype), {e.batch, e.heads, e.head_dim, e.length},
                {k.batch_stride, k.head_stride, 1, k.token_stride});
}

std::vector<Descriptor> causal_pattern(const AttentionArguments& a, const TensorView& out) {
  const Extent& q = a.q.extent;
  Pattern pattern({q.batch, q.heads, q.length, a.k.extent.length});
  const Descriptor scores = pattern.matrix();
  pattern.multiply(tensor(kQ, a.q), transposed_keys(a.k), scores);
  const Descriptor scale = scalar(kScale);
  const Descriptor scaled = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_MUL, scores, &scale, scaled);

  const Descriptor row = pattern.number(scaled, 2);
  const Descriptor column = pattern.number(scaled, 3);
  const Descriptor sees = pattern.matrix(CUDNN_DATA_BOOLEAN);
  pattern.pass(CUDNN_POINTWISE_CMP_GE, row, &column, sees);
  const Descriptor minus_infinity = scalar(kMasked);
  const Descriptor masked = pattern.matrix();
  pattern.pass(CUDNN_POINTWISE_BINARY_SELECT, scaled, &minus_infinity, masked, &sees);

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

}  // namespace qb::cuda
