#include "runtime/relayout.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "api/src/memory/buffer_io.h"
#include "api/src/replay_hooks.h"
#include "base/status.h"
#include "replay/without_exceptions.h"
#include "runtime/buffer_form.h"

namespace lightmetal::runtime {
namespace {

namespace tm = tt::tt_metal;
namespace hooks = tt::tt_metal::replay_hooks;

constexpr size_t kMostPieces = 4096;  // that are given to the device at once

// The next pieces from byte `done` of the rows on, which becomes that behind them.
std::vector<tm::BufferPiece> next_pieces(const BufferForm& from, const BufferForm& to,
                                         uint64_t size, uint64_t& done) {
  std::vector<tm::BufferPiece> pieces;
  pieces.reserve(kMostPieces);
  while (done < size && pieces.size() < kMostPieces) {
    const BufferForm::Piece source = from.piece_at(done), target = to.piece_at(done);
    pieces.push_back({source.offset, target.offset, std::min(source.size, target.size)});
    done += pieces.back().size;
  }
  return pieces;
}

}  // namespace

absl::StatusOr<bool> relayout_on_device(const Tensor::State& to, const Tensor::State& from) {
  const BufferForm to_form = to.form(), from_form = from.form();
  bool converted = true;
  LM_RETURN_IF_ERROR(replay::without_exceptions([&] {
    if (to_form.has_padding()) {
      hooks::clear_buffer_unrecorded(*to.buffer);
      to.device->counters->cleared_bytes += to.buffer->size();
    }
    const uint64_t size = from.desc().size();
    for (uint64_t done = 0; converted && done < size;) {
      converted = hooks::copy_pieces_unrecorded(*from.buffer, *to.buffer,
                                                next_pieces(from_form, to_form, size, done));
    }
    return absl::OkStatus();
  }));
  return converted;
}

}  // namespace lightmetal::runtime
