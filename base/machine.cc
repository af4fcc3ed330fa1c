#include "base/machine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace lightmetal {
namespace {

// AMX and AVX512-BF16 sum products of bfloat16 in an order of their own, so results differ in the
// last bits.
constexpr absl::string_view kFeatures[] = {"amx_bf16", "avx512_bf16"};

// The first processor's block is shorter than this. Reading on would make the system look at every
// other processor, which takes a while where there are hundreds.
constexpr size_t kFirstProcessor = 8192;

std::string beginning_of(const char* path) {
  std::ifstream file(path);
  std::string text(kFirstProcessor, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::vector<std::string> features_in(absl::string_view flags) {
  const std::vector<absl::string_view> words = absl::StrSplit(flags, ' ');
  std::vector<std::string> found;
  for (const absl::string_view feature : kFeatures) {
    if (std::find(words.begin(), words.end(), feature) != words.end()) found.emplace_back(feature);
  }
  return found;
}

Machine ask_system() {
  Machine machine;
  if (utsname system{}; uname(&system) == 0) {
    machine.host = system.nodename;
    machine.operating_system =
        absl::StrCat(system.sysname, " ", system.release, " ", system.machine);
  }
  read_processor(beginning_of("/proc/cpuinfo"), machine);
  return machine;
}

}  // namespace

void read_processor(const std::string& cpuinfo, Machine& machine) {
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    if (line.empty()) return;  // the end of the first processor
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
    const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
    if (name == "model name") machine.processor = std::string(value);
    if (name == "flags") machine.processor_features = features_in(value);
  }
}

const Machine& this_machine() {
  static const Machine* const machine = new Machine(ask_system());  // never destroyed
  return *machine;
}

}  // namespace lightmetal
