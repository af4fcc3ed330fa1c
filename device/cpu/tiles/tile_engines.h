#pragma once

#include <cstddef>
#include <cstdint>

// Engines that multiply small matrices of bfloat16 as the AMX instructions do. An engine has eight
// registers of 16 rows of 64 bytes. Registers 0 to 3 are the faces of a sum, 16x16 floats each; 4
// and 5 are the upper and the lower half of a left matrix, 16 rows of 32 bfloat16; 6 and 7 are the
// left and the right half of a right matrix, 16 rows of 16 pairs of bfloat16: row p holds, for each
// column, the elements of rows 2p and 2p+1.
//
//   struct Engine {
//     Engine();   // takes the registers for this thread
//     ~Engine();  // gives them back
//     void load(int index, const void* rows);        // 1024 bytes in a row
//     void store(int index, void* rows) const;       // of 0 to 3
//     void multiply(int face);  // face += its half of the left matrix x its half of the right one
//   };
namespace lightmetal::device::cpu {

// An engine in plain C++, with which tests on processors without AMX show that the code on top of
// an engine is right. It follows the definition of the instructions: even and odd products are
// summed apart, each step is a fused multiply-add, denormal operands count as zero, and denormal
// results become zero.
class EmulatedTileEngine {
 public:
  void load(int index, const void* rows);
  void store(int index, void* rows) const;

  void multiply(int face);

 private:
  alignas(64) std::byte registers_[8][1024];
};

}  // namespace lightmetal::device::cpu
