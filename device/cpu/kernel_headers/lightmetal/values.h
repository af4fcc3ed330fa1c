#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lightmetal/args.h"
#include "lightmetal/formats.h"

// What the build knows of one kernel: its compile-time arguments and its circular buffers. The
// wrapper that the compiler writes around a kernel defines them as macros. No other header depends
// on these macros, so that the others are compiled once for many kernels.

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif

namespace lightmetal::kernel {

template <typename... Args>
constexpr std::array<uint32_t, sizeof...(Args)> words(Args... args) {
  return {static_cast<uint32_t>(args)...};
}

}  // namespace lightmetal::kernel

inline constexpr auto kernel_compile_time_args =
    lightmetal::kernel::words(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Index>
constexpr uint32_t get_ct_arg() {
  static_assert(Index < kernel_compile_time_args.size(),
                "the kernel has no compile-time argument of this index");
  return kernel_compile_time_args[Index];
}

namespace lightmetal::kernel {

constexpr uint32_t compile_time_arg(uint32_t index) { return kernel_compile_time_args[index]; }

}  // namespace lightmetal::kernel

#ifndef KERNEL_COMPILE_TIME_ARG_MAP
#define KERNEL_COMPILE_TIME_ARG_MAP
#endif

namespace lightmetal::kernel {

// A compile-time argument by its name, of which KERNEL_COMPILE_TIME_ARG_MAP lists pairs. The first
// one is none.
struct NamedArg {
  const char* name;
  uint32_t value;
};
inline constexpr NamedArg kNamedArgs[] = {{nullptr, 0}, KERNEL_COMPILE_TIME_ARG_MAP};

constexpr bool same_text(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == 0) return true;
  }
  return false;
}

}  // namespace lightmetal::kernel

// A constant expression wherever one is asked for; a name that the kernel has not is an error
// there, and elsewhere fails the launch.
template <typename...>
constexpr uint32_t get_named_ct_arg(const char* name) {
  for (const lightmetal::kernel::NamedArg& arg : lightmetal::kernel::kNamedArgs) {
    if (arg.name != nullptr && lightmetal::kernel::same_text(arg.name, name)) return arg.value;
  }
  lightmetal::kernel::fail("the kernel has no compile-time argument of this name");
}
constexpr uint32_t get_named_compile_time_arg_val(const char* name) {
  return get_named_ct_arg(name);
}

// LIGHTMETAL_CB_FORMATS, LIGHTMETAL_CB_TILE_ROWS and LIGHTMETAL_CB_TILE_COLUMNS are lists of one
// number for each circular buffer.
namespace lightmetal::kernel {

constexpr DataFormat kCircularBufferFormats[] = {LIGHTMETAL_CB_FORMATS};
constexpr uint8_t kCircularBufferTileRows[] = {LIGHTMETAL_CB_TILE_ROWS};
constexpr uint8_t kCircularBufferTileColumns[] = {LIGHTMETAL_CB_TILE_COLUMNS};

// value(index) for each circular buffer that the program has, and 0 for the others.
constexpr auto for_each_buffer(uint32_t (*value)(size_t)) {
  std::array<uint8_t, NUM_CIRCULAR_BUFFERS> values{};
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = kCircularBufferTileRows[i] == 0 ? 0 : static_cast<uint8_t>(value(i));
  return values;
}
constexpr uint32_t face_rows(size_t index) {
  return kCircularBufferTileRows[index] < 16 ? kCircularBufferTileRows[index] : 16;
}

inline constexpr auto kFormatNumbers = [] {
  std::array<uint8_t, NUM_CIRCULAR_BUFFERS> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<uint8_t>(kCircularBufferFormats[i]);
  return numbers;
}();
inline constexpr auto kTileRows =
    for_each_buffer(+[](size_t i) -> uint32_t { return kCircularBufferTileRows[i]; });
inline constexpr auto kTileColumns =
    for_each_buffer(+[](size_t i) -> uint32_t { return kCircularBufferTileColumns[i]; });
inline constexpr auto kFaceRows = for_each_buffer(+[](size_t i) { return face_rows(i); });
inline constexpr auto kTileFaces = for_each_buffer(+[](size_t i) -> uint32_t {
  return kCircularBufferTileRows[i] / face_rows(i) * (kCircularBufferTileColumns[i] / 16);
});
// Whether faces have less than 16 rows, and tiles no two faces side by side.
inline constexpr auto kPartialFace =
    for_each_buffer(+[](size_t i) -> uint32_t { return face_rows(i) < 16; });
inline constexpr auto kNarrowTile =
    for_each_buffer(+[](size_t i) -> uint32_t { return kCircularBufferTileColumns[i] < 32; });
inline constexpr auto kTileBytes = [] {
  std::array<uint16_t, NUM_CIRCULAR_BUFFERS> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint16_t>(get_tile_size(i));
  return bytes;
}();

}  // namespace lightmetal::kernel

// As of 2026, by the number of a circular buffer: the numbers of its format in L1 and in the
// registers, which is one here, and the sides, faces and bytes of its tiles.
inline constexpr auto& unpack_src_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& unpack_dst_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& pack_src_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& pack_dst_format = lightmetal::kernel::kFormatNumbers;
inline constexpr auto& unpack_tile_r_dim = lightmetal::kernel::kTileRows;
inline constexpr auto& unpack_tile_c_dim = lightmetal::kernel::kTileColumns;
inline constexpr auto& pack_tile_r_dim = lightmetal::kernel::kTileRows;
inline constexpr auto& pack_tile_c_dim = lightmetal::kernel::kTileColumns;
inline constexpr auto& unpack_tile_num_faces = lightmetal::kernel::kTileFaces;
inline constexpr auto& unpack_tile_face_r_dim = lightmetal::kernel::kFaceRows;
inline constexpr auto& pack_tile_num_faces = lightmetal::kernel::kTileFaces;
inline constexpr auto& pack_tile_face_r_dim = lightmetal::kernel::kFaceRows;
inline constexpr auto& unpack_partial_face = lightmetal::kernel::kPartialFace;
inline constexpr auto& unpack_narrow_tile = lightmetal::kernel::kNarrowTile;
inline constexpr auto& pack_partial_face = lightmetal::kernel::kPartialFace;
inline constexpr auto& pack_narrow_tile = lightmetal::kernel::kNarrowTile;
inline constexpr auto& unpack_tile_size = lightmetal::kernel::kTileBytes;
inline constexpr auto& pack_tile_size = lightmetal::kernel::kTileBytes;
