// The suite itself: it finds what is wrong with a backend, and holds gaps to their reasons.
#include <algorithm>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include "base/status.h"
#include "tests/backend_conformance/kit.h"
#include "tests/support/passing_device.h"
#include "tests/support/process.h"

namespace lightmetal::device::conformance {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- Mutants: the CPU device, wrong in one way ----

class Mutant : public lightmetal::testing::PassingDevice {
 public:
  using PassingDevice::PassingDevice;
  absl::Status launch_all(absl::Span<const Launch* const> launches) override {
    return device_->launch_all(launches);
  }
};

class WritesOneByteTooFar final : public Mutant {
  using Mutant::Mutant;
  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(Mutant::write_dram(bank, address, data));
    const std::byte more{0xee};
    if (!data.empty()) (void)Mutant::write_dram(bank, address + data.size(), {&more, 1});
    return absl::OkStatus();
  }
};

class TakesRangesThatDoNotExist final : public Mutant {
  using Mutant::Mutant;
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    (void)Mutant::write_l1(core, address, data);
    return absl::OkStatus();
  }
};

class WritesWhatFits final : public Mutant {
  using Mutant::Mutant;
  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    const uint64_t size = profile().dram_bank_size;
    if (address < size && data.size() > size - address)
      (void)Mutant::write_dram(bank, address, data.subspan(0, size - address));
    return Mutant::write_dram(bank, address, data);
  }
};

class MixesUpTwoBanks final : public Mutant {
  using Mutant::Mutant;
  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    return Mutant::write_dram(bank == 7 ? 6 : bank, address, data);
  }
};

class CopiesOneByteTooFew final : public Mutant {
  using Mutant::Mutant;
  absl::Status copy(const MemoryAddress& from, const MemoryAddress& to, uint64_t size) override {
    return Mutant::copy(from, to, size - 1);
  }
};

class SwallowsErrorsOfLaunches final : public Mutant {
  using Mutant::Mutant;
  absl::Status launch(const Launch& launch) override {
    (void)Mutant::launch(launch);
    return absl::OkStatus();
  }
};

class KeepsTheArgumentsOfAPlan final : public Mutant {
  using Mutant::Mutant;
  absl::Status launch(const Launch& launch) override {
    return Mutant::launch(
        {launch.plan, args_.try_emplace(launch.plan->id, launch.args).first->second});
  }
  std::map<uint64_t, std::vector<uint32_t>> args_;
};

// A launch of the plan without what `change` takes away.
template <typename Change>
Launch changed(const Launch& launch, Change change) {
  if (launch.plan == nullptr) return launch;
  auto plan = std::make_shared<LaunchPlan>(*launch.plan);
  plan->id += uint64_t{1} << 60;  // it is another plan
  change(*plan);
  return {std::move(plan), launch.args};
}

class SetsNoSemaphores final : public Mutant {
  using Mutant::Mutant;
  absl::Status launch(const Launch& launch) override {
    return Mutant::launch(changed(launch, [](LaunchPlan& plan) {
      for (CorePlan& core : plan.cores) core.semaphores.clear();
    }));
  }
};

class RunsOneLaneOnly final : public Mutant {
  using Mutant::Mutant;
  absl::Status launch(const Launch& launch) override {
    const std::lock_guard lock(mutex_);
    return Mutant::launch(changed(launch, [](LaunchPlan& plan) { plan.lane = 0; }));
  }
  std::mutex mutex_;
};

class GoesOnAfterAnError final : public Mutant {
  using Mutant::Mutant;
  absl::Status launch_all(absl::Span<const Launch* const> launches) override {
    absl::Status first;
    for (const Launch* each : launches) first.Update(device_->launch(*each));
    return first;
  }
};

class LoadsWhatIsForOthers final : public Mutant {
  using Mutant::Mutant;
  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    KernelSource source;
    source.name = name;
    source.text = kEmptyKernel;
    LM_ASSIGN_OR_RETURN(own, Mutant::compile(source));
    return Mutant::load({own.target, object.bytes}, name);
  }
};

template <typename Kind>
absl::StatusOr<std::unique_ptr<Device>> open_mutant(const DeviceOptions& options) {
  LM_ASSIGN_OR_RETURN(device, open_device("cpu", options));
  return std::make_unique<Kind>(std::move(device));
}

std::vector<std::string> failures_on(const std::string& name, const Open& open) {
  for (const Check& check : checks()) {
    if (name == check.name) return failures_of(check, open);
  }
  ADD_FAILURE() << "there is no check " << name;
  return {};
}

absl::StatusOr<std::unique_ptr<Device>> open_without_schedules(const DeviceOptions& options) {
  if (options.schedule.has_value()) return absl::InvalidArgumentError("there are no schedules");
  return open_mutant<Mutant>(options);
}

struct Bite {
  const char* name;
  const char* check;  // that sees it
  absl::StatusOr<std::unique_ptr<Device>> (*open)(const DeviceOptions&);
};
void PrintTo(const Bite& bite, std::ostream* out) { *out << bite.name; }

class SuiteBites : public ::testing::TestWithParam<Bite> {};

TEST_P(SuiteBites, TheMutantAndNotTheDeviceItIsMadeOf) {
  EXPECT_THAT(failures_on(GetParam().check, GetParam().open), ::testing::Not(IsEmpty()));
  EXPECT_THAT(failures_on(GetParam().check, open_mutant<Mutant>), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, SuiteBites,
    ::testing::Values(
        Bite{"WritesOneByteTooFar", "DramKeepsWhatIsWritten", open_mutant<WritesOneByteTooFar>},
        Bite{"TakesRangesThatDoNotExist", "RangesOutsideMemoryAreRefused",
             open_mutant<TakesRangesThatDoNotExist>},
        Bite{"WritesWhatFits", "RefusedTransferChangesNothing", open_mutant<WritesWhatFits>},
        Bite{"MixesUpTwoBanks", "BanksAndCoresAreApart", open_mutant<MixesUpTwoBanks>},
        Bite{"CopiesOneByteTooFew", "CopyMovesBytesWithinTheDevice",
             open_mutant<CopiesOneByteTooFew>},
        Bite{"SwallowsErrorsOfLaunches", "FailedAssertionNamesItsText",
             open_mutant<SwallowsErrorsOfLaunches>},
        Bite{"KeepsTheArgumentsOfAPlan", "ArgumentsAreThoseOfTheLaunch",
             open_mutant<KeepsTheArgumentsOfAPlan>},
        Bite{"SetsNoSemaphores", "SemaphoresBeginAsThePlanSays", open_mutant<SetsNoSemaphores>},
        Bite{"RunsOneLaneOnly", "LaunchesOnDifferentLanesRunAtTheSameTime",
             open_mutant<RunsOneLaneOnly>},
        Bite{"GoesOnAfterAnError", "TraceEndsAtItsFirstError", open_mutant<GoesOnAfterAnError>},
        Bite{"LoadsWhatIsForOthers", "ObjectForAnotherTargetIsRefused",
             open_mutant<LoadsWhatIsForOthers>},
        Bite{"RefusesAnySchedule", "ScheduleIsTakenOrRefused", open_without_schedules}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- Gaps ----

void pass(const Open&) {}
void fail(const Open&) { ADD_FAILURE() << "it is broken"; }
void throw_up(const Open&) { throw std::runtime_error("it throws"); }

TEST(Gaps, AreNeededForWhatFails) {
  const Check failing{"LaunchOfNothingIsOk", fail};
  EXPECT_THAT(verdict(failing, failures_of(failing, nullptr), {}), HasSubstr("it is broken"));
  EXPECT_EQ(verdict(failing, failures_of(failing, nullptr), {{failing.name, "no launches"}}), "");
  EXPECT_THAT(failures_of({"Throws", throw_up}, nullptr),
              ::testing::ElementsAre("an exception: it throws"));
}

TEST(Gaps, ThatAreNoneAnyMoreFail) {
  const Check passing{"LaunchOfNothingIsOk", pass};
  EXPECT_EQ(verdict(passing, failures_of(passing, nullptr), {}), "");
  EXPECT_THAT(verdict(passing, {}, {{passing.name, "no launches"}}),
              HasSubstr("is none any more (\"no launches\")"));
}

TEST(Gaps, HaveANameAndAReason) {
  const auto error_of = [](const std::string& text) {
    return std::string(parse_gaps(text).status().message());
  };
  EXPECT_EQ(*parse_gaps("# of a loom\n\nKernelsReachDram LaunchOfNothingIsOk: it weaves\n"),
            (Gaps{{"KernelsReachDram", "it weaves"}, {"LaunchOfNothingIsOk", "it weaves"}}));
  EXPECT_EQ(error_of("KernelsReachDram\n"), "the gap KernelsReachDram has no reason");
  EXPECT_EQ(error_of("KernelsReachDram:  "), "the gap KernelsReachDram has no reason");
  EXPECT_EQ(error_of(" : it weaves"), "the line \": it weaves\" names no check");
  EXPECT_EQ(error_of("::"), "the line \"::\" names no check");
  EXPECT_EQ(error_of("KernelsReachMars: far"), "there is no check \"KernelsReachMars\"");
  EXPECT_EQ(error_of("KernelsReachDram: a\nKernelsReachDram: b"),
            "the gap KernelsReachDram is there twice");
}

// ---- The program ----

::lightmetal::testing::ProcessResult check(std::vector<std::string> arguments,
                                           const std::string& device = "") {
  arguments.insert(arguments.begin(), LIGHTMETAL_BACKEND_CHECK);
  return ::lightmetal::testing::run_process(arguments,
                                            {.environment = {{"LIGHTMETAL_DEVICE", device}}});
}

constexpr char kOne[] = "--gtest_filter=*LaunchOfNothingIsOk";

TEST(BackendCheck, RefusesGapsThatAreNoFile) {
  const ::lightmetal::testing::TemporaryFolder folder;
  const auto result = check({"--gaps", folder.path(), kOne});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "cannot read " + folder.path() + "\n");
  ::lightmetal::testing::write_file(folder.path("empty"), "");
  EXPECT_EQ(check({"--gaps", folder.path("empty"), kOne}).exit_code, 0);
}

TEST(BackendCheck, FailsWhereItChecksNothing) {
  const auto result = check({"--gtest_filter=Nothing*"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "no check fits the filter Nothing*\n");
  EXPECT_EQ(check({"--gtest_filter=Nothing*", "--gtest_list_tests"}).exit_code, 0);
}

TEST(BackendCheck, TellsItsOptions) {
  const auto result = check({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, ::testing::AllOf(HasSubstr("--device NAME"), HasSubstr("--gaps FILE"),
                                              HasSubstr("--gtest_filter=")));
}

TEST(BackendCheck, TakesTheBackendOfTheEnvironment) {
  const auto result = check({kOne}, "abacus");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.errors, HasSubstr("no device is called \"abacus\""));
  EXPECT_EQ(check({kOne, "--device", "cpu"}, "abacus").exit_code, 0);
}

// ---- The document that reads the suite aloud ----

TEST(AddingABackend, TellsOfEachCheckInItsOrder) {
  std::ifstream file(LIGHTMETAL_SOURCE_FOLDER "/docs/adding-a-backend.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string document = text.str();
  const std::regex told("\n\\| `([A-Za-z0-9]+)` \\|");
  std::vector<std::string> found, expected;
  for (std::sregex_iterator match(document.begin(), document.end(), told), end; match != end;
       ++match)
    found.push_back((*match)[1]);
  for (const Check& check : checks()) expected.push_back(check.name);
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace lightmetal::device::conformance
