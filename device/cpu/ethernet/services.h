#pragma once

#include <string>

#include "device/cpu/kernels/kernel_run.h"
#include "device/kernel_abi/lightmetal_kernel_abi_ethernet.h"

namespace lightmetal::device::cpu {

// The services that Ethernet kernels call (lightmetal_kernel_abi_ethernet.h). They run on the
// fibers of kernels and hold no state.
const kernel_abi::EthernetServices& ethernet_services();

// What is at the other end of a core's wire, for messages: "Ethernet core (0,2) of device 1, at the
// other end of the wire from ...". When the wire carries nothing, the text says why.
std::string wire_name(const CoreState& core);

// The name of a word of an Ethernet core's channels, such as "bytes_sent of Ethernet channel 3";
// empty for any other word.
std::string channel_word_name(uint32_t l1_address);

}  // namespace lightmetal::device::cpu
