// SPDX-License-Identifier: Apache-2.0
// For tests: what was set of a fake cuDNN's descriptors, and the evaluation of an operation graph
// in float64 over tensors of float32, one operation after the other as the graph lists them.
#pragma once

#include <cudnn.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

namespace qb::cuda {

struct FakeDescriptor {
  cudnnBackendDescriptorType_t type;
  cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;  // mode of the heuristics, an engine or a plan
  int engine = 0;
  std::map<cudnnBackendAttributeName_t, std::vector<std::int64_t>> numbers{};
  std::map<cudnnBackendAttributeName_t, std::vector<void*>> pointers{};
  std::map<cudnnBackendAttributeName_t, std::vector<FakeDescriptor>> parts{};

  [[nodiscard]] std::int64_t number(cudnnBackendAttributeName_t name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 0 : found->second.front();
  }
  [[nodiscard]] const FakeDescriptor& part(cudnnBackendAttributeName_t name) const {
    return parts.at(name).front();
  }
};

class FakeEvaluation {
 public:
  explicit FakeEvaluation(const FakeDescriptor& pack) {
    const auto& ids = pack.numbers.at(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    const auto& pointers = pack.pointers.at(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    for (std::size_t i = 0; i < ids.size(); ++i) bound_[ids[i]] = static_cast<float*>(pointers[i]);
  }

  void run(const FakeDescriptor& operation) {
    switch (operation.type) {
      case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
        return multiply(operation);
      case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
        return reduce(operation);
      case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
        return store(operation.part(CUDNN_ATTR_OPERATION_RESHAPE_YDESC),
                     memory_of(operation.part(CUDNN_ATTR_OPERATION_RESHAPE_XDESC)));
      case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
        return pass(operation);
      default:
        throw std::runtime_error("the fake cuDNN does not know this operation");
    }
  }

 private:
  using Place = std::array<std::int64_t, 4>;

  // A tensor's elements lie at their strides in its memory, virtual or bound.
  struct View {
    Place extent;
    Place strides;
    double* virtual_data;
    float* data;

    // Along axes of one element every index is 0.
    [[nodiscard]] std::size_t offset(const Place& at) const {
      std::int64_t sum = 0;
      for (std::size_t x = 0; x < 4; ++x) sum += extent[x] == 1 ? 0 : at[x] * strides[x];
      return static_cast<std::size_t>(sum);
    }
    [[nodiscard]] double get(const Place& at) const {
      return data != nullptr ? static_cast<double>(data[offset(at)]) : virtual_data[offset(at)];
    }
    void set(const Place& at, double value) const {
      if (data != nullptr)
        data[offset(at)] = static_cast<float>(value);
      else
        virtual_data[offset(at)] = value;
    }
    template <class Function>
    void for_each(Function function) const {
      for (std::int64_t b = 0; b < extent[0]; ++b)
        for (std::int64_t h = 0; h < extent[1]; ++h)
          for (std::int64_t i = 0; i < extent[2]; ++i)
            for (std::int64_t j = 0; j < extent[3]; ++j) function(Place{b, h, i, j});
    }
  };

  View view(const FakeDescriptor& tensor) {
    View result{};
    std::copy_n(tensor.numbers.at(CUDNN_ATTR_TENSOR_DIMENSIONS).begin(), 4, result.extent.begin());
    std::copy_n(tensor.numbers.at(CUDNN_ATTR_TENSOR_STRIDES).begin(), 4, result.strides.begin());
    const std::int64_t id = tensor.number(CUDNN_ATTR_TENSOR_UNIQUE_ID);
    if (tensor.number(CUDNN_ATTR_TENSOR_IS_VIRTUAL) == 0) {
      result.data = bound_.at(id);
      return result;
    }
    std::vector<double>& memory = virtual_[id];
    std::int64_t count = 1;
    for (const std::int64_t n : result.extent) count *= n;
    memory.resize(static_cast<std::size_t>(count), std::nan(""));
    result.virtual_data = memory.data();
    return result;
  }
  std::vector<double> memory_of(const FakeDescriptor& tensor) {
    (void)view(tensor);
    return virtual_.at(tensor.number(CUDNN_ATTR_TENSOR_UNIQUE_ID));
  }
  void store(const FakeDescriptor& tensor, std::vector<double> memory) {
    virtual_[tensor.number(CUDNN_ATTR_TENSOR_UNIQUE_ID)] = std::move(memory);
  }

  void multiply(const FakeDescriptor& operation) {
    const View a = view(operation.part(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
    const View b = view(operation.part(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
    const View c = view(operation.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
    if (a.extent[3] != b.extent[2] || a.extent[2] != c.extent[2] || b.extent[3] != c.extent[3])
      throw std::runtime_error("the shapes of a product do not fit together");
    // cuDNN adds to a sum in its own order of elements, which a call has cleared.
    const bool adds =
        operation.part(CUDNN_ATTR_OPERATION_MATMUL_CDESC)
            .number(CUDNN_ATTR_TENSOR_REORDERING_MODE) != CUDNN_TENSOR_REORDERING_NONE;
    c.for_each([&](const Place& at) {
      double sum = adds ? c.get(at) : 0.0;
      for (std::int64_t x = 0; x < a.extent[3]; ++x)
        sum += a.get({at[0], at[1], at[2], x}) * b.get({at[0], at[1], x, at[3]});
      c.set(at, sum);
    });
  }

  void reduce(const FakeDescriptor& operation) {
    const View x = view(operation.part(CUDNN_ATTR_OPERATION_REDUCTION_XDESC));
    const View y = view(operation.part(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
    const bool adds =
        operation.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC).number(CUDNN_ATTR_REDUCTION_OPERATOR) ==
        CUDNN_REDUCE_TENSOR_ADD;
    y.for_each([&](const Place& at) { y.set(at, adds ? 0.0 : -INFINITY); });
    x.for_each([&](const Place& at) {
      const double value = x.get(at);
      y.set(at, adds ? y.get(at) + value : std::max(y.get(at), value));
    });
  }

  void pass(const FakeDescriptor& operation) {
    const FakeDescriptor& how = operation.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    const auto what = static_cast<cudnnPointwiseMode_t>(how.number(CUDNN_ATTR_POINTWISE_MODE));
    const auto axis = static_cast<std::size_t>(how.number(CUDNN_ATTR_POINTWISE_AXIS));
    const auto operand = [&](cudnnBackendAttributeName_t name) {
      return operation.parts.contains(name) ? view(operation.part(name)) : View{};
    };
    const View x = operand(CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
    const View b = operand(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    const View t = operand(CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
    const View y = operand(CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    y.for_each([&](const Place& at) {
      const auto value = [&] {
        switch (what) {
          case CUDNN_POINTWISE_ADD:
            return x.get(at) + b.get(at);
          case CUDNN_POINTWISE_SUB:
            return x.get(at) - b.get(at);
          case CUDNN_POINTWISE_MUL:
            return x.get(at) * b.get(at);
          case CUDNN_POINTWISE_DIV:
            return x.get(at) / b.get(at);
          case CUDNN_POINTWISE_IDENTITY:
            return x.get(at);
          case CUDNN_POINTWISE_EXP:
            return std::exp(x.get(at));
          case CUDNN_POINTWISE_LOG:
            return std::log(x.get(at));
          case CUDNN_POINTWISE_CMP_GE:
            return x.get(at) >= b.get(at) ? 1.0 : 0.0;
          case CUDNN_POINTWISE_BINARY_SELECT:
            return t.get(at) != 0.0 ? x.get(at) : b.get(at);
          case CUDNN_POINTWISE_GEN_INDEX:
            return static_cast<double>(at[axis]);
          default:
            throw std::runtime_error("the fake cuDNN does not know this pass");
        }
      };
      y.set(at, value());
    });
  }

  std::map<std::int64_t, float*> bound_;
  std::map<std::int64_t, std::vector<double>> virtual_;
};

}  // namespace qb::cuda
