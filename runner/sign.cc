#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/key_file.h"
#include "runner/verbs.h"
#include "schema/file/signature.h"
#include "schema/storage/output_file.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

// Writes the signed file. `output` may be the file to be signed; it may not be that of the key.
absl::Status sign_into(const schema::File& file, const schema::SecretKey& key,
                       const std::string& key_path, const std::string& output) {
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, {key_path}, S_IRUSR | S_IWUSR));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_RETURN_IF_ERROR(schema::sign(file, key, *sink));
  LM_RETURN_IF_ERROR(target.take_rights_of(file.name()));
  return target.finish();
}

// The file, verified. Nothing of it is executed, so no limit of memory is asked.
absl::StatusOr<std::shared_ptr<const schema::File>> open_verified(const std::string& path) {
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path));
  LM_RETURN_IF_ERROR(schema::verify(*file, nullptr, {.memory_limit = UINT64_MAX}));
  return file;
}

}  // namespace

int sign(int argc, const char* const* argv) {
  VerbOptions options =
      options_for("sign", "Signs a file, beside the signatures that it has. It needs no device.\n",
                  "lightmetal_runner sign model.lmb --key mine.key\nlightmetal_runner sign "
                  "model.lmb --key mine.key -o signed.lmb");
  options.add_options()("key", "The secret key that keygen wrote", cxxopts::value<std::string>(),
                        "NAME.key")("o,output", "The file to write; default: FILE itself",
                                    cxxopts::value<std::string>(), "OUT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  if (arguments->count("key") == 0) return fail("sign needs --key NAME.key, the key to sign with");

  const std::string path = file_of(*arguments);
  const bool in_place = arguments->count("output") == 0;
  const std::string output = in_place ? path : output_of(*arguments, "");
  const std::string key_path = (*arguments)["key"].as<std::string>();
  const auto key = read_secret_key(key_path);
  if (!key.ok()) return fail(key.status());
  const auto file = open_verified(path);
  if (!file.ok()) return fail(file.status());
  const absl::Status status = sign_into(**file, *key, key_path, output);
  if (!status.ok()) return fail(status);
  say(absl::StrCat(output, ": signed by key ", key->public_key().id()));
  return finish_output();
}

}  // namespace lightmetal::runner
