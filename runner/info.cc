#include "schema/show/info.h"

#include "runner/command_line.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"

namespace lightmetal::runner {

int info(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "info", "Shows what a file holds. It needs no device.\n",
      "lightmetal_runner info model.lmb\nlightmetal_runner info model.lmb --format json");
  options.add_options()("format", "text or json",
                        cxxopts::value<std::string>()->default_value("text"), "FORMAT");
  add_signature_option(options);
  add_reference_options(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  const bool json = choice(*arguments, "format", "text", "json") == "json";
  const auto file =
      schema::File::open(file_of(*arguments), {.references = reference_options(*arguments)});
  if (!file.ok()) return fail(file.status());
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  const absl::Status authentic = check_signature(**file, *policy);
  if (!authentic.ok()) return fail(authentic);
  const auto text = json ? schema::info_json(**file) : schema::info_text(**file);
  if (!text.ok()) return fail(text.status());
  print_as_is(*text);
  if (text->empty() || text->back() != '\n') print_as_is("\n");
  const int written = finish_output();
  // Other files are only opened for those who ask for it.
  if (!has_reference_options(*arguments)) return written;
  const absl::Status found = (*file)->check_external_blobs();
  return found.ok() ? written : fail(found);
}

}  // namespace lightmetal::runner
