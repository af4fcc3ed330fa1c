// A backend that keeps a device's memory in pages of the host's. It compiles no kernels: its
// kernels are functions of its own, and a kernel's source names the one that stands for it in a
// line "// native: NAME".
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "device/backend_library.h"
#include "device/bounds.h"

namespace {

using lightmetal::Bytes;
using lightmetal::bytes_of;
using lightmetal::Core;
using lightmetal::DeviceProfile;
using namespace lightmetal::device;
using Target = absl::Span<std::byte>;
using Arguments = absl::Span<const uint32_t>;

constexpr char kTarget[] = "paged_memory-native-1";

// Bytes by address, zeros where nobody has written. Not thread-safe.
class Pages {
 public:
  void write(uint64_t address, Bytes data) {
    for_each_piece(address, data.size(), [&](uint64_t page, size_t offset, size_t at, size_t size) {
      std::memcpy(pages_[page].data() + offset, data.data() + at, size);
    });
  }

  void read(uint64_t address, Target data) const {
    for_each_piece(address, data.size(), [&](uint64_t page, size_t offset, size_t at, size_t size) {
      const auto found = pages_.find(page);
      if (found == pages_.end()) {
        std::memset(data.data() + at, 0, size);
      } else {
        std::memcpy(data.data() + at, found->second.data() + offset, size);
      }
    });
  }

 private:
  static constexpr size_t kPageSize = 4096;

  template <typename Function>
  static void for_each_piece(uint64_t address, size_t size, Function function) {
    for (size_t at = 0; at < size;) {
      const size_t offset = (address + at) % kPageSize;
      const size_t piece = std::min(kPageSize - offset, size - at);
      function((address + at) / kPageSize, offset, at, piece);
      at += piece;
    }
  }

  std::map<uint64_t, std::array<std::byte, kPageSize>> pages_;
};

// What the source's line names; none where it has no such line.
std::optional<std::string> native_name(const std::string& text) {
  if (text == "void kernel_main() {}") return "nothing";
  constexpr std::string_view kMark = "// native: ";
  const size_t mark = text.find(kMark);
  if (mark == text.npos) return std::nullopt;
  const size_t begin = mark + kMark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

class PagedMemory final : public Device {
 public:
  explicit PagedMemory(const DeviceProfile& profile) : profile_(profile) {}

  const DeviceProfile& profile() const override { return profile_; }

  absl::Status write_dram(uint32_t bank, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile_, bank, address, data.size()));
    return write({0, bank, 0}, address, data);
  }
  absl::Status read_dram(uint32_t bank, uint64_t address, Target data) override {
    LM_RETURN_IF_ERROR(check_dram_range(profile_, bank, address, data.size()));
    return read({0, bank, 0}, address, data);
  }
  absl::Status write_l1(Core core, uint64_t address, Bytes data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile_, core, address, data.size()));
    return write({1, core.x, core.y}, address, data);
  }
  absl::Status read_l1(Core core, uint64_t address, Target data) override {
    LM_RETURN_IF_ERROR(check_l1_range(profile_, core, address, data.size()));
    return read({1, core.x, core.y}, address, data);
  }

  absl::StatusOr<KernelObject> compile(const KernelSource& source) override {
    const auto name = native_name(source.text);
    if (!name || !natives_.contains(*name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(source.name, ": no native function stands for this kernel: ", source.text));
    }
    const Bytes bytes = bytes_of(name->data(), name->size());
    return KernelObject{kTarget, {bytes.begin(), bytes.end()}};
  }

  absl::StatusOr<std::shared_ptr<LoadedKernel>> load(const KernelObject& object,
                                                     const std::string& name) override {
    if (object.target != kTarget) {
      return absl::FailedPreconditionError(absl::StrCat(
          "kernel ", name, " is for target ", object.target, "; this device runs ", kTarget));
    }
    const auto found = natives_.find(
        std::string(reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size()));
    if (found == natives_.end())
      return absl::InvalidArgumentError(absl::StrCat("kernel ", name, " is no object"));
    return found->second;
  }

  absl::Status launch(const Launch& launch) override {
    LM_RETURN_IF_ERROR(check(launch));
    for (const CorePlan& core : launch.plan->cores) {
      for (const KernelOnCore& each : core.kernels) {
        const KernelPlan& kernel = launch.plan->kernels[each.kernel];
        const absl::Status status =
            static_cast<const Native&>(*kernel.kernel)
                .run(Arguments(launch.args).subspan(each.args_begin, each.args_count),
                     Arguments(launch.args).subspan(each.common_begin, each.common_count));
        if (status.ok()) continue;
        return absl::Status(status.code(),
                            absl::StrCat("core (", core.core.x, ",", core.core.y, ") kernel ",
                                         kernel.name, ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

 private:
  // Takes its own arguments and those that it shares with the kernel's other cores.
  using Function = std::function<absl::Status(Arguments, Arguments)>;
  struct Native final : LoadedKernel {
    explicit Native(Function function) : run(std::move(function)) {}
    const Function run;
  };
  using Place = std::tuple<int, uint32_t, uint32_t>;  // DRAM or L1, and which

  absl::Status write(Place place, uint64_t address, Bytes data) {
    const std::lock_guard lock(mutex_);
    memory_[place].write(address, data);
    return absl::OkStatus();
  }
  absl::Status read(Place place, uint64_t address, Target data) {
    const std::lock_guard lock(mutex_);
    memory_[place].read(address, data);
    return absl::OkStatus();
  }

  bool owns(const LoadedKernel* kernel) const {
    return std::ranges::any_of(natives_,
                               [&](const auto& each) { return each.second.get() == kernel; });
  }

  absl::Status check(const Launch& launch) const {
    for (const KernelPlan& kernel : launch.plan->kernels) {
      if (!owns(kernel.kernel.get())) {
        return absl::FailedPreconditionError(
            absl::StrCat("kernel ", kernel.name, " is not loaded on this device"));
      }
    }
    for (const CorePlan& core : launch.plan->cores) {
      LM_RETURN_IF_ERROR(check_l1_range(profile_, core.core, 0, 0));
      for (const KernelOnCore& each : core.kernels) {
        if (each.kernel < launch.plan->kernels.size() &&
            uint64_t{each.args_begin} + each.args_count <= launch.args.size() &&
            uint64_t{each.common_begin} + each.common_count <= launch.args.size())
          continue;
        return absl::OutOfRangeError("the plan has no such kernel, or the launch no such argument");
      }
    }
    return absl::OkStatus();
  }

  // From bank, address; to bank, address; bytes.
  absl::Status run_copy(Arguments words) {
    if (words.size() != 5) return absl::InvalidArgumentError("copy takes five arguments");
    std::vector<std::byte> bytes(words[4]);
    LM_RETURN_IF_ERROR(read_dram(words[0], words[1], absl::MakeSpan(bytes)));
    return write_dram(words[2], words[3], bytes);
  }

  // y = factor * x + w: addresses of interleaved pages of 16 words for x, w and y; pages. Common:
  // factor.
  absl::Status run_scale(Arguments words, Arguments common) {
    if (words.size() != 4 || common.size() != 1)
      return absl::InvalidArgumentError("scale takes four arguments and a common one");
    for (uint32_t page = 0; page < words[3]; ++page) {
      const uint32_t bank = page % profile_.dram_banks;
      std::array<std::array<uint32_t, 16>, 2> pages;  // of x, which becomes y, and of w
      const uint64_t offset = page / profile_.dram_banks * sizeof(pages[0]);
      const auto bytes = [](auto& values) {
        return Target(reinterpret_cast<std::byte*>(values.data()), sizeof(values));
      };
      LM_RETURN_IF_ERROR(read_dram(bank, words[0] + offset, bytes(pages[0])));
      LM_RETURN_IF_ERROR(read_dram(bank, words[1] + offset, bytes(pages[1])));
      for (size_t i = 0; i < 16; ++i) pages[0][i] = common[0] * pages[0][i] + pages[1][i];
      LM_RETURN_IF_ERROR(write_dram(bank, words[2] + offset, bytes(pages[0])));
    }
    return absl::OkStatus();
  }

  const DeviceProfile profile_;
  const std::map<std::string, std::shared_ptr<Native>> natives_ = {
      {"nothing", std::make_shared<Native>([](Arguments, Arguments) { return absl::OkStatus(); })},
      {"copy",
       std::make_shared<Native>([this](Arguments words, Arguments) { return run_copy(words); })},
      {"scale", std::make_shared<Native>([this](Arguments words, Arguments common) {
         return run_scale(words, common);
       })}};
  std::mutex mutex_;
  std::map<Place, Pages> memory_;
};

absl::StatusOr<std::unique_ptr<Device>> open(const DeviceOptions& options) {
  const DeviceProfile& profile = options.profile;
  if (profile.grid.x > 32 || profile.grid.y > 32 || profile.l1_unreserved_base > profile.l1_size)
    return absl::InvalidArgumentError("the profile does not fit a device of 32x32 cores");
  return std::make_unique<PagedMemory>(profile);
}

}  // namespace

const BackendLibrary* lightmetal_backend() {
  static const BackendLibrary library{.build = {}, .name = "paged_memory", .open = open};
  return &library;
}
