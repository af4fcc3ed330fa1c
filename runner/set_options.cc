#include "runner/set_options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "runtime/npy.h"

namespace lightmetal::runner {
namespace {

using schema::ArgumentEdit;
using schema::ElementType;

std::vector<std::string> values_of(const cxxopts::ParseResult& arguments,
                                   const std::string& option) {
  if (arguments.count(option) == 0) return {};
  return arguments[option].as<std::vector<std::string>>();
}

// 50, or 0x32.
std::optional<uint32_t> word_of(absl::string_view text) {
  uint32_t word = 0;
  if (absl::ConsumePrefix(&text, "0x"))
    return absl::SimpleHexAtoi(text, &word) ? std::optional(word) : std::nullopt;
  const std::optional<uint64_t> number = digits_of(text);
  if (text.empty() || !number.has_value() || *number > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

// "0,1", or "(0,1)" as dump shows it.
std::optional<schema::CoreName> core_of(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "(") && !absl::ConsumeSuffix(&text, ")")) return std::nullopt;
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(',', 1));
  const auto x = word_of(parts.first), y = word_of(parts.second);
  return x && y ? std::optional(schema::CoreName(*x, *y)) : std::nullopt;
}

// The text behind the last `mark`, which is cut off; empty when there is none.
absl::string_view cut_last(absl::string_view& text, char mark) {
  const size_t at = text.rfind(mark);
  if (at == text.npos) return {};
  const absl::string_view last = text.substr(at + 1);
  text = text.substr(0, at);
  return last;
}

// From the back: the name of a kernel may have any characters.
std::optional<ArgumentEdit> edit_of(absl::string_view text) {
  const auto value = word_of(cut_last(text, '='));
  const auto index = word_of(cut_last(text, ':'));
  ArgumentEdit edit;
  absl::string_view kernel = text;
  const absl::string_view place = cut_last(kernel, ':');
  edit.core = core_of(place);
  edit.is_common = place == "common";
  edit.kernel = std::string(edit.core || edit.is_common ? kernel : text);
  if (!value || !index || edit.kernel.empty()) return std::nullopt;
  edit.value = *value;
  edit.index = *index;
  return edit;
}

std::optional<uint64_t> command_option(const cxxopts::ParseResult& arguments) {
  if (arguments.count("command") == 0) return std::nullopt;
  if (arguments.count("arg") == 0)
    throw cxxopts::exceptions::parsing("--command is for --arg, which there is none of");
  return count_option(arguments, "command", 0);
}

void add_payload_options(const cxxopts::ParseResult& arguments, const std::string& option,
                         std::vector<PayloadOption>& options) {
  for (const std::string& text : values_of(arguments, option)) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
    const std::optional<uint64_t> number = digits_of(parts.first);
    if (parts.first.empty() || !number.has_value() || parts.second.empty()) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat("--", option, " is ", option == "buffer" ? "ID" : "COMMAND",
                       "=FILE, with a number as dump shows it, not ", text));
    }
    PayloadOption& added = options.emplace_back();
    if (option == "buffer") {
      added.buffer = *number;
    } else {
      added.command = *number;
    }
    added.path = parts.second;
  }
}

// What elements that NumPy calls so may be to a file, which has no types for all: BFloat16 is its
// bits, and what the program has said nothing of is bytes.
std::vector<ElementType> types_of(absl::string_view numpy) {
  std::vector<ElementType> types = {ElementType::Bytes};
  for (const ElementType type : schema::EnumValuesElementType()) {
    if (numpy_type(schema::EnumNameElementType(type)) == numpy) types.push_back(type);
  }
  if (numpy == "<u2") types.push_back(ElementType::BFloat16);
  return types;
}

}  // namespace

void add_set_options(cxxopts::Options& options) {
  options.add_options()("o,output", "The file to write", cxxopts::value<std::string>(), "OUT")(
      "arg",
      "Another value for a runtime argument: of the kernel of that name or id, on one core (x,y) "
      "or on all; with common in place of the core, for a common argument; may be repeated",
      cxxopts::value<std::vector<std::string>>(),
      "KERNEL[:CORE]:INDEX=VALUE")("command", "Change arguments only where this command sets them",
                                   cxxopts::value<std::string>(), "N")(
      "payload",
      "Other data for what this command writes, or for its golden: the bytes of FILE, or the "
      "elements of a .npy file; may be repeated",
      cxxopts::value<std::vector<std::string>>(), "COMMAND=FILE")(
      "buffer", "Other data for all that is written to this buffer; may be repeated",
      cxxopts::value<std::vector<std::string>>(), "ID=FILE")(
      "format", "text or json", cxxopts::value<std::string>()->default_value("text"), "FORMAT");
}

std::vector<ArgumentEdit> argument_edits(const cxxopts::ParseResult& arguments) {
  const std::optional<uint64_t> command = command_option(arguments);
  std::vector<ArgumentEdit> edits;
  for (const std::string& text : values_of(arguments, "arg")) {
    const std::optional<ArgumentEdit> edit = edit_of(text);
    if (!edit.has_value()) {
      throw cxxopts::exceptions::parsing(
          absl::StrCat("--arg is KERNEL:INDEX=VALUE, KERNEL:X,Y:INDEX=VALUE or "
                       "KERNEL:common:INDEX=VALUE, with a value of 32 bits, not ",
                       text));
    }
    edits.push_back(*edit);
    edits.back().command = command;
  }
  return edits;
}

std::vector<PayloadOption> payload_options(const cxxopts::ParseResult& arguments) {
  std::vector<PayloadOption> options;
  add_payload_options(arguments, "payload", options);
  add_payload_options(arguments, "buffer", options);
  return options;
}

absl::StatusOr<Data> data_of(const std::string& path, Bytes file) {
  if (!absl::EndsWith(path, ".npy")) return Data{file, {}};
  const auto array = parse_npy(file);
  if (!array.ok()) {
    return absl::Status(array.status().code(), absl::StrCat(path, ": ", array.status().message()));
  }
  const std::vector<ElementType> types = types_of(array->type);
  if (types.size() > 1) return Data{array->data, types};
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has elements of the type ", array->type,
                   ", which files do not have: they have |u1, <u2, <i4, <u4 and <f4"));
}

}  // namespace lightmetal::runner
