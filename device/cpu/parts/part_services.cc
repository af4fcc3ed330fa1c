#include "device/cpu/parts/part_services.h"

#include <algorithm>

#include "device/cpu/parts/parts_of_run.h"
#include "device/cpu/tiles/dst.h"

namespace lightmetal::device::cpu {
namespace {

using kernel_abi::Context;
using kernel_abi::Part;

Part own_part(KernelRun& run) {
  if (!run.part.has_value()) {
    fail_kernel(&run.context(),
                "a kernel whose unpack, math and pack run as one processor has no mailboxes and no "
                "semaphores between them; open the device with the schedule \"split\"");
  }
  return *run.part;
}

uint32_t mailbox_between(KernelRun& run, Part from, Part to) {
  if (part_number(from) >= ComputeParts::kParts || part_number(to) >= ComputeParts::kParts ||
      from == to)
    fail_kernel(&run.context(), "no mailbox leads from processor %u to processor %u of a kernel",
                part_number(from), part_number(to));
  return ComputeParts::mailbox(part_number(from), part_number(to));
}

void mailbox_write(Context* context, Part to, uint32_t value) {
  KernelRun& run = enter_service(context);
  const uint32_t mailbox = mailbox_between(run, own_part(run), to);
  wait_as_part(run, {.kind = Wait::Kind::kRoomForMail, .subject = mailbox});
  auto& words = parts_of(run).mailboxes[mailbox];
  words.next() = value;
  words.push();
}

uint32_t mailbox_read(Context* context, Part from) {
  KernelRun& run = enter_service(context);
  const uint32_t mailbox = mailbox_between(run, from, own_part(run));
  wait_as_part(run, {.kind = Wait::Kind::kMail, .subject = mailbox});
  auto& words = parts_of(run).mailboxes[mailbox];
  const uint32_t value = words.front();
  words.pop();
  return value;
}

ComputeParts::Semaphore& semaphore_of(KernelRun& run, uint32_t index) {
  own_part(run);
  if (index >= kernel_abi::kPartSemaphores)
    fail_kernel(&run.context(), "a kernel has no semaphore %u between its processors; it has %u",
                index, kernel_abi::kPartSemaphores);
  return parts_of(run).semaphores[index];
}

void semaphore_init(Context* context, uint32_t index, uint32_t value, uint32_t most) {
  semaphore_of(run_of(context), index) = {.value = value, .most = most};
}

void semaphore_post(Context* context, uint32_t index) {
  ComputeParts::Semaphore& semaphore = semaphore_of(run_of(context), index);
  semaphore.value += semaphore.value < semaphore.most ? 1 : 0;
}

void semaphore_get(Context* context, uint32_t index) {
  ComputeParts::Semaphore& semaphore = semaphore_of(run_of(context), index);
  semaphore.value -= std::min(semaphore.value, 1u);
}

void semaphore_wait(Context* context, uint32_t index, uint32_t for_room) {
  KernelRun& run = enter_service(context);
  semaphore_of(run, index);
  const auto kind = for_room != 0 ? Wait::Kind::kRoomInPartSemaphore : Wait::Kind::kPartSemaphore;
  wait_as_part(run, {.kind = kind, .subject = index});
}

uint32_t packer_computes(Context* context, uint32_t on) {
  KernelRun& run = run_of(context);
  if (own_part(run) != Part::kPack) return 0;
  ComputeParts& parts = parts_of(run);
  if (on != 0 && !parts.packer_owns_section)
    fail_kernel(context,
                "the packing processor computes on a section of DST that it has not "
                "waited for: tile_regs_wait is missing");
  const bool before = parts.packer_computes;
  parts.packer_computes = on != 0;
  return before ? 1 : 0;
}

}  // namespace

const kernel_abi::PartServices& part_services() {
  static constexpr kernel_abi::PartServices kServices = {
      .mailbox_write = mailbox_write,
      .mailbox_read = mailbox_read,
      .semaphore_init = semaphore_init,
      .semaphore_post = semaphore_post,
      .semaphore_get = semaphore_get,
      .semaphore_wait = semaphore_wait,
      .packer_computes = packer_computes,
  };
  return kServices;
}

}  // namespace lightmetal::device::cpu
