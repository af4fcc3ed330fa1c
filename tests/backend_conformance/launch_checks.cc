// A launch gives each kernel of each core what the plan says, and comes back when all have ended.
#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

using ::testing::ElementsAre;

// Writes its arguments to where the first of them says.
constexpr char kWriteArguments[] = R"(
  #include <cstdint>
  void kernel_main() {
    auto* out = reinterpret_cast<volatile uint32_t*>(get_arg_val<uint32_t>(0));
    out[0] = get_arg_val<uint32_t>(1);
    out[1] = get_common_arg_val<uint32_t>(0);
    out[2] = get_common_arg_val<uint32_t>(1);
  })";

void launch_of_nothing_is_ok(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder launch(*device);
  expect_ok(launch.launch());
  launch.core({2, 3});
  expect_ok(launch.launch());
}

void arguments_are_those_of_the_launch(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder builder(*device);
  builder.run_on({1, 1}, builder.kernel("arguments.cpp", kWriteArguments), {kL1, 7}, {8, 9});
  Launch launch = builder.build();
  expect_ok(device->launch(launch));
  EXPECT_THAT(read_words(*device, {1, 1}, kL1, 3), ElementsAre(7, 8, 9));
  launch.args = {kL1, 70, 80, 90};  // of the same plan
  expect_ok(device->launch(launch));
  EXPECT_THAT(read_words(*device, {1, 1}, kL1, 3), ElementsAre(70, 80, 90));
}

void each_core_has_arguments_of_its_own(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder launch(*device);
  const uint32_t kernel = launch.kernel("arguments.cpp", kWriteArguments);
  const uint32_t cores = num_l1_banks(device->profile());
  for (uint32_t i = 0; i < cores; ++i)
    launch.run_on(core_of_l1_bank(device->profile(), i), kernel, {kL1, i}, {2 * i, 3 * i});
  expect_ok(launch.launch());
  for (uint32_t i = 0; i < cores; ++i) {
    EXPECT_THAT(read_words(*device, core_of_l1_bank(device->profile(), i), kL1, 3),
                ElementsAre(i, 2 * i, 3 * i));
  }
}

void compile_time_values_reach_the_kernel(const Open& open) {
  const auto device = open_or_throw(open);
  KernelSource source;
  source.name = "constants.cpp";
  source.text = R"(
    #include <cstdint>
    struct Named { const char* name; uint32_t value; };
    constexpr Named kNamed[] = {KERNEL_COMPILE_TIME_ARG_MAP};
    void kernel_main() {
      auto* out = reinterpret_cast<volatile uint32_t*>(0x20000);
      out[0] = get_compile_time_arg_val(0);
      out[1] = get_compile_time_arg_val(1);
      out[2] = DEFINED;
      constexpr uint32_t named = kNamed[0].value;
      out[3] = named;
    })";
  source.compile_args = {11, 12};
  source.defines = {{"DEFINED", "13"}};
  source.named_compile_args = {{"fourth", 14}};
  const auto object = device->compile(source);
  expect_ok(object.status());
  if (!object.ok()) return;
  const auto kernel = device->load(*object, source.name);
  expect_ok(kernel.status());
  if (!kernel.ok()) return;
  auto plan = std::make_shared<LaunchPlan>();
  plan->id = uint64_t{1} << 50;  // apart from those of LaunchBuilder
  plan->kernels.push_back({*kernel, Processor::kRiscv0, 0, source.name});
  CorePlan& core = plan->cores.emplace_back();
  core.core = {3, 2};
  core.kernels.emplace_back();
  expect_ok(device->launch({.plan = plan, .args = {}}));
  EXPECT_THAT(read_words(*device, {3, 2}, kL1, 4), ElementsAre(11, 12, 13, 14));
}

void kernels_reach_dram(const Open& open) {
  const auto device = open_or_throw(open);
  const std::vector<std::byte> data = pattern(9000, 5);
  expect_ok(device->write_dram(3, 4096, data));
  LaunchBuilder launch(*device);
  launch.run_on({2, 5}, launch.kernel("loopback.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_async_read(get_noc_addr_from_bank_id<true>(3, 4096), 0x20000, 9000);
      noc_async_read_barrier();
      noc_async_write(0x20000, get_noc_addr_from_bank_id<true>(11, 65536), 9000);
      noc_async_write_barrier();
    })"),
                {});
  expect_ok(launch.launch());
  std::vector<std::byte> found(data.size());
  expect_ok(device->read_dram(11, 65536, absl::MakeSpan(found)));
  EXPECT_TRUE(found == data);
}

void kernels_reach_other_cores(const Open& open) {
  const auto device = open_or_throw(open);
  write_words(*device, {0, 0}, kL1, {21, 22});
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("send.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_async_write(0x20000, get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), 0x21000), 8);
      noc_async_write_barrier();
    })"),
                {noc_x(*device, {7, 7}), noc_y(*device, {7, 7})});
  expect_ok(launch.launch());
  EXPECT_THAT(read_words(*device, {7, 7}, 0x21000, 2), ElementsAre(21, 22));
  EXPECT_THAT(read_words(*device, {7, 6}, 0x21000, 2), ElementsAre(0, 0));
}

// At each launch anew, whatever the last one has left there.
void semaphores_begin_as_the_plan_says(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder builder(*device);
  const uint32_t kernel = builder.kernel("semaphore.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* semaphore = reinterpret_cast<volatile uint32_t*>(get_semaphore(2));
      auto* out = reinterpret_cast<volatile uint32_t*>(0x20000);
      out[0] = *semaphore;
      *semaphore = 99;
    })");
  for (uint32_t x = 0; x < 3; ++x) {
    builder.run_on({x, 4}, kernel, {});
    builder.semaphore({x, 4}, 2, 40 + x);
  }
  const Launch launch = builder.build();
  for (int round = 0; round < 2; ++round) {
    expect_ok(device->launch(launch));
    for (uint32_t x = 0; x < 3; ++x)
      EXPECT_THAT(read_words(*device, {x, 4}, kL1, 1), ElementsAre(40 + x));
  }
}

void kernels_of_a_launch_wait_for_each_other(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder launch(*device);
  const uint32_t waiter = launch.kernel("waiter.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(0)), 63);
      *reinterpret_cast<volatile uint32_t*>(0x20000) = 1;
    })");
  const uint32_t sender = launch.kernel("sender.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(0), get_arg_val<uint32_t>(1), get_semaphore(0)), 1);
    })");
  for (uint32_t i = 0; i < 64; ++i) {
    const Core core{i % 8, i / 8};
    launch.run_on(core, i == 0 ? waiter : sender, {noc_x(*device, {0, 0}), noc_y(*device, {0, 0})});
    launch.semaphore(core, 0, 0);
  }
  expect_ok(launch.launch());
  EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(1));
}

void pages_flow_through_a_circular_buffer_in_order(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder launch(*device);
  const uint32_t producer = launch.kernel("producer.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      for (uint32_t i = 0; i < 500; ++i) {
        cb_reserve_back(2, 1);
        *reinterpret_cast<volatile uint32_t*>(get_write_ptr(2)) = i;
        cb_push_back(2, 1);
      }
    })",
                                          Processor::kRiscv1);
  const uint32_t consumer = launch.kernel("consumer.cpp", R"(
    #include <cstdint>
    void kernel_main() {
      auto* out = reinterpret_cast<volatile uint32_t*>(0x30000);
      for (uint32_t i = 0; i < 500; ++i) {
        cb_wait_front(2, 1);
        out[i] = *reinterpret_cast<volatile uint32_t*>(get_read_ptr(2));
        cb_pop_front(2, 1);
      }
    })");
  launch.run_on({0, 0}, consumer, {});
  launch.run_on({0, 0}, producer, {});
  launch.circular_buffer({0, 0}, 2, kL1, 4, 64);
  expect_ok(launch.launch());
  std::vector<uint32_t> expected(500);
  for (uint32_t i = 0; i < 500; ++i) expected[i] = i;
  EXPECT_EQ(read_words(*device, {0, 0}, 0x30000, 500), expected);
}

void memory_outlives_launches(const Open& open) {
  const auto device = open_or_throw(open);
  write_words(*device, {0, 0}, kL1, {5});
  write_words(*device, {0, 0}, device->profile().l1_size - 4, {6});
  LaunchBuilder launch(*device);
  launch.run_on({0, 0}, launch.kernel("empty.cpp", kEmptyKernel), {});
  expect_ok(launch.launch());
  EXPECT_THAT(read_words(*device, {0, 0}, kL1, 1), ElementsAre(5));
  EXPECT_THAT(read_words(*device, {0, 0}, device->profile().l1_size - 4, 1), ElementsAre(6));
}

// Appends its argument to a list at 0x20000, which begins with its length; or fails at 666.
constexpr char kAppend[] = R"(
  #include <cstdint>
  void kernel_main() {
    const uint32_t value = get_arg_val<uint32_t>(0);
    if (value == 666) noc_async_write(0x20000, get_noc_addr(60, 60, 0x20000), 64);
    auto* words = reinterpret_cast<volatile uint32_t*>(0x20000);
    words[1 + words[0]] = value;
    words[0] = words[0] + 1;
  })";

absl::Status append_all(Device& device, const std::vector<uint32_t>& values) {
  LaunchBuilder builder(device);
  builder.run_on({0, 0}, builder.kernel("append.cpp", kAppend), {0});
  std::vector<Launch> launches(values.size(), builder.build());
  std::vector<const Launch*> pointers;
  for (size_t i = 0; i < values.size(); ++i) {
    launches[i].args = {values[i]};
    pointers.push_back(&launches[i]);
  }
  return device.launch_all(pointers);
}

void launches_of_a_trace_run_in_their_order(const Open& open) {
  const auto device = open_or_throw(open);
  expect_ok(append_all(*device, {}));
  expect_ok(append_all(*device, {31, 32, 33, 34}));
  EXPECT_THAT(read_words(*device, {0, 0}, kL1, 5), ElementsAre(4, 31, 32, 33, 34));
}

void trace_ends_at_its_first_error(const Open& open) {
  const auto device = open_or_throw(open);
  EXPECT_FALSE(append_all(*device, {31, 32, 666, 34}).ok());
  EXPECT_THAT(read_words(*device, {0, 0}, kL1, 4), ElementsAre(2, 31, 32, 0));
}

}  // namespace

absl::Span<const Check> launch_checks() {
  static constexpr Check kChecks[] = {
      {"LaunchOfNothingIsOk", launch_of_nothing_is_ok},
      {"MemoryOutlivesLaunches", memory_outlives_launches},
      {"ArgumentsAreThoseOfTheLaunch", arguments_are_those_of_the_launch},
      {"EachCoreHasArgumentsOfItsOwn", each_core_has_arguments_of_its_own},
      {"CompileTimeValuesReachTheKernel", compile_time_values_reach_the_kernel},
      {"KernelsReachDram", kernels_reach_dram},
      {"KernelsReachOtherCores", kernels_reach_other_cores},
      {"SemaphoresBeginAsThePlanSays", semaphores_begin_as_the_plan_says},
      {"KernelsOfALaunchWaitForEachOther", kernels_of_a_launch_wait_for_each_other},
      {"PagesFlowThroughACircularBufferInOrder", pages_flow_through_a_circular_buffer_in_order},
      {"LaunchesOfATraceRunInTheirOrder", launches_of_a_trace_run_in_their_order},
      {"TraceEndsAtItsFirstError", trace_ends_at_its_first_error},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
