#include "tests/operators/packaged_operator.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <lightmetal/capture.hpp>
#include <lightmetal/replay.hpp>
#include <random>
#include <tt-metalium/bfloat16.hpp>

#include "capture/session.h"
#include "tests/support/captured_file.h"
#include "tests/support/process.h"

namespace lightmetal::testing {
namespace {

constexpr char kPackage[] = "LIGHTMETAL_TTNN_PACKAGE";
constexpr char kInstallation[] = "TT_METAL_HOME";

// Files are compared: they have no time of day.
const CaptureOptions kOptions{.read_goldens = true, .record_origin = false};

std::filesystem::path package() {
  const char* folder = std::getenv(kPackage);
  return folder == nullptr ? "" : folder;
}

double correlation(const std::vector<float>& found, const std::vector<double>& expected) {
  const auto count = static_cast<double>(found.size());
  double found_mean = 0, expected_mean = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    found_mean += found[i] / count;
    expected_mean += expected[i] / count;
  }
  double both = 0, found_square = 0, expected_square = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const double a = found[i] - found_mean, b = expected[i] - expected_mean;
    both += a * b;
    found_square += a * a;
    expected_square += b * b;
  }
  if (expected_square == 0) return found_square == 0 ? 1 : 0;  // constant
  return both / std::sqrt(found_square * expected_square);
}

void expect_close(const std::vector<float>& found, const std::vector<double>& expected,
                  const Tolerance& tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  size_t wrong = 0, first = found.size();
  for (size_t i = 0; i < found.size(); ++i) {
    const double bound = tolerance.absolute + tolerance.relative * std::abs(expected[i]);
    if (std::abs(found[i] - expected[i]) <= bound) continue;
    first = std::min(first, i);
    ++wrong;
  }
  EXPECT_EQ(wrong, 0u) << "of " << found.size() << "; the first is number " << first << ", "
                       << (first < found.size() ? found[first] : 0) << " for "
                       << (first < found.size() ? expected[first] : 0);
  EXPECT_GE(correlation(found, expected), tolerance.correlation);
}

void expect_replays_alone(const std::vector<uint8_t>& file) {
  const TemporaryFolder folder;
  const std::string path = folder.path("operator.lmb");
  write_file(path, std::string(file.begin(), file.end()));
  const ProcessResult result = run_process({LIGHTMETAL_BIN_FOLDER "/lightmetal_runner", path},
                                           {.folder = folder.path(), .empty_environment = true});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
}

void expect_same_when_captured_again(const std::vector<uint8_t>& file) {
  const auto replay = Replay::load_bytes(file, {});
  ASSERT_TRUE(replay.ok()) << replay.status();
  LightMetalBeginCapture(kOptions);
  const auto result = (*replay)->run();
  const std::vector<uint8_t> again = LightMetalEndCapture().get_data();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->goldens_checked, 0u);
  EXPECT_TRUE(result->matches());
  EXPECT_TRUE(file == again) << difference_of(*open_file(file), *open_file(again));
}

}  // namespace

void PackagedOperator::SetUp() {
  if (package().empty()) {
    GTEST_SKIP() << kPackage << " names no ttnn package: see tests/operators/README.md";
  }
  setenv(kInstallation, (package() / "ttnn").c_str(), 1);
  unsetenv("LIGHTMETAL_DEVICE");
}

void PackagedOperator::TearDown() {
  unsetenv(kInstallation);
  if (capture::running()) LightMetalEndCapture();  // the program threw
}

std::string PackagedOperator::kernel(const std::string& name) {
  return package() / "ttnn/ttnn/cpp/ttnn" / name;
}

void PackagedOperator::expect_computes(const Program& program, const std::vector<double>& reference,
                                       const Tolerance& tolerance) {
  LightMetalBeginCapture(kOptions);
  Values found;
  {
    const auto mesh = distributed::MeshDevice::create_unit_mesh(0);
    found = program(*mesh);
    mesh->close();
  }
  const std::vector<uint8_t> file = LightMetalEndCapture().get_data();
  expect_close(found, reference, tolerance);
  expect_replays_alone(file);
  expect_same_when_captured_again(file);
}

std::vector<float> random_values(size_t count, uint32_t seed, float low, float high) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const float unit = static_cast<float>(generator() >> 8) / (1 << 24);
    value = bfloat16(low + (high - low) * unit).to_float();
  }
  return values;
}

TensorSpec spec_of(const Shape& shape, DataType type, Layout layout) {
  return TensorSpec(shape, TensorLayout(type, layout, {}));
}

}  // namespace lightmetal::testing
