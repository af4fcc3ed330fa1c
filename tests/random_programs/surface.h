#pragma once

#include <cstdint>

#include "tests/random_programs/steps.h"

// The part of the host API by whose calls a program's steps are taken.
namespace random_programs {

enum class Surface : uint8_t {
  kDevice,         // the classic API
  kDescribed,      // likewise, with programs from descriptors
  kUnitMesh,       // meshes of one device
  kMesh,           // meshes of two devices
  kDescribedMesh,  // likewise, with programs from descriptors
  kSpecifiedMesh,  // likewise, with programs from specifications
};
inline constexpr uint32_t kSurfaces = 6;

// Returns the surface of a seed's program: of eight seeds in a row, three are of the classic API.
Surface surface_of(uint32_t seed);

const char* name_of(Surface surface);

// Returns how many devices each mesh has, or 0 for the classic API.
uint32_t mesh_devices(Surface surface);
bool is_described(Surface surface);
bool is_specified(Surface surface);

struct RandomProgram {
  Surface surface = Surface::kDevice;
  Steps steps;
};

// Returns the program with those of its steps that are valid and that its surface has calls for,
// and with what reads must find on each device.
RandomProgram valid_program(RandomProgram program);

}  // namespace random_programs
