// A printed program compiles by itself and does what its steps do.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <lightmetal/capture.hpp>

#include "tests/random_programs/generator.h"
#include "tests/random_programs/print.h"
#include "tests/random_programs/run_program.h"
#include "tests/support/install_tree.h"

namespace random_programs {
namespace {

namespace testing = lightmetal::testing;

constexpr char kProject[] = R"(cmake_minimum_required(VERSION 3.22)
project(printed CXX)
find_package(LightMetal REQUIRED)
foreach(program IN ITEMS sound wrong mesh)
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

// The program of the first seed of the surface that launches and reads, has one thread and captures
// nothing by itself.
RandomProgram small_program(Surface surface) {
  for (uint32_t seed = 1;; ++seed) {
    if (surface_of(seed) != surface) continue;
    RandomProgram program = random_program(seed);
    const Steps& steps = program.steps;
    const bool has_threads =
        std::ranges::any_of(steps, [](const Step& step) { return step.thread != 0; });
    const bool suits = steps.size() < 60 && !has_threads && has<Launch>(steps) &&
                       has<ReadBuffer>(steps) && !has<BeginCapture>(steps);
    if (suits) return program;
  }
}

RandomProgram with_another_value(RandomProgram program) {
  const auto read = std::ranges::find_if(program.steps, [](const Step& step) {
    return std::holds_alternative<ReadBuffer>(step.call);
  });
  ++std::get<ReadBuffer>(read->call).expected;
  return program;
}

class PrintedProgram : public testing::InstallTree {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NO_FATAL_FAILURE(InstallTree::SetUpTestSuite());
    const std::string source = folder_->path("source");
    std::filesystem::create_directory(source);
    testing::write_file(source + "/CMakeLists.txt", kProject);
    const RandomProgram program = small_program(Surface::kDevice);
    testing::write_file(source + "/sound.cc", program_text(program));
    testing::write_file(source + "/wrong.cc", program_text(with_another_value(program)));
    testing::write_file(source + "/mesh.cc", program_text(small_program(Surface::kDescribedMesh)));
    ASSERT_NO_FATAL_FAILURE(build(source, "printed"));
  }

  static testing::ProcessResult run(const std::string& name,
                                    std::map<std::string, std::string> environment = {}) {
    return testing::run_process({folder_->path("printed/" + name)},
                                {.environment = std::move(environment)});
  }

  // Expects that the printed program makes the file that the program of the surface makes here.
  static void expect_same_file(const std::string& name, Surface surface) {
    tm::LightMetalBeginCapture({.read_goldens = true, .record_origin = false});
    run_program(small_program(surface));
    const tm::LightMetalBinary file = tm::LightMetalEndCapture();

    const std::string path = folder_->path(name + ".lmb");
    const testing::ProcessResult result =
        run(name, {{"LIGHTMETAL_CAPTURE", path}, {"LIGHTMETAL_CAPTURE_ORIGIN", "0"}});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    const std::string printed = testing::read_file(path);
    EXPECT_GT(printed.size(), 1000u);
    EXPECT_TRUE(std::ranges::equal(printed, file.get_data(), [](char a, uint8_t b) {
      return static_cast<uint8_t>(a) == b;
    })) << "the files differ";
  }
};

TEST_F(PrintedProgram, MakesTheCallsOfTheStepsThatItWasPrintedOf) {
  expect_same_file("sound", Surface::kDevice);
}

TEST_F(PrintedProgram, OfAMeshMakesTheCallsOfTheStepsThatItWasPrintedOf) {
  expect_same_file("mesh", Surface::kDescribedMesh);
}

TEST_F(PrintedProgram, EndsWithAnErrorWhereAReadIsNotWhatTheModelSays) {
  EXPECT_EQ(run("sound").exit_code, 0);
  const testing::ProcessResult result = run("wrong");
  EXPECT_EQ(result.exit_code, 1) << result.output << result.errors;
  EXPECT_NE(result.errors.find("FOUND: a read of"), std::string::npos) << result.errors;
}

}  // namespace
}  // namespace random_programs
