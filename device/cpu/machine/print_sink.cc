#include "device/cpu/machine/print_sink.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/mutex.h"
#include "base/output_variable.h"
#include "base/status.h"
#include "base/text.h"
#include "base/write_all.h"
#include "device/cpu/machine/appended_file.h"

namespace lightmetal::device::cpu {
namespace {

const char* upstream_processor_name(Processor processor) {
  switch (processor) {
    case Processor::kRiscv0:
      return "BR";
    case Processor::kRiscv1:
      return "NC";
    case Processor::kCompute:
      return "TR";
    case Processor::kEthernet:
      return "ER";
  }
  return "?";
}

// "(1,2)" or "1,2"
bool parse_core(absl::string_view text, Core* core) {
  if (absl::ConsumePrefix(&text, "(") && !absl::ConsumeSuffix(&text, ")")) return false;
  const std::vector<absl::string_view> numbers = absl::StrSplit(text, ',');
  return numbers.size() == 2 && absl::SimpleAtoi(numbers[0], &core->x) &&
         absl::SimpleAtoi(numbers[1], &core->y);
}

}  // namespace

// Writes each line by one system call, so that the lines of several devices and threads stay whole.
class PrintSink::Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  ~Output() {
    if (descriptor_ != STDOUT_FILENO) close(descriptor_);
  }

  void write(absl::string_view line) {
    MutexLock lock(&mutex_);
    if (descriptor_ == STDOUT_FILENO)
      std::fflush(stdout);  // what the host printed earlier must come earlier
    // An error is ignored, as programs ignore that of printf: a full disk must not fail the kernel.
    (void)write_all(descriptor_, bytes_of(line.data(), line.size()));
  }

  static absl::StatusOr<std::shared_ptr<Output>> open() {
    constexpr auto kFile = lightmetal::Output::kKernelPrints;
    const std::string path = value_of(kFile);
    if (path.empty()) return std::make_shared<Output>(STDOUT_FILENO);
    const int descriptor = open_appended_file(kFile, /*heading=*/"");
    if (descriptor >= 0) return std::make_shared<Output>(descriptor);
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", variable_of(kFile), "=", path));
  }

 private:
  Mutex mutex_;
  const int descriptor_;
};

PrintSink::PrintSink(int chip_id, bool all, std::vector<Rectangle> cores,
                     std::shared_ptr<Output> output)
    : chip_id_(chip_id), all_(all), cores_(std::move(cores)), output_(std::move(output)) {}

absl::StatusOr<PrintSink> PrintSink::from_environment(int chip_id) {
  const char* cores = std::getenv("TT_METAL_DPRINT_CORES");
  if (cores == nullptr || *cores == '\0') return PrintSink(chip_id, false, {}, nullptr);
  LM_ASSIGN_OR_RETURN(output, Output::open());
  if (absl::string_view(cores) == "all" || absl::string_view(cores) == "worker") {
    return PrintSink(chip_id, true, {}, std::move(output));
  }
  LM_ASSIGN_OR_RETURN(rectangles, parse_cores(cores));
  return PrintSink(chip_id, false, std::move(rectangles), std::move(output));
}

// "(0,0),(1,2)-(3,4)" becomes "(0,0)" and "(1,2)-(3,4)".
absl::StatusOr<std::vector<PrintSink::Rectangle>> PrintSink::parse_cores(absl::string_view text) {
  const std::string no_spaces = absl::StrReplaceAll(text, {{" ", ""}});
  const std::string plain = absl::StrReplaceAll(no_spaces, {{"),(", ");("}});
  std::vector<Rectangle> rectangles;
  for (absl::string_view part : absl::StrSplit(plain, ';')) {
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(part, absl::MaxSplits('-', 1));
    Rectangle rectangle;
    const bool single = part.find('-') == absl::string_view::npos;
    if (!parse_core(ends.first, &rectangle.first) ||
        !parse_core(single ? ends.first : ends.second, &rectangle.last)) {
      return absl::InvalidArgumentError(
          absl::StrCat("TT_METAL_DPRINT_CORES=", text,
                       " is neither \"all\" nor \"worker\" nor a list such as (0,0),(1,2)-(3,4)"));
    }
    rectangles.push_back(rectangle);
  }
  return rectangles;
}

bool PrintSink::prints(Core core) const {
  return all_ || std::any_of(cores_.begin(), cores_.end(), [core](const Rectangle& rectangle) {
           return core.x >= rectangle.first.x && core.x <= rectangle.last.x &&
                  core.y >= rectangle.first.y && core.y <= rectangle.last.y;
         });
}

void PrintSink::write_line(Core core, Processor processor, absl::string_view text) {
  output_->write(absl::StrFormat("%d:(x=%d,y=%d):%s: %s\n", chip_id_, core.x, core.y,
                                 upstream_processor_name(processor), without_controls(text)));
}

}  // namespace lightmetal::device::cpu
