#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/process.h"

namespace lightmetal::testing {

// For tests that build outside projects against an installation of the build tree, which is made
// once for all tests of a suite.
class InstallTree : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const ProcessResult result =
        run_process({LIGHTMETAL_CMAKE_COMMAND, "--install", LIGHTMETAL_BUILD_FOLDER, "--prefix",
                     folder_->path("installed")});
    ASSERT_EQ(result.exit_code, 0) << result.output << result.errors;
  }
  static void TearDownTestSuite() { delete folder_; }

  // Builds the CMake project in `source` in a folder below folder_.
  static void build(const std::string& source, const std::string& target) {
    const ProcessResult configured =
        run_process({LIGHTMETAL_CMAKE_COMMAND, "-S", source, "-B", folder_->path(target), "-G",
                     "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                     "-DCMAKE_PREFIX_PATH=" + folder_->path("installed")});
    ASSERT_EQ(configured.exit_code, 0) << configured.output << configured.errors;
    const ProcessResult built =
        run_process({LIGHTMETAL_CMAKE_COMMAND, "--build", folder_->path(target)});
    ASSERT_EQ(built.exit_code, 0) << built.output << built.errors;
  }

  static std::string runner() { return folder_->path("installed/bin/lightmetal_runner"); }

  static inline TemporaryFolder* folder_ = nullptr;
};

}  // namespace lightmetal::testing
