#include "api/src/values/process_profile.h"

#include <cstdlib>
#include <string>
#include <tt-metalium/assert.hpp>

namespace tt::tt_metal {

const lightmetal::DeviceProfile& process_profile() {
  static const lightmetal::DeviceProfile wormhole;
  static const lightmetal::DeviceProfile blackhole = lightmetal::blackhole_profile();
  const char* value = std::getenv("LIGHTMETAL_DEVICE_PROFILE");
  const std::string name = value == nullptr || *value == '\0' ? wormhole.arch : value;
  if (name == blackhole.arch) return blackhole;
  TT_FATAL(name == wormhole.arch,
           "LIGHTMETAL_DEVICE_PROFILE is \"{}\": \"{}\" or \"{}\" is expected", name, wormhole.arch,
           blackhole.arch);
  return wormhole;
}

}  // namespace tt::tt_metal
