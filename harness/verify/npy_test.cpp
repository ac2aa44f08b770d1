// SPDX-License-Identifier: Apache-2.0
#include "harness/verify/testing/npy_fakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/files.h"
#include "base/status.h"

namespace qb {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string version_1(const std::string& header, const std::string& data) {
  const auto size = static_cast<unsigned>(header.size());
  return "\x93NUMPY\x01\x00"s + static_cast<char>(size & 0xFF) + static_cast<char>(size >> 8) +
         header + data;
}

std::string version_2(const std::string& header, const std::string& data) {
  const auto size = static_cast<unsigned>(header.size());
  return "\x93NUMPY\x02\x00"s + static_cast<char>(size & 0xFF) +
         static_cast<char>(size >> 8 & 0xFF) + static_cast<char>(size >> 16 & 0xFF) + '\0' +
         header + data;
}

std::string f32_header(const std::string& shape) {
  return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

std::string refusal(std::string_view bytes) {
  try {
    (void)parse_npy(bytes, "q.npy");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

template <class T>
std::vector<T> values(const NpyArray& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}

// The output of numpy.save of numpy.array([[1, 2, 3], [-1, 0.5, 0]], dtype=numpy.float32): 128
// bytes of header, with the dictionary padded with spaces and a newline at the end.
std::string numpy_file() {
  std::string bytes = "\x93NUMPY\x01\x00\x76\x00"s;
  bytes += "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  bytes += std::string(127 - bytes.size(), ' ') + '\n';
  bytes += "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40"s;
  bytes += "\x00\x00\x80\xbf\x00\x00\x00\x3f\x00\x00\x00\x00"s;
  return bytes;
}

TEST(Npy, ReadsAFileAsNumpyWritesIt) {
  const NpyArray array = parse_npy(numpy_file(), "q.npy");
  EXPECT_EQ(array.dtype, DType::f32);
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_THAT(values<float>(array), ElementsAre(1.0F, 2.0F, 3.0F, -1.0F, 0.5F, 0.0F));
}

TEST(Npy, WritesTheBytesThatNumpyWrites) {
  const std::array<float, 6> data = {1.0F, 2.0F, 3.0F, -1.0F, 0.5F, 0.0F};
  EXPECT_EQ(npy_bytes(DType::f32, {2, 3}, data.data()), numpy_file());
}

TEST(Npy, ReadsVersionTwo) {
  const NpyArray array = parse_npy(version_2(f32_header("(1,)"), "\x00\x00\x80\x3f"s), "q.npy");
  EXPECT_THAT(array.shape, ElementsAre(1));
  EXPECT_THAT(values<float>(array), ElementsAre(1.0F));
  // The header is longer than version 1 allows.
  const std::string long_header = f32_header("(1,)") + std::string(70'000, ' ') + "\n";
  EXPECT_THAT(parse_npy(version_2(long_header, "\x00\x00\x80\x3f"s), "q.npy").shape,
              ElementsAre(1));
}

TEST(Npy, ReadsEachFloatType) {
  const auto parse = [](const std::string& descr, const std::string& data) {
    return parse_npy(
        version_1("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", data),
        "q.npy");
  };
  EXPECT_EQ(parse("<f2", "\x00\x3c"s).dtype, DType::f16);
  EXPECT_THAT(values<std::uint16_t>(parse("<f2", "\x00\x3c"s)), ElementsAre(0x3C00));
  EXPECT_EQ(parse("<f8", "\x00\x00\x00\x00\x00\x00\xf0\x3f"s).dtype, DType::f64);
  EXPECT_THAT(values<double>(parse("<f8", "\x00\x00\x00\x00\x00\x00\xf0\x3f"s)), ElementsAre(1.0));
}

TEST(Npy, ReadsTheHeaderInAnyOrderQuotesAndSpacing) {
  const std::string data = "\x00\x00\x80\x3f\x00\x00\x00\x40"s;
  for (const char* header :
       {"{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f4\"}",
        "{ 'fortran_order' : False , 'descr' : '<f4' , 'shape' : ( 2 , 1 ) }  ",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 1L), }\n"})
    EXPECT_THAT(values<float>(parse_npy(version_1(header, data), "q.npy")), ElementsAre(1.0F, 2.0F))
        << header;
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  const NpyArray scalar = parse_npy(version_1(f32_header("()"), "\x00\x00\x80\x3f"s), "q.npy");
  EXPECT_THAT(scalar.shape, IsEmpty());
  EXPECT_THAT(values<float>(scalar), ElementsAre(1.0F));
  const NpyArray empty = parse_npy(version_1(f32_header("(0, 64)"), ""), "q.npy");
  EXPECT_THAT(empty.shape, ElementsAre(0, 64));
  EXPECT_THAT(empty.data, IsEmpty());
  // The product of the other sides overflows.
  EXPECT_THAT(parse_npy(version_1(f32_header("(9223372036854775807, 4, 0)"), ""), "q.npy").data,
              IsEmpty());
}

TEST(Npy, WritesWhatItReads) {
  const std::array<double, 24> data = {1.5, -2.25, std::numeric_limits<double>::infinity()};
  const std::vector<std::vector<std::int64_t>> shapes = {{},     {3},       {0},          {2, 3},
                                                         {4, 0}, {2, 3, 4}, {1, 1, 24, 1}};
  for (DType dtype : {DType::f16, DType::f32, DType::f64})
    for (const auto& shape : shapes) {
      const std::string bytes = npy_bytes(dtype, shape, data.data());
      SCOPED_TRACE(testing::Message() << word(dtype) << " of " << shape.size() << " dimensions");
      const NpyArray array = parse_npy(bytes, "q.npy");
      EXPECT_EQ(array.dtype, dtype);
      EXPECT_EQ(array.shape, shape);
      EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
      if (!array.data.empty()) {
        EXPECT_EQ(std::memcmp(array.data.data(), data.data(), array.data.size()), 0);
      }
    }
}

TEST(Npy, WritesNoBfloat16) {
  const float value = 1.0F;
  EXPECT_THROW((void)npy_bytes(DType::bf16, {1}, &value), UsageError);
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  for (const std::string& bytes : {""s, "\x93NUM"s, "hello, this is text"s, "PK\x03\x04 an npz"s})
    EXPECT_THAT(refusal(bytes), HasSubstr("q.npy: is not an NPY file")) << bytes;
  EXPECT_THAT(refusal("\x93NUMPY"s), HasSubstr("q.npy: ends inside its NPY header"));
  EXPECT_THAT(refusal("\x93NUMPY\x01\x00\x76"s), HasSubstr("q.npy: ends inside its NPY header"));
  EXPECT_THAT(refusal("\x93NUMPY\x02\x00\x76\x00\x00"s), HasSubstr("ends inside its NPY header"));
  EXPECT_THAT(refusal("\x93NUMPY\x04\x00\x00\x00\x00\x00"s), HasSubstr("version 4.0"));
  EXPECT_THAT(refusal("\x93NUMPY\x01\x01\x00\x00"s), HasSubstr("version 1.1"));
}

TEST(Npy, RefusesEveryTruncationOfAFile) {
  const std::string whole = numpy_file();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(refusal(whole.substr(0, size)), HasSubstr("q.npy: ")) << size << " bytes";
}

TEST(Npy, SaysHowFarTheDataIsOff) {
  const std::string whole = numpy_file();
  EXPECT_EQ(refusal(whole.substr(0, whole.size() - 1)),
            "q.npy: is truncated: shape (2, 3) of f32 needs 24 bytes of data, and 23 follow the "
            "header");
  EXPECT_EQ(refusal(whole + "xy"),
            "q.npy: is overlong: shape (2, 3) of f32 needs 24 bytes of data, and 26 follow the "
            "header");
}

TEST(Npy, RefusesTypesAndOrdersWithTheRemedy) {
  const auto typed = [](const std::string& descr, const std::string& fortran) {
    return refusal(version_1(
        "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': (1,), }", "12345678"));
  };
  EXPECT_THAT(typed("'<f4'", "True"), HasSubstr("Fortran order; save numpy.ascontiguousarray"));
  EXPECT_THAT(typed("'>f4'", "False"),
              HasSubstr("'>f4' is big-endian; save it with .astype('<f4')"));
  for (const char* descr : {"'<i4'", "'<i8'", "'|u1'", "'|b1'", "'<c8'", "'<f16'", "'<V2'", "'>i4'",
                            "'f4'", "'<U5'", "''"})
    EXPECT_THAT(typed(descr, "False"), HasSubstr("is not read; save it as float16, float32 or "))
        << descr;
  EXPECT_THAT(typed("[('x', '<f4')]", "False"), HasSubstr("structured"));
}

TEST(Npy, TakesElementsWithoutATypeForThoseThatItIsTold) {
  std::string file = npy_header(DType::f16, {2});
  file.replace(file.find("<f2"), 3, "<V2");
  std::string_view bytes = file;
  EXPECT_EQ(take_npy_header(bytes, "x", DType::bf16).dtype, DType::bf16);
  bytes = file;
  EXPECT_THAT(refusal(file), HasSubstr("say --dtype bf16"));
  file = npy_header(DType::f16, {2});
  bytes = file;
  EXPECT_EQ(take_npy_header(bytes, "x", DType::bf16).dtype, DType::f16) << "it has a type";
}

TEST(Npy, RefusesAMalformedHeader) {
  const std::vector<std::string> headers = {
      "",
      "\n",
      "garbage",
      "{",
      "{}",
      "{'descr': '<f4'",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'shape': (1,)}",
      "{'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'extra': 1}",
      "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': <f4, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1.0,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
      "{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} tail",
      "{'descr: '<f4', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)"};
  for (const std::string& header : headers)
    EXPECT_THAT(refusal(version_1(header, "1234")), HasSubstr("q.npy: malformed NPY header"))
        << header;
}

TEST(Npy, RefusesShapesBeyondMemory) {
  EXPECT_EQ(refusal(version_1(f32_header("(4294967296, 4294967296)"), "")),
            "q.npy: shape (4294967296, 4294967296) of f32 has more bytes than 63 bits count");
  EXPECT_THAT(refusal(version_1(f32_header("(4611686018427387904,)"), "")),
              HasSubstr("more bytes than 63 bits count"));
  // It declares far more than the file has, yet no memory is allocated for it.
  EXPECT_THAT(refusal(version_1(f32_header("(1000000000000,)"), "1234")), HasSubstr("truncated"));
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  EXPECT_THAT(refusal(version_1(f32_header(many + ")"), "1234")), HasSubstr("65 dimensions"));
}

TEST(Npy, ReadsFromDiskAndNamesTheFile) {
  const std::string path = testing::TempDir() + "qb_npy_" + std::to_string(::getpid()) + ".npy";
  write_file_atomically(path, numpy_file());
  EXPECT_THAT(read_npy(path).shape, ElementsAre(2, 3));
  write_file_atomically(path, "no array");
  try {
    (void)read_npy(path);
    ADD_FAILURE() << "no UsageError";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(path + ": is not an NPY file"));
  }
  std::remove(path.c_str());
  EXPECT_THROW((void)read_npy(path), UsageError);
}

}  // namespace
}  // namespace qb
