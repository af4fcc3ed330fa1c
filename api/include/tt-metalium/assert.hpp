#pragma once

#include <fmt/format.h>

#include <string_view>
#include <tt-metalium/logger.hpp>  // IWYU pragma: export
#include <utility>

// How the host API reports a broken rule: a std::runtime_error whose text begins with the message;
// the next line holds macro, file, line and condition.
//
//   TT_FATAL(condition[, format, args...])   throws unless the condition holds; always compiled in
//   TT_THROW(format, args...)                throws
//   TT_ASSERT(condition[, format, args...])  as TT_FATAL
//
// Formats are fmt's. Literals are checked at compile time, other text where it is used.
namespace tt::assert {

struct Location {
  const char* file;
  int line;
  const char* kind;       // the macro
  const char* condition;  // its text; empty for TT_THROW
};

[[noreturn]] void raise(const Location& location, std::string_view message);

[[noreturn]] inline void raise_formatted(const Location& location) { raise(location, {}); }

template <typename... Args>
[[noreturn]] void raise_formatted(const Location& location, fmt::format_string<Args...> format,
                                  Args&&... args) {
  raise(location, fmt::format(format, std::forward<Args>(args)...));
}

template <logger::RunTimeText Text, typename... Args>
[[noreturn]] void raise_formatted(const Location& location, Text&& format, Args&&... args) {
  raise(location, logger::message_of(format, std::forward<Args>(args)...));
}

}  // namespace tt::assert

#define TT_THROW(...)            \
  ::tt::assert::raise_formatted( \
      ::tt::assert::Location{__FILE__, __LINE__, "TT_THROW", ""} __VA_OPT__(, ) __VA_ARGS__)

#define TT_FATAL(condition, ...)                                                   \
  do {                                                                             \
    if (!(condition)) [[unlikely]] {                                               \
      ::tt::assert::raise_formatted(::tt::assert::Location{                        \
          __FILE__, __LINE__, "TT_FATAL", #condition} __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                              \
  } while (false)

#define TT_ASSERT(condition, ...)                                                   \
  do {                                                                              \
    if (!(condition)) [[unlikely]] {                                                \
      ::tt::assert::raise_formatted(::tt::assert::Location{                         \
          __FILE__, __LINE__, "TT_ASSERT", #condition} __VA_OPT__(, ) __VA_ARGS__); \
    }                                                                               \
  } while (false)
