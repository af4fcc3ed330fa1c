#pragma once

#include <cstddef>
#include <cstdint>

// Engines that multiply small matrices of bfloat16 as the AMX instructions do. An engine has eight
// registers of 16 rows of 64 bytes: 0 to 3 are the faces of a sum, 16x16 floats each; 4 and 5 the
// upper and lower half of a left matrix, 16 rows of 32 bfloat16; 6 and 7 the left and right half of
// a right matrix, 16 rows of 16 pairs of bfloat16: row p holds for each column rows 2p and 2p+1.
//
//   struct Engine {
//     Engine();   // from now on this thread has the registers
//     ~Engine();  // and gives them back
//     void load(int index, const void* rows);        // 1024 bytes in a row
//     void store(int index, void* rows) const;       // of 0 to 3
//     void multiply(int face);  // face += its half of the left matrix x its half of the right one
//   };
namespace lightmetal::device::cpu {

// In plain C++, for processors without AMX: shows that what is built on an engine is right. As the
// instructions are defined: even and odd products are summed apart, each step a fused multiply-add,
// denormal numbers count as zero and become zero.
class EmulatedTileEngine {
 public:
  void load(int index, const void* rows);
  void store(int index, void* rows) const;

  void multiply(int face);

 private:
  alignas(64) std::byte registers_[8][1024];
};

}  // namespace lightmetal::device::cpu
