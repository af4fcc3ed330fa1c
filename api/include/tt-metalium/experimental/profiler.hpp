#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tt-metalium/core_types.hpp>
#include <unordered_map>

// How long programs took, as analysed from the profiler's marks. Marks are not analysed here: the
// file profile_log_device.csv has them.
namespace tt::tt_metal::experimental {

static constexpr uint64_t INVALID_NUM_PROGRAM_EXECUTION_UID = uint64_t{1} << 63;

// One execution of a program.
struct ProgramExecutionUID {
  uint64_t runtime_id = INVALID_NUM_PROGRAM_EXECUTION_UID;
  uint64_t trace_id = INVALID_NUM_PROGRAM_EXECUTION_UID;
  uint64_t trace_id_counter = INVALID_NUM_PROGRAM_EXECUTION_UID;

  friend auto operator<=>(const ProgramExecutionUID&, const ProgramExecutionUID&) = default;
};

// Times in cycles of the device's clock.
struct ProgramSingleAnalysisResult {
  uint64_t start_timestamp = UINT64_MAX;
  uint64_t end_timestamp = 0;
  uint64_t duration = 0;

  friend auto operator<=>(const ProgramSingleAnalysisResult&,
                          const ProgramSingleAnalysisResult&) = default;
};

struct ProgramAnalysisData {
  ProgramExecutionUID program_execution_uid;
  std::unordered_map<std::string, ProgramSingleAnalysisResult> program_analyses_results;
  uint32_t core_count = 0;
  uint32_t num_available_cores = 0;

  bool operator==(const ProgramAnalysisData& other) const = default;
  bool operator<(const ProgramAnalysisData& other) const {
    return program_execution_uid < other.program_execution_uid;
  }
};

// Both return an empty map.
std::map<ChipId, std::set<ProgramAnalysisData>> GetLatestProgramsPerfData();
std::map<ChipId, std::set<ProgramAnalysisData>> GetAllProgramsPerfData();

}  // namespace tt::tt_metal::experimental

template <>
struct std::hash<tt::tt_metal::experimental::ProgramExecutionUID> {
  std::size_t operator()(const tt::tt_metal::experimental::ProgramExecutionUID& id) const noexcept {
    return id.runtime_id ^ id.trace_id * 31 ^ id.trace_id_counter * 1021;
  }
};
