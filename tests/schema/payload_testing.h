#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "schema/file/external_blob.h"
#include "schema/storage/memory_sink.h"
#include "tests/schema/schema_testing.h"

// Payloads that compress or do not, and files that hold them.
namespace lightmetal::schema::testing {

// Becomes less than a tenth of its size.
inline Content compressible(size_t size, uint8_t first = 1) {
  Content content(size);
  for (size_t i = 0; i < size; ++i) {
    content[i] = static_cast<std::byte>(first + (i >> 6) % 13 + (i >> 14));
  }
  return content;
}

inline Content incompressible(size_t size, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Content content(size);
  for (std::byte& byte : content) byte = static_cast<std::byte>(random());
  return content;
}

// Where a file that is given says that `content` lies.
inline ExternalBlobInfo external_info(const std::string& path, uint64_t offset, Bytes content,
                                      uint64_t file_size) {
  return {.path = path,
          .offset = offset,
          .size = content.size(),
          .digest = digest_of(content),
          .file_size = file_size,
          .modified_ns = 0};
}

// A closed file made by `fill`.
template <class Fill>
Content file_of(const WriterOptions& options, Fill fill) {
  auto sink = std::make_shared<MemorySink>();
  Writer writer(sink, options);
  EXPECT_TRUE(writer.begin(session_for_tests()).ok());
  fill(writer);
  EXPECT_TRUE(writer.finish(absl::OkStatus()).ok());
  return sink->take();
}

inline Content file_of_payloads(const WriterOptions& options,
                                const std::vector<Content>& payloads) {
  return file_of(options, [&](Writer& writer) {
    for (const Content& payload : payloads) EXPECT_TRUE(writer.append_blob(payload).ok());
  });
}

// A file whose one payload lies in another.
inline Content file_of_reference(const ExternalBlobInfo& info) {
  flatbuffers::FlatBufferBuilder builder;
  FrameList frames;
  const uint64_t offset = frames.add(FrameType::ExternalBlob, encode_external_blob(builder, info));
  frames.close(index_of(0, 1), {}, {{info.digest, info.size, offset}});
  return frames.content();
}

inline FrameType form_of(const File& file, Bytes payload) {
  return file.form_of(blob_ref_of(payload)).value_or(FrameType::Padding);
}

}  // namespace lightmetal::schema::testing
