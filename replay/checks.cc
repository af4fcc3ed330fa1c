#include "replay/checks.h"

#include <bitset>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace lightmetal::replay {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

absl::Status check_range(absl::string_view what, uint64_t value, uint64_t least, uint64_t most) {
  if (least <= value && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the device profile's ", what, " is ", value,
                                                 ", expected ", least, " to ", most));
}

absl::Status check_alignment(absl::string_view what, uint64_t value) {
  LM_RETURN_IF_ERROR(check_range(what, value, 1, 4096));
  if ((value & (value - 1)) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the device profile's ", what, " is ", value, ", no power of two"));
}

template <class Value>
absl::Status check_equal(absl::string_view what, const Value& recorded, const Value& present) {
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the device does not fit: ", what, " was recorded as ", recorded, " and is ", present));
}

std::string text_of(const Core& core) { return absl::StrCat("(", core.x, ", ", core.y, ")"); }

// Counts an index down to what is wrong with it.
absl::Status out_of_range(absl::string_view what, uint64_t value, uint64_t end) {
  return absl::InvalidArgumentError(
      absl::StrCat("the trace names ", what, " ", value, " where there are ", end));
}

// One launch of a trace against the profile.
class LaunchCheck {
 public:
  LaunchCheck(const schema::TraceLaunch& launch, const DeviceProfile& profile)
      : launch_(launch), profile_(profile) {}

  absl::Status run() {
    if (launch_.cores() == nullptr) return absl::OkStatus();
    for (const schema::TraceCore* core : *launch_.cores()) {
      LM_RETURN_IF_ERROR(check_core(*core));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status check_core(const schema::TraceCore& core) {
    const Core grid = core.ethernet() ? Core{1, profile_.ethernet_cores} : profile_.grid;
    if (core.core()->x() >= grid.x || core.core()->y() >= grid.y) {
      return absl::InvalidArgumentError(
          absl::StrCat("the trace uses ", core.ethernet() ? "Ethernet " : "", "core ",
                       text_of({core.core()->x(), core.core()->y()}),
                       ", which is not in the grid of ", text_of(grid)));
    }
    LM_RETURN_IF_ERROR(each(core.kernels(), [&](const auto& item) { return check_kernel(item); }));
    LM_RETURN_IF_ERROR(check_processors(core));
    LM_RETURN_IF_ERROR(
        each(core.circular_buffers(), [&](const auto& item) { return check_buffer(item); }));
    LM_RETURN_IF_ERROR(
        each(core.remote_circular_buffers(), [&](const auto& item) { return check_remote(item); }));
    return each(core.semaphores(), [&](const schema::TraceSemaphore& item) {
      return item.id() < profile_.num_semaphores
                 ? absl::OkStatus()
                 : out_of_range("semaphore", item.id(), profile_.num_semaphores);
    });
  }

  absl::Status check_kernel(const schema::TraceKernelOnCore& kernel) {
    const uint64_t kernels = launch_.kernels() == nullptr ? 0 : launch_.kernels()->size();
    if (kernel.kernel() >= kernels) return out_of_range("kernel", kernel.kernel(), kernels);
    const uint64_t args = launch_.args() == nullptr ? 0 : launch_.args()->size();
    const uint64_t end = uint64_t{kernel.args_begin()} + kernel.args_count();
    const uint64_t common_end = uint64_t{kernel.common_begin()} + kernel.common_count();
    if (end > args) return out_of_range("arguments up to", end, args);
    if (common_end > args) return out_of_range("arguments up to", common_end, args);
    const uint64_t count = uint64_t{kernel.args_count()} + kernel.common_count();
    if (count > profile_.max_runtime_args) {
      return out_of_range("arguments of a kernel up to", count, profile_.max_runtime_args);
    }
    return absl::OkStatus();
  }

  // REQUIRES: the kernels of the core exist.
  absl::Status check_processors(const schema::TraceCore& core) {
    std::bitset<256> taken;
    return each(core.kernels(), [&](const schema::TraceKernelOnCore& kernel) {
      const auto processor =
          static_cast<uint8_t>(launch_.kernels()->Get(kernel.kernel())->processor());
      const bool twice = taken[processor];
      taken[processor] = true;
      return twice ? absl::InvalidArgumentError("the trace has two kernels for one processor")
                   : absl::OkStatus();
    });
  }

  absl::Status check_buffer(const schema::TraceCircularBuffer& buffer) {
    if (buffer.index() >= profile_.num_circular_buffers) {
      return out_of_range("circular buffer", buffer.index(), profile_.num_circular_buffers);
    }
    const uint64_t end = uint64_t{buffer.address()} + buffer.size();
    if (end > profile_.l1_size) return out_of_range("L1 up to", end, profile_.l1_size);
    if (buffer.page_size() == 0 || buffer.size() % buffer.page_size() != 0) {
      return absl::InvalidArgumentError(absl::StrCat("the trace has a circular buffer of ",
                                                     buffer.size(), " bytes in pages of ",
                                                     buffer.page_size()));
    }
    return absl::OkStatus();
  }

  absl::Status check_remote(const schema::TraceRemoteCircularBuffer& buffer) {
    if (buffer.index() >= profile_.num_circular_buffers) {
      return out_of_range("circular buffer", buffer.index(), profile_.num_circular_buffers);
    }
    if (buffer.config_address() < profile_.l1_size) return absl::OkStatus();
    return out_of_range("L1 at", buffer.config_address(), profile_.l1_size);
  }

  template <class Vector, class Function>
  static absl::Status each(const Vector* values, Function check) {
    if (values == nullptr) return absl::OkStatus();
    for (const auto* value : *values) LM_RETURN_IF_ERROR(check(*value));
    return absl::OkStatus();
  }

  const schema::TraceLaunch& launch_;
  const DeviceProfile& profile_;
};

}  // namespace

absl::Status check_profile(const DeviceProfile& profile) {
  LM_RETURN_IF_ERROR(check_range("grid width", profile.grid.x, 1, 64));
  LM_RETURN_IF_ERROR(check_range("grid height", profile.grid.y, 1, 64));
  LM_RETURN_IF_ERROR(check_range("L1 size", profile.l1_size, 4096, 64 * kMiB));
  LM_RETURN_IF_ERROR(check_range("L1 base", profile.l1_unreserved_base, 0, profile.l1_size));
  LM_RETURN_IF_ERROR(check_alignment("L1 alignment", profile.l1_alignment));
  LM_RETURN_IF_ERROR(check_range("number of DRAM banks", profile.dram_banks, 1, 256));
  LM_RETURN_IF_ERROR(check_range("DRAM bank size", profile.dram_bank_size, 4096, 65536 * kMiB));
  LM_RETURN_IF_ERROR(
      check_range("DRAM base", profile.dram_unreserved_base, 0, profile.dram_bank_size));
  LM_RETURN_IF_ERROR(check_alignment("DRAM alignment", profile.dram_alignment));
  LM_RETURN_IF_ERROR(check_range("number of Ethernet cores", profile.ethernet_cores, 0, 64));
  LM_RETURN_IF_ERROR(check_range("Ethernet L1 size", profile.ethernet_l1_size, 0, 64 * kMiB));
  LM_RETURN_IF_ERROR(
      check_range("number of circular buffers", profile.num_circular_buffers, 1, 256));
  LM_RETURN_IF_ERROR(check_range("number of semaphores", profile.num_semaphores, 0, 1024));
  LM_RETURN_IF_ERROR(
      check_range("number of runtime arguments", profile.max_runtime_args, 0, 65536));
  return check_range("number of command queues", profile.max_command_queues, 1, 64);
}

absl::Status check_same_profile(const DeviceProfile& recorded, DeviceProfile present) {
  if (recorded.ethernet_cores == 0) {  // a file from before there were any runs beside them
    present.ethernet_cores = 0;
    present.ethernet_l1_size = recorded.ethernet_l1_size;
    present.ethernet_unreserved_base = recorded.ethernet_unreserved_base;
    present.first_ethernet = recorded.first_ethernet;
  }
  LM_RETURN_IF_ERROR(check_equal("the architecture", recorded.arch, present.arch));
  LM_RETURN_IF_ERROR(check_equal("the grid", text_of(recorded.grid), text_of(present.grid)));
  LM_RETURN_IF_ERROR(check_equal("the L1 size", recorded.l1_size, present.l1_size));
  LM_RETURN_IF_ERROR(
      check_equal("the number of DRAM banks", recorded.dram_banks, present.dram_banks));
  LM_RETURN_IF_ERROR(
      check_equal("the DRAM bank size", recorded.dram_bank_size, present.dram_bank_size));
  if (recorded == present) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the device does not fit: its profile differs from the recorded one in bases, alignments or "
      "limits");
}

absl::Status check_trace(const schema::TraceContent& content, const DeviceProfile& profile) {
  if (content.launches() == nullptr) return absl::OkStatus();
  for (const schema::TraceLaunch* launch : *content.launches()) {
    LM_RETURN_IF_ERROR(LaunchCheck(*launch, profile).run());
  }
  return absl::OkStatus();
}

}  // namespace lightmetal::replay
