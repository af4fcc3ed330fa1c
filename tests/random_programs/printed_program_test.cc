// A printed program compiles by itself and does what its steps do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <lightmetal/capture.hpp>

#include "tests/random_programs/generator.h"
#include "tests/random_programs/host.h"
#include "tests/random_programs/print.h"
#include "tests/support/install_tree.h"

namespace random_programs {
namespace {

namespace testing = lightmetal::testing;

constexpr char kProject[] = R"(cmake_minimum_required(VERSION 3.22)
project(printed CXX)
find_package(LightMetal REQUIRED)
foreach(program IN ITEMS sound wrong)
  add_executable(${program} ${program}.cc)
  target_compile_features(${program} PRIVATE cxx_std_20)
  target_link_libraries(${program} PRIVATE LightMetal::LightMetal)
endforeach()
)";

template <class T>
bool has(const Steps& steps) {
  return std::ranges::any_of(steps,
                             [](const Step& step) { return std::holds_alternative<T>(step.call); });
}

// The program of the first seed that launches and reads, has one thread and captures nothing by
// itself.
Steps small_program() {
  for (uint32_t seed = 1;; ++seed) {
    Steps steps = random_steps(seed);
    const bool has_threads =
        std::ranges::any_of(steps, [](const Step& step) { return step.thread != 0; });
    const bool suits = steps.size() < 60 && !has_threads && has<Launch>(steps) &&
                       has<ReadBuffer>(steps) && !has<BeginCapture>(steps);
    if (suits) return steps;
  }
}

Steps with_another_value(Steps steps) {
  const auto read = std::ranges::find_if(
      steps, [](const Step& step) { return std::holds_alternative<ReadBuffer>(step.call); });
  ++std::get<ReadBuffer>(read->call).expected;
  return steps;
}

class PrintedProgram : public testing::InstallTree {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NO_FATAL_FAILURE(InstallTree::SetUpTestSuite());
    const std::string source = folder_->path("source");
    std::filesystem::create_directory(source);
    testing::write_file(source + "/CMakeLists.txt", kProject);
    testing::write_file(source + "/sound.cc", program_text(small_program()));
    testing::write_file(source + "/wrong.cc", program_text(with_another_value(small_program())));
    ASSERT_NO_FATAL_FAILURE(build(source, "printed"));
  }

  static testing::ProcessResult run(const std::string& name,
                                    std::map<std::string, std::string> environment = {}) {
    return testing::run_process({folder_->path("printed/" + name)},
                                {.environment = std::move(environment)});
  }
};

TEST_F(PrintedProgram, MakesTheCallsOfTheStepsThatItWasPrintedOf) {
  tm::LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
  {
    Host host;
    random_programs::run(small_program(), host);
  }
  const tm::LightMetalBinary file = tm::LightMetalEndCapture();

  const std::string path = folder_->path("printed.lmb");
  const testing::ProcessResult result =
      run("sound", {{"LIGHTMETAL_CAPTURE", path}, {"LIGHTMETAL_CAPTURE_ORIGIN", "0"}});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  const std::string printed = testing::read_file(path);
  EXPECT_GT(printed.size(), 1000u);
  EXPECT_TRUE(std::ranges::equal(printed, file.get_data(), [](char a, uint8_t b) {
    return static_cast<uint8_t>(a) == b;
  })) << "the files differ";
}

TEST_F(PrintedProgram, EndsWithAnErrorWhereAReadIsNotWhatTheModelSays) {
  EXPECT_EQ(run("sound").exit_code, 0);
  const testing::ProcessResult result = run("wrong");
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_NE(result.errors.find("FOUND: a read of"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace random_programs
