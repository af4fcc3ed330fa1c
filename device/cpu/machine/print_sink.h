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

// Where the DPRINT of kernels goes. The environment sets it as in TT-Metalium.
// TT_METAL_DPRINT_CORES chooses the cores whose kernels print: "all", "1,2", "(0,0),(1,2)" or
// "(0,0)-(3,3)"; without it no kernel prints. TT_METAL_DPRINT_FILE names a file for the lines,
// which otherwise go to the standard output; the first device of a process that uses the file
// empties it. Thread-safe.
class PrintSink {
 public:
  // InvalidArgument when TT_METAL_DPRINT_CORES is no list of cores; an error of the system when the
  // file cannot be opened.
  static absl::StatusOr<PrintSink> from_environment(int chip_id);

  PrintSink(PrintSink&&) = default;

  // Whether kernels on this core print. `core` is logical.
  bool prints(Core core) const;

  // Writes one whole line: "0:(x=1,y=2):BR: text" (chip, logical core, processor) and an end of
  // line. Control characters of `text`, which a terminal would obey, are escaped, because the
  // kernel may come from anybody. Errors are ignored. REQUIRES: prints(core).
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
