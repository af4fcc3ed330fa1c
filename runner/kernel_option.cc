#include "runner/kernel_option.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lightmetal::runner {

void add_kernel_option(cxxopts::Options& options) {
  options.add_options()(
      "replace-kernel",
      "Run this source, or kernel object, in place of the kernels of that name or id",
      cxxopts::value<std::vector<std::string>>(), "KERNEL=FILE");
}

std::vector<KernelReplacement> kernel_replacements(const cxxopts::ParseResult& arguments) {
  std::vector<KernelReplacement> replacements;
  if (arguments.count("replace-kernel") == 0) return replacements;
  for (const std::string& text : arguments["replace-kernel"].as<std::vector<std::string>>()) {
    std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.second.empty()) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat("--replace-kernel is NAME=FILE or ID=FILE, not ", text));
    }
    replacements.push_back({std::move(parts.first), std::move(parts.second)});
  }
  return replacements;
}

}  // namespace lightmetal::runner
