#pragma once

#include <cstddef>
#include <cstdint>
#include <lightmetal/replay.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tt-metalium/command_queue_interface.hpp>
#include <tt-metalium/device.hpp>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/digest.h"
#include "schema/storage/payload.h"
#include "schema/types_generated.h"

namespace lightmetal::replay {

// A read that was started: what is read, and what it must be.
struct Read {
  uint64_t command = 0;
  std::string_view call;  // lives as long as the program
  std::string source;
  schema::ElementType type = schema::ElementType::Bytes;
  std::optional<schema::Payload> golden;
  std::optional<uint64_t> buffer;  // its id, when a buffer is read
  // How the golden is compared: what the program said at capture; start() puts what is asked for in
  // its place.
  std::optional<ComparePolicy> policy;

  // The queue that the read was given to; null and 0 for a read beside the queues.
  const tt::tt_metal::IDevice* device = nullptr;
  uint8_t cq = 0;
};

// The reads of a run: their memory until the data are there, then their comparison. Memory is used
// again for later reads. `result` outlives it. Not thread-safe.
class Reads {
 public:
  // `policy` is that of the file for all its goldens.
  Reads(const ComparePolicy& policy, ReplayResult& result)
      : file_policy_(policy), result_(result) {}

  // The reads that follow are of a run with these options, which outlive it. REQUIRES: there is no
  // read now.
  void begin_run(const RunOptions& options) { options_ = &options; }

  // Memory for the data of `read`, valid until the read is settled or forgotten. InvalidArgument
  // when the golden has another size, or an element type that a policy for this read is not for.
  absl::StatusOr<std::span<std::byte>> start(Read read, uint64_t size);

  // Called when the caller has waited for the reads of one queue, of one device, or of all, so that
  // their data are there: hands the data out and compares them, in the order of the commands. The
  // error is a mismatch at which the run stops; the reads behind that one are forgotten.
  absl::Status settle(const tt::tt_metal::IDevice* device, uint8_t cq);
  absl::Status settle(const tt::tt_metal::IDevice* device);
  absl::Status settle_all();

  // The same for a call on this queue, if the call has blocked.
  absl::Status settle_if(bool blocking, const tt::tt_metal::CommandQueue& queue);

  // Reads outside the queues, by `read_now`, into memory of `size` bytes, and settles the read.
  using ReadInto = absl::FunctionRef<void(std::span<std::byte>)>;
  absl::Status read_directly(Read read, uint64_t size, ReadInto read_now);
  // Reads through a queue, by `enqueue`; settles the queue's reads if the call blocks.
  absl::Status read_through(tt::tt_metal::CommandQueue& queue, Read read, uint64_t size,
                            bool blocking, ReadInto enqueue);

  // Forgets all reads, after a run that failed, or those of one command that did. REQUIRES: no
  // queue writes to their memory.
  void discard() { started_.clear(); }
  void forget(uint64_t command);

 private:
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    uint64_t capacity = 0;
  };
  struct Started {
    Read read;
    Memory memory;
    uint64_t size = 0;
  };

  // By device and queue, so that a queue that settles does not look at the reads of others.
  using ByQueue = std::map<std::pair<const tt::tt_metal::IDevice*, uint8_t>, std::vector<Started>>;

  absl::Status settle(ByQueue::iterator begin, ByQueue::iterator end);
  absl::Status finish_all(std::vector<Started>& arrived);
  absl::Status finish(Started& started);
  absl::Status check(const Read& read, Bytes data);
  absl::Status report(GoldenResult mismatch);
  Memory take_memory(uint64_t size);

  const RunOptions* options_ = nullptr;
  const ComparePolicy file_policy_;
  ReplayResult& result_;
  ByQueue started_;
  std::vector<Memory> free_;
};

}  // namespace lightmetal::replay
