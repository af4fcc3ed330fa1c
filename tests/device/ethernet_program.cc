#include "tests/device/ethernet_program.h"

#include <eth_l1_address_map.h>

#include <stdexcept>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/tt_metal.hpp>

namespace lightmetal::testing {
namespace {

using namespace tt::tt_metal;

constexpr uint32_t kPlace = eth_l1_mem::address_map::ERISC_L1_UNRESERVED_BASE;

constexpr char kSender[] = R"(
#include <cstdint>
#include "ethernet/dataflow_api.h"
void kernel_main() {
  const uint32_t source = get_arg_val<uint32_t>(0), place = get_arg_val<uint32_t>(1);
  const uint32_t bytes = get_arg_val<uint32_t>(2), rounds = get_arg_val<uint32_t>(3);
  const InterleavedAddrGen<true> dram = {.bank_base_address = source, .page_size = bytes};
  for (uint32_t i = 0; i < rounds; ++i) {
    noc_async_read(get_noc_addr(0, dram), place, bytes);
    eth_noc_async_read_barrier();
    eth_send_bytes(place, place, bytes);
    eth_wait_for_receiver_done();
  }
})";

constexpr char kReceiver[] = R"(
#include <cstdint>
#include "ethernet/dataflow_api.h"
void kernel_main() {
  const uint32_t target = get_arg_val<uint32_t>(0), place = get_arg_val<uint32_t>(1);
  const uint32_t bytes = get_arg_val<uint32_t>(2), rounds = get_arg_val<uint32_t>(3);
  const InterleavedAddrGen<true> dram = {.bank_base_address = target, .page_size = bytes};
  for (uint32_t i = 0; i < rounds; ++i) {
    eth_wait_for_bytes(bytes);
    noc_async_write(place, get_noc_addr(0, dram), bytes);
    eth_noc_async_write_barrier();
    eth_receiver_done();
  }
})";

std::shared_ptr<Buffer> buffer_on(IDevice* device, uint32_t bytes) {
  return CreateBuffer(InterleavedBufferConfig{.device = device, .size = bytes, .page_size = bytes});
}

void add_kernel(Program& program, Eth mode, const CoreCoord& core, const char* text,
                const std::vector<uint32_t>& args) {
  const KernelHandle kernel =
      CreateKernelFromString(program, text, core, EthernetConfig{.eth_mode = mode});
  SetRuntimeArgs(program, kernel, core, args);
}

// One wire.
std::vector<uint32_t> over(IDevice* left, IDevice* right, size_t wire,
                           const std::vector<uint32_t>& data, uint32_t rounds) {
  const auto bytes = static_cast<uint32_t>(data.size() * sizeof(uint32_t));
  auto source = buffer_on(left, bytes), target = buffer_on(right, bytes);
  Program sender, receiver;
  add_kernel(sender, Eth::SENDER, left->get_ethernet_sockets(right->id()).at(wire), kSender,
             {source->address(), kPlace, bytes, rounds});
  add_kernel(receiver, Eth::RECEIVER, right->get_ethernet_sockets(left->id()).at(wire), kReceiver,
             {target->address(), kPlace, bytes, rounds});
  EnqueueWriteBuffer(left->command_queue(), source, data, /*blocking=*/false);
  EnqueueProgram(left->command_queue(), sender, /*blocking=*/false);
  EnqueueProgram(right->command_queue(), receiver, /*blocking=*/false);
  std::vector<uint32_t> arrived;
  EnqueueReadBuffer(right->command_queue(), target, arrived, /*blocking=*/true);
  Finish(left->command_queue());
  return arrived;
}

}  // namespace

std::vector<uint32_t> exchange(const std::vector<uint32_t>& data, uint32_t rounds) {
  std::map<chip_id_t, IDevice*> devices = tt::tt_metal::detail::CreateDevices({0, 1});
  std::vector<uint32_t> arrived = data;
  for (size_t wire = 0; wire < devices[0]->get_ethernet_sockets(1).size(); ++wire)
    arrived = over(devices[0], devices[1], wire, arrived, rounds);
  tt::tt_metal::detail::CloseDevices(devices);
  return arrived;
}

}  // namespace lightmetal::testing
