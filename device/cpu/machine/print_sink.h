#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/core.h"
#include "device/device.h"

namespace lightmetal::device::cpu {

// Where kernels' DPRINT goes. Set by the environment as in TT-Metalium: TT_METAL_DPRINT_CORES
// chooses the cores whose kernels print ("all", "1,2", "(0,0),(1,2)", "(0,0)-(3,3)"; nothing prints
// without it), TT_METAL_DPRINT_FILE takes the lines instead of the standard output; the first
// device of a process to use a file empties it. Thread-safe.
class PrintSink {
 public:
  // InvalidArgument when the environment does not say which cores; an error of the system when the
  // file cannot be opened.
  static absl::StatusOr<PrintSink> from_environment(int chip_id);

  PrintSink(PrintSink&&) = default;

  bool prints(Core core) const;

  // Writes one line at once: "0:(x=1,y=2):BR: text" (chip, logical core, processor) and an end of
  // line. What a terminal would obey is escaped: the kernel may be anybody's.
  void write_line(Core core, Processor processor, absl::string_view text);

 private:
  struct Rectangle {
    Core first;
    Core last;
  };
  class Output;

  PrintSink(int chip_id, bool all, std::vector<Rectangle> cores, std::shared_ptr<Output> output);
  static absl::StatusOr<std::vector<Rectangle>> parse_cores(absl::string_view text);

  int chip_id_ = 0;
  bool all_ = false;
  std::vector<Rectangle> cores_;
  std::shared_ptr<Output> output_;
};

}  // namespace lightmetal::device::cpu
