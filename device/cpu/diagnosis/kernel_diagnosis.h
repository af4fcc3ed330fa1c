#pragma once

#include "device/cpu/diagnosis/circular_buffer_protocol.h"
#include "device/cpu/diagnosis/delayed_transfers.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// What the checks know about one kernel during one launch.
struct KernelDiagnosis {
  const LaunchPlan* plan = nullptr;
  CircularBufferProtocol circular_buffers;
  DelayedTransfers transfers;
};

}  // namespace lightmetal::device::cpu
