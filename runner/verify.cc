#include "schema/verify/verify.h"

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/memory_limit.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"

namespace lightmetal::runner {

int verify(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "verify", "Checks every byte, reference and number of a file. It needs no device.\n",
      "lightmetal_runner verify model.lmb --memory-limit 8G");
  options.add_options()("allow-incomplete",
                        "Accept a file whose capture was cut short, up to its last whole record");
  add_signature_option(options);
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  const std::string path = file_of(*arguments);
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  const auto file = schema::File::open(path, {.references = reference_options(*arguments)});
  if (!file.ok()) return fail(file.status());
  const absl::Status authentic = check_signature(**file, *policy);
  if (!authentic.ok()) return fail(authentic);
  const bool opens_references = has_reference_options(*arguments);
  schema::VerifyReport report;
  const absl::Status status =
      schema::verify(**file, &report,
                     {.allow_incomplete = is_set(*arguments, "allow-incomplete"),
                      .check_references = opens_references,
                      .memory_limit = memory_limit(*arguments)});
  if (!status.ok()) return fail(status);
  say(absl::StrCat(path, ": good: ", report.bytes, " bytes, ", report.commands, " commands, ",
                   report.blobs, " payloads, ", report.objects_created, " objects"));
  if (report.external_blobs != 0) {
    say(absl::StrCat(path, ": ", report.external_blobs, " of the payloads lie in other files, ",
                     opens_references ? "which were checked"
                                      : "NOT CHECKED (--allow-references or --remap checks them)"));
  }
  return finish_output();
}

}  // namespace lightmetal::runner
