#include "schema/diff/diff.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "replay/compare.h"
#include "runner/command_line.h"
#include "runner/verbs.h"
#include "schema/show/json.h"

namespace lightmetal::runner {
namespace {

// The differences of each kind that the text shows; JSON has all of them.
constexpr size_t kMostShown = 100;

// How two payloads of one size differ; none where one of them cannot be read, or their sizes
// differ. Its `expected` is a's value and its `found` is b's.
std::optional<GoldenResult> compare_payloads(const schema::File& a, const schema::File& b,
                                             const schema::PayloadChange& change) {
  if (change.a.size() != change.b.size()) return std::nullopt;
  const auto in_a = a.blob(change.a), in_b = b.blob(change.b);
  if (!in_a.ok() || !in_b.ok()) return std::nullopt;
  return replay::compare(change.element_type, ComparePolicy(), in_a->bytes(), in_b->bytes());
}

// ---- Text ----

std::string change_text(const schema::File& a, const schema::File& b,
                        const schema::FieldChange& change) {
  const auto value = [](const std::string& text) { return text.empty() ? "absent" : text; };
  std::string text = absl::StrCat(change.field, " was ", value(change.a), ", is ", value(change.b));
  if (!change.payload.has_value()) return text;
  const auto payloads = compare_payloads(a, b, *change.payload);
  if (!payloads.has_value() || payloads->first.empty()) return text;
  const Difference& first = payloads->first.front();
  const char* type = schema::EnumNameElementType(change.payload->element_type);
  absl::StrAppend(&text, ": ", payloads->different, " of ", payloads->elements, " ", type,
                  " elements differ, first [", first.index, "], which was ", first.expected,
                  ", is ", first.found);
  return text;
}

std::string changed_text(const schema::File& a, const schema::File& b,
                         const schema::ChangedCommand& changed) {
  std::string text = absl::StrCat("~ command ", changed.a);
  if (changed.b != changed.a) absl::StrAppend(&text, " (now ", changed.b, ")");
  absl::StrAppend(&text, " ", changed.name);
  if (!changed.where.empty()) absl::StrAppend(&text, " ", changed.where);
  const char* separator = ": ";
  for (const schema::FieldChange& change : changed.fields) {
    absl::StrAppend(&text, separator, change_text(a, b, change));
    separator = "; ";
  }
  if (changed.differing > changed.fields.size()) {
    absl::StrAppend(&text, "; and ", changed.differing - changed.fields.size(), " more");
  }
  return text;
}

template <class Items, class Text>
void say_each(const Items& items, const char* what, Text text) {
  size_t shown = 0;
  for (const auto& item : items) {
    if (shown++ == kMostShown) {
      return say(absl::StrCat("  and ", items.size() - kMostShown, " more ", what,
                              "; --format json has all"));
    }
    say(text(item));
  }
}

void print_text(const schema::File& a, const schema::File& b, const schema::Diff& diff) {
  for (const schema::FieldChange& change : diff.session) {
    say(absl::StrCat("~ session: ", change_text(a, b, change)));
  }
  say_each(diff.changed, "that differ",
           [&](const schema::ChangedCommand& changed) { return changed_text(a, b, changed); });
  const auto lone = [](const char* sign) {
    return [sign](const schema::LoneCommand& command) {
      return absl::StrCat(sign, " command ", command.number, " ", command.text);
    };
  };
  say_each(diff.removed, "removed", lone("-"));
  say_each(diff.inserted, "inserted", lone("+"));
  if (diff.same()) {
    say(absl::StrCat(a.name(), " and ", b.name(), " say the same: ", diff.commands_a, " commands"));
  } else {
    say(absl::StrCat(a.name(), " and ", b.name(), " differ: ", diff.changed.size(), " changed, ",
                     diff.removed.size(), " removed, ", diff.inserted.size(), " inserted"));
  }
}

// ---- JSON ----

void append_change(schema::JsonWriter& json, const schema::File& a, const schema::File& b,
                   const schema::FieldChange& change) {
  json.begin_object().member("field", change.field);
  json.member("a", change.a).member("b", change.b);
  const auto payloads =
      change.payload.has_value() ? compare_payloads(a, b, *change.payload) : std::nullopt;
  if (payloads.has_value() && !payloads->first.empty()) {
    const Difference& first = payloads->first.front();
    json.key("elements").begin_object();
    json.member("type", schema::EnumNameElementType(change.payload->element_type));
    json.member("compared", payloads->elements).member("different", payloads->different);
    json.member("first", first.index).member("a", first.expected).member("b", first.found);
    json.end_object();
  }
  json.end_object();
}

void append_changed(schema::JsonWriter& json, const schema::File& a, const schema::File& b,
                    const schema::ChangedCommand& changed) {
  json.begin_object().member("a", changed.a).member("b", changed.b);
  json.member("name", changed.name).member("where", changed.where);
  json.member("differing", changed.differing).key("fields").begin_array();
  for (const schema::FieldChange& change : changed.fields) append_change(json, a, b, change);
  json.end_array().end_object();
}

void append_lone(schema::JsonWriter& json, const char* key,
                 const std::vector<schema::LoneCommand>& commands) {
  json.key(key).begin_array();
  for (const schema::LoneCommand& command : commands) {
    json.begin_object().member("command", command.number);
    json.member("before", command.before).member("text", command.text).end_object();
  }
  json.end_array();
}

void print_json(const schema::File& a, const schema::File& b, const schema::Diff& diff) {
  schema::JsonWriter json;
  json.begin_object().member("version", 1).member("a", a.name()).member("b", b.name());
  json.member("same", diff.same());
  json.member("commands_a", diff.commands_a).member("commands_b", diff.commands_b);
  json.key("session").begin_array();
  for (const schema::FieldChange& change : diff.session) append_change(json, a, b, change);
  json.end_array().key("changed").begin_array();
  for (const schema::ChangedCommand& changed : diff.changed) append_changed(json, a, b, changed);
  json.end_array();
  append_lone(json, "removed", diff.removed);
  append_lone(json, "inserted", diff.inserted);
  json.end_object();
  print_as_is(json.take() + "\n");
}

}  // namespace

int diff(int argc, const char* const* argv) {
  VerbOptions options = options_for(
      "diff", "Compares what two files mean, not their bytes. It needs no device.\n",
      "lightmetal_runner diff before.lmb after.lmb\nlightmetal_runner diff before.lmb after.lmb "
      "--format json");
  options.positional_help("A B");
  options.add_options()("format", "text or json",
                        cxxopts::value<std::string>()->default_value("text"), "FORMAT");
  const auto arguments = parse(options, argc, argv);
  if (!arguments) return finish_output();
  const bool json = choice(*arguments, "format", "text", "json") == "json";
  const std::vector<std::string> paths = files_of(*arguments);
  if (paths.size() != 2) {
    return fail(absl::StrCat("diff compares two files, and ", paths.size(), " are given"));
  }
  const auto a = schema::File::open(paths[0]), b = schema::File::open(paths[1]);
  if (!a.ok()) return fail(a.status());
  if (!b.ok()) return fail(b.status());
  const auto found = schema::diff(**a, **b);
  if (!found.ok()) return fail(found.status());
  json ? print_json(**a, **b, *found) : print_text(**a, **b, *found);
  const int written = finish_output();
  if (written != kSuccess) return written;
  return found->same() ? kSuccess : kDifference;
}

}  // namespace lightmetal::runner
