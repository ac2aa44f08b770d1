// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace qb {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostJsonHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::pair<std::string_view, DType> kSafetensorsTypes[] = {
    {"F16", DType::f16}, {"BF16", DType::bf16}, {"F32", DType::f32}, {"F64", DType::f64}};

// A tensor's bytes in the data.
struct TensorSpan {
  std::int64_t begin;
  std::int64_t end;
  std::string tensor;
};

// Returns a member that is a list of non-negative 63-bit whole numbers.
std::optional<std::vector<std::int64_t>> whole_numbers(const Json& entry, const char* key) {
  if (!entry.is_object() || !entry.contains(key) || !entry.at(key).is_array()) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Json& one : entry.at(key)) {
    if (!one.is_number_unsigned() || one.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    numbers.push_back(one.get<std::int64_t>());
  }
  return numbers;
}

std::vector<TensorSpan> spans_of(const Json& header, std::string_view name) {
  std::vector<TensorSpan> spans;
  for (const auto& [tensor, entry] : header.items()) {
    if (tensor == "__metadata__") continue;
    const auto offsets = whole_numbers(entry, "data_offsets");
    if (!offsets || offsets->size() != 2 || offsets->at(0) > offsets->at(1))
      refuse_file(name, fmt::format("tensor '{}' has no data_offsets [begin, end]", tensor));
    spans.push_back({offsets->at(0), offsets->at(1), tensor});
  }
  return spans;
}

void require_tiling(std::vector<TensorSpan> spans, std::string_view name, std::int64_t data_bytes) {
  std::ranges::sort(spans, {},
                    [](const TensorSpan& one) { return std::tuple(one.begin, one.end); });
  spans.push_back({data_bytes, data_bytes, {}});
  TensorSpan before{0, 0, {}};
  for (const TensorSpan& one : spans) {
    if (before.end > data_bytes)
      refuse_file(name, fmt::format("is truncated: tensor '{}' ends at byte {} of {} bytes of data",
                                    before.tensor, before.end, data_bytes));
    if (one.begin < before.end)
      refuse_file(name, fmt::format("tensors '{}' and '{}' overlap at byte {} of the data",
                                    before.tensor, one.tensor, one.begin));
    if (one.begin > before.end && one.begin <= data_bytes)
      refuse_file(name, fmt::format("bytes {} to {} of the data belong to no tensor", before.end,
                                    one.begin));
    before = one;
  }
}

[[noreturn]] void refuse_missing(std::string_view name, std::string_view tensor,
                                 const std::vector<TensorSpan>& spans) {
  constexpr std::size_t kMostNames = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(spans.size(), kMostNames); ++i)
    names += (i == 0 ? ", but " : ", ") + spans[i].tensor;
  if (spans.size() > kMostNames) names += ", …";
  refuse_file(name, fmt::format("has no tensor '{}'{}; save it by that name", tensor, names));
}

Json parsed(std::string_view header, std::string_view name) {
  Json json;
  try {
    json = parse_json(header, name);
  } catch (const Json::exception&) {
    refuse_file(name, "is not a safetensors file: its header is not JSON");
  }
  if (!json.is_object())
    refuse_file(name, "is not a safetensors file: its header is not an object");
  return json;
}

NpyHeader header_of(const Json& entry, const std::string& label) {
  const Json type = entry.value("dtype", Json());
  const auto* const known =
      std::ranges::find_if(kSafetensorsTypes, [&](const auto& one) { return type == one.first; });
  if (known == std::end(kSafetensorsTypes))
    throw UsageError(
        fmt::format("{} has dtype {}; save it as F16, BF16, F32 or F64", label, type.dump()));
  const auto shape = whole_numbers(entry, "shape");
  if (!shape)
    throw UsageError(fmt::format("{} has no shape of non-negative 63-bit whole numbers", label));
  return {label, known->second, *shape};
}

}  // namespace

std::string read_safetensors_header(InputFile& file, std::string_view name) {
  std::uint64_t length = 0;
  if (file.size_bytes() < sizeof length)
    refuse_file(name, "is not a safetensors file: it is a pipe, or shorter than 8 bytes");
  (void)file.read(&length, sizeof length);
  const std::uint64_t rest = file.size_bytes() - sizeof length;
  if (length > rest || length > kMostJsonHeaderBytes)
    refuse_file(name,
                fmt::format("is not a safetensors file: its first 8 bytes announce a header of {} "
                            "bytes; {} follow, and a header has at most {}",
                            length, rest, kMostJsonHeaderBytes));
  std::string header(length, '\0');
  header.resize(file.read(header.data(), header.size()));
  return header;
}

bool holds_tensor(const std::string& path, std::string_view tensor) {
  InputFile file(path);
  return parsed(read_safetensors_header(file, path), path).contains(tensor);
}

SafetensorsEntry find_safetensor(std::string_view header, std::string_view name,
                                 std::string_view tensor, std::int64_t data_bytes) {
  const Json json = parsed(header, name);
  const std::vector<TensorSpan> spans = spans_of(json, name);
  require_tiling(spans, name, data_bytes);
  const auto found = std::ranges::find(spans, tensor, &TensorSpan::tensor);
  if (found == spans.end()) refuse_missing(name, tensor, spans);
  NpyHeader one = header_of(json[found->tensor], fmt::format("{} of {}", tensor, name));
  if (npy_data_bytes(one) != found->end - found->begin)
    throw UsageError(fmt::format(
        "{} has shape {} of {}, which is {} bytes, and its data_offsets span {}", one.name,
        shape_text(one.shape), word(one.dtype), npy_data_bytes(one), found->end - found->begin));
  return {std::move(one), found->begin};
}

}  // namespace qb
