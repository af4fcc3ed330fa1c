// Executes calls beside the queues. Files have 64-bit numbers where the host API takes 32 bits.
#include <cstring>
#include <limits>
#include <tt-metalium/tt_metal.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/executor.h"
#include "replay/run_memory.h"
#include "replay/values.h"

namespace lightmetal::replay {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

absl::StatusOr<uint32_t> narrow(absl::string_view what, uint64_t value) {
  if (value <= std::numeric_limits<uint32_t>::max()) return static_cast<uint32_t>(value);
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " is ", value, ", past 32 bits"));
}

absl::StatusOr<std::vector<uint32_t>> words_in(Bytes bytes) {
  if (bytes.size() % sizeof(uint32_t) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the payload has ", bytes.size(), " bytes, no whole words"));
  }
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

void copy_to(std::span<std::byte> memory, const std::vector<uint32_t>& words) {
  const size_t size = std::min(memory.size(), words.size() * sizeof(uint32_t));
  if (size != 0) std::memcpy(memory.data(), words.data(), size);
}

}  // namespace

absl::Status Executor::execute(const schema::CompileProgram& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(compiled, program(call.program()));
  tm::detail::CompileProgram(of_device, *compiled);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ConfigureDeviceWithProgram& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(configured, program(call.program()));
  tm::detail::ConfigureDeviceWithProgram(of_device, *configured);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::WriteRuntimeArgsToDevice& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(written, program(call.program()));
  tm::detail::WriteRuntimeArgsToDevice(of_device, *written);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::LaunchProgram& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(launched, program(call.program()));
  tm::detail::LaunchProgram(of_device, *launched, call.wait_until_cores_done());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::WaitProgramDone& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(awaited, program(call.program()));
  tm::detail::WaitProgramDone(of_device, *awaited);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::WriteToBuffer& call) {
  LM_ASSIGN_OR_RETURN(target, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  hooks::write_to_buffer(*target, data.bytes(), call.element_type());
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ClearBuffer& call) {
  LM_ASSIGN_OR_RETURN(cleared, buffer(call.buffer()));
  tm::LightMetalClearBuffer(*cleared);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ReadFromBuffer& call) {
  LM_ASSIGN_OR_RETURN(source, buffer(call.buffer()));
  LM_ASSIGN_OR_RETURN(read, read_of(name_of_buffer(objects_, call.buffer(), *source),
                                    call.element_type(), call.golden(), call.buffer()));
  return reads_.read_directly(std::move(read), source->size(), [&](std::span<std::byte> memory) {
    hooks::read_from_buffer(*source, memory, call.element_type());
  });
}

absl::Status Executor::execute(const schema::ReadShard& call) {
  LM_ASSIGN_OR_RETURN(source, buffer(call.buffer()));
  const std::string name = absl::StrCat("shard ", call.shard(), " of ",
                                        name_of_buffer(objects_, call.buffer(), *source));
  LM_ASSIGN_OR_RETURN(read, read_of(name, call.element_type(), call.golden(), call.buffer()));
  return reads_.read_directly(
      std::move(read), tm::detail::shard_bytes(*source), [&](std::span<std::byte> memory) {
        hooks::read_shard(*source, call.shard(), memory, call.element_type());
      });
}

absl::Status Executor::execute(const schema::WriteToDeviceDRAMChannel& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  LM_ASSIGN_OR_RETURN(words, words_in(data.bytes()));
  tm::detail::WriteToDeviceDRAMChannel(of_device, static_cast<int>(call.channel()), address, words);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ReadFromDeviceDRAMChannel& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(size, narrow("size", call.size()));
  const std::string name = absl::StrFormat("%d bytes at 0x%x of DRAM channel %d%s", size, address,
                                           call.channel(), name_of_device(objects_, *of_device));
  LM_ASSIGN_OR_RETURN(read, read_of(name, schema::ElementType::UInt32, call.golden()));
  return reads_.read_directly(std::move(read), size, [&](std::span<std::byte> memory) {
    std::vector<uint32_t> words;
    tm::detail::ReadFromDeviceDRAMChannel(of_device, static_cast<int>(call.channel()), address,
                                          size, words);
    copy_to(memory, words);
  });
}

absl::Status Executor::execute(const schema::WriteToDeviceL1& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  LM_ASSIGN_OR_RETURN(words, words_in(data.bytes()));
  tm::detail::WriteToDeviceL1(of_device, core_of(*call.core()), address, words);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ReadFromDeviceL1& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(size, narrow("size", call.size()));
  const std::string name =
      absl::StrFormat("%d bytes at L1 address 0x%x of core (%d, %d)%s", size, address,
                      call.core()->x(), call.core()->y(), name_of_device(objects_, *of_device));
  LM_ASSIGN_OR_RETURN(read, read_of(name, schema::ElementType::UInt32, call.golden()));
  return reads_.read_directly(std::move(read), size, [&](std::span<std::byte> memory) {
    std::vector<uint32_t> words;
    tm::detail::ReadFromDeviceL1(of_device, core_of(*call.core()), address, size, words);
    copy_to(memory, words);
  });
}

absl::Status Executor::execute(const schema::WriteToEthernetL1& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(data, file_.blob(*call.data()));
  LM_ASSIGN_OR_RETURN(words, words_in(data.bytes()));
  tm::detail::WriteToDeviceL1(of_device, core_of(*call.core()), address, words, CoreType::ETH);
  return absl::OkStatus();
}

absl::Status Executor::execute(const schema::ReadFromEthernetL1& call) {
  LM_ASSIGN_OR_RETURN(of_device, device(call.device()));
  LM_ASSIGN_OR_RETURN(address, narrow("address", call.address()));
  LM_ASSIGN_OR_RETURN(size, narrow("size", call.size()));
  const std::string name =
      absl::StrFormat("%d bytes at L1 address 0x%x of Ethernet core (%d, %d)%s", size, address,
                      call.core()->x(), call.core()->y(), name_of_device(objects_, *of_device));
  LM_ASSIGN_OR_RETURN(read, read_of(name, schema::ElementType::UInt32, call.golden()));
  return reads_.read_directly(std::move(read), size, [&](std::span<std::byte> memory) {
    std::vector<uint32_t> words;
    tm::detail::ReadFromDeviceL1(of_device, core_of(*call.core()), address, size, words,
                                 CoreType::ETH);
    copy_to(memory, words);
  });
}

}  // namespace lightmetal::replay
