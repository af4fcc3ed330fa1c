#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tt-metalium/buffer.hpp>
#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/lightmetal_capture_utils.hpp>
#include <tt-metalium/runtime_args_data.hpp>
#include <tt-metalium/span.hpp>
#include <vector>

#include "absl/functional/function_ref.h"
#include "host/core_set.h"

namespace tt::tt_metal {

// The runtime arguments of one kernel. The words of a core never move, so references to them last
// as long as the kernel. A capture finds what is written through such references by comparison with
// what was set, and pays for that only from the first reference on. Not thread-safe.
class RuntimeArgsStore {
 public:
  using Words = tt::stl::Span<const uint32_t>;
  using Lists = std::vector<std::vector<uint32_t>>;

  // A word that a call gave as a buffer, whose address it is, with the offset. Whoever changes the
  // word through a reference leaves this as it was: it counts while the word is still the address.
  struct AddressWord {
    size_t word = 0;
    Buffer* buffer = nullptr;  // which may be gone
    uint64_t buffer_id = 0;
    uint32_t offset = 0;  // that is added to the address
  };
  using AddressWords = std::vector<AddressWord>;

  // `kernel` is the name for messages.
  RuntimeArgsStore(const CoreRangeSet& cores, std::string kernel);

  // Throws std::runtime_error when the core is none of the kernel's, when there are more words than
  // the core has, or when unique and common words are more than any device takes. A call asks this
  // for all its cores before it sets the first, so that it changes all or nothing.
  void check(const CoreCoord& core, Words words) const;
  // The same for a call that sets lists[i] on cores[i], one after the other. A core may be named
  // more than once: its first list fixes how many words it has for the others. REQUIRES: as many
  // lists as cores.
  void check_each(const std::vector<CoreCoord>& cores, const Lists& lists) const;
  // Sets the first words of a core, some of which may be buffers. The first call fixes how many
  // words the core has. REQUIRES: check() or check_each() has passed for the call of which this is
  // a part.
  void set(const CoreCoord& core, Words words, const AddressWords& addresses = {});
  // Throws std::runtime_error if the kernel has common words.
  void check_common_unset() const;
  // Checks, then sets.
  void set_common(Words words, const AddressWords& addresses = {});

  // References that a program may keep and write through. Throws when the core is none of the
  // kernel's.
  RuntimeArgsData& reference(const CoreCoord& core);
  std::vector<std::vector<RuntimeArgsData>>& references();  // [x][y]
  RuntimeArgsData& common_reference();

  // The words now. REQUIRES: the core is one of the kernel's.
  Words words(const CoreCoord& core) const;
  Words common_words() const;
  const AddressWords& address_words(const CoreCoord& core) const;
  const AddressWords& common_address_words() const { return common_addresses_; }
  size_t max_words() const;  // unique and common of the core that has most

  // Changes whenever the number of a core's words, or of the common words, does.
  uint64_t layout_version() const { return layout_version_; }

  // Reports writes through references since the last call: calls `changed` for each core whose
  // words differ, and `common_changed` if the common words do.
  void report_writes(absl::FunctionRef<void(const CoreCoord&, Words)> changed,
                     absl::FunctionRef<void(Words)> common_changed);

 private:
  void check_core(const CoreCoord& core) const;
  // `before` is how many words the core has; 0 when it has none yet.
  void check_count(const CoreCoord& core, size_t count, size_t before) const;
  void assign(RuntimeArgsData& target, Words words);
  static void note_addresses(Words words, const AddressWords& addresses, AddressWords& known);
  void watch();

  const lightmetal::host::CoreSet cores_;
  const std::string kernel_;
  std::vector<std::vector<RuntimeArgsData>> data_;  // [x][y]
  RuntimeArgsData common_;
  std::map<CoreCoord, AddressWords> addresses_;  // of cores that have any
  AddressWords common_addresses_;
  size_t most_unique_words_ = 0;
  std::vector<std::unique_ptr<uint32_t[]>> memory_;
  uint64_t layout_version_ = 0;

  // The words as they were last set or reported; kept from the first reference on.
  struct Known {
    std::vector<std::vector<std::vector<uint32_t>>> words;  // [x][y]
    std::vector<uint32_t> common;
  };
  std::unique_ptr<Known> known_;
};

// The first buffer among the arguments; null when there is none.
const Buffer* buffer_in(const LightMetalArgs& args);

}  // namespace tt::tt_metal
