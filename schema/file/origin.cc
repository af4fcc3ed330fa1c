#include "schema/file/origin.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/text.h"
#include "schema/text.h"

namespace lightmetal::schema {
namespace {

using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

std::vector<std::string> texts_of(const Strings* strings) {
  std::vector<std::string> texts;
  if (strings == nullptr) return texts;
  for (const flatbuffers::String* string : *strings) texts.push_back(text_of(string));
  return texts;
}

bool is_plain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-_./:=,+%@", c);
}

bool is_control(char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }

// An argument as a shell takes it: as it is, in single quotes, or in $'...' where a terminal would
// obey a character of it.
std::string quoted(const std::string& argument) {
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) return argument;
  if (std::any_of(argument.begin(), argument.end(), is_control) ||
      without_controls(argument) != argument) {
    return absl::StrCat("$'", escaped(argument), "'");
  }
  return absl::StrCat("'", absl::StrReplaceAll(argument, {{"'", "'\\''"}}), "'");
}

bool has_feature(const Machine& machine, absl::string_view feature) {
  const std::vector<std::string>& features = machine.processor_features;
  return std::find(features.begin(), features.end(), feature) != features.end();
}

// Names what computes products of bfloat16 on the machine.
absl::string_view bfloat16_unit(const Machine& machine) {
  if (has_feature(machine, "amx_bf16")) return "AMX";
  return has_feature(machine, "avx512_bf16") ? "AVX512-BF16" : "plain floats";
}

}  // namespace

std::vector<std::string> warnings_on(const Machine& here, const OriginInfo& origin) {
  const absl::string_view recorded = bfloat16_unit(origin.machine), own = bfloat16_unit(here);
  if (recorded == own) return {};
  return {absl::StrCat("products of bfloat16 were computed by ", recorded, " (",
                       origin.machine.processor, ") and are computed by ", own, " here (",
                       here.processor, "): their last bits may differ")};
}

flatbuffers::Offset<Origin> encode_origin(flatbuffers::FlatBufferBuilder& builder,
                                          const OriginInfo& origin) {
  std::vector<flatbuffers::Offset<SessionOption>> environment;
  for (const auto& [name, value] : origin.environment) {
    environment.push_back(CreateSessionOptionDirect(builder, name.c_str(), value.c_str()));
  }
  const Machine& machine = origin.machine;
  const auto arguments = builder.CreateVectorOfStrings(origin.arguments);
  const auto features = builder.CreateVectorOfStrings(machine.processor_features);
  return CreateOrigin(
      builder, builder.CreateString(origin.build), builder.CreateString(origin.program), arguments,
      builder.CreateVector(environment), origin.time, origin.process_id,
      builder.CreateString(machine.host), builder.CreateString(machine.operating_system),
      builder.CreateString(machine.processor), features);
}

OriginInfo decode_origin(const Origin& origin) {
  OriginInfo info;
  info.build = text_of(origin.build());
  info.program = text_of(origin.program());
  info.arguments = texts_of(origin.arguments());
  if (origin.environment() != nullptr) {
    for (const SessionOption* variable : *origin.environment()) {
      info.environment.emplace_back(text_of(variable->name()), text_of(variable->value()));
    }
  }
  info.time = origin.time();
  info.process_id = origin.process_id();
  info.machine = {text_of(origin.host()), text_of(origin.operating_system()),
                  text_of(origin.processor()), texts_of(origin.processor_features())};
  return info;
}

std::string time_in_words(const OriginInfo& origin) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixSeconds(origin.time),
                          absl::UTCTimeZone());
}

std::string command_line_in_words(const OriginInfo& origin) {
  return absl::StrJoin(origin.arguments, " ", [](std::string* text, const std::string& argument) {
    absl::StrAppend(text, quoted(argument));
  });
}

}  // namespace lightmetal::schema
