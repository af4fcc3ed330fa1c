// docs/captured-calls.md lists every function of the host API as recorded or as one that a replay
// does not need; and what it says is recorded, is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tt-metalium/allocator.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

#include "schema/commands/calls.h"
#include "tests/support/api_lists.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"

namespace lightmetal::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace tm = tt::tt_metal;

struct Page {
  std::map<std::string, std::set<std::string>> recorded;  // by function: its commands
  std::map<std::string, std::string> not_recorded;        // by function: the reason
  std::set<std::string> twice;
};

void add(Page& page, bool recorded, const std::string& name, const std::string& cell) {
  if (page.recorded.contains(name) || page.not_recorded.contains(name)) page.twice.insert(name);
  if (!recorded) {
    page.not_recorded[name] = cell;
    return;
  }
  const std::vector<std::string> commands = names_in(cell);
  page.recorded[name] = {commands.begin(), commands.end()};
}

const std::string& path_of_page() {
  static const auto* const path = new std::string(source_folder() + "docs/captured-calls.md");
  return *path;
}

const Page& page() {
  static const auto* const page = [] {
    auto* read = new Page;
    std::ifstream file(path_of_page());
    bool recorded = false;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("## ")) recorded = line == "## Recorded";
      if (!line.starts_with("| `")) continue;
      const std::vector<std::string> cells = cells_of(line);
      EXPECT_EQ(cells.size(), 2u) << line;
      for (const std::string& name : names_in(cells[0])) add(*read, recorded, name, cells[1]);
    }
    return read;
  }();
  return *page;
}

bool is_listed(const std::string& name) {
  return page().recorded.contains(name) || page().not_recorded.contains(name);
}

// Every command that a file can hold, by name.
std::set<std::string> all_commands() {
  std::set<std::string> names;
  schema::for_each_call_type([&]<class Call>(std::type_identity<Call>) {
    names.insert(schema::EnumNameCall(schema::CallTraits<Call>::enum_value));
  });
  return names;
}

std::set<std::string> commands_on_page() {
  std::set<std::string> names;
  for (const auto& [function, commands] : page().recorded)
    names.insert(commands.begin(), commands.end());
  return names;
}

// A command that has the name of a function comes from that function.
void list_missing_functions() {
  const std::set<std::string> commands = all_commands();
  std::map<std::string, std::string> rows;
  for (const auto& [name, header] : declared_by_host().names) {
    if (!is_listed(name) && commands.contains(name))
      rows[name] = "| `" + name + "` | `" + name + "` |";
  }
  add_rows(path_of_page(), "## Recorded", rows, declared_by_host().names);
}

TEST(CapturedCalls, EveryFunctionOfTheHeadersIsListed) {
  if (updates_golden()) return list_missing_functions();
  std::vector<std::string> missing;
  EXPECT_GT(declared_by_host().names.size(), 300u);
  for (const auto& [name, header] : declared_by_host().names) {
    if (!is_listed(name)) missing.push_back(name + " of " + header);
  }
  EXPECT_THAT(missing, IsEmpty())
      << "docs/captured-calls.md does not say whether they are recorded";
}

TEST(CapturedCalls, EveryFunctionThatIsListedIsThereAndListedOnce) {
  std::vector<std::string> unknown;
  const auto check = [&](const std::string& name) {
    const bool declared =
        declared_by_host().names.contains(name) || declared_by_host().others.contains(name);
    if (!declared) unknown.push_back(name);
  };
  for (const auto& [name, commands] : page().recorded) check(name);
  for (const auto& [name, reason] : page().not_recorded) check(name);
  EXPECT_THAT(unknown, IsEmpty());
  EXPECT_THAT(page().twice, IsEmpty());
}

TEST(CapturedCalls, WhatIsNotRecordedHasAReason) {
  EXPECT_GT(page().not_recorded.size(), 100u);
  EXPECT_GT(page().recorded.size(), 100u);
  for (const auto& [name, reason] : page().not_recorded) EXPECT_GT(reason.size(), 10u) << name;
  for (const auto& [name, commands] : page().recorded) EXPECT_FALSE(commands.empty()) << name;
}

// A failed call is recorded by whichever function throws.
TEST(CapturedCalls, EveryCommandComesFromAFunctionThatIsListed) {
  std::set<std::string> from_functions = all_commands();
  from_functions.erase("CallFailed");
  EXPECT_EQ(commands_on_page(), from_functions);
}

TEST(CapturedCalls, EveryCommandOnThePageIsInACaptureOfAllCalls) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  tm::LightMetalBeginCapture();
  make_every_call();
  const std::vector<std::string> names = names_of(*open_file(tm::LightMetalEndCapture()));
  unsetenv("LIGHTMETAL_DEVICE");
  EXPECT_FALSE(commands_on_page().empty());
  for (const std::string& command : commands_on_page()) EXPECT_THAT(names, Contains(command));
}

// ---- What the page says of single calls ----

class SingleCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("LIGHTMETAL_DEVICE", "null", 1);
    device_ = tm::CreateDevice(0);
    tm::LightMetalBeginCapture();
  }
  void TearDown() override {
    tm::CloseDevice(device_);
    unsetenv("LIGHTMETAL_DEVICE");
  }

  tm::IDevice* device_ = nullptr;
};

size_t count_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<size_t>(std::count(names.begin(), names.end(), name));
}

TEST_F(SingleCalls, AnEventThatIsQueriedIsWaitedForOnceItHasCome) {
  auto event = std::make_shared<tm::Event>();
  EXPECT_FALSE(tm::EventQuery(event));
  tm::EnqueueRecordEvent(device_->command_queue(), event);
  while (!tm::EventQuery(event)) {
  }
  const auto names = names_of(*open_file(tm::LightMetalEndCapture()));
  EXPECT_EQ(count_of(names, "EventSynchronize"), 1u);
  EXPECT_EQ(names.back(), "EventSynchronize");
}

TEST_F(SingleCalls, FreeingTheMemoryOfLiveBuffersEndsTheCaptureWithAnError) {
  device_->allocator()->deallocate_buffers();
  try {
    tm::LightMetalEndCapture();
    ADD_FAILURE() << "the capture says nothing";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Allocator::deallocate_buffers cannot be captured"));
  }
}

TEST_F(SingleCalls, MemoryThatTheProgramTakesItselfMovesNoBufferOfAReplay) {
  device_->allocator()->allocate(tm::BufferType::DRAM, 4096, true);
  const auto buffer =
      tm::CreateBuffer(tm::InterleavedBufferConfig{.device = device_, .size = 64, .page_size = 64});
  const auto file = open_file(tm::LightMetalEndCapture());
  const auto commands = commands_of(*file);
  EXPECT_EQ(commands.back().call.AsBufferCreate()->allocated_address, buffer->address());
}

// What each way to change a launch's arguments through a reference is recorded as.
class WrittenArguments : public SingleCalls {
 protected:
  void SetUp() override {
    SingleCalls::SetUp();
    program_ = tm::CreateProgram();
    kernel_ = tm::CreateKernelFromString(program_, "void kernel_main() {}", kCores,
                                         tm::DataMovementConfig{});
    tm::SetRuntimeArgs(program_, kernel_, kCores, {1, 2});
    tm::SetCommonRuntimeArgs(program_, kernel_, {3, 4});
    launch();
  }

  void TearDown() override {
    program_ = tm::Program();
    SingleCalls::TearDown();
  }

  void launch() { tm::EnqueueProgram(device_->command_queue(), program_, true); }

  // The arguments in the commands that record direct writes, in order.
  std::vector<std::vector<uint32_t>> recorded() {
    std::vector<std::vector<uint32_t>> found;
    const auto file = open_file(tm::LightMetalEndCapture());
    for (const schema::CommandT& command : commands_of(*file)) {
      if (const auto* write = command.call.AsWriteRuntimeArgs()) found.push_back(write->args);
      if (const auto* write = command.call.AsWriteCommonRuntimeArgs()) found.push_back(write->args);
    }
    return found;
  }

  const tm::CoreRange kCores{{0, 0}, {1, 0}};
  tm::Program program_;
  tm::KernelHandle kernel_ = 0;
};

using Arguments = std::vector<std::vector<uint32_t>>;

TEST_F(WrittenArguments, OfOneCore) {
  tm::GetRuntimeArgs(program_, kernel_, tm::CoreCoord(1, 0))[0] = 10;
  launch();
  EXPECT_EQ(recorded(), (Arguments{{10, 2}}));
}

TEST_F(WrittenArguments, OfAllCoresAtOnce) {
  tm::GetRuntimeArgs(program_, kernel_)[1][0][1] = 11;
  launch();
  EXPECT_EQ(recorded(), (Arguments{{1, 11}}));
}

TEST_F(WrittenArguments, CommonOnes) {
  tm::GetCommonRuntimeArgs(program_, kernel_)[1] = 12;
  launch();
  EXPECT_EQ(recorded(), (Arguments{{3, 12}}));
}

TEST_F(WrittenArguments, ThroughReferencesThatAreKeptAcrossLaunches) {
  auto& own = tm::GetRuntimeArgs(program_, kernel_, tm::CoreCoord(0, 0));
  auto& common = tm::GetCommonRuntimeArgs(program_, kernel_);
  for (uint32_t launch_number = 0; launch_number < 3; ++launch_number) {
    own[0] = 20 + launch_number;
    common[0] = 30 + launch_number;
    launch();
  }
  launch();  // nothing has changed: nothing is recorded
  EXPECT_EQ(recorded(), (Arguments{{20, 2}, {30, 4}, {21, 2}, {31, 4}, {22, 2}, {32, 4}}));
}

TEST_F(WrittenArguments, InADeviceTraceAreInItsContent) {
  tm::GetRuntimeArgs(program_, kernel_, tm::CoreCoord(0, 0))[0] = 77;
  const uint32_t trace = tm::BeginTraceCapture(device_, 0);
  tm::EnqueueProgram(device_->command_queue(), program_, false);
  tm::EndTraceCapture(device_, 0, trace);
  tm::ReleaseTrace(device_, trace);
  const auto file = open_file(tm::LightMetalEndCapture());
  bool found = false;
  for (const schema::CommandT& command : commands_of(*file)) {
    const auto* load = command.call.AsLoadTrace();
    if (load == nullptr) continue;
    const std::vector<uint32_t>& words = load->content->launches.at(0)->args;
    found = std::find(words.begin(), words.end(), 77u) != words.end();
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace lightmetal::testing
