#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "schema/commands/encode.h"
#include "schema/commands/references.h"
#include "schema/file/frame.h"
#include "schema/file/reader.h"
#include "schema/file/writer.h"
#include "schema/session_generated.h"
#include "schema/storage/memory_sink.h"
#include "schema/verify/verify.h"
#include "tests/support/samples.h"

// Files in memory for the tests of schema/.

namespace lightmetal::schema {

// Names the parameter of a test over all samples.
inline void PrintTo(const CommandT& command, std::ostream* out) {
  *out << EnumNameCall(command.call.type);
}

}  // namespace lightmetal::schema

namespace lightmetal::schema::testing {

using Content = std::vector<std::byte>;
using FilePointer = std::shared_ptr<const File>;

inline Content copy_of(Bytes bytes) { return Content(bytes.begin(), bytes.end()); }
inline Bytes bytes_of_text(absl::string_view text) { return bytes_of(text.data(), text.size()); }

inline std::string path_for(const std::string& name) {
  return ::testing::TempDir() + "schema_" + name;
}

inline Content encoded(const CommandT& command) {
  flatbuffers::FlatBufferBuilder builder;
  return copy_of(encode_command(builder, command));
}

inline SessionInfo session_for_tests() {
  SessionInfo session;
  session.producer = "test";
  session.options = {{"reads", "golden"}};
  return session;
}

// The file that a Writer makes of the samples' payload and `commands`.
inline Content written(const std::vector<CommandT>& commands,
                       const absl::Status& capture_status = absl::OkStatus()) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink);
  EXPECT_TRUE(writer.begin(session_for_tests()).ok());
  EXPECT_TRUE(writer.append_blob(samples::payload_bytes()).ok());
  for (const CommandT& command : commands) {
    EXPECT_TRUE(writer.append_command(encoded(command)).ok());
  }
  EXPECT_TRUE(writer.finish(capture_status).ok());
  return sink->take();
}

inline FilePointer opened(Content content) {
  auto file = File::from_bytes(std::move(content));
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *file : nullptr;
}

inline bool has_role(const CommandT& command, IdRole role) {
  flatbuffers::FlatBufferBuilder builder;
  encode_command(builder, command);
  bool found = false;
  visit_ids(*GetSizePrefixedCommand(builder.GetBufferPointer()),
            [&](const IdReference& reference) { found = found || reference.role == role; });
  return found;
}

// All samples in an order in which every object lives while it is used.
inline std::vector<CommandT> legal_sequence() {
  std::vector<CommandT> creating, using_only, destroying;
  for (CommandT& command : samples::all()) {
    if (has_role(command, IdRole::Creates)) {
      creating.push_back(command);
    } else if (has_role(command, IdRole::Destroys)) {
      destroying.insert(destroying.begin(), command);
    } else {
      using_only.push_back(command);
    }
  }
  creating.insert(creating.end(), using_only.begin(), using_only.end());
  creating.insert(creating.end(), destroying.begin(), destroying.end());
  return creating;
}

// A file frame by frame, as right or as wrong as a test wants it.
class FrameList {
 public:
  explicit FrameList(uint32_t version_major = kVersionMajor, uint32_t version_minor = 0)
      : content_(copy_of(bytes_of_text({kMagic.data(), kMagic.size()}))) {
    flatbuffers::FlatBufferBuilder builder;
    FinishSessionBuffer(builder, CreateSession(builder, version_major, version_minor));
    add(FrameType::Session, bytes_of(builder.GetBufferPointer(), builder.GetSize()));
  }

  // All of these return the offset of the frame.
  uint64_t add(FrameType type, Bytes payload, uint16_t flags = 0) {
    FrameHeader header = make_header(type, payload.size(), digest_of(payload), content_.size());
    header.flags = flags;
    return add(header, payload);
  }

  // The header may say anything; only its checksum is made right.
  uint64_t add(FrameHeader header, Bytes payload) {
    const uint64_t offset = content_.size();
    header.checksum = header_checksum(header, offset);
    append(bytes_of(&header, sizeof(header)));
    append(payload);
    content_.resize(offset + frame_size(payload.size()));
    return offset;
  }

  uint64_t add_command(const CommandT& command) {
    return add(FrameType::Command, encoded(command));
  }

  // A blob with the samples' payload, and its entry in the index.
  BlobEntry add_payload() {
    const Bytes payload = samples::payload_bytes();
    return {digest_of(payload), payload.size(), add(FrameType::Blob, payload)};
  }

  // Adds the index and the footer.
  FrameList& close(const IndexHeader& header, const std::vector<uint64_t>& checkpoints = {},
                   const std::vector<BlobEntry>& blobs = {}) {
    Content index = copy_of(bytes_of(&header, sizeof(header)));
    const auto put = [&](Bytes bytes) { index.insert(index.end(), bytes.begin(), bytes.end()); };
    put(bytes_of(checkpoints.data(), checkpoints.size() * sizeof(uint64_t)));
    put(bytes_of(blobs.data(), blobs.size() * sizeof(BlobEntry)));
    const Footer footer{add(FrameType::Index, index)};
    add(FrameType::Footer, bytes_of(&footer, sizeof(footer)));
    return *this;
  }

  const Content& content() const { return content_; }

 private:
  void append(Bytes bytes) { content_.insert(content_.end(), bytes.begin(), bytes.end()); }

  Content content_;
};

inline IndexHeader index_of(uint64_t num_commands, uint64_t num_blobs) {
  IndexHeader header;
  header.num_commands = num_commands;
  header.num_blobs = num_blobs;
  return header;
}

// The samples make no sense together to a device.
inline constexpr VerifyOptions kFormAlone = {.check_meaning = false};

// The first error of opening and verifying the form of `content`.
inline absl::Status open_and_verify(Content content, VerifyOptions options = {}) {
  options.check_meaning = false;
  auto file = File::from_bytes(std::move(content));
  return file.ok() ? verify(**file, nullptr, options) : file.status();
}

MATCHER_P2(IsError, code, text, "") {
  return arg.code() == code && std::string(arg.message()).find(text) != std::string::npos;
}

}  // namespace lightmetal::schema::testing
