#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <tt-metalium/assert.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace tt::tt_metal::experimental {

// Values by key, each key once, with the interface of std::map. Keys only need to be comparable for
// equality: a look-up goes through all of them. Meant for the few entries that a program names. The
// order of the entries means nothing. What changes the table invalidates its iterators.
template <typename K, typename V>
class Table {
  static_assert(!std::is_reference_v<V>, "a Table holds values, not references");

 public:
  using key_type = K;
  using mapped_type = V;
  using value_type = std::pair<const K, V>;
  using size_type = std::size_t;
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  Table() noexcept = default;
  // Throw std::runtime_error when a key is there twice.
  Table(std::initializer_list<value_type> entries) { insert_each(entries); }
  template <std::ranges::input_range Entries>
  requires std::convertible_to<std::ranges::range_reference_t<Entries>, value_type>
  explicit Table(const Entries& entries) { insert_each(entries); }

  // Keys are constant, so that entries are never assigned to: a table gets other ones as a whole.
  Table(const Table&) = default;
  Table(Table&&) noexcept = default;
  Table& operator=(const Table& other) {
    Table copy(other);
    entries_.swap(copy.entries_);
    return *this;
  }
  Table& operator=(Table&&) noexcept = default;
  ~Table() = default;

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  const_iterator cbegin() const { return entries_.cbegin(); }
  const_iterator cend() const { return entries_.cend(); }

  bool empty() const noexcept { return entries_.empty(); }
  size_type size() const noexcept { return entries_.size(); }
  void clear() noexcept { entries_.clear(); }

  iterator find(const K& key) { return find_in(entries_, key); }
  const_iterator find(const K& key) const { return find_in(entries_, key); }
  bool contains(const K& key) const { return find(key) != end(); }
  // The value of a key; null when the table does not have it.
  V* get(const K& key) noexcept {
    const auto found = find(key);
    return found == end() ? nullptr : &found->second;
  }
  const V* get(const K& key) const noexcept { return const_cast<Table*>(this)->get(key); }

  // Inserts a default value for a key that is not there.
  V& operator[](const K& key) {
    const auto found = find(key);
    return found != end() ? found->second : entries_.emplace_back(key, V{}).second;
  }
  // These change nothing when the key is there already. Return its entry, and whether it is new.
  std::pair<iterator, bool> insert(value_type entry) {
    const auto found = find(entry.first);
    if (found != end()) return {found, false};
    entries_.push_back(std::move(entry));
    return {std::prev(end()), true};
  }
  template <typename... Args>
  requires std::constructible_from<value_type, Args...> std::pair<iterator, bool> emplace(
      Args&&... args) {
    return insert(value_type(std::forward<Args>(args)...));
  }
  // Returns how many entries it took away: 0 or 1.
  size_type erase(const K& key) {
    std::vector<value_type> left;
    for (value_type& entry : entries_) {
      if (!(entry.first == key)) left.push_back(std::move(entry));
    }
    const size_type erased = entries_.size() - left.size();
    entries_.swap(left);
    return erased;
  }

  // Equal entries, in whatever order.
  friend bool operator==(const Table& a, const Table& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](const value_type& entry) {
             const V* other = b.get(entry.first);
             return other != nullptr && *other == entry.second;
           });
  }

 private:
  template <typename Entries>
  static auto find_in(Entries& entries, const K& key) {
    return std::ranges::find(entries, key, &value_type::first);
  }
  template <typename Entries>
  void insert_each(const Entries& entries) {
    for (const value_type& entry : entries)
      TT_FATAL(insert(entry).second, "A table was given the same key twice");
  }

  std::vector<value_type> entries_;
};

}  // namespace tt::tt_metal::experimental
