#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/data_format.h"
#include "device/device.h"

// Runs one compute kernel on one core of the embedded CPU device, through the device's interface,
// so that tests can compare what the kernel API computes with a reference of their own:
//
//   TileProgram program;
//   program.input(0, DataFormat::Float16_b, {a}).input(1, DataFormat::Float16_b, {b});
//   program.output(16, DataFormat::Float32, 1);
//   EXPECT_TRUE(program.run("binary_op_init_common(0, 1, 16); ...").ok());
//   EXPECT_EQ(program.floats(16, 0), expected);
namespace lightmetal::device::testing {

inline constexpr uint32_t kTileElements = 1024;

// The elements in the order of memory: four 16x16 faces, each by rows; of tiles that are not 32x32
// as many faces as they have, of as many rows.
using Tile = std::vector<float>;
using WordTile = std::vector<uint32_t>;

struct TileShape {
  uint32_t rows = 32;
  uint32_t columns = 32;

  uint32_t elements() const { return rows * columns; }
  uint32_t face_rows() const { return rows < 16 ? rows : 16; }
  uint32_t face_of(uint32_t row, uint32_t column) const {
    return row / 16 * (columns / 16) + column / 16;
  }
  // The place of an element in a tile.
  uint32_t place(uint32_t row, uint32_t column) const {
    return (face_of(row, column) * face_rows() + row % 16) * 16 + column % 16;
  }
  TileShape transposed() const { return {columns, rows}; }

  friend void PrintTo(const TileShape& shape, std::ostream* out) {
    *out << shape.rows << "x" << shape.columns;
  }
};
constexpr uint32_t in_faces(uint32_t row, uint32_t column) {
  return (row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16;
}

// The bytes of a tile in `format`, and back: conversions of the test's own, one element at a time
// in double precision, by the rules that docs and headers state. Integer formats take and give
// numbers (saturated), all others round to nearest.
// Ties of block formats go up, as in the device's packer, or to even, as in the host's.
enum class Ties { kUp, kToEven };
std::vector<std::byte> encode_tile(DataFormat format, const Tile& tile, Ties ties = Ties::kUp);
Tile decode_tile(DataFormat format, const std::vector<std::byte>& bytes);
// What is left of a tile that is stored in `format` and read again.
Tile stored_as(DataFormat format, const Tile& tile);

// Whole numbers of 32 bits in the element's size, bits beyond it dropped; and back, with zeros.
std::vector<std::byte> encode_words(DataFormat format, const WordTile& tile);
WordTile decode_words(DataFormat format, const std::vector<std::byte>& bytes);

// How far a number may be from what is stored of it: relative to itself, or, for block formats, to
// the largest of the 16 numbers that share an exponent (twice as far where that one is cut off).
struct StoredFloat {
  DataFormat format;
  const char* name;
  double tolerance;
  bool is_block;

  friend void PrintTo(const StoredFloat& format, std::ostream* out) { *out << format.name; }
};
inline constexpr StoredFloat kStoredFloats[] = {
    {DataFormat::Float32, "Float32", 0, false},
    {DataFormat::Tf32, "Tf32", 0x1p-11, false},
    {DataFormat::Float16, "Float16", 0x1p-11, false},
    {DataFormat::Float16_b, "Float16_b", 0x1p-8, false},
    {DataFormat::Bfp8_b, "Bfp8_b", 0x1p-6, true},
    {DataFormat::Bfp4_b, "Bfp4_b", 0x1p-2, true},
    {DataFormat::Bfp2_b, "Bfp2_b", 0x1p-0, true},
    {DataFormat::Bfp8, "Bfp8", 0x1p-6, true},
    {DataFormat::Bfp4, "Bfp4", 0x1p-2, true},
    {DataFormat::Bfp2, "Bfp2", 0x1p-0, true},
};
// Arithmetic on what is stored is in single precision: a sum may be this far from the exact one,
// relative to the sum of its terms' magnitudes. Sums and products of two numbers are exact.
inline constexpr double kSumTolerance = 2e-6;

// Uniform in [low, high), from the seed.
Tile random_tile(uint32_t seed, float low = -4, float high = 4, uint32_t elements = kTileElements);
WordTile random_words(uint32_t seed, uint32_t elements = kTileElements);

// The one device of this process.
Device& tile_device();

// Not thread-safe. Setters return the program itself; a program may run again with another body, on
// the inputs that it has.
class TileProgram {
 public:
  // Fills a circular buffer that has exactly these tiles; a data-movement kernel pushes all of
  // them.
  TileProgram& input(uint8_t cb, DataFormat format, const std::vector<Tile>& tiles,
                     TileShape shape = {});
  TileProgram& input_words(uint8_t cb, DataFormat format, const std::vector<WordTile>& tiles,
                           TileShape shape = {});
  TileProgram& input_bytes(uint8_t cb, DataFormat format, const std::vector<std::byte>& bytes,
                           TileShape shape = {});
  // A circular buffer of `tiles` tiles that starts empty, holding 0xCC in every byte. Nobody but
  // the kernel itself pops from it.
  TileProgram& output(uint8_t cb, DataFormat format, uint32_t tiles, TileShape shape = {});

  // The kernel's settings, by TT-Metalium's names (compute_args), its defines, and its arguments.
  KernelSource& settings() { return source_; }
  TileProgram& args(std::vector<uint32_t> values);
  // Runs on this device, which must outlive the program, instead of tile_device().
  TileProgram& on(Device& device);
  // Replaces the data movement kernel that pushes the inputs. Its arguments are pairs of a circular
  // buffer and the buffer's pages, after their number.
  TileProgram& feeder(std::string text);
  // Text before kernel_main: includes, functions, variables.
  TileProgram& prelude(std::string text);

  // Compiles the statements of kernel_main, `body`, and runs them. The error is the compiler's or
  // the launch's.
  absl::Status run(const std::string& body);

  // What lies in tile `tile` of a circular buffer, counted from the buffer's begin, since the last
  // run.
  Tile floats(uint8_t cb, uint32_t tile) const;
  WordTile words(uint8_t cb, uint32_t tile) const;
  std::vector<std::byte> bytes(uint8_t cb, uint32_t tile) const;

 private:
  struct Buffer {
    uint32_t tile_bytes() const { return lightmetal::tile_bytes(format, shape.elements()); }

    DataFormat format = DataFormat::Invalid;
    TileShape shape;
    uint32_t tiles = 0;
    bool is_input = false;
    std::vector<std::byte> content;
    uint32_t address = 0;
  };

  TileProgram& add(uint8_t cb, DataFormat format, TileShape shape, std::vector<std::byte> content,
                   bool is_input);
  absl::Status place_buffers();
  absl::Status read_buffers();
  std::vector<uint32_t> feeder_args() const;
  CorePlan plan_core() const;
  Launch launch_of(KernelPlan compute, KernelPlan feeder) const;
  KernelSource compute_source(const std::string& body) const;

  Device& device() const { return device_ == nullptr ? tile_device() : *device_; }
  absl::StatusOr<KernelPlan> load(const KernelSource& source) const;

  Device* device_ = nullptr;  // null: tile_device()
  KernelSource source_;
  std::string feeder_;  // empty: kFeeder
  std::string prelude_;
  std::vector<uint32_t> args_;
  std::map<uint8_t, Buffer> buffers_;
};

// The error's text; "no failure" when there is none.
std::string message_of(const absl::Status& status);

}  // namespace lightmetal::device::testing
