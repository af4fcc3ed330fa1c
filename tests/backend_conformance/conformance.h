#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "device/device.h"

// What device/device.h promises, as checks that hold for every backend. docs/adding-a-backend.md
// reads them aloud, in their order.
//
// A backend that cannot do something has a gap: the name of the check and why. A gap without a
// reason is a failure, and so is a gap whose check passes.
namespace lightmetal::device::conformance {

// Opens a device of the backend that is looked at.
using Open = std::function<absl::StatusOr<std::unique_ptr<Device>>(const DeviceOptions&)>;

// One fact. `run` makes GoogleTest's assertions; it opens its devices itself.
struct Check {
  const char* name;
  void (*run)(const Open& open);
};

// In the order of the document.
std::vector<Check> checks();

// The parts of checks(), each a source of its own.
absl::Span<const Check> opening_checks();
absl::Span<const Check> memory_checks();
absl::Span<const Check> kernel_checks();
absl::Span<const Check> launch_checks();
absl::Span<const Check> error_checks();
absl::Span<const Check> concurrency_checks();

// Why a backend does not pass a check, by the check's name.
using Gaps = std::map<std::string, std::string>;

// Reads lines of the form "Check Check ...: reason"; empty lines and those that begin with '#' are
// skipped. InvalidArgument names a check that does not exist, has no reason, or has two, or a line
// without a check.
absl::StatusOr<Gaps> parse_gaps(const std::string& text);

// Runs a check, and gives the text of each assertion that failed. They fail no test.
std::vector<std::string> failures_of(const Check& check, const Open& open);

// What is wrong with that in the light of the gaps; empty when all is well.
std::string verdict(const Check& check, const std::vector<std::string>& failures, const Gaps& gaps);

}  // namespace lightmetal::device::conformance
