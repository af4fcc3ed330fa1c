#include "device/cpu/ethernet/services.h"

#include "absl/strings/str_format.h"
#include "device/cpu/ethernet/link_end.h"
#include "device/cpu/kernels/failure.h"
#include "device/cpu/machine/core_state.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::kEthernetWord;

// The other end of the core's wire. Null when nothing is there: then the run has failed, and the
// caller must stop it. Functions here that return false have failed the run in the same way: they
// do not stop it themselves, because their strings would never be destroyed.
LinkEnd* other_end(KernelRun& run, const char* what) {
  LinkEnd* link = run.core->link;
  if (link != nullptr && link->other().attached()) return &link->other();
  run.fail(absl::FailedPreconditionError(absl::StrCat(what, " ", wire_name(*run.core))));
  return nullptr;
}

bool check_own_range(KernelRun& run, uint32_t address, uint32_t size) {
  const uint64_t l1_size = run.core->l1_size;
  if (address <= l1_size && size <= l1_size - address) return true;
  run.fail(absl::OutOfRangeError(absl::StrFormat(
      "Ethernet send: the core's own L1 holds %d bytes; %d bytes at 0x%x end outside it", l1_size,
      size, address)));
  return false;
}

bool check_words(KernelRun& run, uint32_t source, uint32_t target, uint32_t size) {
  if ((source | target | size) % kEthernetWord == 0) return true;
  run.fail(absl::InvalidArgumentError(absl::StrFormat(
      "Ethernet send: %d bytes from 0x%x to 0x%x: addresses and sizes are multiples of %d", size,
      source, target, kEthernetWord)));
  return false;
}

bool deliver(KernelRun& run, uint32_t target, const std::byte* source, uint32_t size) {
  run.worker->note_activity();
  LinkEnd* other = other_end(run, "Ethernet send: cannot reach");
  if (other == nullptr) return false;
  const absl::Status status = other->deliver(target, source, size);
  if (status.ok()) return true;
  if (absl::IsUnavailable(status)) {  // the wire was cut after other_end() had looked
    other_end(run, "Ethernet send: cannot reach");
  } else {
    run.fail(absl::Status(status.code(), absl::StrCat("Ethernet send over ", wire_name(*run.core),
                                                      ": ", status.message())));
  }
  return false;
}

// The beginning of every service here: room for what takes locks (those of the wire's end and of
// words that are waited for), and for the strings of messages. Inlined into the service, as
// require_stack() must be.
__attribute__((always_inline)) inline KernelRun& begin_service(Context* context) {
  KernelRun& run = run_of(context);
  require_stack(run);
  return run;
}

void send(Context* context, uint32_t l1_source, uint32_t l1_target, uint32_t size) {
  KernelRun& run = begin_service(context);
  if (!check_words(run, l1_source, l1_target, size) || !check_own_range(run, l1_source, size) ||
      !deliver(run, l1_target, run.core->l1 + l1_source, size)) {
    run.stop();
  }
}

void write_word(Context* context, uint32_t l1_target, uint32_t value) {
  KernelRun& run = begin_service(context);
  if (l1_target % 4 != 0) {
    run.fail(absl::InvalidArgumentError(absl::StrFormat(
        "Ethernet write of a word to 0x%x: the address is no multiple of 4", l1_target)));
    run.stop();
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  if (!deliver(run, l1_target, bytes, sizeof(value))) run.stop();
}

void wait_for_word(Context* context, uint32_t l1_address, uint32_t value,
                   kernel_abi::WordTest test) {
  KernelRun& run = begin_service(context);
  run.waits_at = calling_frame();
  require_word(run, l1_address);
  const Wait wait = {.kind = Wait::Kind::kWord,
                     .at_least = test == kernel_abi::WordTest::kAtLeast,
                     .at_most = test == kernel_abi::WordTest::kAtMost,
                     .subject = l1_address,
                     .amount = value};
  // A wait that holds already needs no wire.
  if (WordWaiters::holds(wait, run.core->l1)) return;
  if (other_end(run, "cannot wait for") == nullptr) run.stop();
  run.wait_for(wait);
}

}  // namespace

const kernel_abi::EthernetServices& ethernet_services() {
  static constexpr kernel_abi::EthernetServices kServices = {
      .send = send, .write_word = write_word, .wait_for_word = wait_for_word};
  return kServices;
}

std::string wire_name(const CoreState& core) {
  const std::optional<EthernetEnd> other = other_ethernet_end(core.place);
  if (!other.has_value()) {
    return absl::StrFormat("another chip: Ethernet core (0,%d) of device %d has no wire",
                           core.place.core, core.place.chip);
  }
  const std::string name = absl::StrFormat(
      "Ethernet core (0,%d) of device %d, at the other end of "
      "the wire from Ethernet core (0,%d) of device %d",
      other->core, other->chip, core.place.core, core.place.chip);
  if (core.link == nullptr) {
    return absl::StrCat(name, ", which another open device of that chip has");
  }
  if (core.link->other().attached()) return name;
  return absl::StrFormat("%s: device %d is not open, or has no such core", name, other->chip);
}

std::string channel_word_name(uint32_t l1_address) {
  constexpr const char* kNames[] = {"bytes_sent", "receiver_ack", "src_id", "reserved_2"};
  const uint32_t first = kernel_abi::kEthernetInfoAddress + kEthernetWord;
  const uint32_t offset = l1_address - first;
  if (l1_address < first || offset >= kEthernetWord * kernel_abi::kEthernetChannels) return "";
  return absl::StrFormat("%s of Ethernet channel %d", kNames[offset % kEthernetWord / 4],
                         offset / kEthernetWord);
}

}  // namespace lightmetal::device::cpu
