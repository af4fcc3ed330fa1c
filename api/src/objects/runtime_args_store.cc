#include "api/src/objects/runtime_args_store.h"

#include <algorithm>
#include <utility>

#include "api/src/objects/host_objects.h"
#include "api/src/support/errors.h"
#include "capture/capture.h"
#include "host/kernel.h"

namespace tt::tt_metal {

namespace host = lightmetal::host;

namespace {

RuntimeArgsStore::Words view(const RuntimeArgsData& data) {
  return {data.rt_args_data, data.rt_args_count};
}

std::vector<uint32_t> copy(RuntimeArgsStore::Words words) { return {words.begin(), words.end()}; }

// Notes that a call has set the first words of `data`. The words behind them may have been written
// through a reference and not reported yet, so they stay as they are known.
void take_first(RuntimeArgsStore::Words words, const RuntimeArgsData& data,
                std::vector<uint32_t>& known) {
  known.resize(data.rt_args_count);
  std::ranges::copy(words, known.begin());
}

// True when `data` holds other words than `known`, which is then brought up to date.
bool differs(const RuntimeArgsData& data, std::vector<uint32_t>& known) {
  if (std::ranges::equal(view(data), known)) return false;
  known = copy(view(data));
  return true;
}

}  // namespace

RuntimeArgsStore::RuntimeArgsStore(const CoreRangeSet& cores, std::string kernel)
    : cores_(host_cores(cores, "kernel")), kernel_(std::move(kernel)) {
  data_.assign(cores_.end().x, std::vector<RuntimeArgsData>(cores_.end().y));
}

void RuntimeArgsStore::check_core(const CoreCoord& core) const {
  throw_if_error(host::check_argument_core(kernel_, cores_, host_core(core)));
}

void RuntimeArgsStore::assign(RuntimeArgsData& target, Words words) {
  if (target.rt_args_count == 0 && !words.empty()) {
    // Each core's words have memory of their own, which never moves.
    memory_.push_back(std::make_unique_for_overwrite<uint32_t[]>(words.size()));
    target = {memory_.back().get(), words.size()};
    ++layout_version_;
  }
  std::ranges::copy(words, target.rt_args_data);
}

void RuntimeArgsStore::check_count(const CoreCoord& core, size_t count, size_t before) const {
  throw_if_error(
      host::check_arguments(kernel_, host_core(core), count, before, common_.rt_args_count));
}

void RuntimeArgsStore::check(const CoreCoord& core, Words words) const {
  check_core(core);
  check_count(core, words.size(), data_[core.x][core.y].rt_args_count);
}

void RuntimeArgsStore::check_each(const std::vector<CoreCoord>& cores, const Lists& lists) const {
  // How many words the call gives first to cores that have none yet.
  std::map<CoreCoord, size_t> given;
  for (size_t i = 0; i < cores.size(); ++i) {
    check_core(cores[i]);
    size_t present = data_[cores[i].x][cores[i].y].rt_args_count;
    // Only cores without words are kept: later calls for the same cores pay nothing.
    size_t& before = present != 0 ? present : given[cores[i]];
    check_count(cores[i], lists[i].size(), before);
    if (before == 0) before = lists[i].size();
  }
}

void RuntimeArgsStore::note_addresses(Words words, const AddressWords& addresses,
                                      AddressWords& known) {
  std::erase_if(known, [&](const AddressWord& address) { return address.word < words.size(); });
  known.insert(known.end(), addresses.begin(), addresses.end());
}

void RuntimeArgsStore::set(const CoreCoord& core, Words words, const AddressWords& addresses) {
  RuntimeArgsData& target = data_[core.x][core.y];
  assign(target, words);
  // Most programs name no buffers, and pay nothing for it.
  if (!addresses.empty() || !addresses_.empty()) note_addresses(words, addresses, addresses_[core]);
  most_unique_words_ = std::max(most_unique_words_, words.size());
  if (known_) take_first(words, target, known_->words[core.x][core.y]);
}

void RuntimeArgsStore::check_common_unset() const {
  throw_if_error(host::check_common_arguments_unset(kernel_, common_.rt_args_count));
}

void RuntimeArgsStore::set_common(Words words, const AddressWords& addresses) {
  throw_if_error(host::check_common_arguments(kernel_, words.size(), common_.rt_args_count,
                                              most_unique_words_));
  assign(common_, words);
  note_addresses(words, addresses, common_addresses_);
  if (known_) take_first(words, common_, known_->common);
}

RuntimeArgsData& RuntimeArgsStore::reference(const CoreCoord& core) {
  check_core(core);
  watch();
  return data_[core.x][core.y];
}

std::vector<std::vector<RuntimeArgsData>>& RuntimeArgsStore::references() {
  watch();
  return data_;
}

RuntimeArgsData& RuntimeArgsStore::common_reference() {
  watch();
  return common_;
}

RuntimeArgsStore::Words RuntimeArgsStore::words(const CoreCoord& core) const {
  return view(data_[core.x][core.y]);
}

RuntimeArgsStore::Words RuntimeArgsStore::common_words() const { return view(common_); }

const RuntimeArgsStore::AddressWords& RuntimeArgsStore::address_words(const CoreCoord& core) const {
  static const AddressWords kNone;
  const auto found = addresses_.find(core);
  return found == addresses_.end() ? kNone : found->second;
}

size_t RuntimeArgsStore::max_words() const { return most_unique_words_ + common_.rt_args_count; }

void RuntimeArgsStore::watch() {
  if (known_) return;
  // Inside a call, because a snapshot that another thread takes looks at what is known; the gate
  // keeps the two apart.
  LIGHT_METAL_TRACE_FUNCTION_ENTRY("GetRuntimeArgs");
  known_ = std::make_unique<Known>();
  known_->words.resize(data_.size());
  for (size_t x = 0; x < data_.size(); ++x) {
    for (const RuntimeArgsData& data : data_[x]) known_->words[x].push_back(copy(view(data)));
  }
  known_->common = copy(view(common_));
}

void RuntimeArgsStore::report_writes(absl::FunctionRef<void(const CoreCoord&, Words)> changed,
                                     absl::FunctionRef<void(Words)> common_changed) {
  if (!known_) return;
  for (size_t x = 0; x < data_.size(); ++x) {
    for (size_t y = 0; y < data_[x].size(); ++y) {
      if (differs(data_[x][y], known_->words[x][y])) changed({x, y}, view(data_[x][y]));
    }
  }
  if (differs(common_, known_->common)) common_changed(view(common_));
}

// The first buffer among the arguments; null when there is none.
const Buffer* buffer_in(const LightMetalArgs& args) {
  for (const LightMetalArg& arg : args) {
    if (const auto* address = std::get_if<LightMetalAddress>(&arg)) return address->buffer;
  }
  return nullptr;
}

}  // namespace tt::tt_metal
