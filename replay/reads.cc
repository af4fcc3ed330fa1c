#include "replay/reads.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "replay/compare.h"

namespace lightmetal::replay {
namespace {

// How many mismatches a result holds, as replay.hpp says; and how many pieces of memory are kept
// for later reads.
constexpr size_t kKeptMismatches = 100;
constexpr size_t kKeptMemories = 4;

absl::Status check_size(const Read& read, uint64_t size) {
  if (read.golden->size() == size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the golden of ", read.source, " has ",
                                                 read.golden->size(), " bytes, and ", size,
                                                 " are read"));
}

}  // namespace

absl::StatusOr<std::span<std::byte>> Reads::start(Read read, uint64_t size) {
  if (read.golden.has_value()) {
    LM_RETURN_IF_ERROR(check_size(read, size));
    LM_ASSIGN_OR_RETURN(chosen,
                        comparing(*options_, {.name = absl::StrCat("the golden of ", read.source),
                                              .type = read.type,
                                              .command = read.command,
                                              .buffer = read.buffer,
                                              .recorded = read.policy,
                                              .of_file = file_policy_}));
    read.type = chosen.type;
    read.policy = chosen.policy;
  }
  std::vector<Started>& of_queue = started_[{read.device, read.cq}];
  Started& started = of_queue.emplace_back(Started{std::move(read), take_memory(size), size});
  return std::span<std::byte>(started.memory.bytes.get(), size);
}

void Reads::forget(uint64_t command) {
  for (auto& [queue, reads] : started_) {
    std::erase_if(reads,
                  [command](const Started& started) { return started.read.command == command; });
  }
}

absl::Status Reads::settle(const tt::tt_metal::IDevice* device, uint8_t cq) {
  const auto found = started_.find({device, cq});
  return found == started_.end() ? absl::OkStatus() : finish_all(found->second);
}

absl::Status Reads::settle(const tt::tt_metal::IDevice* device) {
  return settle(started_.lower_bound({device, 0}), started_.upper_bound({device, UINT8_MAX}));
}

absl::Status Reads::settle_all() { return settle(started_.begin(), started_.end()); }

absl::Status Reads::settle_if(bool blocking, const tt::tt_metal::CommandQueue& queue) {
  if (!blocking) return absl::OkStatus();
  return settle(queue.device(), static_cast<uint8_t>(queue.id()));
}

absl::Status Reads::read_directly(Read read, uint64_t size, ReadInto read_now) {
  LM_ASSIGN_OR_RETURN(memory, start(std::move(read), size));
  read_now(memory);
  return settle(nullptr, 0);
}

absl::Status Reads::read_through(tt::tt_metal::CommandQueue& queue, Read read, uint64_t size,
                                 bool blocking, ReadInto enqueue) {
  read.device = queue.device();
  read.cq = static_cast<uint8_t>(queue.id());
  LM_ASSIGN_OR_RETURN(memory, start(std::move(read), size));
  enqueue(memory);
  return settle_if(blocking, queue);
}

absl::Status Reads::settle(ByQueue::iterator begin, ByQueue::iterator end) {
  std::vector<Started> arrived;
  for (auto queue = begin; queue != end; ++queue) {
    std::move(queue->second.begin(), queue->second.end(), std::back_inserter(arrived));
  }
  // The queues' lists are taken first, so that an error leaves nothing behind that was settled.
  started_.erase(begin, end);
  std::ranges::sort(arrived, {}, [](const Started& started) { return started.read.command; });
  return finish_all(arrived);
}

absl::Status Reads::finish_all(std::vector<Started>& arrived) {
  absl::Status status;
  for (Started& started : arrived) {
    if (status = finish(started); !status.ok()) break;
  }
  arrived.clear();
  return status;
}

absl::Status Reads::finish(Started& started) {
  const Read& read = started.read;
  const Bytes data(started.memory.bytes.get(), started.size);
  if (options_->on_read) {
    options_->on_read({.command = read.command,
                       .call = read.call,
                       .source = read.source,
                       .data = data,
                       .element_type = schema::EnumNameElementType(read.type),
                       .buffer = read.buffer});
  }
  absl::Status status;
  const bool is_checked = options_->check_goldens && read.command >= options_->first_command;
  if (is_checked && read.golden.has_value()) status = check(read, data);
  if (free_.size() < kKeptMemories) free_.push_back(std::move(started.memory));
  return status;
}

absl::Status Reads::check(const Read& read, Bytes data) {
  ++result_.goldens_checked;
  GoldenResult golden = compare(read.type, *read.policy, read.golden->bytes(), data,
                                options_->on_golden ? Errors::kAlways : Errors::kOfFailures);
  // A golden that passes costs no texts where nobody asks for them.
  if (golden.passed && !options_->on_golden) return absl::OkStatus();
  golden.command = read.command;
  golden.call = std::string(read.call);
  golden.source = read.source;
  golden.buffer = read.buffer;
  if (options_->error_histograms)
    golden.error_histogram = error_histogram(read.type, read.golden->bytes(), data);
  if (options_->on_golden) options_->on_golden(golden, data);
  return golden.passed ? absl::OkStatus() : report(std::move(golden));
}

absl::Status Reads::report(GoldenResult mismatch) {
  ++result_.mismatch_count;
  if (options_->on_mismatch) options_->on_mismatch(mismatch);
  absl::Status status;
  if (options_->stop_at_mismatch) status = absl::DataLossError(mismatch.text());
  if (result_.mismatches.size() < kKeptMismatches) {
    result_.mismatches.push_back(std::move(mismatch));
  }
  return status;
}

Reads::Memory Reads::take_memory(uint64_t size) {
  for (Memory& memory : free_) {
    if (memory.capacity < size) continue;
    Memory taken = std::move(memory);
    // The last one takes its place: the order does not matter.
    memory = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  return {std::make_unique_for_overwrite<std::byte[]>(size), size};
}

}  // namespace lightmetal::replay
