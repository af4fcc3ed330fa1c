#pragma once

#include <algorithm>
#include <functional>
#include <lightmetal/capture.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tt-metalium/host_api.hpp>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "schema/commands/encode.h"
#include "schema/file/reader.h"
#include "schema/file/writer.h"
#include "schema/storage/memory_sink.h"

// Captured files, as tests look at them and change them.
namespace lightmetal::testing {

using FilePointer = std::shared_ptr<const schema::File>;

inline FilePointer open_file(const std::vector<uint8_t>& bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  auto file = schema::File::from_bytes({begin, begin + bytes.size()});
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

inline FilePointer open_file(const tt::tt_metal::LightMetalBinary& binary) {
  return open_file(binary.get_data());
}

// The types of the frames of a file, in order.
inline std::vector<schema::FrameType> frame_types_of(const schema::File& file) {
  std::vector<schema::FrameType> types;
  for (uint64_t offset = schema::File::frames_begin(); offset < file.frames_end();) {
    const auto frame = file.frame_at(offset);
    EXPECT_TRUE(frame.ok()) << frame.status();
    if (!frame.ok()) break;
    types.push_back(frame->type());
    offset = frame->end;
  }
  return types;
}

// The commands of a file, unpacked, in order.
inline std::vector<schema::CommandT> commands_of(const schema::File& file) {
  std::vector<schema::CommandT> commands;
  const absl::Status status = file.for_each_command([&](const schema::CommandView& view) {
    view.command->UnPackTo(&commands.emplace_back());
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return commands;
}

// The commands of a file, each in one encoding, so that files can be compared. The file of a
// program with threads and that of its captured replay have the same commands, but may have
// payloads in other places: a call of another thread may come between a payload and the command
// that names it.
inline std::vector<std::string> encoded_commands_of(const schema::File& file) {
  std::vector<std::string> encoded;
  flatbuffers::FlatBufferBuilder builder;
  for (const schema::CommandT& command : commands_of(file)) {
    builder.Clear();
    const auto bytes = schema::encode_command(builder, command);
    encoded.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return encoded;
}

inline std::vector<std::string> names_of(const schema::File& file) {
  std::vector<std::string> names;
  for (const schema::CommandT& command : commands_of(file))
    names.push_back(schema::EnumNameCall(command.call.type));
  return names;
}

// The buffers that arguments name, by kernel and by core as "x,y", or "common": for each argument
// the buffer's id, 0 where the argument is a word. What was set last counts.
using NamedBuffers = std::map<std::pair<uint64_t, std::string>, std::vector<uint64_t>>;

inline NamedBuffers named_buffers_of(const schema::File& file) {
  NamedBuffers named;
  const auto buffers_in = [](const schema::RuntimeArgsT& args) {
    std::vector<uint64_t> buffers;
    for (const auto& arg : args.args) buffers.push_back(arg->buffer);
    return buffers;
  };
  for (const schema::CommandT& command : commands_of(file)) {
    if (const auto* each = command.call.AsSetRuntimeArgsSymbolicPerCore()) {
      for (size_t i = 0; i < each->cores.size(); ++i) {
        const schema::CoreCoord& core = each->cores[i];
        named[{each->kernel, absl::StrCat(core.x(), ",", core.y())}] = buffers_in(*each->args[i]);
      }
    }
    if (const auto* common = command.call.AsSetCommonRuntimeArgsSymbolic())
      named[{common->kernel, "common"}] = buffers_in(*common->args);
  }
  return named;
}

// Where the file of a captured replay leaves the one that it replays: the first command that
// differs; empty when they have the same ones.
inline std::string difference_of(const schema::File& file, const schema::File& again) {
  const auto commands = encoded_commands_of(file), commands_again = encoded_commands_of(again);
  if (commands == commands_again) return "";
  const auto first = std::ranges::mismatch(commands, commands_again).in1 - commands.begin();
  const auto name = [first](const schema::File& of) {
    const auto names = names_of(of);
    return static_cast<size_t>(first) < names.size() ? names[first] : "the end";
  };
  return absl::StrCat("command ", first, ", ", name(file), ", became ", name(again));
}

// A sound file with the session and payloads of `file`, and with what `append` appends.
inline std::vector<uint8_t> written_like(const schema::File& file,
                                         const std::function<void(schema::Writer&)>& append,
                                         const schema::WriterOptions& options = {}) {
  auto sink = std::make_shared<schema::MemorySink>();
  schema::Writer writer(sink, options);
  EXPECT_TRUE(writer.begin(file.session()).ok());
  for (const schema::BlobEntry& entry : file.blobs()) {
    const auto payload = file.blob({{entry.digest.low, entry.digest.high}, entry.size});
    EXPECT_TRUE(payload.ok() && writer.append_blob(payload->bytes()).ok());
  }
  append(writer);
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return sink->take_as<uint8_t>();
}

// A sound file with the commands of `file` as `change` leaves them; `change` may append more
// payloads.
inline std::vector<uint8_t> rewritten(
    const schema::File& file, const std::function<void(schema::CommandT&, schema::Writer&)>& change,
    const schema::WriterOptions& options = {}) {
  const auto append = [&](schema::Writer& writer) {
    flatbuffers::FlatBufferBuilder builder;
    for (schema::CommandT& command : commands_of(file)) {
      change(command, writer);
      builder.Clear();
      EXPECT_TRUE(writer.append_command(schema::encode_command(builder, command)).ok());
    }
  };
  return written_like(file, append, options);
}

// Captures a program that writes a buffer and reads it back into a file, with its golden.
inline void capture_write_and_read(const std::string& path) {
  namespace tm = tt::tt_metal;
  tm::LightMetalBeginCapture({.path = path, .read_goldens = true});
  tm::IDevice* device = tm::CreateDevice(0);
  {
    auto buffer = tm::CreateBuffer(
        tm::InterleavedBufferConfig{.device = device, .size = 64, .page_size = 64});
    std::vector<uint32_t> data(16, 5);
    tm::EnqueueWriteBuffer(device->command_queue(), buffer, data, false);
    tm::EnqueueReadBuffer(device->command_queue(), buffer, data, true);
  }
  tm::CloseDevice(device);
  tm::LightMetalEndCapture();
}

// The file, with a change in the first byte of the first payload that a queue writes.
inline std::vector<uint8_t> with_changed_input(const schema::File& file) {
  bool changed = false;
  auto result = rewritten(file, [&](schema::CommandT& command, schema::Writer& writer) {
    auto* write = command.call.AsEnqueueWriteBuffer();
    if (write == nullptr || changed) return;
    const auto payload = file.blob(*write->data);
    ASSERT_TRUE(payload.ok());
    std::vector<std::byte> bytes(payload->begin(), payload->end());
    bytes.at(0) ^= std::byte{1};
    const auto reference = writer.append_blob(bytes);
    ASSERT_TRUE(reference.ok());
    *write->data = *reference;
    changed = true;
  });
  EXPECT_TRUE(changed);
  return result;
}

}  // namespace lightmetal::testing
