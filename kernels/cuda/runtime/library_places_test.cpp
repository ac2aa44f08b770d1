// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/testing/scratch_folder.h"
#include "kernels/cuda/runtime/loaded_library.h"

namespace qb::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

// Makes a tree of folders with libraries that load: copies of one that every machine has.
class LibraryTree : public testing::Test {
 protected:
  std::string library(const std::string& name) const {
    static const std::string original = DynamicLibrary({"libm.so.6"}).file();
    fs::create_directories(fs::path(tree_ / name).parent_path());
    fs::copy_file(original, tree_ / name);
    return fs::canonical(tree_ / name);
  }
  LibraryPlace place(const std::string& folder) const {
    return [path = tree_ / folder] { return std::vector<std::string>{path}; };
  }
  std::string program(const std::string& name, const std::string& script) const {
    const std::string path = tree_.file(name, "#!/bin/sh\n" + script + "\n");
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  const ScratchFolder tree_;
};

// Sets a variable of the environment during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST_F(LibraryTree, TheLoaderComesBeforeEveryPlace) {
  (void)library("toolkit/libm.so.6");
  const DynamicLibrary found({"libm.so.6"}, {place("toolkit")});
  ASSERT_TRUE(found);
  EXPECT_THAT(found.file(), testing::Not(HasSubstr("toolkit")));
}

TEST_F(LibraryTree, TheFirstPlaceThatHasItComesBeforeTheNext) {
  const std::string in_toolkit = library("toolkit/libqb_fake.so.13");
  (void)library("wheel/libqb_fake.so.13");
  EXPECT_EQ(DynamicLibrary({"libqb_fake.so.13"}, {place("toolkit"), place("wheel")}).file(),
            in_toolkit);
  EXPECT_EQ(DynamicLibrary({"libqb_fake.so.13"}, {place("none"), place("toolkit")}).file(),
            in_toolkit);
}

TEST_F(LibraryTree, TheFirstNameComesBeforeTheNextWhereverItLies) {
  (void)library("toolkit/libqb_older.so.12");
  const std::string newer = library("wheel/libqb_older.so.13");
  const std::vector<LibraryPlace> places = {place("toolkit"), place("wheel")};
  EXPECT_EQ(DynamicLibrary({"libqb_older.so.13", "libqb_older.so.12"}, places).file(), newer);
  fs::remove(newer);
  EXPECT_THAT(DynamicLibrary({"libqb_other.so.13", "libqb_older.so.12"}, places).file(),
              HasSubstr("/toolkit/libqb_older.so.12"));
}

TEST_F(LibraryTree, AFileThatDoesNotLoadIsTheReasonAndTheNextPlaceIsTried) {
  (void)tree_.file("toolkit/libqb_broken.so.1", "this is not a library, whatever its name says");
  const DynamicLibrary broken({"libqb_broken.so.1"}, {place("toolkit")});
  EXPECT_FALSE(broken);
  EXPECT_THAT(broken.reason(), HasSubstr("/toolkit/libqb_broken.so.1: "));
  EXPECT_EQ(broken.file(), "");
  const std::string whole = library("wheel/libqb_broken.so.1");
  EXPECT_EQ(DynamicLibrary({"libqb_broken.so.1"}, {place("toolkit"), place("wheel")}).file(),
            whole);
}

TEST_F(LibraryTree, NoPlaceIsAskedForWhatTheLoaderHas) {
  const LibraryPlace asked = []() -> std::vector<std::string> {
    ADD_FAILURE() << "asked for folders";
    return {};
  };
  EXPECT_TRUE(DynamicLibrary({"libm.so.6"}, {asked}));
}

TEST_F(LibraryTree, WheelsAreTheLibFoldersOfNvidiasPackagesInEachFolderOfPython) {
  (void)library("a/nvidia/nccl/lib/libnccl.so.2");
  const std::string cublas = library("a/nvidia/cu13/lib/libqb_cublas.so.13");
  (void)tree_.file("a/nvidia/cudnn/include/cudnn.h", "");
  (void)library("b/nvidia/cublas/lib/libqb_cublas.so.12");
  const std::vector<std::string> folders =
      wheel_folders({"", "relative", tree_ / "none", tree_ / "a", tree_ / "b"});
  EXPECT_THAT(folders, ElementsAre(tree_ / "a/nvidia/cu13/lib", tree_ / "a/nvidia/nccl/lib",
                                   tree_ / "b/nvidia/cublas/lib"));
  EXPECT_EQ(DynamicLibrary({"libqb_cublas.so.13", "libqb_cublas.so.12"}, {[&] { return folders; }})
                .file(),
            cublas);
}

TEST_F(LibraryTree, PythonsFoldersAreThoseOfThePython3InPath) {
  (void)program("bin/python3", "echo; echo /usr/lib/python3.12; echo /opt/venv/site-packages");
  const Variable path("PATH", tree_ / "bin");
  EXPECT_THAT(python_path(), ElementsAre("", "/usr/lib/python3.12", "/opt/venv/site-packages"));
}

TEST_F(LibraryTree, WithoutPython3ThereAreNone) {
  const Variable path("PATH", tree_ / "nothing_here");
  EXPECT_THAT(python_path(), IsEmpty());
}

TEST_F(LibraryTree, ToolkitsAreThoseOfTheEnvironmentOfNvccAndTheUsualOne) {
  const fs::path nvcc = program("opt/cuda-13.1/bin/nvcc", "");
  fs::create_directories(tree_ / "bin");
  fs::create_symlink(nvcc, tree_ / "bin/nvcc");
  const Variable home("CUDA_HOME", "/opt/mine");
  const Variable cuda_path("CUDA_PATH", "");
  const Variable path("PATH", tree_ / "none" + ":" + tree_ / "bin");
  EXPECT_THAT(toolkits(), ElementsAre("/opt/mine", fs::canonical(tree_ / "opt/cuda-13.1").string(),
                                      "/usr/local/cuda"));
}

TEST_F(LibraryTree, AToolkitHasItsLibrariesInThreeFolders) {
  EXPECT_THAT(toolkit_folders({"/usr/local/cuda"}),
              ElementsAre("/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
                          "/usr/local/cuda/extras/CUPTI/lib64"));
}

TEST(NvidiaLibraries, AreKnownByTheNamesOfTwoVersionsOfCuda) {
  EXPECT_THAT(file_names(NvidiaLibrary::cublas),
              UnorderedElementsAre("libcublas.so.13", "libcublas.so.12"));
  EXPECT_THAT(file_names(NvidiaLibrary::cupti),
              UnorderedElementsAre("libcupti.so.13", "libcupti.so.12"));
}

}  // namespace
}  // namespace qb::cuda
