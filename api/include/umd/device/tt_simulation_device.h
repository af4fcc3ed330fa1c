#pragma once

#include <filesystem>
#include <tt-metalium/tt_backend_api_types.hpp>  // IWYU pragma: export
#include <utility>

// What upstream's driver asks a simulator of the chip about itself. There is none here:
// tt::llrt::RunTimeOptions says so, and get_arch_name throws std::runtime_error.
class tt_SimulationDeviceInit {
 public:
  explicit tt_SimulationDeviceInit(std::filesystem::path simulator)
      : simulator_(std::move(simulator)) {}

  tt::ARCH get_arch_name() const;

 private:
  std::filesystem::path simulator_;
};
