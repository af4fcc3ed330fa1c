#include "tests/fuzz/seeds.h"

#include <cstdlib>
#include <functional>
#include <set>

#include "schema/file/signature.h"
#include "schema/storage/memory_sink.h"
#include "tests/fuzz/frames.h"
#include "tests/fuzz/targets.h"
#include "tests/schema/overlapping_command.h"
#include "tests/schema/schema_testing.h"
#include "tests/support/captured_file.h"
#include "tests/support/every_call.h"

namespace lightmetal::fuzz {
namespace {

using schema::FrameType;
using schema::testing::copy_of;
using testing::FilePointer;
using Content = std::vector<std::byte>;

constexpr int kCompressionLevel = 9;

FilePointer capture_every_call(bool intents) {
  setenv("LIGHTMETAL_DEVICE", "null", 1);
  tt::tt_metal::LightMetalBeginCapture(
      {.read_goldens = true, .record_origin = false, .intents = intents});
  make_every_call();
  unsetenv("LIGHTMETAL_DEVICE");
  return testing::open_file(tt::tt_metal::LightMetalEndCapture());
}

// The file with each payload for which `form` has another form in that.
using OtherForm = std::function<void(Frame& payload)>;
Content with_payloads(const schema::File& file, const OtherForm& form) {
  std::vector<Frame> frames = parse(file.bytes());
  for (Frame& frame : frames) {
    if (frame.type == static_cast<uint16_t>(FrameType::Blob)) form(frame);
  }
  return assemble(frames, /*closed=*/true);
}

void append(Content& content, Bytes bytes) {
  content.insert(content.end(), bytes.begin(), bytes.end());
}

void compress(Frame& frame) {
  schema::Compressor compressor(kCompressionLevel);
  const auto compressed = compressor.compress(frame.payload, digest_of(frame.payload));
  if (!compressed.has_value()) return;
  Content joined;
  for (const Bytes part : compressed->parts()) append(joined, part);
  frame = {static_cast<uint16_t>(FrameType::CompressedBlob), 0, std::move(joined)};
}

// In one chunk as it is, which stays readable when it is changed.
void store_as_chunk(Frame& frame) {
  const uint64_t size = frame.payload.size();
  const schema::CompressedBlobHeader header{digest_of(frame.payload), size, schema::kMinChunkSize,
                                            schema::kCodecZstd};
  if (size == 0 || size > header.chunk_size) return;
  Content stored;
  append(stored, bytes_of(&header, sizeof(header)));
  append(stored, bytes_of(&size, sizeof(size)));  // where the chunk ends
  append(stored, frame.payload);
  frame = {static_cast<uint16_t>(FrameType::CompressedBlob), 0, std::move(stored)};
}

void refer_to_zeros(Frame& frame) {
  if (frame.payload != Content(kZerosSize)) return;
  const schema::ExternalBlobInfo info{.path = kZeros,
                                      .offset = 0,
                                      .size = kZerosSize,
                                      .digest = digest_of(frame.payload),
                                      .file_size = kZerosSize,
                                      .modified_ns = 0};
  flatbuffers::FlatBufferBuilder builder;
  frame = {static_cast<uint16_t>(FrameType::ExternalBlob), 0,
           copy_of(encode_external_blob(builder, info))};
}

Content signed_file(const schema::File& file) {
  schema::MemorySink sink;
  const auto key = schema::SecretKey::generate();
  EXPECT_TRUE(key.ok() && schema::sign(file, *key, sink).ok());
  return sink.take();
}

Content first_commands(const schema::File& file, size_t count) {
  const std::vector<uint8_t> written = testing::written_like(file, [&](schema::Writer& writer) {
    const std::vector<schema::CommandT> commands = testing::commands_of(file);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(writer.append_command(schema::testing::encoded(commands[i])).ok());
    }
  });
  return copy_of(bytes_of(written.data(), written.size()));
}

Content overlapping(schema::testing::Holder holder) {
  schema::testing::FrameList frames;
  const uint64_t command =
      frames.add(FrameType::Command, schema::testing::command_with_vtable_in_text(holder));
  return frames.close(schema::testing::index_of(1, 0), {command}).content();
}

}  // namespace

std::vector<Seed> replayable_seeds() {
  const FilePointer file = capture_every_call(/*intents=*/false);
  std::vector<Seed> seeds = {
      {"every_call", copy_of(file->bytes())},
      {"compressed", with_payloads(*file, compress)},
      {"chunks", with_payloads(*file, store_as_chunk)},
      {"external", with_payloads(*file, refer_to_zeros)},
      {"intents", copy_of(capture_every_call(/*intents=*/true)->bytes())},
      {"signed", signed_file(*file)},
  };
  std::set<std::string> seen;
  size_t count = 0;
  for (const std::string& call : testing::names_of(*file)) {
    ++count;
    if (seen.insert(call).second) seeds.push_back({"up_to_" + call, first_commands(*file, count)});
  }
  return seeds;
}

std::vector<Seed> sample_seeds() {
  std::vector<Seed> seeds = {{"all", schema::testing::written(schema::testing::legal_sequence())}};
  for (const schema::CommandT& command : schema::samples::all()) {
    seeds.push_back({schema::EnumNameCall(command.call.type), schema::testing::written({command})});
  }
  using schema::testing::Holder;
  seeds.push_back({"vtable_of_command_in_text", overlapping(Holder::Command)});
  seeds.push_back({"vtable_of_call_in_text", overlapping(Holder::Call)});
  return seeds;
}

}  // namespace lightmetal::fuzz
