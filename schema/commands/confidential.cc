#include "schema/commands/confidential.h"

#include <algorithm>

#include "schema/command_generated.h"
#include "schema/commands/reflection.h"
#include "schema/commands/walk.h"

namespace lightmetal::schema {
namespace {

bool is_confidential(const Step& step) {
  return step.kind == Step::Kind::Text && attribute(*step.field, "confidential") != nullptr;
}

class Eraser : public Visitor {
 public:
  explicit Eraser(std::vector<std::byte>& command) : command_(command) {}

  uint64_t erased() const { return erased_; }

  // The string's length stands before its bytes, so one stretch of zeros makes the string empty as
  // well.
  void text(const Step&, const flatbuffers::String& text) {
    if (text.size() == 0) return;
    const auto* length = reinterpret_cast<const std::byte*>(&text);
    std::fill_n(command_.begin() + (length - command_.data()),
                sizeof(flatbuffers::uoffset_t) + text.size(), std::byte{0});
    ++erased_;
  }

 private:
  std::vector<std::byte>& command_;
  uint64_t erased_ = 0;
};

}  // namespace

uint64_t erase_confidential(std::vector<std::byte>& command) {
  static const Plans* const plans = new Plans(is_confidential);  // never destroyed
  static const Plan& root = plans->of("Command");
  Eraser eraser(command);
  const Command& decoded = *GetSizePrefixedCommand(command.data());
  walk(root, reinterpret_cast<const flatbuffers::Table&>(decoded), eraser);
  return eraser.erased();
}

}  // namespace lightmetal::schema
