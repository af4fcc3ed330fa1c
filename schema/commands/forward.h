#pragma once

#include <cstdint>

// Commands and their parts by name, for headers that only pass them on: compiling the generated
// headers that define them takes longer than compiling most sources.
namespace lightmetal::schema {

enum class Call : uint8_t;
enum class ElementType : uint8_t;
struct BlobRef;
struct Command;
struct DeviceProfile;
struct Session;

}  // namespace lightmetal::schema
