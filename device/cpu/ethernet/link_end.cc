#include "device/cpu/ethernet/link_end.h"

#include <cstring>

#include "absl/base/dynamic_annotations.h"
#include "absl/strings/str_format.h"
#include "device/cpu/machine/core_state.h"
#include "device/cpu/memory/memory.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"

namespace lightmetal::device::cpu {

struct LinkEnd::All {
  LinkEnd ends[kWiredChips][kWiredCores];
};

LinkEnd* LinkEnd::find(const EthernetEnd& place) {
  if (!other_ethernet_end(place).has_value()) return nullptr;
  static auto* const all = [] {  // never destroyed: devices may close during exit
    auto* made = new All;
    for (int chip = 0; chip < kWiredChips; ++chip) {
      for (uint32_t core = 0; core < kWiredCores; ++core)
        made->ends[chip][core].place_ = {chip, core};
    }
    return made;
  }();
  return &all->ends[place.chip][place.core];
}

bool LinkEnd::attach(CoreState& core) {
  MutexLock lock(&mutex_);
  if (core_ != nullptr) return false;
  core_ = &core;
  attached_.store(true, std::memory_order_release);
  return true;
}

void LinkEnd::detach() {
  {
    MutexLock lock(&mutex_);
    core_ = nullptr;
    attached_.store(false, std::memory_order_release);
  }
  // Without this end's lock: the other end has one of its own, and may be detaching, too.
  other().tell_launch();
}

void LinkEnd::tell_launch() {
  MutexLock lock(&mutex_);
  if (launch_ != nullptr) launch_->link_was_cut();
}

void LinkEnd::begin_launch(LinkUser& launch) {
  MutexLock lock(&mutex_);
  launch_ = &launch;
  in_use_.store(true, std::memory_order_release);
}

void LinkEnd::end_launch() {
  kernels_ended();
  MutexLock lock(&mutex_);
  launch_ = nullptr;
}

absl::Status LinkEnd::deliver(uint32_t address, const std::byte* source, uint32_t size) {
  MutexLock lock(&mutex_);
  if (core_ == nullptr) return absl::UnavailableError("no device is attached");
  if (address > core_->l1_size || size > core_->l1_size - address) {
    return absl::OutOfRangeError(absl::StrFormat("%d bytes at 0x%x end outside its %d bytes of L1",
                                                 size, address, core_->l1_size));
  }
  // A kernel may poll for these bytes, and must then find what was sent before them.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  copy_device_memory(core_->l1 + address, source, size);
  deliveries_.fetch_add(1, std::memory_order_relaxed);
  core_->waiters.written(address, size);
  return absl::OkStatus();
}

void LinkEnd::clear_channels() {
  MutexLock lock(&mutex_);
  if (core_ == nullptr) return;
  constexpr uint32_t kFirst = kernel_abi::kEthernetInfoAddress + kernel_abi::kEthernetWord;
  ABSL_ANNOTATE_IGNORE_WRITES_BEGIN();
  std::memset(core_->l1 + kFirst, 0, kernel_abi::kEthernetWord * kernel_abi::kEthernetChannels);
  ABSL_ANNOTATE_IGNORE_WRITES_END();
}

}  // namespace lightmetal::device::cpu
