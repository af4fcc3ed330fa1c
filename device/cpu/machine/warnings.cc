#include "device/cpu/machine/warnings.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"

namespace lightmetal::device::cpu {
namespace {

// Names of kernels, and what kernels say, may come from a captured file of anybody's, so they must
// not control the terminal or end the line.
std::string on_one_line(absl::string_view text) {
  return absl::StrReplaceAll(without_controls(text), {{"\n", "\\n"}});
}

}  // namespace

bool Warnings::is_new(std::string key) {
  MutexLock lock(&mutex_);
  return keys_.insert(std::move(key)).second;
}

void Warnings::show(absl::string_view text, absl::string_view check, absl::string_view place) {
  const std::string line =
      absl::StrCat("warning: ", on_one_line(text),
                   "; hardware lets it pass, and with LIGHTMETAL_CPU_DEVICE_CHECKS=", check,
                   " it is an error", on_one_line(place), "\n");
  std::fputs(line.c_str(), stderr);
}

}  // namespace lightmetal::device::cpu
