#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/incomplete.h"
#include "runner/verbs.h"
#include "schema/file/signature.h"
#include "schema/lines/read_lines.h"
#include "schema/lines/write_lines.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

absl::StatusOr<uint64_t> write_lines_into(const schema::File& file, const std::string& output) {
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, file.paths()));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(lines, schema::write_lines(file, *sink));
  LM_RETURN_IF_ERROR(target.finish());
  return lines;
}

int to_lines(const std::string& path, const std::string& output) {
  const auto file = schema::File::open(path);
  if (!file.ok()) return fail(file.status());
  const auto lines = write_lines_into(**file, output);
  if (!lines.ok()) return fail(lines.status());
  say(absl::StrCat(output, ": ", *lines, " lines"));
  warn_if_incomplete(**file);
  return finish_output();
}

// The numbers of those signatures that do not fit the file, which holds them at these offsets.
absl::StatusOr<std::set<uint64_t>> wrong_signatures(const std::string& path,
                                                    const std::vector<uint64_t>& offsets) {
  std::set<uint64_t> wrong;
  LM_ASSIGN_OR_RETURN(file, schema::File::open(path));
  if (!file->closed()) return wrong;  // No signature of such a file counts.
  LM_ASSIGN_OR_RETURN(signatures, schema::signatures_of(*file));
  for (uint64_t number = 0; number < offsets.size(); ++number) {
    const auto at = [&](const schema::Signature& each) { return each.offset == offsets[number]; };
    const auto found = std::find_if(signatures.begin(), signatures.end(), at);
    const bool fits =
        found != signatures.end() && schema::verify_signature(*file, {found->key}).ok();
    if (!fits) wrong.insert(number);
  }
  return wrong;
}

// What lines cannot be made of is not made of lines either.
absl::Status check_written(const schema::OutputFile& target, const std::string& lines,
                           const std::string& output) {
  LM_ASSIGN_OR_RETURN(mapping, schema::MappedFile::open(target.unfinished()));
  LM_ASSIGN_OR_RETURN(written, schema::File::from_mapping(std::move(mapping), output));
  const absl::Status sound = schema::check_well_formed(*written);
  if (sound.ok()) return sound;
  return {sound.code(), absl::StrCat(lines, " makes no sound file: ", sound.message())};
}

struct Made {
  schema::ReadLinesReport report;
  std::set<uint64_t> dropped;  // signatures, by their numbers
};

// Whether signatures fit is known when the file is there. So it is written, and where one does not
// fit, written once more without it.
absl::StatusOr<Made> make_file(const std::string& path, const std::string& output,
                               std::set<uint64_t> dropped = {}) {
  LM_ASSIGN_OR_RETURN(lines, schema::MappedFile::open(path));
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, {path}));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_ASSIGN_OR_RETURN(report, schema::read_lines(lines->bytes(), path, *sink, dropped));
  LM_RETURN_IF_ERROR(check_written(target, path, output));
  LM_ASSIGN_OR_RETURN(wrong, wrong_signatures(target.unfinished(), report.signatures));
  if (!wrong.empty()) return make_file(path, output, std::move(wrong));
  LM_RETURN_IF_ERROR(target.finish());
  return Made{report, std::move(dropped)};
}

int from_lines(const std::string& path, const std::string& output) {
  const auto made = make_file(path, output);
  if (!made.ok()) return fail(made.status());
  say(absl::StrCat(output, ": ", made->report.commands, " commands, ", made->report.payloads,
                   " payloads"));
  if (!made->dropped.empty()) {
    say(absl::StrCat(output, ": ", made->dropped.size(),
                     " of its signatures dropped: the file is not what was signed"));
  }
  if (!made->report.closed) {
    warn(absl::StrCat(output, ": warning: it is incomplete, as its lines have no footer"));
  }
  return finish_output();
}

}  // namespace

int convert(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "convert",
      "Writes a file as lines of JSON, or makes a file of such lines, which may have been edited. "
      "It needs no device.\n",
      "lightmetal_runner convert model.lmb --to jsonl -o model.jsonl\nlightmetal_runner convert "
      "model.jsonl --from jsonl -o again.lmb");
  options.add_options()("to", "Write FILE in this form: jsonl", cxxopts::value<std::string>(),
                        "FORM")("from", "Make a file of FILE, which has this form: jsonl",
                                cxxopts::value<std::string>(), "FORM")(
      "o,output", "The file to write", cxxopts::value<std::string>(), "OUT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const bool to = arguments->count("to") != 0;
  if (to == (arguments->count("from") != 0)) {
    return fail("convert needs one of --to jsonl and --from jsonl");
  }
  const std::string form = (*arguments)[to ? "to" : "from"].as<std::string>();
  if (form != "jsonl") return fail(absl::StrCat("convert knows the form jsonl, not ", form));
  const std::string output = output_of(*arguments, "convert needs -o OUT, the file to write");
  const std::string path = file_of(*arguments);
  return to ? to_lines(path, output) : from_lines(path, output);
}

}  // namespace lightmetal::runner
