#include "runner/reference_options.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lightmetal::runner {
namespace {

std::pair<std::string, std::string> remapping_of(const std::string& text) {
  std::pair<std::string, std::string> ends = absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (!ends.first.empty() && !ends.second.empty()) return ends;
  throw cxxopts::exceptions::parsing(absl::StrCat("--remap is OLD=NEW, not ", text));
}

}  // namespace

void add_reference_options(cxxopts::Options& options) {
  options.add_options()("remap",
                        "Look for the payloads of files below OLD in files below NEW; the first of "
                        "several that fits is used",
                        cxxopts::value<std::vector<std::string>>(), "OLD=NEW")(
      "references",
      "How the files that FILE refers to are checked: by the digest of what is used, or by their "
      "size and time (size-time), which reads nothing",
      cxxopts::value<std::string>()->default_value("digest"),
      "HOW")("allow-references", "Open files where FILE says that they are");
}

ReferenceOptions reference_options(const cxxopts::ParseResult& arguments) {
  ReferenceOptions options;
  options.allow = is_set(arguments, "allow-references");
  if (choice(arguments, "references", "digest", "size-time") == "size-time") {
    options.check = ReferenceOptions::Check::SizeAndTime;
  }
  if (arguments.count("remap") == 0) return options;
  for (const std::string& text : arguments["remap"].as<std::vector<std::string>>()) {
    options.remap.push_back(remapping_of(text));
  }
  return options;
}

bool has_reference_options(const cxxopts::ParseResult& arguments) {
  return arguments.count("remap") + arguments.count("references") != 0 ||
         is_set(arguments, "allow-references");
}

}  // namespace lightmetal::runner
