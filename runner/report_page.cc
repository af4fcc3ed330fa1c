// lightmetal_runner report: a file as a page to look at.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/incomplete.h"
#include "runner/page/contents.h"
#include "runner/page/document.h"
#include "runner/page/measured.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "schema/commands/decode.h"
#include "schema/commands/named_field.h"
#include "schema/file/reader.h"
#include "schema/show/info.h"
#include "schema/storage/mapped_file.h"
#include "schema/storage/output_file.h"

namespace lightmetal::runner {
namespace {

// The value of an option that names a file; empty when it is not given.
std::string path_in(const cxxopts::ParseResult& arguments, const std::string& option) {
  return arguments.count(option) == 0 ? "" : arguments[option].as<std::string>();
}

// Reads the file at `path` with `read`, whose errors get the path.
absl::StatusOr<std::string> read_json(const std::string& path,
                                      absl::StatusOr<std::string> (*read)(absl::string_view)) {
  LM_ASSIGN_OR_RETURN(file, schema::MappedFile::open(path));
  const Bytes bytes = file->bytes();
  auto json = read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (json.ok()) return json;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", json.status().message()));
}

// A report of another file would be shown beside commands that it says nothing of.
absl::Status check_goldens(const schema::File& file, const std::string& path) {
  LM_ASSIGN_OR_RETURN(mapped, schema::MappedFile::open(path));
  const Bytes bytes = mapped->bytes();
  const schema::NamedField buffers("buffer");
  const auto check = [&](const page::ReportedGolden& golden) {
    const auto view = file.command(golden.command);
    const bool fits = view.ok() && schema::name_of(*view->command) == golden.call &&
                      buffers.value_in(*view->command) == golden.buffer;
    if (fits) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("it is of another file: command ", golden.command, " of ", file.name(),
                     " is not the ", golden.call, " of which it has a golden"));
  };
  const absl::Status status =
      page::for_each_golden({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, check);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
}

struct Measured {
  std::string timeline, goldens;  // paths; empty: none
};

// Writes one part after the other, so that the memory for one is enough.
absl::Status write_page(const schema::File& file, const Measured& measured, schema::Sink& sink) {
  page::Document document(sink);
  LM_RETURN_IF_ERROR(document.begin());
  LM_ASSIGN_OR_RETURN(info, schema::info_json(file));
  LM_RETURN_IF_ERROR(document.add("info", info));
  LM_ASSIGN_OR_RETURN(contents, page::Contents::of(file));
  LM_RETURN_IF_ERROR(document.add("commands", contents.commands_json()));
  LM_RETURN_IF_ERROR(document.add("objects", contents.objects_json()));
  if (!measured.timeline.empty()) {
    LM_ASSIGN_OR_RETURN(timeline, read_json(measured.timeline, page::timeline_json));
    LM_RETURN_IF_ERROR(document.add("timeline", timeline));
  }
  LM_RETURN_IF_ERROR(document.add("recorded-goldens", contents.goldens_json()));
  if (!measured.goldens.empty()) {
    LM_ASSIGN_OR_RETURN(goldens, read_json(measured.goldens, page::goldens_json));
    LM_RETURN_IF_ERROR(check_goldens(file, measured.goldens));
    LM_RETURN_IF_ERROR(document.add("goldens", goldens));
  }
  return document.end();
}

absl::StatusOr<uint64_t> write_report(const schema::File& file, const Measured& measured,
                                      std::vector<std::string> keys, const std::string& output) {
  std::vector<std::string> inputs = file.paths();
  inputs.insert(inputs.end(), keys.begin(), keys.end());
  for (const std::string& path : {measured.timeline, measured.goldens}) {
    if (!path.empty()) inputs.push_back(path);
  }
  LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(output, inputs));
  LM_ASSIGN_OR_RETURN(sink, target.sink());
  LM_RETURN_IF_ERROR(write_page(file, measured, *sink));
  const uint64_t size = sink->size();
  LM_RETURN_IF_ERROR(sink->close());
  LM_RETURN_IF_ERROR(target.finish());
  return size;
}

}  // namespace

int report(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "report", "Writes a page to look at, for any browser. It needs no device.\n",
      "lightmetal_runner report model.lmb -o model.html\nlightmetal_runner report model.lmb -o "
      "model.html --timeline timeline.json --goldens goldens.json");
  options.add_options()("o,output", "The page to write", cxxopts::value<std::string>(), "OUT")(
      "timeline", "Show when what happened, as LIGHTMETAL_TIMELINE=FILE had a run write it",
      cxxopts::value<std::string>(),
      "FILE")("goldens", "Show what the goldens came to, as `run --report json=FILE` wrote it",
              cxxopts::value<std::string>(), "FILE");
  add_signature_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();

  const std::string output = output_of(*arguments, "report needs -o OUT, the page to write");
  const auto file = schema::File::open(file_of(*arguments));
  if (!file.ok()) return fail(file.status());
  const auto policy = trust_policy(*arguments);
  if (!policy.ok()) return fail(policy.status());
  const absl::Status authentic = check_signature(**file, *policy);
  if (!authentic.ok()) return fail(authentic);
  const auto size =
      write_report(**file, {path_in(*arguments, "timeline"), path_in(*arguments, "goldens")},
                   key_files(*arguments), output);
  if (!size.ok()) return fail(size.status());
  warn_if_incomplete(**file);
  say(absl::StrCat(output, ": ", *size, " bytes, ", (*file)->num_commands(), " commands"));
  return finish_output();
}

}  // namespace lightmetal::runner
