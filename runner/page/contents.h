#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runner/page/columns.h"
#include "runner/page/dataflow.h"
#include "schema/file/reader.h"

namespace lightmetal::runner::page {

// The most commands that a page lists. Of a longer file, it shows the first ones and says so; what
// it holds of each takes about a hundred bytes of the page.
inline constexpr uint64_t kMostCommands = 500'000;

// What a page says of the commands of a file, in columns: number i of each is of command i. Not
// thread-safe.
class Contents {
 public:
  // Goes through the commands once. The file need not be verified.
  static absl::StatusOr<Contents> of(const schema::File& file);

  // The columns as one JSON object.
  std::string commands_json() const;
  // The buffers and programs, and how data flow between them, as one JSON object.
  std::string objects_json() const { return dataflow_.json(); }
  // The goldens that the file has, as one JSON object.
  std::string goldens_json() const;

 private:
  // What is shown of a command, beside its fields.
  struct Row {
    const char* kind = "other";  // as the page names it
    uint32_t track = 0;          // of the queue, or 0 for what no queue does
    int32_t object = -1;         // the program of a launch or the buffer of a transfer
    uint64_t bytes = 0;          // of a transfer
  };

  // A queue of a device.
  struct Queue {
    uint64_t device = 0;
    uint32_t number = 0;
  };

  struct Golden {
    uint64_t command = 0;
    uint64_t bytes = 0;
    int32_t buffer = -1;
    uint32_t element_type = 0;  // as texts_ numbers it, and so is the policy
    uint32_t policy = 0;
  };

  void take(const schema::CommandView& view);
  template <class Call>
  Row row_of(uint64_t number, const Call& call);
  template <class Call>
  uint32_t track_of(const Call& call);
  uint32_t track_of_queue(uint64_t device, uint32_t number);
  template <class Call>
  void take_golden(uint64_t number, const Call& call, int32_t buffer);

  uint64_t total_ = 0;
  std::string default_policy_ = "exact";
  TextTable calls_, texts_;
  std::vector<uint32_t> call_, text_, track_;
  std::vector<const char*> kind_of_call_;  // by number in calls_
  std::vector<int32_t> object_;
  std::vector<uint64_t> bytes_;
  std::vector<Queue> queues_;  // of track 1 and so on
  absl::flat_hash_map<uint64_t, uint32_t> tracks_;
  std::vector<Golden> goldens_;
  Dataflow dataflow_;
};

}  // namespace lightmetal::runner::page
