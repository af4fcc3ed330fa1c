#pragma once

#include <memory>
#include <tt-metalium/lightmetal_binary.hpp>

namespace lightmetal {
class Replay;
}

namespace tt::tt_metal {

class IDevice;

// Replays a captured program, as upstream does it; <lightmetal/replay.hpp> can do more. Not
// thread-safe.
class LightMetalReplay {
 public:
  // Without a device the replay opens the recorded devices, and closes them when it is destroyed.
  // With a device, that device stands for the first recorded one and stays open; it must have the
  // recorded profile, and outlive the replay.
  explicit LightMetalReplay(LightMetalBinary&& binary, IDevice* device = nullptr);
  ~LightMetalReplay();
  LightMetalReplay(LightMetalReplay&&) noexcept;
  LightMetalReplay& operator=(LightMetalReplay&&) noexcept;

  // Executes all commands and compares all goldens. False, with the reason in the log, when the
  // binary is not sound, a command failed, or something read differs from its golden. It can be
  // called again.
  bool run();

  // The earlier name of run().
  bool execute_binary() { return run(); }

 private:
  LightMetalBinary binary_;
  IDevice* device_;
  std::unique_ptr<lightmetal::Replay> replay_;  // made by the first run
};

}  // namespace tt::tt_metal
