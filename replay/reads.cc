#include "replay/reads.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/compare.h"

namespace lightmetal::replay {
namespace {

constexpr size_t kKeptMismatches = 100;
constexpr size_t kKeptMemories = 4;

}  // namespace

absl::StatusOr<std::span<std::byte>> Reads::start(Read read, uint64_t size) {
  if (read.golden.has_value() && read.golden->size() != size) {
    return absl::InvalidArgumentError(absl::StrCat("the golden of ", read.source, " has ",
                                                   read.golden->size(), " bytes, and ", size,
                                                   " are read"));
  }
  Started& started = started_.emplace_back(Started{std::move(read), take_memory(size), size});
  return std::span<std::byte>(started.memory.bytes.get(), size);
}

absl::Status Reads::settle(const tt::tt_metal::IDevice* device, uint8_t cq) {
  return settle_if([&](const Read& read) { return read.device == device && read.cq == cq; });
}

absl::Status Reads::settle(const tt::tt_metal::IDevice* device) {
  return settle_if([&](const Read& read) { return read.device == device; });
}

absl::Status Reads::settle_all() {
  return settle_if([](const Read&) { return true; });
}

template <class Predicate>
absl::Status Reads::settle_if(Predicate predicate) {
  size_t kept = 0;
  absl::Status status;
  for (size_t i = 0; i < started_.size(); ++i) {
    if (status.ok() && predicate(started_[i].read)) {
      status = finish(started_[i]);
    } else {
      if (kept != i) started_[kept] = std::move(started_[i]);
      ++kept;
    }
  }
  started_.resize(kept);
  return status;
}

absl::Status Reads::finish(Started& started) {
  const Read& read = started.read;
  const Bytes data(started.memory.bytes.get(), started.size);
  if (options_.on_read) options_.on_read({read.command, read.call, read.source, data});
  std::optional<Mismatch> mismatch;
  if (options_.check_goldens && read.golden.has_value()) {
    ++result_.goldens_checked;
    mismatch = compare(read.type, read.golden->bytes(), data);
  }
  if (mismatch.has_value()) {
    mismatch->command = read.command;
    mismatch->call = std::string(read.call);
    mismatch->source = read.source;
  }
  if (free_.size() < kKeptMemories) free_.push_back(std::move(started.memory));
  return mismatch.has_value() ? report(*std::move(mismatch)) : absl::OkStatus();
}

absl::Status Reads::report(Mismatch mismatch) {
  ++result_.mismatch_count;
  if (options_.on_mismatch) options_.on_mismatch(mismatch);
  absl::Status status;
  if (options_.stop_at_mismatch) status = absl::DataLossError(mismatch.text());
  if (result_.mismatches.size() < kKeptMismatches) {
    result_.mismatches.push_back(std::move(mismatch));
  }
  return status;
}

Reads::Memory Reads::take_memory(uint64_t size) {
  for (Memory& memory : free_) {
    if (memory.capacity < size) continue;
    Memory taken = std::move(memory);
    memory = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  return {std::make_unique_for_overwrite<std::byte[]>(size), size};
}

}  // namespace lightmetal::replay
