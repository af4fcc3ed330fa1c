#include "capture/raw_merge.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/write_all.h"
#include "schema/file/blob_name.h"
#include "schema/file/frame.h"

// Merging two images into one file. A signal handler does this, so nothing here but blobs_of()
// allocates, locks or throws.
namespace lightmetal::capture {
namespace {

using schema::FrameHeader;
using schema::FrameType;

constexpr std::array<std::byte, schema::kPageSize + sizeof(FrameHeader)> kZeros{};

struct Frame {
  FrameHeader header;
  Bytes payload;
  uint64_t end = 0;

  FrameType type() const { return static_cast<FrameType>(header.type); }
  Digest blob_name() const { return schema::blob_name(header, payload); }
};

Frame frame_at(Bytes image, uint64_t offset) {
  Frame frame;
  std::memcpy(&frame.header, image.data() + offset, sizeof(FrameHeader));
  frame.payload = image.subspan(offset + sizeof(FrameHeader), frame.header.length);
  frame.end = offset + schema::frame_size(frame.header.length);
  return frame;
}

class Output {
 public:
  explicit Output(int file) : file_(file) {}

  bool ok() const { return ok_; }
  uint64_t size() const { return size_; }

  void append(Bytes bytes) {
    ok_ = ok_ && write_all_at(file_, bytes, size_);
    size_ += bytes.size();
  }

  // Appends a frame. It lies at another offset than in its image, and the checksum of its header
  // covers the offset.
  void append(FrameHeader header, Bytes payload) {
    header.checksum = schema::header_checksum(header, size_);
    const uint64_t fill = schema::frame_size(payload.size()) - sizeof(FrameHeader) - payload.size();
    append(bytes_of(&header, sizeof(header)));
    append(payload);
    append(Bytes(kZeros).first(fill));
  }

 private:
  const int file_;
  bool ok_ = true;
  uint64_t size_ = 0;
};

void append_blob(const Frame& frame, Output& out) {
  if (frame.type() == FrameType::Blob) {
    const uint64_t padding = schema::padding_before_blob(out.size(), frame.payload.size());
    if (padding != 0) {
      const Bytes zeros = Bytes(kZeros).first(padding - sizeof(FrameHeader));
      out.append(make_header(FrameType::Padding, zeros.size(), digest_of(zeros), out.size()),
                 zeros);
    }
  }
  out.append(frame.header, frame.payload);
}

// Appends what the current image has beyond the older one: commands and intents behind the
// snapshot, and blobs that the older image lacks. Blobs of the snapshot are among them, because
// later commands may refer to them.
void append_commands(const Images& images, Output& out) {
  for (uint64_t offset = schema::kMagic.size(); out.ok() && offset < images.current.size();) {
    const Frame frame = frame_at(images.current, offset);
    const bool is_new = offset >= images.snapshot_end;
    offset = frame.end;
    if (is_blob(frame.type())) {
      if (!std::binary_search(images.older_blobs.begin(), images.older_blobs.end(),
                              frame.blob_name())) {
        append_blob(frame, out);
      }
    } else if (is_new &&
               (frame.type() == FrameType::Command || frame.type() == FrameType::Intent)) {
      out.append(frame.header, frame.payload);
    }
  }
}

}  // namespace

std::vector<Digest> blobs_of(Bytes image) {
  std::vector<Digest> blobs;
  for (uint64_t offset = schema::kMagic.size(); offset < image.size();) {
    const Frame frame = frame_at(image, offset);
    if (is_blob(frame.type())) blobs.push_back(frame.blob_name());
    offset = frame.end;
  }
  std::sort(blobs.begin(), blobs.end());
  return blobs;
}

// The file is emptied first: should the writing break off, no frame of an earlier time stands
// behind what was written.
int64_t write_merged(int file, const Images& images) {
  if (::ftruncate(file, 0) != 0) return -1;
  Output out(file);
  if (images.older.empty()) {
    out.append(images.current);
  } else {
    out.append(images.older);
    append_commands(images, out);
  }
  return out.ok() ? static_cast<int64_t>(out.size()) : -1;
}

}  // namespace lightmetal::capture
