#include "api/src/memory/buffer_io.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "api/src/objects/host_objects.h"
#include "base/status.h"
#include "device/noc.h"
#include "host/buffer.h"

namespace tt::tt_metal {
namespace {

using lightmetal::Bytes;
using lightmetal::device::core_of_l1_bank;
using lightmetal::device::Device;
using lightmetal::device::MemoryPart;
using lightmetal::host::MemoryPlace;

bool in_l1(const BufferLayoutSnapshot& buffer) {
  return buffer.buffer_type == BufferType::L1 || buffer.buffer_type == BufferType::L1_SMALL;
}

// Bytes that lie together both in the buffer and in a bank: one access of the device.
struct Run {
  uint32_t bank = 0;
  uint64_t address = 0;
  uint64_t offset = 0;  // from the first byte that is copied
  uint64_t size = 0;
};

Run place_of_page(const BufferLayoutSnapshot& buffer, uint64_t page) {
  if (buffer.page_mapping == nullptr) {
    return {static_cast<uint32_t>(page % buffer.num_banks),
            buffer.address + page / buffer.num_banks * buffer.aligned_page_size, 0,
            buffer.page_size};
  }
  const uint32_t dev_page = buffer.page_mapping->host_page_to_dev_page_mapping_[page];
  return {buffer.page_mapping->core_bank_indices_[dev_page / buffer.pages_per_shard],
          buffer.address + dev_page % buffer.pages_per_shard * buffer.aligned_page_size, 0,
          buffer.page_size};
}

// What lies together from this byte of the buffer on, within its page.
Run rest_of_page(const BufferLayoutSnapshot& buffer, uint64_t offset) {
  Run run = place_of_page(buffer, offset / buffer.page_size);
  const uint64_t in_page = offset % buffer.page_size;
  run.address += in_page;
  run.size -= in_page;
  return run;
}

// Calls copy(run) for runs that make up the range, each as long as possible, in the order of the
// buffer. The first error ends it.
template <typename Copy>
absl::Status for_each_run(const BufferLayoutSnapshot& buffer, uint64_t offset, uint64_t size,
                          const Copy& copy) {
  LM_RETURN_IF_ERROR(lightmetal::host::check_region(
      {.id = buffer.id, .size = buffer.size, .page_size = buffer.page_size}, offset, size));
  if (size == 0) return absl::OkStatus();
  const uint64_t first_page = offset / buffer.page_size, num_pages = size / buffer.page_size;
  Run run = place_of_page(buffer, first_page);
  for (uint64_t i = 1; i < num_pages; ++i) {
    Run page = place_of_page(buffer, first_page + i);
    if (page.bank == run.bank && page.address == run.address + run.size) {
      run.size += page.size;
      continue;
    }
    LM_RETURN_IF_ERROR(copy(run));
    page.offset = i * buffer.page_size;
    run = page;
  }
  return copy(run);
}

MemoryPlace place_in(const Device& device, const BufferLayoutSnapshot& buffer, uint32_t bank) {
  if (!in_l1(buffer)) return {.kind = MemoryPlace::Kind::kDram, .x = bank};
  const lightmetal::Core core = core_of_l1_bank(device.profile(), bank);
  return {MemoryPlace::Kind::kL1, core.x, core.y};
}

lightmetal::device::MemoryAddress address_of(const Device& device,
                                             const BufferLayoutSnapshot& buffer, const Run& run) {
  const MemoryPlace place = place_in(device, buffer, run.bank);
  return {.is_dram = place.kind == MemoryPlace::Kind::kDram,
          .bank = run.bank,
          .core = {place.x, place.y},
          .address = run.address};
}

absl::Status write_run(Device& device, const BufferLayoutSnapshot& buffer, const Run& run,
                       Bytes data) {
  return write_memory(device, place_in(device, buffer, run.bank), run.address, data);
}

absl::Status read_run(Device& device, const BufferLayoutSnapshot& buffer, const Run& run,
                      absl::Span<std::byte> data) {
  return read_memory(device, place_in(device, buffer, run.bank), run.address, data);
}

// The part of a bank from the beginning of the buffer on. The padding after the last page may not
// be in the bank.
MemoryPart part_of(const Device& device, const BufferLayoutSnapshot& buffer, uint32_t bank,
                   uint64_t size) {
  const lightmetal::DeviceProfile& profile = device.profile();
  const uint64_t bank_size = in_l1(buffer) ? profile.l1_size : profile.dram_bank_size;
  const MemoryPlace place = place_in(device, buffer, bank);
  return {.kind = in_l1(buffer) ? MemoryPart::Kind::kL1 : MemoryPart::Kind::kDram,
          .bank = bank,
          .core = {place.x, place.y},
          .address = buffer.address,
          .size = std::min(size, bank_size - std::min(bank_size, buffer.address))};
}

absl::Status clear_part(Device& device, const MemoryPart& part) {
  static constexpr std::array<std::byte, 64 * 1024> kZeros = {};
  const MemoryPlace place = place_of(part);
  for (uint64_t done = 0; done < part.size;) {
    const uint64_t size = std::min<uint64_t>(part.size - done, kZeros.size());
    LM_RETURN_IF_ERROR(
        write_memory(device, place, part.address + done, Bytes(kZeros.data(), size)));
    done += size;
  }
  return absl::OkStatus();
}

}  // namespace

MemoryPlace place_of(const MemoryPart& part) {
  switch (part.kind) {
    case MemoryPart::Kind::kDram:
      return {.kind = MemoryPlace::Kind::kDram, .x = part.bank};
    case MemoryPart::Kind::kL1:
      return {MemoryPlace::Kind::kL1, part.core.x, part.core.y};
    case MemoryPart::Kind::kEthernetL1:
      break;
  }
  return {MemoryPlace::Kind::kEthernetL1, part.core.x, part.core.y};
}

BufferLayoutSnapshot snapshot_of(const Buffer& buffer) {
  BufferLayoutSnapshot snapshot;
  snapshot.id = buffer.unique_id();
  snapshot.address = buffer.address();
  snapshot.size = buffer.size();
  snapshot.page_size = buffer.page_size();
  snapshot.aligned_page_size = buffer.aligned_page_size();
  snapshot.num_banks = buffer.num_banks();
  snapshot.buffer_type = buffer.buffer_type();
  if (is_sharded(buffer.buffer_layout()) && buffer.size() != 0) {
    snapshot.page_mapping = buffer.get_buffer_page_mapping();
    snapshot.pages_per_shard = static_cast<uint32_t>(rules_of_buffer(buffer).shards->pages());
  }
  return snapshot;
}

absl::Status write_memory(Device& device, const MemoryPlace& place, uint64_t address, Bytes data) {
  const lightmetal::Core core{place.x, place.y};
  switch (place.kind) {
    case MemoryPlace::Kind::kDram:
      return device.write_dram(place.x, address, data);
    case MemoryPlace::Kind::kL1:
      return device.write_l1(core, address, data);
    case MemoryPlace::Kind::kEthernetL1:
      break;
  }
  return device.write_ethernet_l1(core, address, data);
}

absl::Status read_memory(Device& device, const MemoryPlace& place, uint64_t address,
                         absl::Span<std::byte> data) {
  const lightmetal::Core core{place.x, place.y};
  switch (place.kind) {
    case MemoryPlace::Kind::kDram:
      return device.read_dram(place.x, address, data);
    case MemoryPlace::Kind::kL1:
      return device.read_l1(core, address, data);
    case MemoryPlace::Kind::kEthernetL1:
      break;
  }
  return device.read_ethernet_l1(core, address, data);
}

absl::Status write_buffer(Device& device, const BufferLayoutSnapshot& buffer, uint64_t offset,
                          Bytes data) {
  return for_each_run(buffer, offset, data.size(), [&](const Run& run) {
    return write_run(device, buffer, run, data.subspan(run.offset, run.size));
  });
}

absl::Status read_buffer(Device& device, const BufferLayoutSnapshot& buffer, uint64_t offset,
                         absl::Span<std::byte> data) {
  return for_each_run(buffer, offset, data.size(), [&](const Run& run) {
    return read_run(device, buffer, run, data.subspan(run.offset, run.size));
  });
}

absl::Status copy_buffer(Device& device, const BufferLayoutSnapshot& from,
                         const BufferLayoutSnapshot& to) {
  const uint64_t pages = from.page_size == 0 ? 0 : from.size / from.page_size;
  for (uint64_t page = 0; page < pages; ++page) {
    LM_RETURN_IF_ERROR(device.copy(address_of(device, from, place_of_page(from, page)),
                                   address_of(device, to, place_of_page(to, page)),
                                   from.page_size));
  }
  return absl::OkStatus();
}

absl::Status copy_pieces(Device& device, const BufferLayoutSnapshot& from,
                         const BufferLayoutSnapshot& to, absl::Span<const BufferPiece> pieces) {
  for (const BufferPiece& piece : pieces) {
    for (uint64_t done = 0; done < piece.size;) {
      const Run source = rest_of_page(from, piece.from + done);
      const Run target = rest_of_page(to, piece.to + done);
      const uint64_t size = std::min({source.size, target.size, piece.size - done});
      LM_RETURN_IF_ERROR(
          device.copy(address_of(device, from, source), address_of(device, to, target), size));
      done += size;
    }
  }
  return absl::OkStatus();
}

BytePlace place_of_page(const Device& device, const BufferLayoutSnapshot& buffer, uint64_t page) {
  const Run run = place_of_page(buffer, page);
  return {place_in(device, buffer, run.bank), run.address};
}

std::vector<MemoryPart> memory_of(const Device& device, const BufferLayoutSnapshot& buffer) {
  std::vector<MemoryPart> parts;
  const uint64_t pages = buffer.page_size == 0 ? 0 : buffer.size / buffer.page_size;
  const auto add = [&](uint32_t bank, uint64_t pages_there) {
    if (pages_there != 0)
      parts.push_back(part_of(device, buffer, bank, pages_there * buffer.aligned_page_size));
  };
  if (buffer.page_mapping != nullptr) {
    for (const uint32_t bank : buffer.page_mapping->core_bank_indices_)
      add(bank, buffer.pages_per_shard);
    return parts;
  }
  for (uint32_t bank = 0; bank < buffer.num_banks; ++bank)
    add(bank, (pages + buffer.num_banks - 1 - bank) / buffer.num_banks);
  return parts;
}

absl::Status clear_buffer(Device& device, const BufferLayoutSnapshot& buffer) {
  std::vector<MemoryPart> parts = memory_of(device, buffer);
  absl::StatusOr<std::vector<MemoryPart>> written = device.written(parts);
  // A device that does not know has all of it cleared.
  for (const MemoryPart& part : written.ok() ? *written : parts)
    LM_RETURN_IF_ERROR(clear_part(device, part));
  return absl::OkStatus();
}

uint64_t shard_size(const BufferLayoutSnapshot& buffer) {
  return buffer.page_size * buffer.pages_per_shard;
}

absl::Status read_shard(Device& device, const BufferLayoutSnapshot& buffer, uint32_t shard,
                        absl::Span<std::byte> data) {
  if (buffer.page_mapping == nullptr ||
      shard >= buffer.page_mapping->core_host_page_indices_.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("buffer %d has no shard %d", buffer.id, shard));
  }
  if (data.size() != shard_size(buffer)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("a shard of buffer %d has %d bytes, but %d were asked for", buffer.id,
                        shard_size(buffer), data.size()));
  }
  // Pages that only pad the shard are read from nowhere.
  std::fill(data.begin(), data.end(), std::byte{0});
  for (const uint32_t page : buffer.page_mapping->core_host_page_indices_[shard]) {
    const uint64_t within = buffer.page_mapping->host_page_to_local_shard_page_mapping_[page];
    LM_RETURN_IF_ERROR(read_run(device, buffer, place_of_page(buffer, page),
                                data.subspan(within * buffer.page_size, buffer.page_size)));
  }
  return absl::OkStatus();
}

}  // namespace tt::tt_metal
