// Generates C++ from the binary schema that flatc makes of file.fbs.
//
// schema_generator BFBS FOLDER
//   Writes call_types.h, object_ids.h, record_checks.h and effects.inc into FOLDER. Splits the
//   headers there that flatc made of types.fbs and command.fbs.
// schema_generator BFBS --overloads DECLARATION FILE
//   Writes DECLARATION into FILE once for each call, with the name of the call in place of CALL.
//
// Exit code 1 with one sentence if a file cannot be read or written, or the schema lacks something.
#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "flatbuffers/reflection.h"

namespace {

constexpr std::string_view kNotice =
    "// Generated from schema/command.fbs by the build; do not edit.\n";
constexpr std::array kIdAttributes = {"creates", "uses", "destroys"};

// ---- Files ----

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

// ---- The schema ----

// A member of the union Call.
struct Call {
  std::string name;
  std::string effect;
  std::vector<const reflection::Field*> fields;  // in ascending order of id
};

std::string short_name(const flatbuffers::String& name) {
  return name.str().substr(name.str().rfind('.') + 1);
}

std::string effect_of(const reflection::Object& table) {
  const auto* attributes = table.attributes();
  const auto* effect = attributes == nullptr ? nullptr : attributes->LookupByKey("effect");
  if (effect == nullptr) {
    throw std::runtime_error("schema/command.fbs: table " + short_name(*table.name()) +
                             ": expected the attribute effect (schema/types.fbs), found none");
  }
  return effect->value()->str();
}

std::vector<Call> calls_of(const reflection::Schema& schema) {
  std::vector<Call> calls;
  const auto& members = *schema.enums()->LookupByKey("lightmetal.schema.Call")->values();
  for (const reflection::EnumVal* member : members) {
    if (member->union_type()->base_type() != reflection::BaseType::Obj) continue;  // NONE
    const auto& table =
        *schema.objects()->Get(static_cast<uint32_t>(member->union_type()->index()));
    Call call{member->name()->str(), effect_of(table), {}};
    call.fields.assign(table.fields()->begin(), table.fields()->end());
    std::ranges::sort(call.fields, {}, &reflection::Field::id);
    calls.push_back(std::move(call));
  }
  return calls;
}

// The attribute of a field that names the kind of an object, and that kind; empty for other fields.
std::pair<std::string, std::string> id_use_of(const reflection::Field& field) {
  for (const char* name : kIdAttributes) {
    const auto* attributes = field.attributes();
    const auto* found = attributes == nullptr ? nullptr : attributes->LookupByKey(name);
    if (found != nullptr) return {name, found->value()->str()};
  }
  return {};
}

// "make" becomes "kMake".
std::string enumerator(std::string word) {
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return "k" + word;
}

std::string joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += separator;
    text += item;
  }
  return text;
}

// ---- Headers ----

std::string call_types(const std::vector<Call>& calls) {
  std::vector<std::string> names;
  for (const Call& call : calls) names.push_back(call.name);
  std::ostringstream text;
  text << kNotice << "// Use it through schema/commands/calls.h.\n#pragma once\n\n"
       << "#include \"schema/command_generated.h\"\n\nnamespace lightmetal::schema {\n\n"
       << "template <class... Tables>\nstruct TypeList {};\n\n"
       << "// The members of the union Call, in ascending order of number.\n"
       << "using CallTypes = TypeList<\n    " << joined(names, ",\n    ") << ">;\n\n"
       << "}  // namespace lightmetal::schema\n";
  return text.str();
}

std::string object_ids(const std::vector<Call>& calls) {
  std::vector<std::string> kinds;
  std::ostringstream fields;
  for (const Call& call : calls) {
    fields << "struct " << call.name << ";\n";
    for (const reflection::Field* field : call.fields) {
      const auto [use, kind] = id_use_of(*field);
      if (use.empty()) continue;
      fields << "template <>\ninline constexpr IdField kIdField<" << call.name << ", "
             << field->id() << ">{IdUse::" << enumerator(use) << ", ObjectKind::" << kind << "};\n";
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
  }
  std::ostringstream text;
  text << kNotice << "#pragma once\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n\n"
       << "// How calls use objects, for the compiler. references.h finds the same at run time,\n"
       << "// and also the ids inside of values that calls carry.\n"
       << "namespace lightmetal::schema {\n\n"
       << "// The kinds of object that a file names, as the attributes name them.\n"
       << "enum class ObjectKind : uint8_t {" << joined(kinds, ", ") << "};\n"
       << "inline constexpr std::array kObjectKindNames = {\"" << joined(kinds, "\", \"")
       << "\"};\n"
       << "constexpr const char* name_of(ObjectKind kind) {\n"
       << "  return kObjectKindNames[static_cast<size_t>(kind)];\n}\n\n"
       << "// The use of an object by a field of a call: kNone if the field is no id.\n"
       << "enum class IdUse : uint8_t { kNone, kCreates, kUses, kDestroys };\n\n"
       << "struct IdField {\n  IdUse use = IdUse::kNone;\n  ObjectKind kind{};\n};\n\n"
       << "// For the field with this id (number) of this table.\n"
       << "template <class Table, size_t kField>\ninline constexpr IdField kIdField{};\n\n"
       << fields.str() << "\n}  // namespace lightmetal::schema\n";
  return text.str();
}

// A demand on value `number`, counted from 1, of a call that is recorded.
std::string demand(const Call& call, size_t number) {
  const reflection::Field& field = *call.fields[number - 1];
  const auto [use, kind] = id_use_of(field);
  const std::string name = field.name()->str();
  return "record<" + call.name + ">: value " + std::to_string(number) +
         (use.empty() ? " must fit the field " + name
                      : " must be of kind " + kind + " (field " + name + ")");
}

std::string record_checks(const std::vector<Call>& calls) {
  std::ostringstream text;
  text << kNotice << "#pragma once\n\n#include <cstddef>\n\nnamespace lightmetal::schema {\n\n"
       << "// Says in one line which value of a recorded call does not fit (capture/record.h).\n"
       << "template <class Table>\nstruct RecordCheck;\n\n";
  for (const Call& call : calls) {
    std::vector<std::string> names, fits;
    std::string demands;
    for (size_t i = 0; i < call.fields.size(); ++i) {
      names.push_back(call.fields[i]->name()->str());
      fits.push_back("bool k" + std::to_string(i));
      demands +=
          "    static_assert(k" + std::to_string(i) + ", \"" + demand(call, i + 1) + "\");\n";
    }
    text << "struct " << call.name << ";\ntemplate <>\nstruct RecordCheck<" << call.name << "> {\n"
         << "  template <size_t kCount>\n  static constexpr void check_count() {\n"
         << "    static_assert(kCount == " << names.size() << ", \"record<" << call.name
         << ">: expected " << names.size() << " values: " << joined(names, ", ") << "\");\n  }\n";
    if (!fits.empty()) text << "  template <" << joined(fits, ", ") << ">\n";
    text << "  static constexpr void check_values() {\n" << demands << "  }\n};\n";
  }
  text << "\n}  // namespace lightmetal::schema\n";
  return text.str();
}

std::string effects(const std::vector<Call>& calls) {
  std::ostringstream text;
  text << kNotice;
  for (const Call& call : calls) {
    text << "case Call::" << call.name << ":\n  return Effect::" << enumerator(call.effect)
         << ";\n";
  }
  return text.str();
}

std::string overloads(const std::vector<Call>& calls, const std::string& line) {
  const size_t place = line.find("CALL");
  if (place == std::string::npos) throw std::runtime_error(line + ": expected CALL, found none");
  std::ostringstream text;
  text << kNotice;
  for (const Call& call : calls)
    text << std::string(line).replace(place, std::string_view("CALL").size(), call.name) << ";\n";
  return text.str();
}

// ---- The object API ----

// Matches the first line of a function of flatc's object API that is declared in a class or before.
bool begins_object_api(const std::string& line) {
  static const std::regex kBegin(
      "inline .*(T::[A-Za-z]+T\\(|T::operator=|::UnPack|::Pack\\(|Union::|T \\*_o, |"
      "operator[!=]=\\(const [A-Za-z]+T ).*\\{");
  return line.starts_with("inline ") && std::regex_match(line, kBegin);
}

// Moves the bodies of the object API from a header of flatc's to a source next to it. Otherwise
// every source that includes the header would compile them.
void split(const std::string& header) {
  std::istringstream lines(read(header));
  std::string declarations, definitions;
  bool in_body = false;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = begins_object_api(line);
    in_body |= begins;
    definitions += (begins ? line.substr(std::string_view("inline ").size()) : line) + "\n";
    if (!in_body) declarations += line + "\n";
    in_body &= line != "}";
  }
  write(header, declarations);
  write(header.substr(0, header.rfind('.')) + ".cc", definitions);
}

void generate(const std::vector<std::string>& arguments) {
  const std::string bytes = read(arguments.at(0));
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (!reflection::VerifySchemaBuffer(verifier))
    throw std::runtime_error(arguments[0] + ": expected a binary schema of flatc");
  const std::vector<Call> calls = calls_of(*reflection::GetSchema(bytes.data()));
  if (arguments.size() == 4 && arguments[1] == "--overloads")
    return write(arguments[3], overloads(calls, arguments[2]));
  if (arguments.size() != 2) throw std::runtime_error("expected BFBS FOLDER");
  const std::string folder = arguments[1] + "/";
  write(folder + "call_types.h", call_types(calls));
  write(folder + "object_ids.h", object_ids(calls));
  write(folder + "record_checks.h", record_checks(calls));
  write(folder + "effects.inc", effects(calls));
  split(folder + "types_generated.h");
  split(folder + "command_generated.h");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    generate({arguments + 1, arguments + count});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "schema_generator: " << error.what() << "\n";
    return 1;
  }
}
