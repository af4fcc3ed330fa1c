#include "runtime/written_tensors.h"

#include <utility>

#include "api/src/replay_hooks.h"
#include "replay/without_exceptions.h"
#include "schema/command_generated.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

}  // namespace

Digest WrittenTensors::read(const tm::Buffer& buffer) {
  bytes_.resize(buffer.size());
  hooks::read_unrecorded(buffer, bytes_);
  return digest_of(bytes_);
}

void WrittenTensors::keep(size_t tensor, tm::Buffer& buffer, bool keeps_bytes) {
  noted_.resize(is_written_.size());
  Noted& noted = noted_[tensor];
  noted.buffer = &buffer;
  noted.digest = read(buffer);
  if (keeps_bytes) noted.bytes = bytes_;
}

void WrittenTensors::note(size_t tensor, tm::Buffer& buffer) { keep(tensor, buffer, false); }

void WrittenTensors::note_callers(size_t tensor, tm::Buffer& buffer) { keep(tensor, buffer, true); }

void WrittenTensors::look_at(size_t tensor, const Noted& noted) {
  if (noted.buffer == nullptr || read(*noted.buffer) == noted.digest) return;
  is_written_[tensor] = true;
  if (!noted.bytes.empty())
    hooks::write_to_buffer(*noted.buffer, noted.bytes, schema::ElementType::Bytes);
}

absl::Status WrittenTensors::end() {
  watches_ = false;
  const std::vector<Noted> noted = std::exchange(noted_, {});
  const absl::Status status = replay::without_exceptions([&] {
    for (size_t tensor = 0; tensor < noted.size(); ++tensor) look_at(tensor, noted[tensor]);
    return absl::OkStatus();
  });
  bytes_ = {};
  return status;
}

}  // namespace lightmetal::runtime
