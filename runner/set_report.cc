#include "runner/set_report.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "runner/command_line.h"
#include "runner/output_text.h"
#include "schema/file/blob.h"
#include "schema/show/json.h"

namespace lightmetal::runner {
namespace {

using schema::ArgumentChange;
using schema::KernelChange;
using schema::PayloadReplacement;

constexpr size_t kShownChanges = 100;  // of each kind, in the text

// ---- Text ----

std::string line_of(const ArgumentChange& change) {
  const std::string kernel = change.kernel == 0 ? "kernel" : absl::StrCat("kernel ", change.kernel);
  return absl::StrCat(
      "command ", change.command, " ", change.call, ": ", kernel,
      change.name.empty() ? "" : absl::StrCat(" (", change.name, ")"),
      change.cores.empty() ? ", common" : absl::StrCat(", cores ", change.cores, ","), " argument ",
      change.index, " was ",
      change.was_buffer != 0 ? absl::StrCat("the address of buffer ", change.was_buffer)
                             : absl::StrCat(change.was),
      ", is ", change.is);
}

std::string line_of(const PayloadReplacement& change) {
  return absl::StrCat("command ", change.command, " ", change.call, ": ",
                      change.buffer ? absl::StrCat("buffer ", *change.buffer, ", ") : "",
                      change.is_golden ? "the golden, " : "", counted(change.is.size(), "byte"),
                      " of ", change.file);
}

std::string line_of(const KernelChange& change) {
  const std::string target =
      change.was.target == change.is.target ? "" : absl::StrCat(" for ", change.is.target);
  return absl::StrCat("command ", change.command, " ", change.call, ": ",
                      change.kernel == 0 ? "" : absl::StrCat("kernel ", change.kernel, ", "),
                      "the object had ", counted(change.was.blob.size(), "byte"), ", has ",
                      change.is.blob.size(), target);
}

template <class Change>
void print_lines(absl::Span<const Change> changes, uint64_t all) {
  const size_t shown = std::min(changes.size(), kShownChanges);
  for (size_t i = 0; i < shown; ++i) say(absl::StrCat("  ", line_of(changes[i])));
  if (all > shown) say(absl::StrCat("  and ", all - shown, " more"));
}

void print_text(const SetReport& report) {
  std::vector<std::string> parts;
  const auto add = [&](uint64_t count, const char* what) {
    if (count != 0) parts.push_back(counted(count, what));
  };
  add(report.arguments.num_changes(), "argument");
  add(report.payloads.changes().size(), "payload");
  add(report.kernels.changes().size(), "kernel object");
  say(absl::StrCat(report.output, ": ", report.file, " with ", absl::StrJoin(parts, " and "),
                   " changed",
                   report.signatures_dropped == 0 ? "" : "; its signature is gone: sign it anew"));
  print_lines(report.arguments.changes(), report.arguments.num_changes());
  print_lines(report.payloads.changes(), report.payloads.changes().size());
  print_lines(report.kernels.changes(), report.kernels.changes().size());
}

// ---- JSON ----

void append_blob(schema::JsonWriter& json, const char* name, const schema::BlobRef& blob) {
  json.key(name).begin_object();
  json.member("digest", schema::to_digest(blob.digest()).hex()).member("size", blob.size());
  json.end_object();
}

void append(schema::JsonWriter& json, const ArgumentChange& change) {
  json.begin_object().member("command", change.command).member("call", change.call);
  if (change.kernel != 0) json.member("kernel", change.kernel);
  json.member("name", change.name);
  if (!change.cores.empty()) json.member("cores", change.cores);
  json.member("index", change.index);
  if (change.was_buffer != 0) {
    json.member("was_buffer", change.was_buffer);
  } else {
    json.member("was", change.was);
  }
  json.member("is", change.is).end_object();
}

void append(schema::JsonWriter& json, const PayloadReplacement& change) {
  json.begin_object().member("command", change.command).member("call", change.call);
  if (change.buffer) json.member("buffer", *change.buffer);
  json.member("golden", change.is_golden).member("file", change.file);
  append_blob(json, "was", change.was);
  append_blob(json, "is", change.is);
  json.end_object();
}

void append(schema::JsonWriter& json, const KernelChange& change) {
  json.begin_object().member("command", change.command).member("call", change.call);
  if (change.kernel != 0) json.member("kernel", change.kernel);
  json.member("target", change.is.target);
  append_blob(json, "was", change.was.blob);
  append_blob(json, "is", change.is.blob);
  json.end_object();
}

template <class Change>
void append_all(schema::JsonWriter& json, const char* name, absl::Span<const Change> changes) {
  json.key(name).begin_array();
  for (const Change& change : changes) append(json, change);
  json.end_array();
}

void print_json(const SetReport& report) {
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("file", report.file);
  json.member("output", report.output).member("signatures_dropped", report.signatures_dropped);
  json.member("argument_changes", report.arguments.num_changes());
  append_all(json, "arguments", report.arguments.changes());
  append_all(json, "payloads", report.payloads.changes());
  append_all(json, "kernels", report.kernels.changes());
  json.end_object();
  print_as_is(json.take() + "\n");
}

}  // namespace

void print(const SetReport& report, bool is_json) {
  is_json ? print_json(report) : print_text(report);
}

}  // namespace lightmetal::runner
