// Devices that executables share, in a child that the process has forked: an error, and no wait for
// threads that the child does not have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/state.h"
#include "tests/runtime/tensor_kit.h"

namespace lightmetal::runtime {
namespace {

using namespace lightmetal::testing;

// What a process has when it forks.
struct Shared {
  FilePointer file;
  std::shared_ptr<Device> device;
  std::shared_ptr<Executable> executable;
  Tensor input;
  Tensor output;
  Event gate;     // what the last run waits for, if there is one
  Event pending;  // that run
};

struct Use {
  const char* name;
  // Returns the error that the child gets.
  absl::Status (*use)(Shared& shared);
};

const Use kUses[] = {
    {"Submit",
     [](Shared& shared) {
       return wait(submit(*shared.device, shared.executable, "scale", {shared.input},
                          {shared.output}, std::vector<Event>()));
     }},
    {"SubmitOfHostTensors",
     [](Shared& shared) {
       return submit(*shared.device, shared.executable, "scale", {host_tensor(counting(0))})
           .status();
     }},
    {"Read",
     [](Shared& shared) {
       Words words(kWords);
       return memcpy(words.data(), shared.output);
     }},
    {"Write",
     [](Shared& shared) {
       const Words words = counting(3);
       return memcpy(shared.input, words.data());
     }},
    {"ToHost", [](Shared& shared) { return toHost(shared.output).status(); }},
    {"ToLayout",
     [](Shared& shared) { return wait(toLayout(shared.input, host_tensor(counting(0)))); }},
    {"WaitForATensor", [](Shared& shared) { return wait(shared.output); }},
    {"AllocateATensor",
     [](Shared& shared) {
       return allocateInputTensor(*shared.device, *shared.executable, 0).status();
     }},
    {"Load", [](Shared& shared) { return shared.device->load(shared.file).status(); }},
    {"Run", [](Shared& shared) { return shared.executable->run("scale", {}, {}); }},
};

// Runs `action` in a forked child, which exits by std::exit with what the action returns. Returns
// the child's status; SIGALRM ends a child that hangs.
int status_in_child(const std::function<int()>& action) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::exit(action());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// The parameter is true where the device has work under way when the process forks.
class ForkedDeviceTest : public ::testing::TestWithParam<std::tuple<Use, bool>> {
 protected:
  ForkedDeviceTest() {
    shared_.file = captured_scaling({.factor = 3, .w = 1000});
    shared_.device = std::make_shared<Device>(value_of(Device::open(*shared_.file)));
    shared_.executable = value_of(shared_.device->load(shared_.file));
    shared_.input = uploaded(*shared_.device, *shared_.executable, 0, counting(0));
    shared_.output = value_of(allocateOutputTensor(*shared_.device, *shared_.executable, 0));
    if (std::get<1>(GetParam())) {
      shared_.gate = Event::create();
      shared_.pending = submit(*shared_.device, shared_.executable, "scale", {shared_.input},
                               {shared_.output}, std::vector<Event>{shared_.gate});
    }
  }
  ~ForkedDeviceTest() override {
    shared_.gate.signal();
    EXPECT_TRUE(wait(shared_.pending).ok());  // the parent's work is as it was
  }

  Shared shared_;
};

TEST_P(ForkedDeviceTest, AUseInTheChildIsAnErrorAndItsExitEnds) {
  const int status = status_in_child([&] {
    const absl::Status error = std::get<0>(GetParam()).use(shared_);
    const bool says_why = error.message().find("forked") != absl::string_view::npos;
    if (absl::IsFailedPrecondition(error) && says_why) return 7;
    std::fprintf(stderr, "%s\n", std::string(error.message()).c_str());
    return 1;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_P(ForkedDeviceTest, TheLastHandlesMayEndInTheChild) {
  const int status = status_in_child([&] {
    std::get<0>(GetParam()).use(shared_).IgnoreError();
    deallocate(shared_.input);
    deallocate(shared_.output, /*force=*/true);
    shared_ = {};
    return 7;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

INSTANTIATE_TEST_SUITE_P(Uses, ForkedDeviceTest,
                         ::testing::Combine(::testing::ValuesIn(kUses), ::testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) ? "WhileItWorks" : "");
                         });

TEST(ForkedProcessTest, AChildRunsOnADeviceOfItsOwn) {
  const FilePointer file = captured_scaling({.factor = 3, .w = 1000});
  const Device device = value_of(Device::open(*file));
  const int status = status_in_child([&] {
    const Device own = value_of(Device::open(*file));
    const std::shared_ptr<Executable> executable = value_of(own.load(file));
    const auto outputs = value_of(submit(own, executable, "scale", {host_tensor(counting(0))}));
    return words_of(outputs.at(0)).at(1) == 3 * 1 + 1001 ? 7 : 1;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(ForkedProcessTest, AnEventWhoseWorkIsTheParentsHasFailedInTheChild) {
  Event event = Event::create();
  Event done = Event::create();
  done.signal();
  const int status = status_in_child([&] {
    const bool has_failed = query(event) && absl::IsFailedPrecondition(wait(event));
    return has_failed && query(done) && wait(done).ok() ? 7 : 1;
  });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_FALSE(query(event));
}

}  // namespace
}  // namespace lightmetal::runtime
