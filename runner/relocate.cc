#include "schema/diff/relocate.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/memory_limit.h"
#include "runner/new_file.h"
#include "runner/output_text.h"
#include "runner/reference_options.h"
#include "runner/verbs.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

absl::StatusOr<uint64_t> write(const schema::File& file, const schema::File& other,
                               const schema::Addresses& addresses, const std::string& output,
                               uint64_t memory_limit) {
  std::vector<std::string> inputs = file.paths();
  for (std::string& path : other.paths()) inputs.push_back(std::move(path));
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, inputs));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(dropped, schema::write_relocated(file, addresses, std::move(sink)));
  LM_RETURN_IF_ERROR(finish_verified(target, output, memory_limit));
  return dropped;
}

int not_written(const std::string& output, const std::string& reason) {
  say(absl::StrCat(output, " is not written: ", reason));
  const int written = finish_output();
  return written == kSuccess ? kDifference : written;
}

int say_ambiguous(const schema::Addresses& addresses, const std::string& output) {
  for (const std::string& difference : addresses.ambiguous) say(absl::StrCat("? ", difference));
  if (addresses.ambiguities > addresses.ambiguous.size()) {
    say(absl::StrCat("  and ", addresses.ambiguities - addresses.ambiguous.size(), " more"));
  }
  return not_written(
      output, absl::StrCat(counted(addresses.ambiguities, "difference"), " between the captures ",
                           addresses.ambiguities == 1 ? "is" : "are", " no address of one buffer"));
}

void say_what_stays(const schema::Addresses& addresses) {
  for (const auto& [buffer, reason] : addresses.staying)
    say(absl::StrCat("buffer ", buffer, " stays where it is: ", reason));
  if (addresses.unmoved == 0) return;
  say(absl::StrCat(counted(addresses.unmoved, "buffer"), addresses.unmoved == 1 ? " lies" : " lie",
                   " in one place in both captures, and ",
                   addresses.unmoved == 1 ? "stays" : "stay", " there"));
}

}  // namespace

int relocate(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "relocate",
      "Finds the addresses in a file, and writes it anew with the buffers instead, so that buffers "
      "may lie\nelsewhere when it is run. B is a capture of the same run whose buffers lie "
      "elsewhere "
      "(LIGHTMETAL_ALLOCATOR_OFFSET).\nIt needs no device. Exit code 1: something differs that is "
      "no "
      "address, and OUT is not written.\n",
      "LIGHTMETAL_CAPTURE=a.lmb ./program\n"
      "LIGHTMETAL_CAPTURE=b.lmb LIGHTMETAL_ALLOCATOR_OFFSET=64M,64K ./program\n"
      "lightmetal_runner relocate --detect a.lmb b.lmb -o movable.lmb");
  options.positional_help("A B");
  options.add_options()("o,output-file", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "detect", "Find addresses by what differs between A and B");
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (!is_set(*arguments, "detect")) return fail("relocate needs --detect and two captures");
  if (arguments->count("output-file") == 0) return fail("relocate needs -o OUT, the file to write");
  const std::vector<std::string> paths = files_of(*arguments);
  if (paths.size() != 2) {
    return fail(absl::StrCat("relocate compares two captures, and ", paths.size(), " are given"));
  }
  const schema::FileOptions how = {.references = reference_options(*arguments)};
  const auto a = schema::File::open(paths[0], how), b = schema::File::open(paths[1], how);
  if (!a.ok()) return fail(a.status());
  if (!b.ok()) return fail(b.status());
  const uint64_t limit = memory_limit(*arguments);
  const auto addresses = schema::find_addresses(**a, **b, limit);
  if (!addresses.ok()) return fail(addresses.status());
  const std::string output = (*arguments)["output-file"].as<std::string>();
  if (addresses->ambiguities > 0) return say_ambiguous(*addresses, output);
  say_what_stays(*addresses);
  if (addresses->movable.empty()) return not_written(output, "no buffer may lie elsewhere");
  const auto dropped = write(**a, **b, *addresses, output, limit);
  if (!dropped.ok()) return fail(dropped.status());
  say(absl::StrCat(output, ": ", (*a)->name(), " with ", counted(addresses->words, "word"),
                   " as addresses of buffers; ", counted(addresses->movable.size(), "buffer"),
                   " may lie elsewhere",
                   *dropped > 0 ? "; its signature is gone: sign it anew" : ""));
  return finish_output();
}

}  // namespace lightmetal::runner
