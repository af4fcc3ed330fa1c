#include "host/placement.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/round.h"
#include "base/status.h"
#include "host/refusal.h"

namespace lightmetal::host {
namespace {

// For each core, where the last circular buffer ends. Circular buffers lie one behind the other
// from the base on; one on several cores begins behind the highest end among them.
class Stack {
 public:
  explicit Stack(const DeviceProfile& profile)
      : alignment_(profile.l1_alignment),
        ends_(size_t{kMaxGrid} * kMaxGrid, profile.l1_unreserved_base) {}

  // Adds a circular buffer of `size` bytes and returns where it begins.
  uint64_t add(absl::Span<const uint16_t> cores, uint32_t size) {
    uint64_t begin = 0;
    for (const uint16_t core : cores) begin = std::max(begin, ends_[core]);
    const uint64_t aligned_end = round_up(begin + size, alignment_);
    for (const uint16_t core : cores) ends_[core] = aligned_end;
    return begin;
  }

 private:
  const uint64_t alignment_;
  std::vector<uint64_t> ends_;  // by number_in_largest_grid()
};

// Checks parts of a program against the grids of a device. A name is turned into text only for an
// error: a program has many parts, and a launch checks all of them.
class GridCheck {
 public:
  GridCheck(const Program& program, const Target& target) : program_(program), target_(target) {}

  template <class Name>
  absl::Status check(CoreKind kind, const CoreSet& cores, const char* what,
                     const Name& name) const {
    const bool ethernet = kind == CoreKind::kEthernet;
    const Core grid = ethernet ? Core{1, target_.profile.ethernet_cores} : target_.profile.grid;
    if (cores.fits(grid)) return absl::OkStatus();
    return refuse_now("Illegal placement of ", what, " ", name, " of program ", program_.id(),
                      " on cores ", cores.text(), ": the ", ethernet ? "Ethernet" : "compute",
                      " grid of device ", target_.device_id, " is ", grid.x, "x", grid.y);
  }

 private:
  const Program& program_;
  const Target& target_;
};

CoreKind kind_of(const Kernel& kernel) {
  return kernel.processor == Processor::kEthernet ? CoreKind::kEthernet : CoreKind::kWorker;
}

CoreSet cores_of_semaphores(const Program& program) {
  CoreSet cores;
  for (const CoreKind kind : {CoreKind::kWorker, CoreKind::kEthernet}) {
    for (const auto& [id, of_it] : program.semaphores(kind)) cores.add(of_it);
  }
  return cores;
}

absl::Status pages_do_not_divide(const CircularBuffer& buffer) {
  const uint8_t index = *buffer.first_undivided();
  return refuse_now("Circular buffer ", buffer.id, ": its total size ", buffer.total_size,
                    " B must be divisible by page size ", buffer.page_sizes[index], " B of index ",
                    index);
}

}  // namespace

absl::Status check_grids(const Program& program, const Target& target) {
  const GridCheck grids(program, target);
  for (const Kernel& kernel : program.kernels()) {
    LM_RETURN_IF_ERROR(grids.check(kind_of(kernel), kernel.cores, "kernel", kernel.name));
  }
  for (const CircularBuffer& buffer : program.circular_buffers()) {
    LM_RETURN_IF_ERROR(grids.check(CoreKind::kWorker, buffer.cores, "circular buffer", buffer.id));
  }
  for (const CoreKind kind : {CoreKind::kWorker, CoreKind::kEthernet}) {
    for (const auto& [id, cores] : program.semaphores(kind)) {
      LM_RETURN_IF_ERROR(grids.check(kind, cores, "semaphore", id));
    }
  }
  return absl::OkStatus();
}

absl::Status check_arguments(absl::string_view kernel, uint64_t most, const Target& target) {
  if (most <= target.profile.max_runtime_args) return absl::OkStatus();
  return refuse_now(most, " unique+common runtime args targeting kernel ", kernel,
                    " are too large: the maximum allowable on device ", target.device_id, " is ",
                    target.profile.max_runtime_args);
}

absl::StatusOr<std::optional<size_t>> find_sub_device(const Program& program,
                                                      const Target& target) {
  if (target.sub_devices.empty()) return std::nullopt;
  CoreSet kernels;
  for (const Kernel& kernel : program.kernels()) {
    if (kernel.processor == Processor::kEthernet) {
      return refuse_now("Kernel ", kernel.name,
                        " is for an Ethernet core, which is of no sub-device");
    }
    kernels.add(kernel.cores);
  }
  const auto found = std::ranges::find_if(
      target.sub_devices, [&](const CoreSet& cores) { return cores.contains(kernels); });
  if (found == target.sub_devices.end()) {
    return refuse_now("Program ", program.id(), " has kernels on cores ", kernels.text(),
                      ", which are not in one sub-device of manager ", target.manager_id);
  }
  const auto number = static_cast<size_t>(found - target.sub_devices.begin());
  if (const CoreSet others = cores_of_semaphores(program); !found->contains(others)) {
    return refuse_now("Program ", program.id(), " runs on sub-device ", number,
                      " and has semaphores on cores ", others.text(),
                      ", which are not all among its cores ", found->text());
  }
  return number;
}

absl::Status check_circular_buffers(const Program& program, const Target& target) {
  const auto& entries = program.layout().entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].indices_end > target.profile.num_circular_buffers)
      return check_index(entries[i].indices_end - 1, target.profile.num_circular_buffers);
    if (!entries[i].pages_divide_it) return pages_do_not_divide(program.circular_buffer(i));
    if (!entries[i].given_address) continue;
    const uint64_t end = *entries[i].given_address + entries[i].total_size;
    if (end <= target.profile.l1_size) continue;
    return refuse_now("Circular buffer ", program.circular_buffer(i).id, " of program ",
                      program.id(), ": the memory that it was given ends at ", end,
                      ", beyond the end of L1 at ", target.profile.l1_size);
  }
  return absl::OkStatus();
}

absl::StatusOr<CircularBufferRegion> place_circular_buffers(
    const Program& program, const DeviceProfile& profile,
    absl::FunctionRef<void(size_t number, uint32_t address)> place) {
  const Program::Layout& layout = program.layout();
  if (layout.entries.empty()) return CircularBufferRegion();
  const auto cores = absl::MakeConstSpan(layout.cores);
  Stack stack(profile);
  uint64_t highest_end = 0;
  size_t highest = 0, cores_begin = 0;
  for (size_t i = 0; i < layout.entries.size(); ++i) {
    const Program::Layout::Entry& entry = layout.entries[i];
    // `cores` has a part for each entry, also for those that are passed over.
    const auto its_cores = cores.subspan(cores_begin, entry.cores_end - cores_begin);
    cores_begin = entry.cores_end;
    if (entry.given_address) continue;
    const uint64_t begin = stack.add(its_cores, entry.total_size);
    if (begin > std::numeric_limits<uint32_t>::max()) {
      return refuse_now("The circular buffers of program ", program.id(), " take more than 4 GiB");
    }
    place(i, static_cast<uint32_t>(begin));
    if (begin + entry.total_size <= highest_end) continue;
    highest = i;
    highest_end = begin + entry.total_size;
  }
  if (highest_end == 0) return CircularBufferRegion();
  return CircularBufferRegion{program.circular_buffer(highest).cores, highest_end};
}

absl::Status check_region(uint64_t program_id, const CircularBufferRegion& region,
                          const Target& target, std::optional<uint64_t> lowest) {
  if (region.end == 0) return absl::OkStatus();
  const uint64_t l1_end = target.profile.l1_size - target.l1_small_size;
  if (region.end > l1_end) {
    return refuse_now("Statically allocated circular buffers of program ", program_id,
                      " on core range ", region.cores.text(), " grow to ", region.end,
                      " B which is beyond max L1 size of ", l1_end, " B");
  }
  if (!lowest || region.end <= *lowest) return absl::OkStatus();
  return refuse_now("Statically allocated circular buffers in program ", program_id,
                    " clash with L1 buffers on core range ", region.cores.text(),
                    ". L1 buffer allocated at ", *lowest,
                    " and static circular buffer region ends at ", region.end);
}

}  // namespace lightmetal::host
