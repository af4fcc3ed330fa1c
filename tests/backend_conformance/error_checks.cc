// What goes wrong is a status that says what and where, and the device works on.
#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Refused before anything runs: the kernel of the plan leaves its mark when it does.
template <typename Change>
void expect_plan_refused(Device& device, Change change) {
  LaunchBuilder builder(device);
  const uint32_t kernel = builder.kernel("mark.cpp", R"(
    #include <cstdint>
    void kernel_main() { *reinterpret_cast<volatile uint32_t*>(0x20000) = 1; })");
  builder.run_on({0, 0}, kernel, {});
  change(builder, kernel);
  const absl::Status status = builder.launch();
  EXPECT_TRUE(absl::IsOutOfRange(status) || absl::IsInvalidArgument(status)) << status;
  EXPECT_EQ(read_words(device, {0, 0}, kL1, 1), std::vector<uint32_t>{0});
}

void plans_that_cannot_be_are_refused(const Open& open) {
  const auto device = open_or_throw(open);
  const DeviceProfile& profile = device->profile();
  using Builder = LaunchBuilder;
  const auto expect_refused = [&](auto change) { expect_plan_refused(*device, change); };
  expect_refused([&](Builder& b, uint32_t kernel) { b.run_on({profile.grid.x, 0}, kernel, {}); });
  expect_refused([&](Builder& b, uint32_t) { b.run_on({1, 0}, 9, {}); });
  expect_refused([&](Builder& b, uint32_t kernel) { b.run_on({0, 0}, kernel, {}); });
  expect_refused([&](Builder& b, uint32_t kernel) {
    b.run_on({1, 0}, kernel, std::vector<uint32_t>(profile.max_runtime_args + 1));
  });
  expect_refused([&](Builder& b, uint32_t) { b.semaphore({0, 0}, profile.num_semaphores, 0); });
  const auto size = static_cast<uint32_t>(profile.l1_size);
  expect_refused([&](Builder& b, uint32_t) { b.circular_buffer({0, 0}, 0, size - 32, 1, 64); });
  expect_refused([&](Builder& b, uint32_t) { b.circular_buffer({0, 0}, 0, kL1, 1, 0); });
  expect_refused([&](Builder& b, uint32_t) {
    b.circular_buffer({0, 0}, static_cast<uint8_t>(profile.num_circular_buffers), kL1, 1, 64);
  });
}

void arguments_that_are_not_there_are_refused(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder builder(*device);
  builder.run_on({0, 0}, builder.kernel("empty.cpp", kEmptyKernel), {1, 2});
  Launch launch = builder.build();
  expect_ok(device->launch(launch));
  launch.args.pop_back();
  expect_code(device->launch(launch), absl::StatusCode::kOutOfRange);
}

void kernel_of_another_device_is_refused(const Open& open) {
  const auto device = open_or_throw(open);
  const auto other = open_or_throw(open, {.chip_id = 1, .profile = {}});
  LaunchBuilder builder(*other);
  builder.run_on({0, 0}, builder.kernel("empty.cpp", kEmptyKernel), {});
  const Launch launch = builder.build();
  expect_code(device->launch(launch), absl::StatusCode::kFailedPrecondition);
  expect_ok(other->launch(launch));
}

// Runs the body on core (1,2) and expects an error that names the kernel there.
void expect_kernel_fails(Device& device, const std::string& body, const std::string& what) {
  LaunchBuilder launch(device);
  const uint32_t kernel =
      launch.kernel("wrong.cpp", "#include <cstdint>\nvoid kernel_main() {" + body + "}");
  launch.run_on({1, 2}, kernel, {});
  launch.circular_buffer({1, 2}, 3, kL1, 4, 64);
  launch.semaphore({1, 2}, 1, 3);
  const absl::Status status = launch.launch();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("(1,2)"), HasSubstr("RISCV_0"),
                                                   HasSubstr("wrong.cpp"), HasSubstr(what)));
}

void wait_without_an_end_is_an_error_that_names_it(const Open& open) {
  const auto device = open_or_throw(open);
  expect_kernel_fails(*device, "cb_wait_front(3, 2);", "circular buffer 3");
  expect_kernel_fails(*device, "cb_reserve_back(3, 4); cb_push_back(3, 4); cb_reserve_back(3, 1);",
                      "circular buffer 3");
  expect_kernel_fails(
      *device, "noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), 4);",
      "semaphore 1");
}

void failed_assertion_names_its_text(const Open& open) {
  const auto device = open_or_throw(open);
  expect_kernel_fails(*device, "ASSERT(get_semaphore(1) == 2);", "get_semaphore(1) == 2");
}

void transfer_that_leaves_memory_fails_its_launch(const Open& open) {
  const auto device = open_or_throw(open);
  const std::string size = std::to_string(device->profile().dram_bank_size);
  expect_kernel_fails(*device,
                      "noc_async_write(0x20000, get_noc_addr_from_bank_id<true>(4, " + size +
                          "u - 32), 64); noc_async_write_barrier();",
                      "DRAM bank 4");
}

void device_works_on_after_an_error(const Open& open) {
  const auto device = open_or_throw(open);
  LaunchBuilder wrong(*device);
  wrong.run_on({1, 2}, wrong.kernel("wrong.cpp", "void kernel_main() { cb_wait_front(3, 2); }"),
               {});
  wrong.circular_buffer({1, 2}, 3, kL1, 4, 64);
  EXPECT_FALSE(wrong.launch().ok());
  ::lightmetal::device::testing::expect_usable(*device);
  EXPECT_FALSE(wrong.launch().ok()) << "the error is gone";
}

}  // namespace

absl::Span<const Check> error_checks() {
  static constexpr Check kChecks[] = {
      {"PlansThatCannotBeAreRefused", plans_that_cannot_be_are_refused},
      {"ArgumentsThatAreNotThereAreRefused", arguments_that_are_not_there_are_refused},
      {"KernelOfAnotherDeviceIsRefused", kernel_of_another_device_is_refused},
      {"WaitWithoutAnEndIsAnErrorThatNamesIt", wait_without_an_end_is_an_error_that_names_it},
      {"FailedAssertionNamesItsText", failed_assertion_names_its_text},
      {"TransferThatLeavesMemoryFailsItsLaunch", transfer_that_leaves_memory_fails_its_launch},
      {"DeviceWorksOnAfterAnError", device_works_on_after_an_error},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
