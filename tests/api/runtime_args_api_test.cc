#include <array>
#include <functional>
#include <utility>

#include "tests/support/api_test_kit.h"

namespace tt::tt_metal::testing {
namespace {

using ::testing::ElementsAre;

class RuntimeArgsApiTest : public WatchedTest {
 protected:
  RuntimeArgsApiTest() : kernel_(add_kernel(program_, CoreRange({0, 0}, {1, 1}))) {}

  std::vector<uint32_t> set_args(CoreCoord core) {
    return detail::GetKernel(program_, kernel_)->runtime_args(core);
  }
  std::vector<uint32_t> launched() {
    EnqueueProgram(queue(), program_, true);
    return watched().args(watched().launches().size() - 1);
  }

  Program program_;
  KernelHandle kernel_;
};

TEST_F(RuntimeArgsApiTest, ListsVectorsAndArraysAreArgs) {
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {1, 2});
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 1}, std::vector<uint32_t>{3, 4});
  SetRuntimeArgs(program_, kernel_, CoreCoord{1, 0}, std::array<uint32_t, 2>{5, 6});
  EXPECT_THAT(set_args({0, 0}), ElementsAre(1, 2));
  EXPECT_THAT(set_args({0, 1}), ElementsAre(3, 4));
  EXPECT_THAT(set_args({1, 0}), ElementsAre(5, 6));
  EXPECT_THAT(set_args({1, 1}), ElementsAre());
}

TEST_F(RuntimeArgsApiTest, RangesAndSetsOfCoresGetTheSame) {
  SetRuntimeArgs(program_, kernel_, CoreRange({0, 0}, {1, 0}), {7});
  SetRuntimeArgs(program_, kernel_, CoreRangeSet(CoreRange({0, 1}, {1, 1})), {8});
  EXPECT_THAT(set_args({1, 0}), ElementsAre(7));
  EXPECT_THAT(set_args({1, 1}), ElementsAre(8));
}

TEST_F(RuntimeArgsApiTest, EachCoreOfAVectorGetsItsOwn) {
  const std::vector<CoreCoord> cores = {{1, 1}, {0, 0}};
  SetRuntimeArgs(program_, kernel_, cores, {{1, 2, 3}, {4}});
  EXPECT_THAT(set_args({1, 1}), ElementsAre(1, 2, 3));
  EXPECT_THAT(set_args({0, 0}), ElementsAre(4));
  EXPECT_THAT(set_args({0, 1}), ElementsAre());
  expect_throws([&] { SetRuntimeArgs(program_, kernel_, cores, {{1}}); }, "2 cores", "1 lists");
}

TEST_F(RuntimeArgsApiTest, ABufferStandsForItsAddress) {
  const auto buffer = l1(2048, 2048);
  const auto kernel = detail::GetKernel(program_, kernel_);
  const auto args = std::make_shared<RuntimeArgs>(RuntimeArgs{buffer.get(), 5u});
  SetRuntimeArgs(device(), kernel, CoreCoord{0, 0}, args);
  EXPECT_THAT(set_args({0, 0}), ElementsAre(buffer->address(), 5));
  SetRuntimeArgs(device(), kernel, std::vector<CoreCoord>{{1, 0}, {1, 1}}, {args, args});
  EXPECT_THAT(set_args({1, 1}), ElementsAre(buffer->address(), 5));
  const auto null = std::make_shared<RuntimeArgs>(RuntimeArgs{static_cast<Buffer*>(nullptr)});
  expect_throws([&] { SetRuntimeArgs(device(), kernel, CoreCoord{0, 0}, null); }, "null Buffer*");
}

TEST_F(RuntimeArgsApiTest, TheNumberOfArgsCannotGrow) {
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {1, 2});
  expect_throws(
      [&] {
        SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {1, 2, 3});
      },
      "from 2 to 3", "(x=0,y=0)", "kernel_0");
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {9});
  EXPECT_THAT(set_args({0, 0}), ElementsAre(9, 2));
}

// Each way of setting common arguments, after each.
TEST_F(RuntimeArgsApiTest, CommonArgsAreSetOnceAndChangedInPlace) {
  using Set = std::function<void(Program&, KernelHandle, const std::vector<uint32_t>&)>;
  const Set by_program = [](Program& program, KernelHandle kernel, const auto& args) {
    SetCommonRuntimeArgs(program, kernel, args);
  };
  const Set by_kernel = [](Program& program, KernelHandle kernel, const auto& args) {
    detail::GetKernel(program, kernel)->set_common_runtime_args(args);
  };
  for (const Set& first : {by_program, by_kernel}) {
    for (const Set& second : {by_program, by_kernel}) {
      Program program;
      const KernelHandle kernel = add_kernel(program, CoreCoord{0, 0});
      first(program, kernel, {});  // sets nothing
      first(program, kernel, {1, 2});
      for (const std::vector<uint32_t>& again : {std::vector<uint32_t>{1, 2}, {3}, {4, 5, 6}, {}}) {
        expect_throws([&] { second(program, kernel, again); }, "its 2 are set already",
                      "GetCommonRuntimeArgs");
      }
      EXPECT_THAT(detail::GetKernel(program, kernel)->common_runtime_args(), ElementsAre(1, 2));
      GetCommonRuntimeArgs(program, kernel)[1] = 7;
      EXPECT_THAT(detail::GetKernel(program, kernel)->common_runtime_args(), ElementsAre(1, 7));
    }
  }
}

TEST_F(RuntimeArgsApiTest, TheNumberCannotGrowWithinACallThatNamesACoreTwice) {
  const std::vector<CoreCoord> twice = {{0, 0}, {0, 0}};
  expect_throws(
      [&] {
        SetRuntimeArgs(program_, kernel_, twice, {{1}, {2, 3}});
      },
      "from 1 to 2", "(x=0,y=0)", "kernel_0");
  const auto short_list = std::make_shared<RuntimeArgs>(RuntimeArgs{1u});
  const auto long_list = std::make_shared<RuntimeArgs>(RuntimeArgs{2u, 3u});
  const auto kernel = detail::GetKernel(program_, kernel_);
  expect_throws(
      [&] {
        SetRuntimeArgs(device(), kernel, twice, {short_list, long_list});
      },
      "from 1 to 2", "(x=0,y=0)");
  EXPECT_THAT(set_args({0, 0}), ElementsAre());  // a refused call changes nothing
}

TEST_F(RuntimeArgsApiTest, ACoreThatACallNamesTwiceHasWhatTheSecondListReplaced) {
  const std::vector<CoreCoord> cores = {{0, 0}, {1, 0}, {0, 0}};
  SetRuntimeArgs(program_, kernel_, cores, {{1, 2}, {5}, {3}});
  EXPECT_THAT(set_args({0, 0}), ElementsAre(3, 2));
  SetRuntimeArgs(program_, kernel_, std::vector<CoreCoord>{{0, 1}, {0, 1}}, {{}, {6, 7}});
  EXPECT_THAT(set_args({0, 1}), ElementsAre(6, 7));
}

TEST_F(RuntimeArgsApiTest, ACoreWithoutTheKernelIsRefused) {
  expect_throws(
      [&] {
        SetRuntimeArgs(program_, kernel_, CoreCoord{2, 0}, {1});
      },
      "(x=2,y=0)", "kernel_0");
  expect_throws([&] { GetRuntimeArgs(program_, kernel_, CoreCoord{0, 2}); }, "(x=0,y=2)");
  expect_throws([&] { SetRuntimeArgs(program_, 7, CoreCoord{0, 0}, {1}); }, "id 7");
}

TEST_F(RuntimeArgsApiTest, ARefusedCallChangesNoCore) {
  SetRuntimeArgs(program_, kernel_, CoreRange({0, 0}, {1, 1}), {1});
  expect_throws(
      [&] {
        SetRuntimeArgs(program_, kernel_, CoreRange({0, 0}, {2, 0}), {2});
      },
      "(x=2,y=0)");
  EXPECT_THAT(set_args({0, 0}), ElementsAre(1));
}

TEST_F(RuntimeArgsApiTest, UniqueAndCommonArgsTogetherAreLimited) {
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, counting(300));
  SetCommonRuntimeArgs(program_, kernel_, counting(41));
  expect_throws(
      [&] {
        SetRuntimeArgs(program_, kernel_, CoreCoord{0, 1}, counting(301));
      },
      "342 unique+common", "341");
  Program other;
  const KernelHandle kernel = add_kernel(other, CoreCoord{0, 0});
  expect_throws([&] { SetCommonRuntimeArgs(other, kernel, counting(342)); }, "342", "341");
}

// That core is given its arguments first, last, or fewer of them again.
TEST_F(RuntimeArgsApiTest, CommonArgsAreLimitedByTheCoreThatHasMostArgs) {
  using Calls = std::vector<std::pair<CoreCoord, size_t>>;
  const CoreCoord core(0, 0), other(0, 1);
  for (const Calls& calls : {Calls{{core, 300}, {other, 2}}, Calls{{other, 2}, {core, 300}},
                             Calls{{core, 300}, {core, 2}}}) {
    Program program;
    const KernelHandle kernel = add_kernel(program, CoreRange(core, other));
    for (const auto& [of, count] : calls) SetRuntimeArgs(program, kernel, of, counting(count));
    expect_throws([&] { SetCommonRuntimeArgs(program, kernel, counting(42)); }, "342 unique+common",
                  "341");
    SetCommonRuntimeArgs(program, kernel, counting(41));
  }
}

TEST_F(RuntimeArgsApiTest, ALaunchHasTheArgsOfItsEnqueue) {
  const auto gate = std::make_shared<Event>();
  EnqueueWaitForEvent(open(0, 2)->command_queue(0), gate);
  SetCommonRuntimeArgs(program_, kernel_, {0});
  for (uint32_t i = 0; i < 3; ++i) {
    SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {i});
    GetCommonRuntimeArgs(program_, kernel_)[0] = 10 + i;
    EnqueueProgram(queue(), program_, false);
  }
  EnqueueRecordEvent(device()->command_queue(1), gate);
  Finish(queue());
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_THAT(watched().args(i), ElementsAre(i));
    EXPECT_THAT(watched().common_args(i), ElementsAre(10 + i));
  }
}

TEST_F(RuntimeArgsApiTest, WhatIsWrittenThroughAReferenceReachesTheNextLaunch) {
  SetRuntimeArgs(program_, kernel_, CoreRange({0, 0}, {1, 1}), {1, 2});
  SetCommonRuntimeArgs(program_, kernel_, {3});
  EXPECT_THAT(launched(), ElementsAre(1, 2));
  RuntimeArgsData& args = GetRuntimeArgs(program_, kernel_, CoreCoord{0, 0});
  args[1] = 20;
  EXPECT_THAT(launched(), ElementsAre(1, 20));
  GetRuntimeArgs(program_, kernel_)[0][0].at(0) = 10;
  EXPECT_THAT(launched(), ElementsAre(10, 20));
  args.data()[0] = 11;  // the first reference still holds
  GetCommonRuntimeArgs(program_, kernel_)[0] = 30;
  EXPECT_THAT(launched(), ElementsAre(11, 20));
  EXPECT_THAT(watched().common_args(3), ElementsAre(30));
  EXPECT_THAT(set_args({1, 1}), ElementsAre(1, 2));
}

TEST_F(RuntimeArgsApiTest, AReferenceKnowsItsSize) {
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {1, 2});
  RuntimeArgsData& args = GetRuntimeArgs(program_, kernel_, CoreCoord{0, 0});
  EXPECT_EQ(args.size(), 2);
  EXPECT_EQ(GetRuntimeArgs(program_, kernel_, CoreCoord{1, 0}).size(), 0);
  expect_throws([&] { args.at(2) = 0; }, "no runtime arg 2");
}

TEST_F(RuntimeArgsApiTest, ArgsThatComeAfterTheFirstLaunchReachTheNext) {
  EXPECT_THAT(launched(), ElementsAre());
  SetRuntimeArgs(program_, kernel_, CoreCoord{0, 0}, {5});
  EXPECT_THAT(launched(), ElementsAre(5));
}

TEST_F(RuntimeArgsApiTest, KernelsSetTheirOwnArgs) {
  const auto kernel = detail::GetKernel(program_, kernel_);
  kernel->set_runtime_args({0, 0}, {1});
  kernel->set_common_runtime_args({2});
  EXPECT_THAT(launched(), ElementsAre(1));
  EXPECT_THAT(kernel->common_runtime_args(), ElementsAre(2));
  expect_throws([&] { kernel->set_runtime_args({5, 5}, {1}); }, "(x=5,y=5)");
}

}  // namespace
}  // namespace tt::tt_metal::testing
