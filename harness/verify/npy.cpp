// SPDX-License-Identifier: Apache-2.0
// The header is a Python dictionary literal of exactly three keys,
// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, padded with spaces and a newline so
// that the data begins at a multiple of 64 bytes.
#include "harness/verify/tensor_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/status.h"

namespace qb {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY data is copied as it lies");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostDimensions = 64;  // numpy's own limit
constexpr std::pair<DType, std::string_view> kDescriptions[] = {
    {DType::f16, "<f2"}, {DType::f32, "<f4"}, {DType::f64, "<f8"}};

// Returns for example `(2, 3)`, `(2,)` or `()`.
std::string tuple_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string what_of(const NpyHeader& array) {
  return fmt::format("shape {} of {}", tuple_text(array.shape), word(array.dtype));
}

struct Entries {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Entries parse() {
    Entries header;
    expect("{");
    while (!accept("}")) {
      parse_entry(header);
      if (accept("}")) break;
      expect(",");
    }
    skip_spaces();
    if (at_ != text_.size()) malformed("nothing but spaces");
    if (!header.descr) malformed("the key 'descr'");
    if (!header.fortran_order) malformed("the key 'fortran_order'");
    if (!header.shape) malformed("the key 'shape'");
    return header;
  }

 private:
  [[noreturn]] void malformed(std::string_view expected) const {
    refuse_file(name_,
                fmt::format("malformed NPY header: {} expected at its byte {}", expected, at_));
  }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (!accept(token)) malformed(token);
  }

  void parse_entry(Entries& header) {
    const std::string key = parse_string();
    expect(":");
    if (key == "descr" && !header.descr) {
      if (accept("[")) refuse_file(name_, "has a structured type; save one plain float array");
      header.descr = parse_string();
    } else if (key == "fortran_order" && !header.fortran_order) {
      header.fortran_order = parse_truth();
    } else if (key == "shape" && !header.shape) {
      header.shape = parse_tuple();
    } else {
      malformed("each of descr, fortran_order and shape once");
    }
  }

  std::string parse_string() {
    const std::string_view quote = accept("'") ? "'" : "\"";
    if (quote == "\"" && !accept(quote)) malformed("a string");
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) malformed("a closing quote");
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(value);
  }

  bool parse_truth() {
    if (accept("True")) return true;
    expect("False");
    return false;
  }

  // A comma after the only side makes it a tuple in Python, so it is required.
  std::vector<std::int64_t> parse_tuple() {
    std::vector<std::int64_t> shape;
    expect("(");
    while (!accept(")")) {
      shape.push_back(parse_side());
      if (accept(",")) continue;
      if (shape.size() == 1) malformed(",");
      expect(")");
      break;
    }
    return shape;
  }

  std::int64_t parse_side() {
    skip_spaces();
    std::int64_t side = 0;
    const char* begin = text_.data() + at_;
    const auto [stop, problem] = std::from_chars(begin, text_.data() + text_.size(), side);
    if (problem != std::errc{} || side < 0) malformed("a non-negative 63-bit whole number");
    at_ += static_cast<std::size_t>(stop - begin);
    accept("L");  // numpy on Python 2 wrote 3L
    return side;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

DType parse_descr(const std::string& descr, std::string_view name, std::optional<DType> untyped) {
  const bool has_no_type = descr == "<V2" || descr == "|V2";  // as ml_dtypes saves bfloat16
  if (has_no_type && untyped) return *untyped;
  for (const auto& [dtype, description] : kDescriptions) {
    if (descr == description) return dtype;
    if (descr.starts_with('>') && descr.substr(1) == description.substr(1))
      refuse_file(name, fmt::format("type '{}' is big-endian; save it with .astype('{}')", descr,
                                    description));
  }
  refuse_file(name,
              fmt::format("type '{}' is not read; save it as float16, float32 or float64{}", descr,
                          has_no_type ? ", or say --dtype bf16 if it is bfloat16" : ""));
}

// Returns the header's text and moves `bytes` on to the data.
std::string_view take_header(std::string_view& bytes, std::string_view name) {
  if (!bytes.starts_with(kMagic))
    refuse_file(name,
                "is not an NPY file: it does not begin with \\x93NUMPY; write it with numpy.save");
  bytes.remove_prefix(kMagic.size());
  if (bytes.size() < kVersionBytes) refuse_file(name, "ends inside its NPY header");
  const int major = static_cast<unsigned char>(bytes[0]);
  const int minor = static_cast<unsigned char>(bytes[1]);
  // 3.0 is 2.0 with names of fields in UTF-8, which an array of numbers has none of.
  if (major < 1 || major > 3 || minor != 0)
    refuse_file(name, fmt::format("NPY version {}.{} is not read, only 1.0 to 3.0", major, minor));
  bytes.remove_prefix(kVersionBytes);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < length_bytes) refuse_file(name, "ends inside its NPY header");
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data(), length_bytes);
  bytes.remove_prefix(length_bytes);
  if (bytes.size() < length)
    refuse_file(name, fmt::format("ends inside its NPY header: {} of {} bytes are there",
                                  bytes.size(), length));
  const std::string_view header = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return header;
}

}  // namespace

NpyHeader take_npy_header(std::string_view& bytes, std::string_view name,
                          std::optional<DType> untyped) {
  const Entries header = HeaderParser(take_header(bytes, name), name).parse();
  NpyHeader array{std::string(name), parse_descr(*header.descr, name, untyped), *header.shape};
  if (*header.fortran_order)
    refuse_file(name, "is in Fortran order; save numpy.ascontiguousarray(array) instead");
  if (array.shape.size() > kMostDimensions)
    refuse_file(name, fmt::format("has {} dimensions; numpy allows {}", array.shape.size(),
                                  kMostDimensions));
  return array;
}

std::int64_t npy_data_bytes(const NpyHeader& array) {
  // A zero side makes it 0 whatever the others are.
  if (std::ranges::find(array.shape, 0) != array.shape.end()) return 0;
  std::int64_t bytes = size_of(array.dtype);
  for (const std::int64_t side : array.shape)
    if (__builtin_mul_overflow(bytes, side, &bytes))
      refuse_file(array.name, what_of(array) + " has more bytes than 63 bits count");
  return bytes;
}

void require_npy_bytes(const NpyHeader& array, std::size_t bytes) {
  const std::int64_t needed = npy_data_bytes(array);
  if (std::cmp_not_equal(needed, bytes))
    refuse_file(array.name,
                fmt::format("is {}: {} needs {} bytes of data, and {} follow the header",
                            std::cmp_less(bytes, needed) ? "truncated" : "overlong", what_of(array),
                            needed, bytes));
}

std::string npy_header(DType dtype, const std::vector<std::int64_t>& shape) {
  const auto* description =
      std::find_if(std::begin(kDescriptions), std::end(kDescriptions),
                   [&](const auto& candidate) { return candidate.first == dtype; });
  if (description == std::end(kDescriptions))
    throw UsageError(fmt::format("NPY has no {}; choose f16, f32 or f64", word(dtype)));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   description->second, tuple_text(shape));
  const std::size_t before = kMagic.size() + kVersionBytes + sizeof(std::uint16_t);
  const std::size_t unpadded = before + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return bytes + header;
}

}  // namespace qb
