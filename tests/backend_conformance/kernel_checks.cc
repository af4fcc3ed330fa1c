// Kernels: from source to an object, from an object to what a device can launch.
#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

absl::StatusOr<KernelObject> compile(Device& device, const std::string& text) {
  KernelSource source;
  source.name = "kernel.cpp";
  source.text = text;
  return device.compile(source);
}

// The object of a kernel that does nothing.
KernelObject empty_object(Device& device) {
  const auto object = compile(device, kEmptyKernel);
  if (!object.ok()) throw std::runtime_error("no object: " + object.status().ToString());
  return *object;
}

void equal_sources_give_equal_objects(const Open& open) {
  const auto device = open_or_throw(open);
  const auto other = open_or_throw(open, {.chip_id = 1, .profile = {}});
  const KernelObject object = empty_object(*device);
  for (Device* each : {device.get(), other.get()}) {
    const KernelObject again = empty_object(*each);
    EXPECT_EQ(again.target, object.target);
    EXPECT_TRUE(again.bytes == object.bytes);
  }
}

// Files hold the target for ever, and show it to people.
void objects_name_their_target(const Open& open) {
  const auto device = open_or_throw(open);
  const std::string target = empty_object(*device).target;
  EXPECT_THAT(target, ::testing::MatchesRegex("[a-z0-9_]+-[a-z0-9_]+-[0-9]+"));
}

void wrong_source_is_an_error_that_says_where(const Open& open) {
  const auto device = open_or_throw(open);
  const auto object = compile(*device, "void kernel_main() { this_is_declared_nowhere(); }");
  EXPECT_FALSE(object.ok());
  EXPECT_THAT(std::string(object.status().message()),
              AllOf(HasSubstr("kernel.cpp"), HasSubstr("this_is_declared_nowhere")));
}

void object_for_another_target_is_refused(const Open& open) {
  const auto device = open_or_throw(open);
  const KernelObject object = empty_object(*device);
  const absl::Status status =
      device->load({.target = "loom-vax-1", .bytes = object.bytes}, "kernel.cpp").status();
  expect_code(status, absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("kernel.cpp"), HasSubstr("loom-vax-1"), HasSubstr(object.target)));
}

void bytes_that_are_no_object_are_refused(const Open& open) {
  const auto device = open_or_throw(open);
  KernelObject object = empty_object(*device);
  for (const size_t size : {0, 1, 1000}) {
    object.bytes.assign(size, std::byte{0x5a});
    const absl::Status status = device->load(object, "kernel.cpp").status();
    expect_code(status, absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("kernel.cpp"));
  }
}

void equal_objects_are_loaded_once(const Open& open) {
  const auto device = open_or_throw(open);
  const KernelObject object = empty_object(*device);
  const auto first = device->load(object, "kernel.cpp");
  const auto second = device->load(object, "kernel.cpp");
  expect_ok(first.status());
  expect_ok(second.status());
  EXPECT_TRUE(first.ok() && second.ok() && *first == *second && *first != nullptr);
}

// An object of a file was made elsewhere.
void object_of_another_device_can_be_loaded(const Open& open) {
  const KernelObject object = empty_object(*open_or_throw(open));
  const auto device = open_or_throw(open, {.chip_id = 1, .profile = {}});
  const auto kernel = device->load(object, "kernel.cpp");
  expect_ok(kernel.status());
  EXPECT_TRUE(kernel.ok() && *kernel != nullptr);
}

}  // namespace

absl::Span<const Check> kernel_checks() {
  static constexpr Check kChecks[] = {
      {"EqualSourcesGiveEqualObjects", equal_sources_give_equal_objects},
      {"ObjectsNameTheirTarget", objects_name_their_target},
      {"WrongSourceIsAnErrorThatSaysWhere", wrong_source_is_an_error_that_says_where},
      {"ObjectOfAnotherDeviceCanBeLoaded", object_of_another_device_can_be_loaded},
      {"ObjectForAnotherTargetIsRefused", object_for_another_target_is_refused},
      {"BytesThatAreNoObjectAreRefused", bytes_that_are_no_object_are_refused},
      {"EqualObjectsAreLoadedOnce", equal_objects_are_loaded_once},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
