#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/disassembly.h"
#include "runner/incomplete.h"
#include "runner/memory_limit.h"
#include "runner/output_text.h"
#include "runner/reference_options.h"
#include "runner/trust.h"
#include "runner/verbs.h"
#include "runtime/npy.h"
#include "schema/command_generated.h"
#include "schema/commands/calls.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/file/blob.h"
#include "schema/show/json.h"
#include "schema/text.h"
#include "schema/verify/verify.h"

namespace lightmetal::runner {
namespace {

using schema::BlobRef;
using schema::BlobReference;
using schema::ElementType;
using schema::PayloadRole;

struct Wanted {
  bool kernels, blobs, goldens;
};

// A text of the file as a part of a file's name: it leads nowhere else, and is short.
std::string name_part(absl::string_view text) {
  constexpr size_t kMost = 64;
  std::string name(text.substr(0, kMost));
  const auto harmless = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !harmless(c); }, '_');
  return name.empty() ? "unknown" : name;
}

// What a command says beside its payload.
struct Facts {
  ElementType type = ElementType::Bytes;
  std::optional<uint64_t> buffer;
};

Facts facts_of(const schema::Command& command) {
  Facts facts;
  schema::visit_call(command, [&](const auto& call) {
    if constexpr (requires { call.element_type(); }) facts.type = call.element_type();
    if constexpr (requires { call.buffer(); }) facts.buffer = call.buffer();
    return 0;
  });
  return facts;
}

// Writes a folder of new files, none of which may be one that is read. Content is written once for
// each kind of part.
class Folder {
 public:
  // All files together have at most `most_bytes`.
  Folder(const schema::File& file, std::string path, uint64_t most_bytes)
      : file_(file), path_(std::move(path)), inputs_(file.paths()), bytes_left_(most_bytes) {}

  const std::string& path() const { return path_; }

  // Makes the folder. FailedPrecondition when there is one with anything in it, or what is there is
  // no folder.
  absl::Status begin() const {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    const bool is_empty = !error && std::filesystem::is_empty(path_, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrCat("cannot make the folder ", path_, ": ", error.message()));
    }
    if (is_empty && std::filesystem::is_directory(path_)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(path_, " is not empty: extract writes into a new folder, or an empty one"));
  }

  // Writes the payload to `name`, with what NumPy wants before it when the type has such a form and
  // the payload whole elements, and returns the name with its extension. Where the folder has the
  // same already, returns the name of that. `name` is ours.
  absl::StatusOr<std::string> add(const BlobRef& blob, const std::string& name, ElementType type,
                                  const char* extension = ".bin") {
    const std::string numpy = numpy_type(schema::EnumNameElementType(type));
    const uint64_t size = numpy.empty() ? 1 : numpy.back() - '0';
    const bool typed = !numpy.empty() && blob.size() % size == 0;
    const std::string kind = absl::StrCat(name.substr(0, name.find('/')), typed ? numpy : "");
    std::string& known = names_[{schema::to_digest(blob.digest()).hex(), kind}];
    if (!known.empty()) return known;
    const std::string with_extension = absl::StrCat(name, typed ? ".npy" : extension);
    LM_RETURN_IF_ERROR(take(blob.size()));
    LM_RETURN_IF_ERROR(
        write_payload(blob, with_extension, typed ? npy_head(numpy, blob.size() / size) : ""));
    known = with_extension;
    return with_extension;
  }

  absl::Status add_text(const std::string& name, const std::string& text) const {
    LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(path_of(name), inputs_));
    LM_RETURN_IF_ERROR(write(target, {bytes_of(text.data(), text.size())}));
    return target.finish();
  }

  std::string path_of(const std::string& name) const { return absl::StrCat(path_, "/", name); }

  // What the files may still take.
  uint64_t bytes_left() const { return bytes_left_; }

  // Counts a file that was, or is about to be, written.
  absl::Status take(uint64_t bytes) {
    if (bytes > bytes_left_) {
      return absl::ResourceExhaustedError(
          absl::StrCat(file_.name(), " has more to write into ", path_, " than --memory-limit"));
    }
    bytes_left_ -= bytes;
    return absl::OkStatus();
  }

 private:
  // In pieces, so that a compressed payload is never whole in memory.
  absl::Status write_payload(const BlobRef& blob, const std::string& name,
                             const std::string& head) const {
    constexpr uint64_t kPiece = uint64_t{16} << 20;
    std::error_code ignored;  // the file cannot be made then
    std::filesystem::create_directories(std::filesystem::path(path_of(name)).parent_path(),
                                        ignored);
    LM_ASSIGN_OR_RETURN(target, schema::OutputFile::create(path_of(name), inputs_));
    LM_ASSIGN_OR_RETURN(sink, target.sink());
    LM_RETURN_IF_ERROR(sink->append({bytes_of(head.data(), head.size())}));
    std::vector<std::byte> piece(std::min(kPiece, blob.size()));
    for (uint64_t done = 0; done < blob.size(); done += piece.size()) {
      piece.resize(std::min(kPiece, blob.size() - done));
      LM_RETURN_IF_ERROR(file_.read_blob(blob, done, absl::MakeSpan(piece)));
      LM_RETURN_IF_ERROR(sink->append({Bytes(piece)}));
    }
    LM_RETURN_IF_ERROR(sink->close());
    return target.finish();
  }

  const schema::File& file_;
  const std::string path_;
  const std::vector<std::string> inputs_;
  uint64_t bytes_left_;
  std::map<std::pair<std::string, std::string>, std::string> names_;  // by digest, folder and form
};

// Goes through the commands, writes what they name, and the index of it.
class Extractor {
 public:
  // With `disassembles`, objdump reads the kernel objects.
  Extractor(const schema::File& file, std::string folder, const Wanted& wanted, bool disassembles,
            uint64_t most_bytes)
      : file_(file),
        folder_(file, std::move(folder), most_bytes),
        wanted_(wanted),
        disassembles_(disassembles) {}

  absl::Status run() {
    LM_RETURN_IF_ERROR(folder_.begin());
    LM_RETURN_IF_ERROR(file_.for_each_command([this](const schema::CommandView& view) {
      note_kernel(*view.command);
      return take_payloads(view);
    }));
    if (wanted_.blobs) LM_RETURN_IF_ERROR(take_unused());
    return folder_.add_text("index.json", index());
  }

  std::string summary() const {
    std::vector<std::string> parts;
    if (wanted_.kernels) {
      parts.push_back(absl::StrCat(counted(files_of(kernels_), "kernel object"), " of ",
                                   counted(kernels_.size(), "kernel")));
    }
    if (wanted_.blobs) parts.push_back(counted(files_of(blobs_), "payload"));
    if (wanted_.goldens) parts.push_back(counted(goldens_.size(), "golden"));
    return absl::StrCat(folder_.path(), ": ", absl::StrJoin(parts, ", "));
  }

  const std::vector<std::string>& missing() const { return missing_; }
  // True if there are kernel objects that objdump was not to read.
  bool left_objects() const { return !disassembles_ && files_of(kernels_) != 0; }

 private:
  struct Item {
    std::string digest = {};
    uint64_t size = 0;
    std::string file = {};  //  empty when it could not be read
    uint64_t command = 0;   // the first that names it
    std::string call = {};
    Facts facts = {};
    uint64_t kernel = 0;      // Kernel: 0 for one of a trace
    std::string target = {};  // Kernel
    std::string name = {};    // Kernel of a trace
    bool disassembled = false;
  };

  // How many files were written: equal parts share one.
  static uint64_t files_of(const std::vector<Item>& items) {
    std::set<std::string> files;
    for (const Item& item : items) files.insert(item.file);
    files.erase("");
    return files.size();
  }

  struct Kernel {
    uint64_t program;
    std::string source_kind, source_name, source_digest;
  };

  void note_kernel(const schema::Command& command) {
    const schema::KernelCreate* kernel = command.call_as_KernelCreate();
    if (kernel == nullptr) return;
    const char* kind = schema::EnumNameKernelSourceKind(kernel->source_kind());
    const std::string digest = kernel->source_digest() == nullptr
                                   ? std::string()
                                   : schema::to_digest(*kernel->source_digest()).hex();
    sources_[kernel->id()] = {kernel->program(), kind, schema::text_of(kernel->source_name()),
                              digest};
  }

  absl::Status take_payloads(const schema::CommandView& view) {
    if (const schema::LoadTrace* trace = view.command->call_as_LoadTrace())
      return take_trace(view, *trace);
    absl::Status status;
    schema::visit_blobs(*view.command, [&](const BlobReference& blob) {
      if (status.ok()) status = take(view, blob);
    });
    return status;
  }

  absl::Status take(const schema::CommandView& view, const BlobReference& blob) {
    used_.insert(schema::to_digest(blob.name.digest()).hex());
    Item item = item_of(view, blob.name);
    switch (blob.role) {
      case PayloadRole::Kernel: {
        const schema::KernelBinary& binary = *view.command->call_as_KernelBinary();
        item.kernel = binary.kernel();
        item.target = schema::text_of(binary.target());
        const std::string name = absl::StrCat("kernel-", item.kernel, ".", name_part(item.target));
        return take_object(std::move(item), blob.name, name);
      }
      case PayloadRole::Upload:
        if (!wanted_.blobs || !is_new_blob(item)) return absl::OkStatus();
        return take_blob(std::move(item), blob.name);
      case PayloadRole::Golden:
        if (!wanted_.goldens) return absl::OkStatus();
        return take(std::move(item), blob.name, absl::StrCat("goldens/command-", view.number),
                    goldens_);
    }
    return absl::OkStatus();
  }

  absl::Status take_trace(const schema::CommandView& view, const schema::LoadTrace& trace) {
    if (trace.content()->launches() == nullptr) return absl::OkStatus();
    for (const schema::TraceLaunch* launch : *trace.content()->launches()) {
      if (launch->kernels() == nullptr) continue;
      for (const schema::TraceKernel* kernel : *launch->kernels()) {
        Item item = item_of(view, *kernel->object());
        item.target = schema::text_of(kernel->target());
        item.name = schema::text_of(kernel->name());
        used_.insert(item.digest);
        // A trace launches one kernel often; the index has it once.
        if (!traced_.insert({trace.id(), item.digest}).second) continue;
        const std::string name = absl::StrCat("trace-", trace.id(), "-", item.digest.substr(0, 12),
                                              ".", name_part(item.target));
        LM_RETURN_IF_ERROR(take_object(std::move(item), *kernel->object(), name));
      }
    }
    return absl::OkStatus();
  }

  static Item item_of(const schema::CommandView& view, const BlobRef& blob) {
    return {.digest = schema::to_digest(blob.digest()).hex(),
            .size = blob.size(),
            .command = view.number,
            .call = std::string(schema::name_of(*view.command)),
            .facts = facts_of(*view.command)};
  }

  absl::Status take_object(Item item, const BlobRef& blob, const std::string& name) {
    if (!wanted_.kernels) return absl::OkStatus();
    // One kernel may have several objects of a target.
    std::string path = absl::StrCat("kernels/", name);
    for (int alike = 2; !names_.insert(path).second; ++alike)
      path = absl::StrCat("kernels/", name, "-", alike);
    LM_RETURN_IF_ERROR(take(std::move(item), blob, path, kernels_, ".o"));
    return disassembles_ ? disassemble(kernels_.back()) : absl::OkStatus();
  }

  absl::Status disassemble(Item& item) {
    if (item.file.empty()) return absl::OkStatus();
    item.disassembled = disassembled_.contains(item.file);
    if (item.disassembled) return absl::OkStatus();
    const std::string object = folder_.path_of(item.file);
    const uint64_t size = disassembler_.disassemble(object, object + ".s", folder_.bytes_left());
    item.disassembled = size != 0;
    if (item.disassembled) disassembled_.insert(item.file);
    return folder_.take(size);
  }

  absl::Status take_blob(Item item, const BlobRef& blob) {
    const std::string name = absl::StrCat("blobs/", item.digest);
    return take(std::move(item), blob, name, blobs_);
  }

  // A payload that lies in another file, which may not be opened or is not what it was, is left
  // out.
  absl::Status take(Item item, const BlobRef& blob, const std::string& name,
                    std::vector<Item>& items, const char* extension = ".bin") {
    const bool is_external = file_.form_of(blob) == schema::FrameType::ExternalBlob;
    const absl::Status readable = is_external ? file_.blob(blob).status() : absl::OkStatus();
    if (readable.ok()) {
      LM_ASSIGN_OR_RETURN(file, folder_.add(blob, name, item.facts.type, extension));
      item.file = file;
    } else {
      missing_.emplace_back(readable.message());
    }
    items.push_back(std::move(item));
    return absl::OkStatus();
  }

  bool is_new_blob(const Item& item) { return known_blobs_.insert(item.digest).second; }

  absl::Status take_unused() {
    for (const schema::BlobEntry& entry : file_.blobs()) {
      const std::string digest = entry.digest.hex();
      if (used_.contains(digest)) continue;
      const BlobRef blob(schema::from_digest(entry.digest), entry.size);
      LM_RETURN_IF_ERROR(take({.digest = digest, .size = entry.size}, blob,
                              absl::StrCat("blobs/", digest), blobs_));
    }
    return absl::OkStatus();
  }

  // ---- The index ----

  static void append(schema::JsonWriter& json, const Item& item) {
    json.member("digest", item.digest).member("size", item.size);
    if (!item.call.empty()) json.member("command", item.command).member("call", item.call);
    if (!item.file.empty()) json.member("file", item.file);
  }

  void append_kernels(schema::JsonWriter& json) const {
    for (const Item& item : kernels_) {
      json.begin_object();
      append(json, item);
      json.member("target", item.target);
      if (item.disassembled) json.member("disassembly", item.file + ".s");
      const auto source = sources_.find(item.kernel);
      if (source != sources_.end()) {
        json.member("kernel", item.kernel).member("program", source->second.program);
        json.member("source_kind", source->second.source_kind);
        json.member("source_name", source->second.source_name);
        json.member("source_digest", source->second.source_digest);
      } else {
        json.member("source_name", item.name);
      }
      json.end_object();
    }
  }

  static void append_payloads(schema::JsonWriter& json, const std::vector<Item>& items) {
    for (const Item& item : items) {
      json.begin_object();
      append(json, item);
      if (item.facts.buffer.has_value()) json.member("buffer", *item.facts.buffer);
      json.member("element_type", schema::EnumNameElementType(item.facts.type));
      json.end_object();
    }
  }

  std::string index() const {
    schema::JsonWriter json;
    json.begin_object().member("version", 1).member("file", file_.name());
    json.key("kernels").begin_array();
    append_kernels(json);
    json.end_array().key("blobs").begin_array();
    append_payloads(json, blobs_);
    json.end_array().key("goldens").begin_array();
    append_payloads(json, goldens_);
    json.end_array().end_object();
    return json.take() + "\n";
  }

  const schema::File& file_;
  Folder folder_;
  const Wanted wanted_;
  const bool disassembles_;
  Disassembler disassembler_;
  std::vector<Item> kernels_, blobs_, goldens_;
  std::vector<std::string> missing_;
  std::map<uint64_t, Kernel> sources_;  // by the kernel's id
  std::set<std::string> names_;         // of objects, those given out
  std::set<std::string> used_, known_blobs_, disassembled_;
  std::set<std::pair<uint64_t, std::string>> traced_;
};

Wanted wanted_of(const cxxopts::ParseResult& arguments) {
  const Wanted given{is_set(arguments, "kernels"), is_set(arguments, "blobs"),
                     is_set(arguments, "goldens")};
  return given.kernels || given.blobs || given.goldens ? given : Wanted{true, true, true};
}

}  // namespace

int extract(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "extract",
      "Writes the kernels, payloads and goldens of a file as files. It needs no device.\n",
      "lightmetal_runner extract model.lmb -o parts\nlightmetal_runner extract model.lmb -o parts "
      "--goldens");
  options.add_options()("o,output", "The folder to write, which is new or empty",
                        cxxopts::value<std::string>(), "DIR")(
      "kernels", "Only kernel objects, and any other kind that is asked for")(
      "blobs", "Only payloads that are written to devices, and any other kind that is asked for")(
      "goldens", "Only goldens, and any other kind that is asked for");
  add_reference_options(options);
  add_memory_limit_option(options);
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const std::string output = output_of(*arguments, "extract needs -o DIR, the folder to write");
  const auto opened = open_to_read(file_of(*arguments), reference_options(*arguments));
  if (!opened.ok()) return fail(opened.status());
  const schema::File& file = *opened->file;
  const uint64_t limit = memory_limit(*arguments);
  const absl::Status sound = schema::verify(
      file, nullptr, {.allow_incomplete = true, .check_meaning = false, .memory_limit = limit});
  if (!sound.ok()) return fail(sound);
  Extractor extractor(file, output, wanted_of(*arguments), opened->foreign_because.empty(), limit);
  const absl::Status status = extractor.run();
  if (!status.ok()) return fail(status);
  say(extractor.summary());
  for (const std::string& missing : extractor.missing())
    warn(absl::StrCat("warning: left out: ", missing));
  if (extractor.left_objects()) {
    warn(absl::StrCat("warning: not disassembled: objdump reads files of your own alone, and ",
                      opened->foreign_because));
  }
  warn_if_incomplete(file);
  return finish_output();
}

}  // namespace lightmetal::runner
