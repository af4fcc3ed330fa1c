#include "runtime/roles.h"

#include <type_traits>

#include "schema/commands/calls.h"

namespace lightmetal::runtime {

using schema::Call;

Role role_of(Call call) {
  switch (call) {
    case Call::CreateDevice:
    case Call::BufferCreate:
    case Call::BufferMovable:
    case Call::ProgramCreate:
    case Call::KernelCreate:
    case Call::KernelBinary:
    case Call::CircularBufferCreate:
    case Call::CircularBufferCreateOnGlobal:
    case Call::CreateSemaphore:
    case Call::CreateSemaphoreWithId:
    case Call::GlobalSemaphoreCreate:
    case Call::AssignGlobalBufferToProgram:
    case Call::EventCreate:
    case Call::LoadTrace:
    case Call::CompileProgram:
      return Role::kMake;
    case Call::CloseDevice:
    case Call::SubDeviceManagerRemove:
    case Call::BufferDeallocate:
    case Call::BufferDestroy:
    case Call::ProgramDestroy:
    case Call::GlobalSemaphoreDestroy:
    case Call::GlobalCircularBufferDestroy:
    case Call::EventDestroy:
    case Call::ReleaseTrace:
      return Role::kEnd;
    case Call::UpdateCircularBufferTotalSize:
    case Call::UpdateCircularBufferPageSize:
    case Call::UpdateDynamicCircularBufferAddress:
    case Call::UpdateDynamicCircularBufferAddressAndTotalSize:
    case Call::UpdateDynamicCircularBufferAddressOffset:
    case Call::UpdateDynamicCircularBufferGlobal:
    case Call::SetRuntimeArgs:
    case Call::SetRuntimeArgsPerCore:
    case Call::SetRuntimeArgsSymbolic:
    case Call::SetRuntimeArgsSymbolicPerCore:
    case Call::SetCommonRuntimeArgs:
    case Call::SetCommonRuntimeArgsSymbolic:
    case Call::WriteRuntimeArgs:
    case Call::WriteCommonRuntimeArgs:
      return Role::kSet;
    case Call::EnqueueWriteBuffer:
    case Call::EnqueueWriteSubBuffer:
    case Call::WriteToBuffer:
      return Role::kWrite;
    case Call::EnqueueReadBuffer:
    case Call::EnqueueReadSubBuffer:
    case Call::ReadFromBuffer:
    case Call::ReadShard:
    case Call::ReadFromDeviceDRAMChannel:
    case Call::ReadFromDeviceL1:
    case Call::ReadFromEthernetL1:
    case Call::LightMetalCompare:
      return Role::kRead;
    case Call::GlobalSemaphoreResetValue:
    case Call::EnqueueProgram:
    case Call::FinishQueue:
    case Call::Synchronize:
    case Call::EnqueueRecordEvent:
    case Call::EnqueueWaitForEvent:
    case Call::EventSynchronize:
    case Call::ReplayTrace:
    case Call::EnqueueTrace:
    case Call::ConfigureDeviceWithProgram:
    case Call::WriteRuntimeArgsToDevice:
    case Call::LaunchProgram:
    case Call::WaitProgramDone:
    case Call::WriteToDeviceDRAMChannel:
    case Call::WriteToDeviceL1:
    case Call::WriteToEthernetL1:
      return Role::kWork;
    case Call::SubDeviceManagerCreate:
    case Call::SubDeviceManagerLoad:
    case Call::SubDeviceManagerClear:
    case Call::SubDeviceStallGroupSet:
    case Call::SubDeviceStallGroupReset:
    case Call::GlobalCircularBufferCreate:
    case Call::BufferSetPageSize:
      return Role::kDivide;
    case Call::BindTensor:
    case Call::EntryBegin:
    case Call::EntryEnd:
    case Call::ScopeBegin:
    case Call::ScopeEnd:
    case Call::CallFailed:
    case Call::NONE:
      return Role::kNone;
  }
  return Role::kNone;
}

struct ProgramNames::Add {
  ProgramNames& names;

  template <class Call>
  void operator()(const Call& call) {
    if constexpr (std::is_same_v<Call, schema::KernelCreate>) {
      names.of_kernel_[call.id()] = call.program();
    } else if constexpr (std::is_same_v<Call, schema::CircularBufferCreate> ||
                         std::is_same_v<Call, schema::CircularBufferCreateOnGlobal>) {
      names.of_circular_buffer_[call.id()] = call.program();
    }
  }
};

struct ProgramNames::Find {
  const ProgramNames& names;

  template <class Call>
  std::optional<uint64_t> operator()(const Call& call) const {
    if constexpr (requires { call.kernel(); }) {
      return find(names.of_kernel_, call.kernel());
    } else if constexpr (requires { call.circular_buffer(); }) {
      return find(names.of_circular_buffer_, call.circular_buffer());
    } else if constexpr (requires { call.program(); }) {
      return call.program();
    } else {
      return std::nullopt;
    }
  }
  static std::optional<uint64_t> find(const Programs& programs, uint64_t id) {
    const auto found = programs.find(id);
    return found == programs.end() ? std::nullopt : std::optional(found->second);
  }
};

void ProgramNames::add(const schema::Command& command) {
  Add add{*this};
  schema::visit_call(command, add);
}

std::optional<uint64_t> ProgramNames::program(const schema::Command& command) const {
  return schema::visit_call(command, Find{*this});
}

}  // namespace lightmetal::runtime
