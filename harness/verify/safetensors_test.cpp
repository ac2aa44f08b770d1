// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "base/testing/scratch_folder.h"
#include "harness/verify/tensor_file.h"
#include "harness/verify/testing/safetensors_fakes.h"

namespace qb {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::named;
using testing_support::refusal;
using testing_support::safetensors_bytes;

class Safetensors : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<double> read(const std::string& content,
                                         std::string_view tensor) const {
    // A new file is not flushed to the disk, as one that replaces another would be.
    std::filesystem::remove(scratch_.path("t"));
    std::ofstream(scratch_.path("t"), std::ios::binary) << content;
    TensorFile file(scratch_.path("t"), tensor);
    const std::int64_t n = npy_data_bytes(file.header()) / size_of(file.header().dtype);
    std::vector<double> values(static_cast<std::size_t>(n), -1.0);
    if (n > 0) file.read_rows(1, DType::f64, [&](std::int64_t i) { return values.data() + i; });
    return values;
  }
  // The sentence without the name of the scratch folder.
  [[nodiscard]] std::string refused(const std::string& content,
                                    std::string_view tensor = "q") const {
    std::string text = refusal([&] { (void)read(content, tensor); });
    const std::string folder = scratch_.path() + "/";
    if (const std::size_t at = text.find(folder); at != std::string::npos)
      text.erase(at, folder.size());
    return text;
  }
  // The file holds one f32 tensor q [2,3], unless another entry or other data are given.
  [[nodiscard]] std::string refused_header(const std::string& header, std::size_t data = 24) const {
    return refused(safetensors_bytes(header, std::string(data, '\0')));
  }
  [[nodiscard]] std::string refused_entry(const std::string& entry) const {
    return refused_header(R"({"q":{)" + entry + "}}");
  }

  ScratchFolder scratch_;
};

TEST_F(Safetensors, AreReadByNameInEachType) {
  const std::string bytes = safetensors_bytes(
      {named("v", DType::bf16, {2, 3}), named("q", DType::f32, {4}), named("half", DType::f16, {2}),
       named("none", DType::f32, {0, 5}), named("k", DType::f64, {2, 1, 1})});
  EXPECT_THAT(read(bytes, "v"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(read(bytes, "q"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(read(bytes, "half"), ElementsAre(0, 1));
  EXPECT_THAT(read(bytes, "none"), ElementsAre());
  EXPECT_THAT(read(bytes, "k"), ElementsAre(0, 1));
  const TensorFile v(scratch_.path("t"), "v");
  EXPECT_EQ(v.header().dtype, DType::bf16);
  EXPECT_THAT(v.header().shape, ElementsAre(2, 3));
  EXPECT_EQ(v.header().name, "v of " + scratch_.path("t"));
}

TEST_F(Safetensors, OfMoreThanAChunkAreReadWhole) {
  const std::string bytes =
      safetensors_bytes({named("k", DType::f32, {3}), named("q", DType::f64, {300'000})});
  const std::vector<double> values = read(bytes, "q");
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i));
}

TEST_F(Safetensors, OfOtherTypesStandBesideThem) {
  const std::string header = R"({"mask":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]},)"
                             R"("q":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}})";
  EXPECT_THAT(read(safetensors_bytes(header, "\1\1\1\0\0\x80\x3f"s), "q"), ElementsAre(1.0))
      << "its data is not aligned";
  EXPECT_EQ(refused(safetensors_bytes(header, std::string(7, '\0')), "mask"),
            R"(mask of t has dtype "BOOL"; save it as F16, BF16, F32 or F64)");
}

TEST_F(Safetensors, AreRefusedWhereTheLengthIsNotThatOfAHeader) {
  EXPECT_EQ(refused(""), "t: is not a safetensors file: it is a pipe, or shorter than 8 bytes");
  EXPECT_EQ(refused("1234567"), refused(""));
  const std::string good = safetensors_bytes({named("q", DType::f32, {2, 3})});
  for (const std::uint64_t length :
       {static_cast<std::uint64_t>(good.size()) - 7, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
        UINT64_MAX, UINT64_MAX - 7}) {
    std::string bytes = good;
    std::memcpy(bytes.data(), &length, sizeof length);
    EXPECT_EQ(refused(bytes),
              fmt::format("t: is not a safetensors file: its first 8 bytes announce a header of {} "
                          "bytes; {} follow, and a header has at most 100000000",
                          length, good.size() - 8));
  }
  EXPECT_THAT(refused(npy_bytes(DType::f32, {1}, "1234")), HasSubstr("is not a safetensors file"));
}

// The file has no blocks on the disk, so that only memory could be short.
TEST_F(Safetensors, TakeNoMemoryForAHeaderThatIsTooLong) {
  const std::uint64_t length = std::uint64_t{1} << 40;
  (void)scratch_.file("t", std::string(reinterpret_cast<const char*>(&length), sizeof length));
  std::filesystem::resize_file(scratch_.path("t"), length + 100);
  EXPECT_THAT(refusal([&] { TensorFile(scratch_.path("t"), "q"); }),
              HasSubstr("a header of 1099511627776 bytes"));
}

TEST_F(Safetensors, AreRefusedFromAPipe) {
  const std::string path = scratch_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { const std::ofstream opened(path); });
  EXPECT_THAT(refusal([&] { TensorFile(path, "q"); }), HasSubstr("it is a pipe"));
}

TEST_F(Safetensors, AreRefusedWhereTheHeaderIsMalformed) {
  for (const std::string header : {"", "{", "garbage", "{\"q\":}", "{\"q\xff\":1}", "{} {}"})
    EXPECT_EQ(refused_header(header), "t: is not a safetensors file: its header is not JSON")
        << header;
  for (const std::string header : {"[]", "null", "3", "\"q\""})
    EXPECT_EQ(refused_header(header), "t: is not a safetensors file: its header is not an object");
  EXPECT_THAT(refused_header("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}"),
              HasSubstr("t: its JSON has more than 100 levels"));
  EXPECT_EQ(refused_header(R"({"q": {"a": {"q": 1}}, "k": {}, "q": {}})"),
            "t: its JSON has the key \"q\" twice in one object");
  EXPECT_EQ(refused_header("{}", 0), "t: has no tensor 'q'; save it by that name");
  const std::string f32 = R"("dtype":"F32",)";
  for (const std::string offsets :
       {"", R"(,"data_offsets":24)", R"(,"data_offsets":[0])", R"(,"data_offsets":[0,24,24])",
        R"(,"data_offsets":[24,0])", R"(,"data_offsets":[-1,24])", R"(,"data_offsets":[0,24.0])",
        R"(,"data_offsets":["0","24"])", R"(,"data_offsets":[0,18446744073709551615])"})
    EXPECT_EQ(refused_entry(f32 + R"("shape":[2,3])" + offsets),
              "t: tensor 'q' has no data_offsets [begin, end]");
  EXPECT_EQ(refused_header(R"({"q":[0,24]})"), "t: tensor 'q' has no data_offsets [begin, end]");
  const std::string offsets = R"(,"data_offsets":[0,24])";
  for (const std::string shape :
       {R"("shape":6)", R"("shape":[2,-3])", R"("shape":[2,3.0])", R"("shape":[[2,3]])",
        R"("sides":[2,3])", R"("shape":[2,9223372036854775808])"})
    EXPECT_EQ(refused_entry(f32 + shape + offsets),
              "q of t has no shape of non-negative 63-bit whole numbers");
  for (const std::string type :
       {R"("I64")", R"("f32")", R"("F8_E4M3")", R"("")", "7", "null", R"({"F32":1})"})
    EXPECT_EQ(refused_entry("\"dtype\":" + type + R"(,"shape":[2,3])" + offsets),
              "q of t has dtype " + (type[0] == '{' ? R"({"F32":1})" : type) +
                  "; save it as F16, BF16, F32 or F64");
  EXPECT_EQ(refused_entry(f32 + R"("shape":[2,2])" + offsets),
            "q of t has shape [2, 2] of f32, which is 16 bytes, and its data_offsets span 24");
  EXPECT_THAT(refused_entry(f32 + R"("shape":[4294967296,4294967296])" + offsets),
              HasSubstr("q of t: shape (4294967296, 4294967296) of f32 has more bytes than 63"));
}

TEST_F(Safetensors, AreRefusedWhereTensorsDoNotTileTheData) {
  const auto two = [&](std::int64_t q_begin, std::int64_t q_end, std::int64_t k_begin,
                       std::int64_t k_end, std::size_t data) {
    const auto entry = [](const char* name, std::int64_t begin, std::int64_t end) {
      return fmt::format(R"("{}":{{"dtype":"F32","shape":[{}],"data_offsets":[{},{}]}})", name,
                         (end - begin) / 4, begin, end);
    };
    return refused_header("{" + entry("q", q_begin, q_end) + "," + entry("k", k_begin, k_end) + "}",
                          data);
  };
  EXPECT_EQ(two(0, 8, 8, 16, 16), "nothing was refused");
  EXPECT_EQ(two(8, 16, 0, 8, 16), "nothing was refused");
  EXPECT_EQ(two(0, 8, 4, 12, 12), "t: tensors 'q' and 'k' overlap at byte 4 of the data");
  EXPECT_EQ(two(0, 8, 0, 8, 8), "t: tensors 'q' and 'k' overlap at byte 0 of the data");
  EXPECT_EQ(two(0, 8, 4, 4, 8), "t: tensors 'q' and 'k' overlap at byte 4 of the data");
  EXPECT_EQ(two(0, 8, 12, 16, 16), "t: bytes 8 to 12 of the data belong to no tensor");
  EXPECT_EQ(two(4, 8, 8, 16, 16), "t: bytes 0 to 4 of the data belong to no tensor");
  EXPECT_EQ(two(0, 8, 8, 16, 20), "t: bytes 16 to 20 of the data belong to no tensor");
  EXPECT_EQ(two(0, 8, 8, 16, 15),
            "t: is truncated: tensor 'k' ends at byte 16 of 15 bytes of data");
  EXPECT_EQ(two(0, 8, 1 << 20, (1 << 20) + 4, 8),
            "t: is truncated: tensor 'k' ends at byte 1048580 of 8 bytes of data");
  EXPECT_EQ(refused_header(R"({"q":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                           R"("q":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                           8),
            "t: its JSON has the key \"q\" twice in one object");
}

TEST_F(Safetensors, NameTheTensorsThatAreThere) {
  std::vector<NpyArray> tensors;
  for (int i = 0; i < 8; ++i)
    tensors.push_back(named(std::string(1, static_cast<char>('a' + i)), DType::f32, {1}));
  EXPECT_EQ(refused(safetensors_bytes(tensors)),
            "t: has no tensor 'q', but a, b, c, d, e, f, g, h; save it by that name");
  tensors.push_back(named("i", DType::f32, {1}));
  EXPECT_THAT(refused(safetensors_bytes(tensors)), HasSubstr("g, h, …; save"));
}

// Whatever is changed in a file, a reader says in a sentence that names the file what is wrong, or
// gives as many numbers as the header says.
TEST_F(Safetensors, WithChangedBytesAreReadOrRefused) {
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  const std::string good =
      safetensors_bytes({named("k", DType::bf16, {2, 3, 4}), named("q", DType::f32, {2, 3}),
                         named("v", DType::f64, {5})});
  const std::size_t header = good.size() - 48 - 24 - 40;
  const std::string pieces[] = {
      "[",    "]", "{",    "}",       ",",      "-1", "9223372036854775807", "1e30", "\"",
      "null", "0", "\xff", "\\u0000", "\"q\":", "F16"};
  int read_whole = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string bytes = good;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const std::size_t at = random() % std::min(header, bytes.size());
      const std::string& piece = pieces[random() % std::size(pieces)];
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.replace(at, 1 + random() % 4, piece);
          break;
        case 2:
          bytes.insert(at, piece);
          break;
        default:
          bytes.resize(bytes.size() - random() % 50);
          break;
      }
    }
    // Most keep a length that fits, so that the header is looked at.
    const std::uint64_t length = bytes.size() - 48 - 24 - 40 - 8;
    if (random() % 4 != 0) std::memcpy(bytes.data(), &length, sizeof length);
    const std::string said = refused(bytes);
    if (said == "nothing was refused")
      ++read_whole;
    else
      EXPECT_TRUE(said.starts_with("t: ") || said.starts_with("q of t"))
          << said << "; seed " << seed;
  }
  EXPECT_GT(read_whole, 0) << "seed " << seed;
}

}  // namespace
}  // namespace qb
