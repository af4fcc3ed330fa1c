#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "tests/device/device_test_kit.h"
#include "tests/device/little_stack.h"

namespace lightmetal::device::testing {
namespace {

using ::testing::HasSubstr;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr char kEventful[] = R"(
  #include "debug/pause.h"
  #include "debug/ring_buffer.h"
  #include "debug/sanitize_noc.h"
  #include "debug/stack_usage.h"
  #include "debug/status.h"
  #include "debug/waypoint.h"
  #include "tools/profiler/kernel_profiler.hpp"
  void kernel_main() {
    DeviceZoneScopedMainN("MAIN");
    uint32_t evaluated = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      DeviceZoneScopedN("zone, \"inner\"");
      WAYPOINT("LOOP");
      WATCHER_RING_BUFFER_PUSH(++evaluated);
    }
    if (evaluated == 3) DEBUG_STATUS("DONE");
    DeviceTimestampedData("size", evaluated++);
    constexpr uint16_t kId = 7;
    DeviceTimestampedData(kId, uint64_t{1} << 32);
    DeviceRecordEvent(42);
    DeviceZoneScopedSumN1("sum");
    PAUSE();
    RECORD_STACK_USAGE();
    DEBUG_SANITIZE_NOC_ADDR(noc_index, get_noc_addr(0x20000), 4);
    *reinterpret_cast<volatile uint32_t*>(0x20000) = evaluated;
  })";

TEST(DeviceEvents, AreCountedForEachKernelWhenAFileIsNamed) {
  const std::string path = ::testing::TempDir() + "/events.csv";
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", path);
  {
    const auto device = open_cpu();
    LaunchBuilder program(*device);
    const uint32_t kernel = program.kernel("eventful.cpp", kEventful);
    const uint32_t other = program.kernel(
        "other.cpp", "#include \"debug/waypoint.h\"\nvoid kernel_main() { WAYPOINT(\"LOOP\"); }",
        Processor::kRiscv1);
    for (uint32_t x = 0; x < 8; ++x) program.run_on({x, 0}, kernel, {});
    program.run_on({0, 0}, other, {});
    const Launch launch = program.build();
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(device->launch(launch).ok());
    EXPECT_EQ(read_words(*device, {7, 0}, 0x20000, 1)[0], 4);
  }
  EXPECT_EQ(read_text(path),
            "kernel,event,name,count\n"
            "eventful.cpp,profiler_zone,MAIN,16\n"
            "eventful.cpp,profiler_zone,sum,16\n"
            "eventful.cpp,profiler_zone,\"zone, \"\"inner\"\"\",48\n"
            "eventful.cpp,watcher,DEBUG_SANITIZE_NOC_ADDR,16\n"
            "eventful.cpp,watcher,DEBUG_STATUS DONE,16\n"
            "eventful.cpp,watcher,PAUSE,16\n"
            "eventful.cpp,watcher,RECORD_STACK_USAGE,16\n"
            "eventful.cpp,watcher,WATCHER_RING_BUFFER_PUSH,48\n"
            "eventful.cpp,watcher,WAYPOINT LOOP,48\n"
            "eventful.cpp,profiler_data,kId,16\n"
            "eventful.cpp,profiler_data,size,16\n"
            "eventful.cpp,profiler_event,42,16\n"
            "other.cpp,watcher,WAYPOINT LOOP,2\n");
  // A later device of the process appends.
  { const auto device = open_cpu(); }
  EXPECT_THAT(read_text(path), HasSubstr("other.cpp"));
  std::filesystem::remove(path);
}

TEST(DeviceEvents, OfAComputeKernelInPartsCountOnce) {
  const std::string path = ::testing::TempDir() + "/events_of_parts.csv";
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", path);
  environment.set("LIGHTMETAL_CPU_DEVICE_SCHEDULE", "split");
  {
    const auto device = open_cpu();
    LaunchBuilder program(*device);
    const uint32_t kernel = program.kernel("parts.cpp", R"(
      #include "debug/waypoint.h"
      #include "tools/profiler/kernel_profiler.hpp"
      void kernel_main() {
        DeviceZoneScopedMainN("MAIN");
        for (uint32_t i = 0; i < 3; ++i) WAYPOINT("LOOP");
      })",
                                           Processor::kCompute);
    for (uint32_t x = 0; x < 2; ++x) program.run_on({x, 0}, kernel, {});
    EXPECT_EQ(program.launch(), absl::OkStatus());
  }
  EXPECT_EQ(read_text(path),
            "kernel,event,name,count\n"
            "parts.cpp,profiler_zone,MAIN,2\n"
            "parts.cpp,watcher,WAYPOINT LOOP,6\n");
  std::filesystem::remove(path);
}

TEST(DeviceEvents, AreNotCountedWithLittleStackLeft) {
  const std::string path = ::testing::TempDir() + "/events_deep.csv";
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", path);
  {
    const auto device = open_cpu();
    LaunchBuilder deep(*device), program(*device);
    const std::string text =
        "#include \"debug/waypoint.h\"\n" + with_little_stack("WAYPOINT(\"DEEP\")");
    deep.run_on({0, 0}, deep.kernel("deep.cpp", text), {});
    EXPECT_THAT(std::string(deep.launch().message()), HasSubstr("the kernel's stack of "));
    program.run_on({0, 0}, program.kernel("eventful.cpp", kEventful), {});
    EXPECT_EQ(program.launch(), absl::OkStatus());
  }
  EXPECT_THAT(read_text(path), HasSubstr("eventful.cpp,watcher,WAYPOINT LOOP,3\n"));
  std::filesystem::remove(path);
}

TEST(DeviceEvents, ChangeNothingWhenTheyAreNotCounted) {
  const auto device = open_cpu();
  LaunchBuilder program(*device);
  program.run_on({0, 0}, program.kernel("eventful.cpp", kEventful), {});
  ASSERT_TRUE(program.launch().ok());
  EXPECT_EQ(read_words(*device, {0, 0}, 0x20000, 1)[0], 4);
}

TEST(DeviceEvents, AFileThatCannotBeWrittenFailsTheDevice) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", "/nowhere/events.csv");
  const auto device = open_device("cpu", {});
  EXPECT_THAT(std::string(device.status().message()),
              HasSubstr("cannot write LIGHTMETAL_CPU_DEVICE_EVENTS=/nowhere/events.csv"));
}

TEST(DeviceEvents, AFileThatCannotBeWrittenAtFirstIsBegunLater) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "later";
  const std::string path = (folder / "events.csv").string();
  std::filesystem::remove_all(folder);
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", path);
  EXPECT_FALSE(open_device("cpu", {}).ok());
  std::filesystem::create_directory(folder);
  std::ofstream(path) << "of an earlier run\n";
  { const auto device = open_cpu(); }
  EXPECT_EQ(read_text(path), "kernel,event,name,count\n");
  std::filesystem::remove_all(folder);
}

TEST(DeviceEvents, AFileThatTakesNoHeadingIsNotLeftOpen) {
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", "/dev/full");
  const auto device = open_device("cpu", {});
  EXPECT_THAT(std::string(device.status().message()),
              HasSubstr("cannot write LIGHTMETAL_CPU_DEVICE_EVENTS=/dev/full"));
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    EXPECT_NE(std::filesystem::read_symlink(file.path(), error), "/dev/full");
  }
}

TEST(DeviceEvents, AFileThatTookNoHeadingIsBegunLater) {
  const std::string path = ::testing::TempDir() + "/events_full.csv";
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/dev/full", path);
  Environment environment;
  environment.set("LIGHTMETAL_CPU_DEVICE_EVENTS", path);
  EXPECT_FALSE(open_device("cpu", {}).ok());
  std::filesystem::remove(path);
  std::ofstream(path) << "of an earlier run\n";
  { const auto device = open_cpu(); }
  EXPECT_EQ(read_text(path), "kernel,event,name,count\n");
  std::filesystem::remove(path);
}

// ---- Headers and printing ----

TEST(DataflowHeaders, OfAllYearsAreThere) {
  const auto device = open_cpu();
  KernelSource source;
  source.text = R"(
    #include "accessor/tensor_accessor.h"
    #include "accessor/tensor_accessor_args.h"
    #include "api/compile_time_args.h"
    #include "api/dataflow/dataflow_api.h"
    #include "api/debug/pause.h"
    #include "api/debug/waypoint.h"
    #include "api/tensor/tensor_accessor.h"
    #include "api/tensor/tensor_accessor_args.h"
    #include "compile_time_args.h"
    #include "debug/dprint_pages.h"
    #include "debug/sanitize_noc.h"
    #include "debug/stack_usage.h"
    #include "debug/status.h"
    #include "risc_common.h"
    void kernel_main() {})";
  const auto object = device->compile(source);
  EXPECT_TRUE(object.ok()) << object.status();
}

TEST(DprintPages, PrintOnePageToALine) {
  const std::string path = ::testing::TempDir() + "/pages.txt";
  Environment environment;
  environment.set("TT_METAL_DPRINT_CORES", "(1,0)");
  environment.set("TT_METAL_DPRINT_FILE", path);
  const auto device = open_cpu();
  write_words(*device, {1, 0}, 0x20000, {0x3fc03f80, 0x40404000, 0xc0800000, 7});
  LaunchBuilder program(*device);
  program.run_on({1, 0}, program.kernel("pages.cpp", R"(
    #include "debug/dprint_pages.h"
    void kernel_main() {
      print_bf16_pages(0x20000, 2, 2);
      print_f32_pages(0x20000, 1, 1, 2);
      print_u32_pages(0x20000, 1, 1, 3);
      print_u8_pages(0x20000, 4, 1, 1);
    })"),
                 {});
  ASSERT_TRUE(program.launch().ok());
  const std::string text = read_text(path);
  for (const char* line : {"0: 1 1.5 \n", "1: 2 3 \n", "2: -4 \n", "3: 7 \n", "1: 0 64 64 64 \n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lightmetal::device::testing
