// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/tensor_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"

namespace qb {
namespace {

constexpr std::int64_t kChunkBytes = 1 << 20;
constexpr std::size_t kMostHeaderBytes = 1 << 17;  // version 1 has at most 2^16 and a few

// Returns the C-order index of the i-th element.
std::string index_text(std::int64_t i, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) index[axis] = i % shape[axis];
  return shape_text(index);
}

double value_at(const void* data, DType dtype, std::int64_t i) {
  return load_element(static_cast<const std::byte*>(data) + i * size_of(dtype), dtype);
}

}  // namespace

void refuse_file(std::string_view name, const std::string& what) {
  throw UsageError(fmt::format("{}: {}", name, what));
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

TensorFile::TensorFile(const std::string& path, std::optional<DType> untyped)
    : file_(path), begun_(kMostHeaderBytes, '\0') {
  begun_.resize(file_.read(begun_.data(), begun_.size()));
  std::string_view data = begun_;
  header_ = take_npy_header(data, path, untyped);
  const std::size_t header_bytes = begun_.size() - data.size();
  begun_.erase(0, header_bytes);
  data_bytes_ = npy_data_bytes(header_);
  // A pipe says nothing of what is to come.
  if (file_.size_bytes() != 0) require_npy_bytes(header_, file_.size_bytes() - header_bytes);
}

TensorFile::TensorFile(const std::string& path, std::string_view tensor) : file_(path) {
  const std::string header = read_safetensors_header(file_, path);
  const std::uint64_t data_bytes = file_.size_bytes() - sizeof(std::uint64_t) - header.size();
  const SafetensorsEntry entry =
      find_safetensor(header, path, tensor, static_cast<std::int64_t>(data_bytes));
  header_ = entry.header;
  data_bytes_ = npy_data_bytes(header_);
  file_.skip(entry.begin);
}

// The elements of a file are taken a chunk at a time.
void TensorFile::read_rows(std::int64_t row, DType dtype,
                           const std::function<void*(std::int64_t)>& place, Allows allows) {
  const std::int64_t of_row = row * size_of(header_.dtype);
  const std::int64_t rows = data_bytes_ / of_row;
  const std::int64_t at_once = std::min(rows, std::max<std::int64_t>(1, kChunkBytes / of_row));
  std::vector<std::byte> chunk(static_cast<std::size_t>(at_once * of_row));
  const auto check = [&](const void* data, DType of, const std::byte* read, std::int64_t first,
                         std::string_view what) {
    for (std::int64_t x = 0; x < row; ++x) {
      const double value = value_at(data, of, x);
      if (std::isfinite(value) || allows == Allows::anything ||
          (allows == Allows::minus_infinity && value < 0.0))
        continue;
      throw UsageError(fmt::format("{} holds {} at {}{}", header_.name,
                                   value_at(read, header_.dtype, x),
                                   index_text(first + x, header_.shape), what));
    }
  };
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t count = std::min(at_once, rows - first);
    const auto bytes = static_cast<std::size_t>(count * of_row);
    const std::size_t kept = std::min(begun_.size(), bytes);
    std::copy_n(reinterpret_cast<const std::byte*>(begun_.data()), kept, chunk.data());
    begun_.erase(0, kept);
    const std::size_t got = kept + file_.read(chunk.data() + kept, bytes - kept);
    if (got < bytes) require_npy_bytes(header_, static_cast<std::size_t>(first * of_row) + got);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::byte* const from = chunk.data() + i * of_row;
      void* const to = place(first + i);
      check(from, header_.dtype, from, (first + i) * row, "; finite numbers are needed");
      convert(from, header_.dtype, to, dtype, row);
      check(to, dtype, from, (first + i) * row,
            fmt::format(", which is infinite as {}", word(dtype)));
    }
  }
  std::byte more{};
  if (file_.size_bytes() == 0 && file_.read(&more, 1) > 0)
    require_npy_bytes(header_, static_cast<std::size_t>(data_bytes_) + 1);
}

void write_npy_rows(OutputFile& file, DType dtype, const std::vector<std::int64_t>& shape,
                    std::int64_t row, const std::function<const float*(std::int64_t)>& place,
                    std::string_view name) {
  file.write(npy_header(dtype, shape));
  const std::int64_t of_row = row * size_of(dtype);
  const std::int64_t rows = npy_data_bytes({std::string(name), dtype, shape}) / of_row;
  std::vector<std::byte> chunk;
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* const from = place(i);
    const std::size_t at = chunk.size();
    chunk.resize(at + static_cast<std::size_t>(of_row));
    convert(from, DType::f32, chunk.data() + at, dtype, row);
    for (std::int64_t x = 0; x < row; ++x)
      if (std::isfinite(from[x]) && !std::isfinite(value_at(chunk.data() + at, dtype, x)))
        throw UsageError(
            fmt::format("{} holds {} at {}, which is infinite as {}; choose a wider "
                        "--out-dtype",
                        name, from[x], index_text(i * row + x, shape), word(dtype)));
    if (static_cast<std::int64_t>(chunk.size()) < kChunkBytes && i + 1 < rows) continue;
    file.write({reinterpret_cast<const char*>(chunk.data()), chunk.size()});
    chunk.clear();
  }
}

}  // namespace qb
