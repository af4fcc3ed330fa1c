#include "schema/commands/decode.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "schema/command_generated.h"
#include "schema/commands/reach.h"
#include "schema/flat_buffer.h"

namespace lightmetal::schema {
namespace {

// FlatBuffers reads the size prefix, too, before it looks at the size of the buffer.
constexpr size_t kSmallestCommand = sizeof(flatbuffers::uoffset_t) + kSmallestFlatBuffer;
// No command of the schema is nested as deeply; what walks over commands recurses.
constexpr flatbuffers::uoffset_t kMaxDepth = 16;
// A command of this size is not checked for parts that it names more than once: what they can
// amount to is small, and most commands are smaller.
constexpr size_t kSmallCommand = 256;

bool is_call(Call call) {
  const auto& calls = EnumValuesCall();
  return call != Call::NONE && std::binary_search(std::begin(calls), std::end(calls), call);
}

}  // namespace

absl::StatusOr<const Command*> decode_command(Bytes bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (bytes.size() < kSmallestCommand || !may_be_flat_buffer(bytes.size())) {
    return absl::DataLossError(absl::StrCat("a command cannot have ", bytes.size(), " bytes"));
  }
  // Every table of an honest command takes four bytes of its own and an offset to it. So this
  // bounds the work that a hostile file can cause by naming one table many times.
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(bytes.size() / 8 + 1);
  flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, max_tables);
  if (!VerifySizePrefixedCommandBuffer(verifier)) {
    return absl::DataLossError("the command is no valid FlatBuffer");
  }
  const Command* command = GetSizePrefixedCommand(data);
  if (!is_call(command->call_type())) {
    return absl::UnimplementedError(
        absl::StrCat("the call has number ", static_cast<int>(command->call_type())));
  }
  if (bytes.size() > kSmallCommand && !expanded_size_is_at_most(*command, bytes.size())) {
    return absl::DataLossError(absl::StrCat(
        "the command names the same bytes more than once: its parts have more than its ",
        bytes.size(), " bytes"));
  }
  return command;
}

absl::string_view name_of(const Command& command) { return EnumNameCall(command.call_type()); }

}  // namespace lightmetal::schema
