// Memory keeps what is written, byte by byte, and nothing reaches beyond it.
#include <algorithm>
#include <functional>
#include <utility>

#include "tests/backend_conformance/kit.h"

namespace lightmetal::device::conformance {
namespace {

using Target = absl::Span<std::byte>;

// A DRAM bank, the L1 of a worker or that of an Ethernet core.
struct Memory {
  std::string name;
  uint64_t size;
  std::function<absl::Status(uint64_t address, Bytes data)> write;
  std::function<absl::Status(uint64_t address, Target data)> read;
};

Memory dram(Device& device, uint32_t bank) {
  return {"DRAM bank " + std::to_string(bank), device.profile().dram_bank_size,
          [&device, bank](uint64_t at, Bytes data) { return device.write_dram(bank, at, data); },
          [&device, bank](uint64_t at, Target data) { return device.read_dram(bank, at, data); }};
}

std::string name_of(const char* kind, Core core) {
  return std::string(kind) + std::to_string(core.x) + "," + std::to_string(core.y);
}

Memory l1(Device& device, Core core) {
  return {name_of("L1 of core ", core), device.profile().l1_size,
          [&device, core](uint64_t at, Bytes data) { return device.write_l1(core, at, data); },
          [&device, core](uint64_t at, Target data) { return device.read_l1(core, at, data); }};
}

Memory ethernet_l1(Device& device, Core core) {
  return {
      name_of("L1 of Ethernet core ", core), device.profile().ethernet_l1_size,
      [&device, core](uint64_t at, Bytes data) { return device.write_ethernet_l1(core, at, data); },
      [&device, core](uint64_t at, Target data) {
        return device.read_ethernet_l1(core, at, data);
      }};
}

std::vector<Memory> banks_of(Device& device) {
  std::vector<Memory> all;
  for (uint32_t bank = 0; bank < device.profile().dram_banks; ++bank)
    all.push_back(dram(device, bank));
  return all;
}

std::vector<Memory> workers_of(Device& device) {
  std::vector<Memory> all;
  for (uint32_t bank = 0; bank < num_l1_banks(device.profile()); ++bank)
    all.push_back(l1(device, core_of_l1_bank(device.profile(), bank)));
  return all;
}

// None on a backend that says that it has none.
std::vector<Memory> ethernet_cores_of(Device& device) {
  std::vector<Memory> all;
  if (absl::IsUnimplemented(device.write_ethernet_l1({0, 0}, 0, {}))) return all;
  for (uint32_t core = 0; core < device.profile().ethernet_cores; ++core)
    all.push_back(ethernet_l1(device, {0, core}));
  return all;
}

std::vector<Memory> memories_of(Device& device) {
  std::vector<Memory> all = banks_of(device);
  for (const auto& more : {workers_of(device), ethernet_cores_of(device)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::byte> read(const Memory& memory, uint64_t address, size_t size) {
  std::vector<std::byte> bytes(size);
  const absl::Status status = memory.read(address, absl::MakeSpan(bytes));
  EXPECT_TRUE(status.ok()) << memory.name << ": " << status;
  return bytes;
}

// Writes a piece into known surroundings, and looks at all of them.
void expect_keeps(const Memory& memory, uint64_t address, size_t size) {
  const uint64_t begin = address - std::min<uint64_t>(address, 64);
  const uint64_t end = std::min(memory.size, address + size + 64);
  std::vector<std::byte> expected = pattern(end - begin, 1);
  expect_ok(memory.write(begin, expected));
  const std::vector<std::byte> piece = pattern(size, 2);
  expect_ok(memory.write(address, piece));
  std::ranges::copy(piece, expected.begin() + static_cast<ptrdiff_t>(address - begin));
  EXPECT_TRUE(read(memory, begin, expected.size()) == expected)
      << memory.name << ": " << size << " bytes at " << address;
  EXPECT_TRUE(read(memory, address, size) == piece)
      << memory.name << ": " << size << " bytes at " << address;
}

void expect_keeps_pieces(const Memory& memory) {
  for (const size_t size : {1, 2, 3, 4, 7, 16, 31, 32, 33, 4095, 4096, 4097, 70'001}) {
    for (const uint64_t address : {0, 1, 2, 4, 30, 32, 4090, 65'535})
      expect_keeps(memory, address, size);
    expect_keeps(memory, memory.size - size, size);
  }
}

void dram_keeps_what_is_written(const Open& open) {
  const auto device = open_or_throw(open);
  for (const uint32_t bank : {0u, device->profile().dram_banks - 1})
    expect_keeps_pieces(dram(*device, bank));
}

void l1_keeps_what_is_written(const Open& open) {
  const auto device = open_or_throw(open);
  const Core grid = device->profile().grid;
  for (const Core core : {Core{0, 0}, Core{grid.x - 1, grid.y - 1}})
    expect_keeps_pieces(l1(*device, core));
}

void ethernet_l1_keeps_what_is_written(const Open& open) {
  const auto device = open_or_throw(open);
  for (const Memory& memory : ethernet_cores_of(*device)) expect_keeps(memory, 0x8001, 4097);
}

void memory_begins_as_zeros(const Open& open) {
  const auto device = open_or_throw(open);
  const std::vector<std::byte> zeros(4096);
  std::vector<Memory> all = banks_of(*device);
  for (const auto& worker : workers_of(*device)) all.push_back(worker);
  for (const Memory& memory : all) {
    EXPECT_TRUE(read(memory, 0x20000, zeros.size()) == zeros) << memory.name;
    EXPECT_TRUE(read(memory, memory.size - zeros.size(), zeros.size()) == zeros) << memory.name;
  }
}

void banks_and_cores_are_apart(const Open& open) {
  constexpr uint64_t kAddress = 0x21001;
  constexpr size_t kSize = 9001;
  const auto device = open_or_throw(open);
  const std::vector<Memory> all = memories_of(*device);
  for (uint32_t i = 0; i < all.size(); ++i) expect_ok(all[i].write(kAddress, pattern(kSize, i)));
  for (uint32_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(read(all[i], kAddress, kSize) == pattern(kSize, i)) << all[i].name;
}

void no_bytes_can_be_moved_anywhere(const Open& open) {
  const auto device = open_or_throw(open);
  for (const Memory& memory : memories_of(*device)) {
    for (const uint64_t address : {uint64_t{0}, uint64_t{7}, memory.size}) {
      expect_ok(memory.write(address, {}));
      expect_ok(memory.read(address, {}));
    }
  }
}

void expect_refused(const Memory& memory, uint64_t address, size_t size) {
  const std::vector<std::byte> data = pattern(size, 3);
  std::vector<std::byte> target = data;
  const absl::Status written = memory.write(address, data);
  const absl::Status found = memory.read(address, absl::MakeSpan(target));
  for (const absl::Status& status : {written, found}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange)
        << memory.name << ": " << size << " bytes at " << address << ": " << status;
  }
}

void ranges_outside_memory_are_refused(const Open& open) {
  const auto device = open_or_throw(open);
  for (const Memory& memory : memories_of(*device)) {
    expect_refused(memory, memory.size, 1);
    expect_refused(memory, memory.size - 3, 4);
    expect_refused(memory, ~uint64_t{0}, 1);
    expect_refused(memory, ~uint64_t{0} - 3, 8);
    EXPECT_FALSE(memory.write(memory.size + 1, {}).ok()) << memory.name;
  }
}

// A transfer that is refused moves nothing, not even the part that fits.
void refused_transfer_changes_nothing(const Open& open) {
  const auto device = open_or_throw(open);
  for (const Memory& memory : {dram(*device, 0), l1(*device, {0, 0})}) {
    const uint64_t last = memory.size - 8;
    const std::vector<std::byte> before = read(memory, last, 8);
    const std::vector<std::byte> data = pattern(16, 4);
    std::vector<std::byte> target = data;
    EXPECT_FALSE(memory.write(last, data).ok()) << memory.name;
    EXPECT_FALSE(memory.read(last, absl::MakeSpan(target)).ok()) << memory.name;
    EXPECT_TRUE(read(memory, last, 8) == before) << memory.name;
    EXPECT_TRUE(target == data) << memory.name;
  }
}

void banks_and_cores_that_do_not_exist_are_refused(const Open& open) {
  const auto device = open_or_throw(open);
  const DeviceProfile& profile = device->profile();
  for (const uint32_t bank : {profile.dram_banks, ~uint32_t{0}})
    expect_refused(dram(*device, bank), 0, 4);
  for (const Core core : {Core{profile.grid.x, 0}, Core{0, profile.grid.y}, Core{~0u, ~0u}})
    expect_refused(l1(*device, core), 0, 4);
  if (ethernet_cores_of(*device).empty()) return;
  for (const Core core : {Core{1, 0}, Core{0, profile.ethernet_cores}})
    expect_refused(ethernet_l1(*device, core), 0, 4);
}

MemoryPart part_of_bank(uint32_t bank, uint64_t address, uint64_t size) {
  return {.bank = bank, .address = address, .size = size};
}

MemoryPart part_of_core(Core core, uint64_t address, uint64_t size) {
  return {.kind = MemoryPart::Kind::kL1, .core = core, .address = address, .size = size};
}

bool is_within(const MemoryPart& part, const std::vector<MemoryPart>& parts, uint64_t byte) {
  return std::ranges::any_of(parts, [&](const MemoryPart& each) {
    return each.kind == part.kind && each.bank == part.bank && each.core == part.core &&
           each.address <= byte && byte - each.address < each.size;
  });
}

struct Written {
  Memory memory;
  MemoryPart all;
  uint64_t address;
  size_t size;
};

std::vector<Written> written_on(Device& device) {
  constexpr uint64_t kAll = 0x20000;
  std::vector<Written> written = {
      {dram(device, 0), part_of_bank(0, 0x40001, kAll), 0x41003, 70'001},
      {dram(device, 1), part_of_bank(1, 0x40000, kAll), 0x40000 + kAll - 1, 1},
      {l1(device, {0, 0}), part_of_core({0, 0}, 0x30000, kAll), 0x30000, 1},
      {l1(device, {1, 0}), part_of_core({1, 0}, 0x30000, kAll), 0x38001, 9001}};
  if (ethernet_cores_of(device).size() < 2) return written;
  MemoryPart part = part_of_core({0, 1}, 0x10000, kAll);
  part.kind = MemoryPart::Kind::kEthernetL1;
  written.push_back({ethernet_l1(device, {0, 1}), part, 0x18001, 9001});
  return written;
}

// What a backend says that nobody has written holds zeros; one that does not know says so.
void written_parts_hold_all_that_is_not_zero(const Open& open) {
  const auto device = open_or_throw(open);
  if (absl::IsUnimplemented(device->written({}).status())) return;
  const std::vector<Written> written = written_on(*device);
  std::vector<MemoryPart> parts;
  for (const Written& each : written) {
    expect_ok(each.memory.write(each.address, pattern(each.size, 7)));
    parts.push_back(each.all);
  }
  const auto found = device->written(parts);
  ASSERT_TRUE(found.ok()) << found.status();
  for (const Written& each : written) {
    const std::vector<std::byte> now = read(each.memory, each.all.address, each.all.size);
    for (uint64_t i = 0; i < now.size(); ++i) {
      if (now[i] == std::byte{0}) continue;
      ASSERT_TRUE(is_within(each.all, *found, each.all.address + i))
          << each.memory.name << ": byte " << each.all.address + i;
    }
  }
}

// A place, and the memory that it is a place in.
struct Place {
  MemoryAddress address;
  Memory memory;
};

// Copies a piece into known surroundings.
void expect_copies(Device& device, const Place& from, const Place& to, size_t size) {
  const std::vector<std::byte> piece = pattern(size, 5);
  std::vector<std::byte> around = pattern(size + 128, 6);
  expect_ok(from.memory.write(from.address.address, piece));
  expect_ok(to.memory.write(to.address.address - 64, around));
  expect_ok(device.copy(from.address, to.address, size));
  std::ranges::copy(piece, around.begin() + 64);
  EXPECT_TRUE(read(to.memory, to.address.address - 64, around.size()) == around)
      << size << " bytes from " << from.memory.name << " to " << to.memory.name;
  EXPECT_TRUE(read(from.memory, from.address.address, size) == piece) << from.memory.name;
}

// Copies within the device move what they are told to; a device that makes none says so.
void copy_moves_bytes_within_the_device(const Open& open) {
  const auto device = open_or_throw(open);
  const auto in_dram = [&](uint32_t bank, uint64_t address) {
    return Place{{.is_dram = true, .bank = bank, .address = address}, dram(*device, bank)};
  };
  const auto in_l1 = [&](Core core, uint64_t address) {
    return Place{{.is_dram = false, .core = core, .address = address}, l1(*device, core)};
  };
  const uint64_t end = device->profile().dram_bank_size;
  if (absl::IsUnimplemented(device->copy(in_dram(0, 0).address, in_dram(1, 0).address, 4))) return;
  for (const size_t size : {1, 31, 64, 2048, 9001}) {
    expect_copies(*device, in_dram(0, 4099), in_dram(0, 70'003), size);
    expect_copies(*device, in_dram(0, 4099), in_dram(1, 1030), size);
    expect_copies(*device, in_dram(1, 33), in_l1({0, 0}, 0x21001), size);
    expect_copies(*device, in_l1({0, 0}, 0x21001), in_l1({1, 0}, 0x30000), size);
    expect_copies(*device, in_l1({1, 0}, 0x21001), in_dram(2, 77), size);
  }
  for (const auto& [from, to] : {std::pair(in_dram(0, end - 3), in_dram(1, 0)),
                                 std::pair(in_dram(0, 0), in_dram(1, end - 3)),
                                 std::pair(in_l1({~0u, 0}, 0), in_dram(1, 0))}) {
    EXPECT_EQ(device->copy(from.address, to.address, 4).code(), absl::StatusCode::kOutOfRange);
  }
  // Refused as a whole, with the part that fits.
  const Place source = in_dram(0, 0), target = in_dram(1, end - 9'000'000);
  const std::vector<std::byte> before = pattern(9'000'000, 7);
  expect_ok(source.memory.write(0, pattern(9'000'004, 8)));
  expect_ok(target.memory.write(target.address.address, before));
  EXPECT_EQ(device->copy(source.address, target.address, 9'000'004).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(read(target.memory, target.address.address, before.size()) == before);
}

}  // namespace

absl::Span<const Check> memory_checks() {
  static constexpr Check kChecks[] = {
      {"MemoryBeginsAsZeros", memory_begins_as_zeros},
      {"DramKeepsWhatIsWritten", dram_keeps_what_is_written},
      {"L1KeepsWhatIsWritten", l1_keeps_what_is_written},
      {"EthernetL1KeepsWhatIsWritten", ethernet_l1_keeps_what_is_written},
      {"BanksAndCoresAreApart", banks_and_cores_are_apart},
      {"NoBytesCanBeMovedAnywhere", no_bytes_can_be_moved_anywhere},
      {"RangesOutsideMemoryAreRefused", ranges_outside_memory_are_refused},
      {"RefusedTransferChangesNothing", refused_transfer_changes_nothing},
      {"BanksAndCoresThatDoNotExistAreRefused", banks_and_cores_that_do_not_exist_are_refused},
      {"CopyMovesBytesWithinTheDevice", copy_moves_bytes_within_the_device},
      {"WrittenPartsHoldAllThatIsNotZero", written_parts_hold_all_that_is_not_zero},
  };
  return kChecks;
}

}  // namespace lightmetal::device::conformance
