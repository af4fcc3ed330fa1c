#pragma once

#include <cstdint>

namespace lightmetal::schema {

// The most memory that the calls of a file had at one time on a device that it opens, in bytes of
// each bank. A memory allocates the same addresses of all its banks, so that its banks are alike:
// what a buffer takes is what it takes of the bank that holds most of it.
struct DeviceMemory {
  uint64_t device = 0;               // the device's id
  uint64_t dram = 0;                 // buffers, in each DRAM bank
  uint64_t trace = 0;                // buffers in the trace region, in each DRAM bank
  uint64_t l1 = 0;                   // buffers and circular buffers together, on each core
  uint64_t l1_buffers = 0;           // of buffers and global semaphores alone
  uint64_t l1_circular_buffers = 0;  // of the circular buffers of one program or trace alone
  uint64_t l1_small = 0;             // buffers in L1_SMALL, on each core
  // Addresses that the program gave to buffers and that no allocation had then. Each address counts
  // once, whatever lies there in turn.
  uint64_t dram_given = 0;  // in each DRAM bank
  uint64_t l1_given = 0;    // on each core, L1_SMALL included
};

}  // namespace lightmetal::schema
