#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "schema/command_generated.h"

namespace lightmetal::schema {

namespace internal {

// Calls visit(word) for each word of a value of a call that may be an address.
template <class Visit>
class WordWalk {
 public:
  explicit WordWalk(Visit& visit) : visit_(visit) {}

  void operator()(uint32_t word) const { visit_(word); }
  void operator()(const Words& words) const { all(words.words()); }
  void operator()(const RuntimeArg& arg) const { visit_(arg.value()); }
  void operator()(const RuntimeArgs& args) const { all(args.args()); }
  void operator()(const NamedArg& arg) const { visit_(arg.value()); }
  void operator()(const CircularBufferConfig& config) const {
    if (const auto address = config.globally_allocated_address()) visit_(*address);
  }
  void operator()(const TraceCircularBuffer& buffer) const { visit_(buffer.address()); }
  void operator()(const TraceCore& core) const { all(core.circular_buffers()); }
  void operator()(const TraceLaunch& launch) const {
    all(launch.args());
    all(launch.cores());
  }
  void operator()(const TraceContent& content) const { all(content.launches()); }

  // A value or a list of them; null for none.
  template <class Value>
  void all(const Value* value) const {
    if (value != nullptr) (*this)(*value);
  }
  template <class Item>
  void all(const flatbuffers::Vector<Item>* list) const {
    if (list == nullptr) return;
    for (const auto item : *list) {
      if constexpr (std::integral<decltype(item)>) {
        (*this)(item);
      } else {
        (*this)(*item);
      }
    }
  }

 private:
  Visit& visit_;
};

}  // namespace internal

// Calls visit(uint32_t) for each word of a call that may be an address. These are the arguments and
// constants of kernels, the addresses of circular buffers, and both of these in a device trace.
template <class Call, class Visit>
void visit_words(const Call& call, Visit&& visit) {
  const internal::WordWalk<std::remove_reference_t<Visit>> walk(visit);
  if constexpr (requires { call.args(); }) walk.all(call.args());
  if constexpr (requires { call.compile_args(); }) walk.all(call.compile_args());
  if constexpr (requires { call.named_compile_args(); }) walk.all(call.named_compile_args());
  if constexpr (requires { call.config()->globally_allocated_address(); }) walk.all(call.config());
  if constexpr (requires { call.content()->launches(); }) walk.all(call.content());
}

}  // namespace lightmetal::schema
