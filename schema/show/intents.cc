#include "schema/show/intents.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "schema/command_generated.h"
#include "schema/commands/decode.h"
#include "schema/commands/references.h"
#include "schema/show/print.h"

namespace lightmetal::schema {
namespace {

// More calls at a time than programs have threads inside them. Without a limit, a file of intents
// alone would take memory and, for each command, time without bound.
constexpr size_t kMaxOpen = 256;

std::vector<uint64_t> ids_of(const Command& command) {
  std::vector<uint64_t> ids;
  visit_ids(command, [&](const IdReference& reference) { ids.push_back(reference.id); });
  return ids;
}

// Keeps the intents that are open while the frames go by in order.
class OpenIntents {
 public:
  void announce(const CommandView& view) {
    if (open_.size() == kMaxOpen) open_.erase(open_.begin());
    open_.push_back({view, ids_of(*view.command)});
  }

  bool empty() const { return open_.empty(); }

  // A command ends the latest intent of its call: a thread that came back has no older one. The
  // command of a call has the same ids as its intent; a CallFailed says only which call it was.
  void end(const Command& command) {
    const auto* failed = command.call_as_CallFailed();
    const std::vector<uint64_t> ids = ids_of(command);
    const auto ended = std::find_if(open_.rbegin(), open_.rend(), [&](const Announced& intent) {
      const Call call = intent.view.command->call_type();
      if (failed != nullptr) return static_cast<uint8_t>(call) == failed->intent();
      return call == command.call_type() && intent.ids == ids;
    });
    if (ended != open_.rend()) open_.erase(std::next(ended).base());
  }

  std::vector<CommandView> views() const {
    std::vector<CommandView> views;
    for (const Announced& intent : open_) views.push_back(intent.view);
    return views;
  }

 private:
  struct Announced {
    CommandView view;
    std::vector<uint64_t> ids;
  };

  std::vector<Announced> open_;
};

}  // namespace

absl::StatusOr<std::vector<CommandView>> open_intents(const File& file) {
  OpenIntents open;
  uint64_t number = 0;
  ForwardPass pass(file);
  for (uint64_t offset = File::frames_begin(); offset < file.frames_end();) {
    pass.reach(offset);
    LM_ASSIGN_OR_RETURN(frame, file.frame_at(offset));
    offset = frame.end;
    const bool is_command = frame.type() == FrameType::Command;
    if (frame.type() == FrameType::Intent || (is_command && !open.empty())) {
      LM_ASSIGN_OR_RETURN(command, file.command_in(frame));
      is_command ? open.end(*command) : open.announce({number, frame.offset, command});
    }
    number += is_command;
  }
  return open.views();
}

std::string intent_in_words(const CommandView& intent) {
  std::string text = absl::StrCat(name_of(*intent.command), " ");
  append_text(text, *intent.command, kItemsInSummary);
  return text;
}

}  // namespace lightmetal::schema
