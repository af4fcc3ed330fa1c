#include "schema/redact.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/reference_options.h"
#include "runner/verbs.h"
#include "schema/sink.h"

namespace lightmetal::runner {
namespace {

void print_count(const char* what, uint64_t count) {
  if (count != 0) std::printf("  %" PRIu64 " %s\n", count, what);
}

void print(const std::string& output, const schema::RedactReport& report) {
  std::printf("%s: %" PRIu64 " commands; taken out:\n", output.c_str(), report.commands);
  if (report.origin_dropped) std::puts("  where, when and by what it was made");
  if (report.signature_dropped) std::puts("  its signature: sign it anew");
  print_count("names and defines of kernels", report.texts);
  print_count("kernels' debug information", report.kernels_stripped);
  print_count("kernels of an unknown form, LEFT as they are", report.kernels_as_they_are);
  print_count("payloads, zeros in their place", report.payloads_zeroed);
  print_count("goldens", report.goldens_dropped);
  print_count("comparisons with a golden", report.commands_dropped);
  print_count("optional records", report.records_dropped);
}

schema::RedactOptions options_of(const cxxopts::ParseResult& arguments) {
  return {.payloads = arguments.count("payloads") != 0,
          .keep_origin = arguments.count("keep-origin") != 0,
          .keep_names = arguments.count("keep-names") != 0,
          .keep_debug_information = arguments.count("keep-debug-information") != 0};
}

}  // namespace

int redact(int argc, const char* const* argv) {
  cxxopts::Options options = options_for(
      "redact", "Writes a file anew without what it says of people, machines and paths.\n");
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "payloads", "Also zeros in place of what is uploaded, and no goldens")(
      "keep-origin", "Keep where, when and by what it was made")(
      "keep-names", "Keep names and defines of kernels")("keep-debug-information",
                                                         "Keep the debug information of kernels");
  add_reference_options(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("output") == 0) return fail("redact needs -o OUT, the file to write");

  const std::string path = file_of(*arguments);
  const auto output = (*arguments)["output"].as<std::string>();
  const auto file = schema::File::open(path, {.references = reference_options(*arguments)});
  if (!file.ok()) return fail(file.status());
  std::error_code none;
  if (std::filesystem::equivalent(path, output, none)) {
    return fail(absl::StrCat(output, " is the file itself; redact leaves it as it is"));
  }
  auto sink = schema::FileSink::create(output);
  if (!sink.ok()) return fail(sink.status());
  const auto report = schema::redact(**file, *std::move(sink), options_of(*arguments));
  if (!report.ok()) {
    std::filesystem::remove(output, none);  // half a file helps nobody
    return fail(report.status());
  }
  print(output, *report);
  return finish_output();
}

}  // namespace lightmetal::runner
