#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "schema/show/json.h"

namespace lightmetal::runner::page {

// Texts that a page holds once each, however often it shows them. Not thread-safe.
class TextTable {
 public:
  TextTable() = default;
  TextTable(TextTable&&) = default;
  TextTable& operator=(TextTable&&) = default;

  // The number of this text, counted from 0 in the order of first use.
  uint32_t number_of(absl::string_view text) {
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }

  // Writes the texts as an array, by their numbers.
  void write(schema::JsonWriter& json) const {
    json.begin_array();
    for (const std::string& text : texts_) json.value(text);
    json.end_array();
  }

 private:
  std::deque<std::string> texts_;  // stay where they are
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;
};

// Writes numbers as an array.
template <class Column>
void write_column(schema::JsonWriter& json, absl::string_view name, const Column& column) {
  json.key(name).begin_array();
  for (const auto value : column) json.value(value);
  json.end_array();
}

}  // namespace lightmetal::runner::page
