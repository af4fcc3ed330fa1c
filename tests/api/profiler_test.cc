// The read-out of the profiler: which zones of which kernels the file profile_log_device.csv has.
#include <filesystem>
#include <map>
#include <sstream>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/profiler_state.hpp>

#include "tests/support/cpu_api_test_kit.h"
#include "tests/support/process.h"

namespace tt::tt_metal {
namespace {

using lightmetal::testing::read_file;
using lightmetal::testing::TemporaryFolder;
using testing::add_data_movement;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kZones[] = R"(
    for (uint32_t i = 0; i < 2; ++i) {
      DeviceZoneScopedN("outer");
      DeviceZoneScopedN("in, ner");
    })";

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& csv) {
  std::vector<Row> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream columns(line);
    for (std::string column; std::getline(columns, column, ',');) rows.back().push_back(column);
  }
  return rows;
}

class ProfilerTest : public testing::CpuApiTest {
 protected:
  ProfilerTest() {
    setenv("TT_METAL_DEVICE_PROFILER", "1", 1);
    detail::SetDeviceProfilerDir(folder_.path("profile"));
  }
  ~ProfilerTest() override { unsetenv("TT_METAL_DEVICE_PROFILER"); }

  std::string path() const { return folder_.path("profile/profile_log_device.csv"); }
  void launch() {
    Program program;
    add_data_movement(program, kZones, CoreCoord{1, 0}, {}, DataMovementProcessor::RISCV_1);
    EnqueueProgram(queue(), program, false);
  }

  TemporaryFolder folder_;
};

TEST_F(ProfilerTest, EachZoneBeginsAndEndsOnItsCoreAndProcessorInTheOrderOfTheKernel) {
  launch();
  detail::ReadDeviceProfilerResults(device());
  const std::vector<Row> rows = rows_of(read_file(path()));
  ASSERT_EQ(rows.size(), 2u + 10u);
  EXPECT_THAT(rows[0], ElementsAre("ARCH: wormhole_b0", " CHIP_FREQ[MHz]: 1000"));
  EXPECT_EQ(rows[1].size(), 12u);
  const CoreCoord noc = device()->worker_core_from_logical_core({1, 0});
  std::vector<std::string> order;
  uint64_t before = 0;
  for (const Row& row : std::vector<Row>(rows.begin() + 2, rows.end())) {
    ASSERT_EQ(row.size(), 12u);
    EXPECT_EQ(row[0] + " " + row[1] + " " + row[2],
              "0 " + std::to_string(noc.x) + " " + std::to_string(noc.y));
    EXPECT_EQ(row[3], "NCRISC");
    EXPECT_EQ(row[11], "kernel_0");
    const uint64_t time = std::stoull(row[5]);
    EXPECT_GE(time, before);
    before = time;
    order.push_back(row[8] + " " + row[9]);
  }
  EXPECT_THAT(order, ElementsAre("NCRISC-KERNEL begin", "outer begin", "in  ner begin",
                                 "in  ner end", "outer end", "outer begin", "in  ner begin",
                                 "in  ner end", "outer end", "NCRISC-KERNEL end"));
}

// The end of a zone has the number of its beginning and 65536.
TEST_F(ProfilerTest, BeginningAndEndOfAZoneHaveNumbersOfOnePair) {
  launch();
  detail::ReadDeviceProfilerResults(device());
  std::map<std::string, std::map<std::string, uint32_t>> timers;
  for (const Row& row : rows_of(read_file(path()))) {
    if (row.size() == 12 && row[3] == "NCRISC") timers[row[8]][row[9]] = std::stoul(row[4]);
  }
  ASSERT_EQ(timers.size(), 3u);
  for (auto& [zone, pair] : timers) EXPECT_EQ(pair["begin"] + 65536, pair["end"]) << zone;
}

TEST_F(ProfilerTest, EachReadOutAppendsWhatIsNewUntilTheFileIsFresh) {
  launch();
  detail::ReadDeviceProfilerResults(device());
  launch();
  detail::DumpDeviceProfileResults(device());
  EXPECT_EQ(rows_of(read_file(path())).size(), 2u + 20u);
  detail::ReadDeviceProfilerResults(device());
  EXPECT_EQ(rows_of(read_file(path())).size(), 2u + 20u);
  detail::FreshProfilerDeviceLog();
  launch();
  CloseDevice(device());
  EXPECT_EQ(rows_of(read_file(path())).size(), 2u + 10u);
}

TEST_F(ProfilerTest, AFileInAnotherFolderBeginsWithItsHeading) {
  launch();
  detail::ReadDeviceProfilerResults(device());
  const std::string other = folder_.path("other/profile_log_device.csv");
  std::filesystem::create_directory(folder_.path("other"));
  lightmetal::testing::write_file(other, "of a process before\n");
  detail::SetDeviceProfilerDir(folder_.path("other"));
  launch();
  detail::ReadDeviceProfilerResults(device());
  ASSERT_EQ(rows_of(read_file(other)).size(), 2u + 10u);
  EXPECT_EQ(rows_of(read_file(other))[0][0], "ARCH: wormhole_b0");
  EXPECT_EQ(rows_of(read_file(path())).size(), 2u + 10u);
}

TEST_F(ProfilerTest, WithoutAFolderTheFileIsBelowTheHomeOfTheEnvironment) {
  detail::SetDeviceProfilerDir();
  launch();
  Finish(queue());
  setenv("TT_METAL_HOME", folder_.path("home").c_str(), 1);
  detail::ReadDeviceProfilerResults(device());
  unsetenv("TT_METAL_HOME");
  const std::string file = "home/generated/profiler/.logs/profile_log_device.csv";
  EXPECT_EQ(rows_of(read_file(folder_.path(file))).size(), 2u + 10u);
}

// Unpacking and packing have none of their own where they run as processors.
TEST_F(ProfilerTest, AComputeKernelHasOneZoneInPartsToo) {
  for (const char* schedule : {"free", "split"}) {
    setenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE", schedule, 1);
    open();
    unsetenv("LIGHTMETAL_CPU_DEVICE_SCHEDULE");
    Program program;
    const CoreCoord core{0, 0};
    CreateKernelFromString(program, "void kernel_main() {}", core, ComputeConfig{});
    CreateKernelFromString(program, "void kernel_main() {}", core, EthernetConfig{});
    detail::FreshProfilerDeviceLog();
    EnqueueProgram(queue(), program, true);
    detail::ReadDeviceProfilerResults(device());
    CloseDevice(device());
    std::map<std::string, std::string> zones;
    for (const Row& row : rows_of(read_file(path()))) {
      if (row.size() == 12 && row[0] == "0") zones[row[3]] += row[8] + " " + row[9] + ", ";
    }
    EXPECT_EQ(zones, (std::map<std::string, std::string>{
                         {"TRISC_1", "TRISC-KERNEL begin, TRISC-KERNEL end, "},
                         {"ERISC", "ERISC-KERNEL begin, ERISC-KERNEL end, "}}))
        << schedule;
  }
}

TEST_F(ProfilerTest, AMeshHasTheZonesOfItsDevices) {
  const auto mesh =
      distributed::MeshDevice::create(distributed::MeshDeviceConfig(distributed::MeshShape(1, 2)));
  distributed::MeshWorkload workload;
  Program program;
  add_data_movement(program, kZones, CoreCoord{0, 0});
  workload.add_program(distributed::MeshCoordinateRange(mesh->shape()), std::move(program));
  distributed::EnqueueMeshWorkload(mesh->mesh_command_queue(), workload, false);
  ReadMeshDeviceProfilerResults(*mesh);
  std::map<std::string, int> marks;
  for (const Row& row : rows_of(read_file(path()))) {
    if (row.size() == 12 && row[3] == "BRISC") ++marks[row[0]];
  }
  EXPECT_EQ(marks, (std::map<std::string, int>{{"0", 10}, {"1", 10}}));
}

TEST_F(ProfilerTest, WithoutTheVariableNothingIsTimedAndNoFileIsWritten) {
  for (const char* value : {"", "0"}) {
    setenv("TT_METAL_DEVICE_PROFILER", value, 1);
    EXPECT_FALSE(getDeviceProfilerState());
    open();
    launch();
    detail::ReadDeviceProfilerResults(device());
    CloseDevice(device());
    EXPECT_FALSE(std::filesystem::exists(path()));
  }
}

TEST_F(ProfilerTest, AFileThatCannotBeWrittenIsAnErrorThatNamesIt) {
  lightmetal::testing::write_file(folder_.path("profile"), "no folder");
  launch();
  testing::expect_refused([&] { detail::ReadDeviceProfilerResults(device()); },
                          "Cannot write the profile", path());
}

TEST_F(ProfilerTest, ZonesThatCouldNotBeWrittenStandInTheFileOnceItCanBe) {
  const std::string folder = folder_.path("profile");
  lightmetal::testing::write_file(folder, "no folder");
  launch();
  testing::expect_refused([&] { detail::ReadDeviceProfilerResults(device()); }, "Cannot write");
  std::filesystem::remove(folder);
  launch();
  detail::ReadDeviceProfilerResults(device());
  const std::vector<Row> rows = rows_of(read_file(path()));
  ASSERT_EQ(rows.size(), 2u + 2 * 10u);
  EXPECT_EQ(rows[0][0].substr(0, 6), "ARCH: ");
}

}  // namespace
}  // namespace tt::tt_metal
