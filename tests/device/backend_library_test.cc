// Backends in shared libraries: which are loaded, and what is said of those that are not.
#include "device/backend_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "device/registry/registry.h"
#include "tests/device/device_test_kit.h"
#include "tests/support/process.h"

namespace lightmetal::device::testing {
namespace {

using ::lightmetal::testing::TemporaryFolder;
using ::lightmetal::testing::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class BackendLibraryTest : public ::testing::Test {
 protected:
  // The path of a copy of the library that pretends to be a backend.
  std::string pretender(const std::string& name) const {
    const std::string path = folder_.path("lib" + name + ".so");
    fs::copy_file(LIGHTMETAL_PRETENDER, path);
    return path;
  }

  // One sentence that begins with the path.
  static void expect_refused(const std::string& path, const std::string& text) {
    const absl::Status status = load_backend(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), AllOf(::testing::StartsWith(path), HasSubstr(text)));
  }

  const TemporaryFolder folder_;
};

TEST_F(BackendLibraryTest, FileThatIsMissingIsNamed) {
  const absl::Status status = load_backend(folder_.path("libloom.so")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "cannot open " + folder_.path("libloom.so") + ": No such file or directory");
}

TEST_F(BackendLibraryTest, FileThatIsNoLibraryIsRefused) {
  write_file(folder_.path("libtext.so"), "no library");
  expect_refused(folder_.path("libtext.so"),
                 " is no backend: it cannot be loaded as a shared library: file too short");
  expect_refused(folder_.path(""), " is no backend: it cannot be loaded as a shared library: ");
}

// Wherever it ends: the loader would map what is not there.
TEST_F(BackendLibraryTest, LibraryThatWasCutShortIsRefused) {
  const std::string path = pretender("short");
  for (const uint64_t size : {fs::file_size(path) / 3, uint64_t{3000}, uint64_t{100}}) {
    fs::resize_file(path, size);
    expect_refused(path,
                   " is no backend: it cannot be loaded as a shared library: it was cut short");
  }
}

TEST_F(BackendLibraryTest, PipeIsRefusedAndNotWaitedFor) {
  const std::string path = folder_.path("libpipe.so");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  expect_refused(path, "as a shared library: it is not a regular file");
}

TEST_F(BackendLibraryTest, WhatTheFunctionThrowsIsAnError) {
  expect_refused(pretender("throws"), "its lightmetal_backend() throws: the loom is torn");
  expect_refused(pretender("throws_number"), "throws what is no std::exception");
}

TEST_F(BackendLibraryTest, LibraryWithoutTheFunctionIsRefused) {
  expect_refused(LIGHTMETAL_NO_BACKEND,
                 " is no backend: it exports no function lightmetal_backend()");
}

TEST_F(BackendLibraryTest, LibraryThatWasBuiltOtherwiseIsRefused) {
  expect_refused(pretender("other_interface"), absl::StrCat(" was built with backend interface ",
                                                            BackendBuild{}.interface + 1, ", "));
  expect_refused(pretender("other_abseil"), ", Abseil 20010101, ");
  expect_refused(pretender("other_standard_library"), ", C++ library 99, ");
  expect_refused(pretender("other_plans"), absl::StrCat("; this program expects backend interface ",
                                                        BackendBuild{}.interface, ", "));
}

TEST_F(BackendLibraryTest, LibraryThatSaysTooLittleOfItselfIsRefused) {
  expect_refused(pretender("gives_nothing"), "its lightmetal_backend() gives nothing");
  expect_refused(pretender("no_name"), "its name is not one of lower-case letters");
  expect_refused(pretender("bad_name"), "its name is not one of lower-case letters");
  expect_refused(pretender("no_open"), "it has no function that opens a device");
}

TEST_F(BackendLibraryTest, NameOfAnotherBackendIsRefused) {
  expect_refused(pretender("takes_cpu"), " calls its backend \"cpu\", which is another backend's");
  EXPECT_TRUE(open_device("cpu", {}).ok());
}

TEST_F(BackendLibraryTest, ErrorOfItsFactoryIsTheErrorOfOpening) {
  const std::string path = pretender("loom");
  ASSERT_EQ(load_backend(path).value_or(""), "loom");
  EXPECT_EQ(open_device("loom", {}).status(), absl::UnavailableError("the loom is not plugged in"));
  EXPECT_EQ(load_backend(path).value_or(""), "loom");  // once more is no other backend
  expect_refused(pretender("second_loom"), " calls its backend \"loom\", which is another");
}

TEST_F(BackendLibraryTest, FactoryThatGivesNoDeviceIsAnError) {
  ASSERT_EQ(load_backend(pretender("opens_nothing")).value_or(""), "empty");
  EXPECT_THAT(std::string(open_device("empty", {}).status().message()),
              HasSubstr("the backend \"empty\" opened no device"));
}

TEST_F(BackendLibraryTest, NameIsLookedForInTheFoldersThatAreSet) {
  EXPECT_EQ(load_backend("cpu").value_or(""), "cpu");
  EXPECT_EQ(load_backend("opens_nothing").status().code(), absl::StatusCode::kNotFound);
  pretender("other_abseil");
  Environment environment;
  environment.set("LIGHTMETAL_DEVICE_PATH", "/no/such/folder::" + folder_.path());
  EXPECT_THAT(std::string(load_backend("other_abseil").status().message()),
              HasSubstr(folder_.path("libother_abseil.so was built with")));
  EXPECT_THAT(std::string(load_backend("spindle").status().message()),
              AllOf(HasSubstr("no device is called \"spindle\""),
                    HasSubstr("there is no libspindle.so in LIGHTMETAL_DEVICE_PATH=/no/such")));
  EXPECT_EQ(load_backend("cpu").value_or(""), "cpu");
}

// What a file names is opened, and never loaded.
TEST_F(BackendLibraryTest, OpeningLoadsNothing) {
  unsetenv("PRETENDER_IS_LOADED");
  const std::string path = pretender("other_plans");
  Environment environment;
  environment.set("LIGHTMETAL_DEVICE_PATH", folder_.path());
  for (const std::string& name : {path, std::string("other_plans"), std::string("../other_plans")})
    EXPECT_EQ(open_device(name, {}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::getenv("PRETENDER_IS_LOADED"), nullptr);
  EXPECT_FALSE(load_backend(path).ok());
  EXPECT_STREQ(std::getenv("PRETENDER_IS_LOADED"), "1");  // the twin
}

}  // namespace
}  // namespace lightmetal::device::testing
