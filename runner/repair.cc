#include "schema/repair.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/verbs.h"
#include "schema/sink.h"

namespace lightmetal::runner {
namespace {

void print(const std::string& path, const schema::RepairReport& report) {
  std::printf("%s: %" PRIu64 " commands and %" PRIu64 " payloads; ", path.c_str(), report.commands,
              report.blobs);
  if (report.reason.empty()) {
    std::puts("the file was whole");
  } else {
    std::printf("%" PRIu64 " bytes dropped: %s\n", report.bytes_dropped, report.reason.c_str());
  }
  if (report.signatures_dropped != 0) {
    std::printf("%s: not signed: the %" PRIu64 " signatures of the old file do not hold for it\n",
                path.c_str(), report.signatures_dropped);
  }
}

}  // namespace

int repair(int argc, const char* const* argv) {
  cxxopts::Options options =
      options_for("repair", "Writes the whole records of a damaged or unfinished file anew.\n");
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("output") == 0) return fail("repair needs -o OUT, the file to write");

  const std::string path = file_of(*arguments);
  const auto output = (*arguments)["output"].as<std::string>();
  const auto file = schema::File::open(path);
  if (!file.ok()) return fail(file.status());
  std::error_code none;
  if (std::filesystem::equivalent(path, output, none)) {
    return fail(absl::StrCat(output, " is the file to be repaired; write to another one"));
  }
  auto sink = schema::FileSink::create(output);
  if (!sink.ok()) return fail(sink.status());
  const auto report = schema::repair(**file, std::move(*sink));
  if (!report.ok()) return fail(report.status());
  print(output, *report);
  return finish_output();
}

}  // namespace lightmetal::runner
