#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tt-metalium/core_types.hpp>
#include <utility>

// Names of operations, by the device and the runtime id of their programs.
class ProfilerOptionalMetadata {
 public:
  using Names = std::map<std::pair<tt::ChipId, uint32_t>, std::string>;

  explicit ProfilerOptionalMetadata(Names&& names) : names_(std::move(names)) {}

  // The empty string for a program without a name. The reference is valid as long as the object.
  const std::string& get_op_name(tt::ChipId device_id, uint32_t runtime_id) const {
    static const std::string kUnnamed;
    const auto found = names_.find({device_id, runtime_id});
    return found == names_.end() ? kUnnamed : found->second;
  }

 private:
  Names names_;
};
