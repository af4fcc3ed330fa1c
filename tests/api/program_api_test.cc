#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>
#include <tt-metalium/sub_device.hpp>

#include "api/src/devices/device_impl.h"
#include "api/src/devices/replay_drain.h"
#include "api/src/programs/launch_plan.h"
#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ProgramApiTest : public WatchedTest {
 protected:
  const device::LaunchPlan& plan() {
    plan_ = watched().launches().back().launch.plan;
    return *plan_;
  }

 private:
  std::shared_ptr<const device::LaunchPlan> plan_;
};

// A file that exists as long as this.
class TemporaryFile {
 public:
  TemporaryFile(const std::filesystem::path& path, const std::string& text) : path_(path) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_;
};

TEST_F(ProgramApiTest, AProgramKeepsItsIdWhenItIsMoved) {
  Program first;
  const uint64_t id = first.get_id();
  Program second = std::move(first);
  EXPECT_EQ(second.get_id(), id);
  Program third;
  EXPECT_NE(third.get_id(), id);
  third = std::move(second);
  EXPECT_EQ(third.get_id(), id);
  expect_throws([&] { second.get_id(); }, "moved from");
}

TEST_F(ProgramApiTest, KernelsAreNumberedAndKnowWhatTheyAre) {
  Program program;
  const KernelHandle first = add_kernel(program, CoreCoord{0, 0});
  const KernelHandle second =
      CreateKernelFromString(program, "void kernel_main() {}", CoreRange({0, 0}, {1, 1}),
                             DataMovementConfig{.processor = DataMovementProcessor::RISCV_1,
                                                .noc = NOC::RISCV_1_default,
                                                .compile_args = {4, 5},
                                                .defines = {{"SIZE", "3"}}});
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  const auto kernel = detail::GetKernel(program, second);
  EXPECT_THAT(kernel->compile_time_args(), ElementsAre(4, 5));
  EXPECT_EQ(kernel->defines().at("SIZE"), "3");
  EXPECT_EQ(kernel->processor(), KernelProcessor::RISCV_1);
  EXPECT_TRUE(kernel->is_from_string());
  EXPECT_THAT(kernel->logical_cores(), SizeIs(4));
  EXPECT_NE(kernel->unique_id(), detail::GetKernel(program, first)->unique_id());
  expect_throws([&] { detail::GetKernel(program, 2); }, "id 2", "which has 2");
}

TEST_F(ProgramApiTest, ReaderAndWriterConfigsChooseProcessorAndNoc) {
  Program program;
  const KernelHandle reader =
      CreateKernelFromString(program, "", CoreCoord{0, 0}, ReaderDataMovementConfig({1}));
  const KernelHandle writer =
      CreateKernelFromString(program, "", CoreCoord{0, 0}, WriterDataMovementConfig({2}));
  EXPECT_EQ(detail::GetKernel(program, reader)->processor(), KernelProcessor::RISCV_1);
  EXPECT_EQ(detail::GetKernel(program, writer)->processor(), KernelProcessor::RISCV_0);
  EXPECT_EQ(ReaderDataMovementConfig().noc, NOC::NOC_0);
  EXPECT_EQ(WriterDataMovementConfig().noc, NOC::NOC_1);
  EXPECT_THAT(detail::GetKernel(program, writer)->compile_time_args(), ElementsAre(2));
}

// Programs of early 2025 give the level third, those of today the named arguments.
TEST_F(ProgramApiTest, ReaderAndWriterConfigsAreMadeInBothGenerations) {
  const ReaderDataMovementConfig early({1}, {{"A", "2"}}, KernelBuildOptLevel::O3);
  EXPECT_EQ(early.opt_level, KernelBuildOptLevel::O3);
  EXPECT_TRUE(early.named_compile_args.empty());
  const WriterDataMovementConfig today({1}, {}, {{"tiles", 3}}, KernelBuildOptLevel::Os, {"a"});
  EXPECT_EQ(today.named_compile_args.at("tiles"), 3u);
  EXPECT_EQ(today.opt_level, KernelBuildOptLevel::Os);
  EXPECT_THAT(today.compiler_include_paths, ElementsAre("a"));
  const ReaderDataMovementConfig braced({1}, {}, {});
  EXPECT_EQ(braced.opt_level, KernelBuildOptLevel::O2);
  EXPECT_EQ(ComputeConfig{}.opt_level, KernelBuildOptLevel::O3);
  EXPECT_EQ(EthernetConfig{}.opt_level, KernelBuildOptLevel::Os);
}

TEST_F(ProgramApiTest, TheBackendGetsNamedArgumentsAndAbsoluteFolders) {
  Program program;
  const DataMovementConfig config{.named_compile_args = {{"b", 2}, {"a", 1}},
                                  .compiler_include_paths = {"relative", "/absolute"}};
  add_kernel(program, CoreCoord{0, 0}, config);
  detail::CompileProgram(device(), program);
  const device::KernelSource source = watched().last_source();
  EXPECT_THAT(source.named_compile_args,
              ElementsAre(::testing::Pair("a", 1u), ::testing::Pair("b", 2u)));
  EXPECT_THAT(source.include_paths,
              ElementsAre((std::filesystem::current_path() / "relative").string(), "/absolute"));
}

// The parameter of CreateKernel since late 2025.
TEST_F(ProgramApiTest, AVariantOfTwoKindsOfKernelsIsAConfiguration) {
  using Config = std::variant<DataMovementConfig, ComputeConfig>;
  Program program;
  const Config compute = ComputeConfig{.compile_args = {7}};
  const KernelHandle first = CreateKernelFromString(program, "", CoreCoord{0, 0}, compute);
  EXPECT_EQ(program.get_kernel(first)->processor(), KernelProcessor::COMPUTE);
  EXPECT_THAT(program.get_kernel(first)->compile_time_args(), ElementsAre(7));
  const TemporaryFile file("./kernel_of_a_variant.cpp", "void kernel_main() {}");
  const Config mover = DataMovementConfig{.processor = DataMovementProcessor::RISCV_1};
  const KernelHandle second =
      CreateKernel(program, "./kernel_of_a_variant.cpp", CoreCoord{0, 0}, mover);
  EXPECT_EQ(program.get_kernel(second)->processor(), KernelProcessor::RISCV_1);
}

TEST_F(ProgramApiTest, AProcessorOfACoreRunsOneKernel) {
  Program program;
  add_kernel(program, CoreRange({0, 0}, {3, 0}));
  expect_throws([&] { add_kernel(program, CoreRange({3, 0}, {4, 0})); }, "RISCV_0", "(x=3,y=0)");
  add_kernel(program, CoreRange({4, 0}, {5, 0}));
  EXPECT_EQ(program.num_kernels(), 2);
}

TEST_F(ProgramApiTest, DataMovementKernelsOfACoreMayShareADedicatedNoc) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  add_kernel(program, CoreCoord{0, 0},
             {.processor = DataMovementProcessor::RISCV_1, .noc = NOC::NOC_0});
  EXPECT_EQ(program.num_kernels(), 2);
}

TEST_F(ProgramApiTest, DynamicNocsMayBeShared) {
  Program program;
  const auto config = [](DataMovementProcessor processor) {
    return DataMovementConfig{
        .processor = processor, .noc = NOC::NOC_0, .noc_mode = NOC_MODE::DM_DYNAMIC_NOC};
  };
  add_kernel(program, CoreCoord{0, 0}, config(DataMovementProcessor::RISCV_0));
  add_kernel(program, CoreCoord{0, 0}, config(DataMovementProcessor::RISCV_1));
}

TEST_F(ProgramApiTest, NothingIsAddedOnceTheProgramIsCompiled) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  detail::CompileProgram(device(), program);
  EXPECT_TRUE(program.is_compiled());
  const std::string text = "to program " + std::to_string(program.get_id());
  expect_throws([&] { add_kernel(program, CoreCoord{1, 0}); }, "Cannot add a kernel", text);
  expect_throws(
      [&] {
        CreateSemaphore(program, CoreRange(CoreCoord{0, 0}), 0);
      },
      "Cannot add a semaphore", text);
  expect_throws(
      [&] {
        CreateCircularBuffer(
            program, CoreCoord{0, 0},
            CircularBufferConfig(64, {{0, tt::DataFormat::UInt32}}).set_page_size(0, 64));
      },
      "Cannot add a circular buffer", text);
}

TEST_F(ProgramApiTest, AKernelIsCompiledOnce) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  detail::CompileProgram(device(), program);
  for (int i = 0; i < 3; ++i) EnqueueProgram(queue(), program, true);
  EnqueueProgram(open(1)->command_queue(), program, true);
  EXPECT_EQ(watched().compiled, 1);
}

TEST_F(ProgramApiTest, ACompilerErrorIsThrownWithItsText) {
  Program program;
  CreateKernelFromString(program, "#error no", CoreCoord{0, 0}, DataMovementConfig{});
  expect_throws([&] { EnqueueProgram(queue(), program, false); }, "as the source asked");
  EXPECT_FALSE(program.is_compiled());
  Finish(queue());
}

TEST_F(ProgramApiTest, AKernelOnMoreCoresThanThereCanBeIsRefusedAtOnce) {
  Program program;
  const CoreRange cores({0, 0}, {0x3fffffff, 0x3fffffff});
  expect_throws([&] { add_kernel(program, cores); }, "leaves the largest grid of all devices");
}

TEST_F(ProgramApiTest, AKernelOutsideTheGridIsRefusedWhenItIsEnqueued) {
  Program program;
  add_kernel(program, CoreRange({0, 0}, {8, 0}));
  expect_throws([&] { EnqueueProgram(queue(), program, false); }, "kernel_0", "(x=8,y=0)", "8x8");
  expect_throws([&] { add_kernel(program, CoreCoord{100, 0}); }, "(x=100,y=0)");
}

TEST_F(ProgramApiTest, AnEthernetKernelNeedsAnEthernetCore) {
  Program program;
  CreateKernelFromString(program, "", CoreCoord{1, 0}, EthernetConfig{});
  expect_throws([&] { EnqueueProgram(queue(), program, false); }, "Ethernet grid of device 0");
}

TEST_F(ProgramApiTest, CoresOfAProgramAreListedByTheirKind) {
  Program program;
  add_kernel(program, CoreRange({0, 1}, {1, 1}));
  EXPECT_THAT(program.logical_cores(), SizeIs(1));
  CreateKernelFromString(program, "", CoreCoord{0, 1}, EthernetConfig{});
  CreateKernelFromString(program, "", CoreCoord{1, 1}, ComputeConfig{});
  EXPECT_THAT(program.logical_cores(), ElementsAre(ElementsAre(CoreCoord(0, 1), CoreCoord(1, 1)),
                                                   ElementsAre(CoreCoord(0, 1))));
}

TEST_F(ProgramApiTest, AMissingKernelFileNamesWhereItWasSought) {
  setenv("TT_METAL_HOME", "/nowhere/home", 1);
  setenv("TT_METAL_KERNEL_PATH", "/nowhere/kernels", 1);
  Program program;
  expect_throws(
      [&] {
        CreateKernel(program, "missing.cpp", CoreCoord{0, 0}, DataMovementConfig{});
      },
      "missing.cpp", "/nowhere/home/missing.cpp", "/nowhere/kernels/missing.cpp");
  expect_throws(
      [&] {
        CreateKernel(program, "/nowhere/else.cpp", CoreCoord{0, 0}, DataMovementConfig{});
      },
      "/nowhere/else.cpp");
  unsetenv("TT_METAL_HOME");
  unsetenv("TT_METAL_KERNEL_PATH");
  expect_throws(
      [&] {
        CreateKernel(program, "missing.cpp", CoreCoord{0, 0}, DataMovementConfig{});
      },
      "missing.cpp (TT_METAL_HOME is not set)");
}

TEST_F(ProgramApiTest, KernelFilesAreSoughtInOrder) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "kernel_lookup";
  const TemporaryFile in_home(root / "home/k.cpp", "home");
  const TemporaryFile in_path(root / "path/k.cpp", "path");
  const TemporaryFile in_path_only(root / "path/p.cpp", "path");
  setenv("TT_METAL_HOME", (root / "home").c_str(), 1);
  setenv("TT_METAL_KERNEL_PATH", (root / "path").c_str(), 1);
  Program program;
  CreateKernel(program, "k.cpp", CoreCoord{0, 0}, DataMovementConfig{});
  CreateKernel(program, "p.cpp", CoreCoord{1, 0}, DataMovementConfig{});
  const KernelHandle absolute =
      CreateKernel(program, (root / "path/k.cpp").string(), CoreCoord{2, 0}, DataMovementConfig{});
  EXPECT_EQ(detail::GetKernel(program, 0)->source_path(), "k.cpp");
  EXPECT_EQ(detail::GetKernel(program, absolute)->name(), "k");
  EnqueueProgram(queue(), program, true);
  EXPECT_EQ(watched().compiled, 3);
  EXPECT_EQ(watched().living_kernels, 2);  // two of the three texts are the same
  unsetenv("TT_METAL_HOME");
  unsetenv("TT_METAL_KERNEL_PATH");
}

// A path may begin at the package, or at its folder of sources; TT_METAL_HOME may be the package or
// the folder around it.
TEST_F(ProgramApiTest, KernelFilesOfAPackageAreFoundFromItAndFromTheFolderAroundIt) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "packages";
  for (const char* package : {"of_2025/ttnn", "of_2026/ttnn/ttnn"}) {
    const TemporaryFile file(root / package / "cpp/ttnn/deprecated/kernels/k.cpp", "package");
    const std::filesystem::path around = root / std::filesystem::path(package).begin()->string();
    for (const std::filesystem::path& home : {around / "ttnn", around}) {
      setenv("TT_METAL_HOME", home.c_str(), 1);
      for (const char* path :
           {"ttnn/cpp/ttnn/deprecated/kernels/k.cpp", "ttnn/deprecated/kernels/k.cpp"}) {
        Program program;
        CreateKernel(program, path, CoreCoord{0, 0}, DataMovementConfig{});
        EXPECT_EQ(detail::GetKernel(program, 0)->source_path(), path) << home;
      }
    }
  }
  unsetenv("TT_METAL_HOME");
}

TEST_F(ProgramApiTest, ALeadingSlashDoesNotHideAFileBelowHome) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / "kernel_slash";
  const TemporaryFile file(root / "kernels/k.cpp", "home");
  setenv("TT_METAL_HOME", root.c_str(), 1);
  Program program;
  const KernelHandle kernel =
      CreateKernel(program, "/kernels/k.cpp", CoreCoord{0, 0}, DataMovementConfig{});
  EXPECT_EQ(detail::GetKernel(program, kernel)->source_path(), "/kernels/k.cpp");
  unsetenv("TT_METAL_HOME");
}

TEST_F(ProgramApiTest, CircularBuffersAreFoundAndCountedByCore) {
  Program program;
  const auto config = CircularBufferConfig(256, {{0, DataFormat::UInt32}}).set_page_size(0, 64);
  const CBHandle id = CreateCircularBuffer(program, CoreRange({0, 0}, {1, 0}), config);
  EXPECT_EQ(detail::GetCircularBuffer(program, id)->id(), id);
  expect_throws([&] { detail::GetCircularBuffer(program, id + 1); }, "No circular buffer");
  EXPECT_EQ(program.get_cb_size(device(), {1, 0}, CoreType::WORKER), 256u);
  EXPECT_EQ(program.get_cb_size(device(), {2, 0}, CoreType::WORKER), 0u);
  // One in a buffer takes no memory of the program's own.
  const auto buffer = l1(64, 64);
  const auto of = [](uint8_t index) {
    return CircularBufferConfig(64, {{index, DataFormat::UInt32}}).set_page_size(index, 64);
  };
  CreateCircularBuffer(program, CoreCoord{1, 0}, of(1).set_globally_allocated_address(*buffer));
  CreateCircularBuffer(program, CoreRange({1, 0}, {2, 0}), of(2));
  EXPECT_EQ(program.get_cb_size(device(), {0, 0}, CoreType::WORKER), 256u);
  EXPECT_EQ(program.get_cb_size(device(), {1, 0}, CoreType::WORKER), 256u + 64);
  EXPECT_EQ(program.get_cb_size(device(), {2, 0}, CoreType::WORKER), 64u);
}

TEST_F(ProgramApiTest, SemaphoreIdsAreTheLowestFreeOnAllCores) {
  Program program;
  EXPECT_EQ(CreateSemaphore(program, CoreRange({0, 0}, {1, 0}), 0), 0);
  EXPECT_EQ(CreateSemaphore(program, CoreRange({2, 0}, {3, 0}), 0), 0);
  EXPECT_EQ(CreateSemaphore(program, CoreRange({2, 0}, {2, 0}), 0), 1);
  EXPECT_EQ(CreateSemaphore(program, CoreRange({1, 0}, {2, 0}), 0), 2);
  EXPECT_EQ(CreateSemaphore(program, CoreRangeSet(CoreRange(CoreCoord{0, 0})), 0), 1);
  EXPECT_EQ(CreateSemaphore(program, CoreCoord{7, 7}, 0), 0);
}

TEST_F(ProgramApiTest, ACoreHasSixteenSemaphores) {
  Program program;
  const CoreRange core({4, 4}, {4, 4});
  for (uint32_t id = 0; id < 16; ++id) EXPECT_EQ(CreateSemaphore(program, core, id), id);
  expect_throws([&] { CreateSemaphore(program, core, 0); }, "(16)", "(x=4,y=4)");
  EXPECT_EQ(program.num_semaphores(), 16);
}

TEST_F(ProgramApiTest, ALaunchSetsTheSemaphoresOfEachCore) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  CreateSemaphore(program, CoreRange({0, 0}, {1, 0}), 11);
  CreateSemaphore(program, CoreRange({1, 0}, {1, 0}), 12);
  EnqueueProgram(queue(), program, true);
  ASSERT_THAT(plan().cores, SizeIs(2));
  EXPECT_THAT(plan().cores[0].semaphores, SizeIs(1));
  EXPECT_EQ(plan().cores[0].semaphores[0].initial_value, 11);
  ASSERT_THAT(plan().cores[1].semaphores, SizeIs(2));
  EXPECT_EQ(plan().cores[1].semaphores[1].initial_value, 12);
  EXPECT_THAT(plan().cores[1].kernels, SizeIs(0));
}

TEST_F(ProgramApiTest, APlanIsMadeOnce) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  EnqueueProgram(queue(), program, true);
  const uint64_t first = plan().id;
  EnqueueProgram(queue(), program, true);
  EXPECT_EQ(plan().id, first);
  SetRuntimeArgs(program, 0, CoreCoord{0, 0}, {1});
  EnqueueProgram(queue(), program, true);
  EXPECT_NE(plan().id, first);
}

TEST_F(ProgramApiTest, AKernelRunsOnEachOfItsCores) {
  Program program;
  add_kernel(program, CoreRangeSet(std::vector<CoreRange>{CoreRange({0, 0}, {1, 1}),
                                                          CoreRange({4, 4}, {4, 5})}));
  CreateKernelFromString(program, "", CoreCoord{4, 4}, ComputeConfig{});
  EnqueueProgram(queue(), program, true);
  EXPECT_THAT(plan().cores, SizeIs(6));
  EXPECT_THAT(program.logical_cores().at(0), SizeIs(6));
  for (const device::CorePlan& core : plan().cores) {
    const bool is_shared = core.core == lightmetal::Core{4, 4};
    EXPECT_EQ(core.kernels.size(), is_shared ? 2 : 1);
  }
  EXPECT_EQ(plan().kernels[1].processor, device::Processor::kCompute);
}

TEST_F(ProgramApiTest, LaunchProgramRunsBesideTheQueues) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(open(0, 2)->command_queue(0), gate);  // queue 0 stands still
  detail::LaunchProgram(device(), program);
  EXPECT_THAT(watched().launches(), SizeIs(1));
  detail::LaunchProgram(device(), program, /*wait_until_cores_done=*/false);
  detail::WaitProgramDone(device(), program);
  EXPECT_THAT(watched().launches(), SizeIs(2));
  EnqueueRecordEvent(device()->command_queue(1), gate);
}

// Closes the device while what `launch` has launched runs, and asks `question` meanwhile.
void expect_answer_at_the_end(IDevice* device, const std::function<void()>& launch,
                              const std::function<void()>& question) {
  using namespace std::chrono_literals;
  std::promise<void> end;
  watched().on_launch([ended = end.get_future().share()](const device::Launch&) {
    ended.wait();
    return absl::OkStatus();
  });
  launch();
  const auto close = std::async(std::launch::async, [&] { CloseDevice(device); });
  std::this_thread::sleep_for(50ms);  // until it waits for the launch
  const auto answer = std::async(std::launch::async, question);
  EXPECT_EQ(answer.wait_for(60s), std::future_status::ready);
  end.set_value();
  close.wait();
}

TEST_F(ProgramApiTest, ADeviceThatWaitsForALaunchAtItsEndStillAnswers) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  IDevice* const closing = device();
  expect_answer_at_the_end(
      closing, [&] { detail::LaunchProgram(closing, program, /*wait_until_cores_done=*/false); },
      [&] { closing->get_trace(1); });
}

TEST_F(ProgramApiTest, ADeviceThatWaitsForASubDeviceAtItsEndStillAnswers) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  IDevice* const closing = device();
  const SubDevice part(std::array{CoreRangeSet(CoreRange({0, 0}, {1, 1}))});
  closing->load_sub_device_manager(closing->create_sub_device_manager({part}, 4096));
  expect_answer_at_the_end(
      closing, [&] { EnqueueProgram(closing->command_queue(), program, /*blocking=*/false); },
      [&] { closing->num_sub_devices(); });
}

TEST_F(ProgramApiTest, QuickLaunchesBesideTheQueuesAreWaitedForHoweverManyTheyAre) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  std::atomic<int> done = 0;
  std::promise<void> all_given;
  // Longer than a wait spins, so that it sees each of them end.
  watched().on_launch([&, given = all_given.get_future().share()](const device::Launch&) {
    given.wait();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    ++done;
    return absl::OkStatus();
  });
  constexpr int kLaunches = 6'000;
  for (int i = 0; i < kLaunches; ++i) {
    detail::LaunchProgram(device(), program, /*wait_until_cores_done=*/false);
  }
  all_given.set_value();
  EXPECT_TRUE(replay_hooks::drop_errors(*device(), /*waits=*/true));
  EXPECT_EQ(done, kLaunches);
}

TEST_F(ProgramApiTest, AFailedLaunchThrowsFromLaunchProgram) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  watched().on_launch(
      [](const device::Launch&) { return absl::InternalError("deadlock on (0,0)"); });
  expect_throws([&] { detail::LaunchProgram(device(), program); }, "deadlock on (0,0)");
  detail::LaunchProgram(device(), program, false);
  expect_throws([&] { detail::WaitProgramDone(device(), program); }, "deadlock on (0,0)");
  watched().on_launch(nullptr);
  detail::LaunchProgram(device(), program);
}

TEST_F(ProgramApiTest, WhatWasPreparedBeforeItsDeviceClosedIsNotLaunched) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  const PreparedProgram prepared(program.state(), impl_of(device()));
  EXPECT_NE(prepared.launch().plan, nullptr);
  CloseDevice(device());
  EXPECT_FALSE(prepared.fits(program.state()));
  expect_throws([&] { prepared.launch(); }, "Device 0 has been closed");
}

TEST_F(ProgramApiTest, APlanMayBeDroppedWhileAnotherThreadLooksAtIt) {
  LoadedPlan loaded(std::make_shared<const device::LaunchPlan>());
  const auto looks = std::async(std::launch::async, [&] {
    while (loaded.get() != nullptr) std::this_thread::yield();
  });
  loaded.drop();
  looks.wait();
  EXPECT_EQ(loaded.get(), nullptr);
}

TEST_F(ProgramApiTest, TheStepsBeforeALaunchAreChecked) {
  Program program;
  add_kernel(program, CoreCoord{0, 0});
  EXPECT_TRUE(detail::ConfigureDeviceWithProgram(device(), program));
  detail::WriteRuntimeArgsToDevice(device(), program);
  EXPECT_TRUE(program.is_finalized());
  EXPECT_THAT(watched().launches(), SizeIs(0));
}

TEST_F(ProgramApiTest, AProgramKeepsTheBuffersItWasGiven) {
  auto program = std::make_unique<Program>();
  auto buffer = dram(64, 64);
  const std::weak_ptr<Buffer> watched_buffer = buffer;
  AssignGlobalBufferToProgram(std::move(buffer), *program);
  EXPECT_FALSE(watched_buffer.expired());
  program.reset();
  EXPECT_TRUE(watched_buffer.expired());
}

TEST_F(ProgramApiTest, AProgramMayGoWhileItIsQueued) {
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(open(0, 2)->command_queue(0), gate);
  {
    Program program;
    add_kernel(program, CoreCoord{0, 0});
    SetRuntimeArgs(program, 0, CoreCoord{0, 0}, {42});
    EnqueueProgram(queue(), program, false);
  }
  EnqueueRecordEvent(device()->command_queue(1), gate);
  Finish(queue());
  EXPECT_THAT(watched().args(), ElementsAre(42));
}

// ---- On the CPU device ----

constexpr char kWriteWord[] = R"(
void kernel_main() {
  *reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0)) = get_arg_val<uint32_t>(1) + STEP;
}
)";

class CpuProgramTest : public ::testing::Test {
 protected:
  CpuProgramTest() {
    setenv("LIGHTMETAL_DEVICE", "cpu", 1);
    device_ = CreateDevice(0);
  }
  ~CpuProgramTest() override { CloseDevice(device_); }

  IDevice* device_;
};

TEST_F(CpuProgramTest, ArgumentsReachEachCore) {
  Program program;
  const CoreRange cores({0, 0}, {1, 1});
  const KernelHandle kernel = CreateKernelFromString(
      program, kWriteWord, cores, DataMovementConfig{.defines = {{"STEP", "3"}}});
  constexpr uint32_t kAddress = 500'000;
  for (const CoreCoord& core : cores) {
    SetRuntimeArgs(program, kernel, core, {kAddress, static_cast<uint32_t>(10 * core.x + core.y)});
  }
  EnqueueProgram(device_->command_queue(), program, false);
  Finish(device_->command_queue());
  for (const CoreCoord& core : cores) {
    std::vector<uint32_t> word;
    detail::ReadFromDeviceL1(device_, core, kAddress, 4, word);
    EXPECT_THAT(word, ElementsAre(10 * core.x + core.y + 3));
  }
}

TEST_F(CpuProgramTest, ACompilerErrorNamesTheMistake) {
  Program program;
  CreateKernelFromString(program, "void kernel_main() { no_such_function(); }", CoreCoord{0, 0},
                         DataMovementConfig{});
  expect_throws([&] { EnqueueProgram(device_->command_queue(), program, false); },
                "no_such_function");
}

TEST_F(CpuProgramTest, AWaitThatNeverEndsIsReportedAtFinishAndTheQueueGoesOn) {
  Program stuck;
  CreateKernelFromString(stuck, "void kernel_main() { cb_wait_front(3, 1); }", CoreCoord{2, 1},
                         DataMovementConfig{});
  CreateCircularBuffer(
      stuck, CoreCoord{2, 1},
      CircularBufferConfig(64, {{3, tt::DataFormat::UInt32}}).set_page_size(3, 64));
  CommandQueue& queue = device_->command_queue();
  EnqueueProgram(queue, stuck, false);
  expect_throws([&] { Finish(queue); }, "2", "1", "kernel_0");
  Finish(queue);
}

}  // namespace
}  // namespace tt::tt_metal::testing
