#include "schema/verify.h"

#include <cinttypes>
#include <cstdio>

#include "runner/command_line.h"
#include "runner/verbs.h"

namespace lightmetal::runner {

int verify(int argc, const char* const* argv) {
  cxxopts::Options options = options_for(
      "verify", "Checks every byte of a file and every reference in it. It needs no device.\n");
  options.add_options()("allow-incomplete",
                        "Accept a file whose capture was cut short, up to its last whole record");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  const std::string path = file_of(*arguments);
  const auto file = schema::File::open(path);
  if (!file.ok()) return fail(file.status());
  schema::VerifyReport report;
  const absl::Status status = schema::verify(
      **file, &report, {.allow_incomplete = arguments->count("allow-incomplete") != 0});
  if (!status.ok()) return fail(status);
  std::printf("%s: good: %" PRIu64 " bytes, %" PRIu64 " commands, %" PRIu64 " payloads, %" PRIu64
              " objects\n",
              path.c_str(), report.bytes, report.commands, report.blobs, report.objects_created);
  return finish_output();
}

}  // namespace lightmetal::runner
