#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <tt-metalium/dispatch_core_common.hpp>  // IWYU pragma: export

namespace tt::llrt {

// What the environment asks of this process, for programs and test fixtures that look. Upstream's
// watcher, profiler and simulator are not here, so they are off and nothing turns them on. The
// environment is read at each call. One thread at a time changes the options.
class RunTimeOptions {
 public:
  static RunTimeOptions& get_instance();

  RunTimeOptions(const RunTimeOptions&) = delete;
  RunTimeOptions& operator=(const RunTimeOptions&) = delete;

  // TT_METAL_HOME, with a slash at its end. get_root_dir throws std::runtime_error when it is not
  // set.
  bool is_root_dir_specified() const;
  std::string get_root_dir() const;

  // The same for TT_METAL_KERNEL_PATH.
  bool is_kernel_dir_specified() const;
  std::string get_kernel_dir() const;

  // How many command queues tests give their devices: what was set, else TT_METAL_GTEST_NUM_HW_CQS,
  // else 1. Throws std::invalid_argument when the variable is no number.
  unsigned get_num_hw_cqs() const;
  void set_num_hw_cqs(unsigned number) { num_hw_cqs_ = number; }

  // Dispatch on Ethernet cores when TT_METAL_GTEST_ETH_DISPATCH is set, else on workers.
  tt_metal::DispatchCoreConfig get_dispatch_core_config() const;

  bool get_simulator_enabled() const { return false; }
  const std::filesystem::path& get_simulator_path() const { return simulator_path_; }
  bool get_watcher_enabled() const { return false; }
  bool get_profiler_enabled() const { return false; }

 private:
  RunTimeOptions() = default;

  std::optional<unsigned> num_hw_cqs_;
  std::filesystem::path simulator_path_;  // empty
};

// The same object under its name of 2024.
inline RunTimeOptions& OptionsG = RunTimeOptions::get_instance();

}  // namespace tt::llrt
