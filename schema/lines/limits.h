#pragma once

#include <cstdint>

// What readers and writers of lines agree about: the version of their form, and how much a line may
// ask for that has no bytes of its own.
namespace lightmetal::schema {

inline constexpr int kLinesVersion = 1;
inline constexpr uint64_t kMostPadding = uint64_t{64} << 20;  // of one frame, in bytes
inline constexpr uint64_t kMostZeros = uint64_t{64} << 20;    // behind the last frame
// A line with fields, in bytes: FlatBuffers end at 2 GiB.
inline constexpr uint64_t kMostFields = uint64_t{256} << 20;
// How deep the values of a line are nested; no command of the schema is nested as deeply.
inline constexpr int kMostDepth = 32;

}  // namespace lightmetal::schema
