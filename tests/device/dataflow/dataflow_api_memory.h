#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/device/device_test_kit.h"

// The host reference of the data-movement tests: what a part of a device's memory should hold.
namespace lightmetal::device::testing {

// A place in L1 or in a DRAM bank.
struct Place {
  bool dram = false;
  Core core;  // of the L1, or {bank, 0}
  uint64_t address = 0;

  Place operator+(uint64_t bytes) const { return {dram, core, address + bytes}; }
};

inline Place l1(Core core, uint64_t address) { return {false, core, address}; }
inline Place dram(uint32_t bank, uint64_t address) { return {true, {bank, 0}, address}; }

// Bytes [kBegin, kEnd) of the L1 of the cores of a small rectangle and of all DRAM banks.
class MemoryModel {
 public:
  static constexpr uint64_t kBegin = 0x20000;
  static constexpr uint64_t kEnd = 0x30000;
  static constexpr Core kCores = {4, 3};

  // Fills the same bytes here and on the device.
  MemoryModel(Device& device, uint32_t seed) : device_(device) {
    std::mt19937 random(seed);
    for (Memory* memory : all()) {
      std::vector<uint32_t> words((kEnd - kBegin) / sizeof(uint32_t));
      for (uint32_t& word : words) word = static_cast<uint32_t>(random());
      memory->bytes.resize(kEnd - kBegin);
      std::memcpy(memory->bytes.data(), words.data(), memory->bytes.size());
      write(*memory);
    }
  }

  void copy(const Place& from, const Place& to, uint64_t size) {
    std::memmove(at(to), at(from), size);
  }
  void put(const Place& to, uint32_t word) { std::memcpy(at(to), &word, sizeof(word)); }
  void put64(const Place& to, uint64_t value) { std::memcpy(at(to), &value, sizeof(value)); }
  uint32_t get(const Place& from) {
    uint32_t word = 0;
    std::memcpy(&word, at(from), sizeof(word));
    return word;
  }

  // Where the device's memory differs from this one; empty: nowhere.
  std::string difference() {
    for (Memory* memory : all()) {
      const std::vector<std::byte> found = read(*memory);
      for (uint64_t i = 0; i < found.size(); ++i) {
        if (found[i] == memory->bytes[i]) continue;
        return name(*memory) + " at 0x" + hex(kBegin + i) + ": expected 0x" +
               hex(static_cast<uint64_t>(memory->bytes[i])) + ", found 0x" +
               hex(static_cast<uint64_t>(found[i]));
      }
    }
    return "";
  }

 private:
  struct Memory {
    bool dram;
    Core core;
    std::vector<std::byte> bytes;
  };

  static std::string hex(uint64_t value) {
    char text[20];
    std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(value));
    return text;
  }
  static std::string name(const Memory& memory) {
    if (memory.dram) return "DRAM bank " + std::to_string(memory.core.x);
    return "L1 of (" + std::to_string(memory.core.x) + "," + std::to_string(memory.core.y) + ")";
  }

  std::vector<Memory*> all() {
    if (memories_.empty()) {
      for (uint32_t y = 0; y < kCores.y; ++y) {
        for (uint32_t x = 0; x < kCores.x; ++x) memories_.push_back({false, {x, y}, {}});
      }
      for (uint32_t bank = 0; bank < device_.profile().dram_banks; ++bank) {
        memories_.push_back({true, {bank, 0}, {}});
      }
    }
    std::vector<Memory*> result;
    for (Memory& memory : memories_) result.push_back(&memory);
    return result;
  }

  std::byte* at(const Place& place) {
    for (Memory* memory : all()) {
      if (memory->dram == place.dram && memory->core == place.core) {
        return memory->bytes.data() + (place.address - kBegin);
      }
    }
    ADD_FAILURE() << "the model has no such memory";
    return memories_.front().bytes.data();
  }

  void write(const Memory& memory) {
    const absl::Status status = memory.dram
                                    ? device_.write_dram(memory.core.x, kBegin, memory.bytes)
                                    : device_.write_l1(memory.core, kBegin, memory.bytes);
    EXPECT_TRUE(status.ok()) << status;
  }
  std::vector<std::byte> read(const Memory& memory) {
    std::vector<std::byte> bytes(kEnd - kBegin);
    const absl::Status status =
        memory.dram ? device_.read_dram(memory.core.x, kBegin, absl::MakeSpan(bytes))
                    : device_.read_l1(memory.core, kBegin, absl::MakeSpan(bytes));
    EXPECT_TRUE(status.ok()) << status;
    return bytes;
  }

  Device& device_;
  std::vector<Memory> memories_;
};

}  // namespace lightmetal::device::testing
