// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/testing/scratch_folder.h"
#include "harness/verify/tensor_file.h"
#include "harness/verify/testing/npy_fakes.h"

namespace qb {
namespace {

using testing_support::refusal;

class NpyFiles : public ::testing::Test {
 protected:
  // Reads a file as rows of this many elements, one after the other.
  [[nodiscard]] std::vector<float> read(const std::string& name, std::int64_t row,
                                        Allows allows = Allows::finite) const {
    TensorFile file(scratch_.path(name));
    std::int64_t n = 1;
    for (const std::int64_t side : file.header().shape) n *= side;
    std::vector<float> values(static_cast<std::size_t>(n));
    file.read_rows(
        row, DType::f32, [&](std::int64_t i) { return values.data() + i * row; }, allows);
    return values;
  }
  // The name is relative; that of the scratch folder differs from run to run.
  [[nodiscard]] std::string refused(const std::string& name, std::int64_t row) const {
    const std::string text = refusal([&] { (void)read(name, row); });
    const std::string folder = scratch_.path() + "/";
    return text.starts_with(folder) ? text.substr(folder.size()) : text;
  }
  ScratchFolder scratch_;
};

TEST_F(NpyFiles, AreReadRowByRowFromFilesLargerThanAChunk) {
  std::vector<float> values(700'001 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  (void)scratch_.file("a.npy", npy_bytes(DType::f32, {700'001, 3}, values.data()));
  EXPECT_EQ(read("a.npy", 3), values);
  EXPECT_EQ(read("a.npy", 1), values);
}

TEST_F(NpyFiles, AreReadFromAPipeToo) {
  const std::string path = scratch_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::vector<double> values(400'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 1000);
  for (const bool is_short : {false, true}) {
    std::string bytes = npy_bytes(DType::f64, {400'000}, values.data());
    if (is_short) bytes.resize(bytes.size() - 8);
    std::jthread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    if (is_short)
      EXPECT_THAT(refused("pipe", 1), ::testing::HasSubstr("truncated"));
    else
      EXPECT_EQ(read("pipe", 1).at(399'999), 999.0f);
  }
}

TEST_F(NpyFiles, OfAPipeMayHaveNoDataOrClaimTooMuch) {
  const std::string path = scratch_.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::vector<std::int64_t> huge(2, std::int64_t{1} << 62);
  const auto said_of = [&](const std::vector<std::int64_t>& shape) {
    std::jthread writer(
        [&] { std::ofstream(path, std::ios::binary) << npy_header(DType::f32, shape); });
    return refused("pipe", 1);
  };
  EXPECT_EQ(said_of({0, 1}), "nothing was refused");
  EXPECT_EQ(
      said_of({2, 1}),
      "pipe: is truncated: shape (2, 1) of f32 needs 8 bytes of data, and 0 follow the header");
  EXPECT_THAT(said_of(huge), ::testing::HasSubstr("has more bytes than 63 bits count"));
}

TEST_F(NpyFiles, NameTheIndexOfWhatIsNotFinite) {
  std::vector<float> values(24, 1.0f);
  values[21] = std::numeric_limits<float>::quiet_NaN();
  (void)scratch_.file("k.npy", npy_bytes(DType::f32, {2, 3, 4}, values.data()));
  EXPECT_EQ(refused("k.npy", 4), "k.npy holds nan at [1, 2, 1]; finite numbers are needed");
  values[21] = -std::numeric_limits<float>::infinity();
  (void)scratch_.file("k.npy", npy_bytes(DType::f32, {2, 3, 4}, values.data()));
  EXPECT_EQ(refused("k.npy", 4), "k.npy holds -inf at [1, 2, 1]; finite numbers are needed");
  EXPECT_EQ(read("k.npy", 4, Allows::minus_infinity).at(21),
            -std::numeric_limits<float>::infinity());
}

TEST_F(NpyFiles, RefuseNumbersThatRoundToInfinityAndOtherLengths) {
  const double values[] = {1.0, 1e300};
  (void)scratch_.file("q.npy", npy_bytes(DType::f64, {1, 2}, values));
  EXPECT_EQ(refused("q.npy", 2), "q.npy holds 1e+300 at [0, 1], which is infinite as f32");
  std::string bytes = npy_bytes(DType::f64, {1, 2}, values);
  for (const std::size_t size : {bytes.size() - 1, bytes.size() + 1}) {
    bytes.resize(size, 'x');
    (void)scratch_.file("q.npy", bytes);
    EXPECT_THAT(refused("q.npy", 2), ::testing::HasSubstr("needs 16 bytes of data"));
  }
}

TEST_F(NpyFiles, AreWrittenRowByRowUnlessTheTypeCannotHoldThem) {
  const float values[] = {1.5f, -2.0f, 70000.0f, -std::numeric_limits<float>::infinity()};
  const auto write = [&](DType dtype) {
    OutputFile file(scratch_.path("o.npy"));
    write_npy_rows(
        file, dtype, {2, 2}, 2, [&](std::int64_t i) { return values + 2 * i; }, "O");
    file.commit();
  };
  EXPECT_EQ(refusal([&] { write(DType::f16); }),
            "O holds 70000 at [1, 0], which is infinite as f16; choose a wider --out-dtype");
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  write(DType::f64);
  const NpyArray back = read_npy(scratch_.path("o.npy"));
  EXPECT_EQ(back.shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(load_element(back.data.data() + 16, DType::f64), 70000.0);
  EXPECT_EQ(load_element(back.data.data() + 24, DType::f64),
            -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace qb
