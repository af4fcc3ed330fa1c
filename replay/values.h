#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tt-metalium/host_api.hpp>
#include <variant>
#include <vector>

#include "device/device.h"
#include "schema/command_generated.h"

// Values of a file as the host API has them. Absent vectors and strings become empty ones. What the
// host API refuses, such as cores that overlap, these functions throw. REQUIRES: the file has been
// verified.
namespace lightmetal::replay {

template <class T>
std::span<const T> span_of(const flatbuffers::Vector<T>* values) {
  if (values == nullptr) return {};
  return {values->data(), values->size()};
}

std::vector<uint32_t> words_of(const flatbuffers::Vector<uint32_t>* words);
std::vector<tt::tt_metal::SubDeviceId> sub_devices_of(const flatbuffers::Vector<uint8_t>* ids);

inline CoreCoord core_of(const schema::CoreCoord& core) { return {core.x(), core.y()}; }
std::vector<CoreCoord> cores_of(const flatbuffers::Vector<const schema::CoreCoord*>* cores);
CoreRangeSet ranges_of(const flatbuffers::Vector<const schema::CoreRange*>* ranges);

// The cores in the cheapest of the three forms that say them.
std::variant<CoreCoord, CoreRange, CoreRangeSet> spec_of(
    const flatbuffers::Vector<const schema::CoreRange*>* ranges);

tt::tt_metal::BufferShardingArgs sharding_of(const schema::BufferCreate& call);

using AnyKernelConfig = std::variant<tt::tt_metal::DataMovementConfig, tt::tt_metal::ComputeConfig,
                                     tt::tt_metal::EthernetConfig>;
AnyKernelConfig config_of(const schema::KernelCreate& call);

// The configuration without the buffer, or global circular buffer, in whose memory it may lie.
tt::tt_metal::CircularBufferConfig config_of(const schema::CircularBufferConfig& config);

// The plan and the arguments of a launch in a trace. Its kernels are not loaded: LoadTrace loads
// them.
device::Launch launch_of(const schema::TraceLaunch& launch);

}  // namespace lightmetal::replay
