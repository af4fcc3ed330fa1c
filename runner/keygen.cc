#include <string>

#include "absl/strings/str_cat.h"
#include "runner/command_line.h"
#include "runner/key_file.h"
#include "runner/verbs.h"

namespace lightmetal::runner {

int keygen(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "keygen", "Makes a key to sign files with: NAME.key, to be kept secret, and NAME.pub.\n",
      "lightmetal_runner keygen -o mine");
  options.positional_help("");
  options.add_options()("o,output", "The files' name without .key and .pub",
                        cxxopts::value<std::string>(), "NAME");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("file") != 0) return fail("keygen takes no FILE, only -o NAME");

  const std::string name =
      output_of(*arguments, "keygen needs -o NAME, to write NAME.key and NAME.pub");
  const auto key = schema::SecretKey::generate();
  if (!key.ok()) return fail(key.status());
  const absl::Status status = write_keys(*key, name);
  if (!status.ok()) return fail(status);
  say(absl::StrCat(name, ".pub: key ", key->public_key().id(), "; ", name,
                   ".key signs for it, keep it secret"));
  return finish_output();
}

}  // namespace lightmetal::runner
