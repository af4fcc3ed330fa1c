#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tt-metalium/standard_headers.hpp>  // IWYU pragma: export
#include <type_traits>
#include <utility>

// Lines on standard output for people: `level | category | message`. TT_LOGGER_LEVEL (Trace, Debug,
// Info, Warning, Error, Fatal, in any case; anything else means Info) sets the least level that is
// shown. TT_LOGGER_FILE sends the lines to a file instead, which is emptied first. Both variables
// are read once. Thread-safe; a line is written whole. The functions are there under their plain
// names, too, as upstream's later macros are. A format that is a literal is checked at compile
// time, other text where it is used.
namespace tt {

enum LogType : uint32_t {
  LogAlways,
  LogTest,
  LogTimer,
  LogDevice,
  LogModel,
  LogLLRuntime,
  LogLoader,
  LogIR,
  LogBuildKernels,
  LogVerif,
  LogOp,
  LogDispatch,
  LogFabric,
  LogMetal,
  LogMetalTrace,
  LogDistributed,
  LogEmulationDriver,
  LogSiliconDriver,
};

namespace logger {

enum class Level : uint8_t { Trace, Debug, Info, Warning, Error, Fatal };

// True when lines of that level are shown.
bool shows(Level level);

void write(Level level, LogType type, std::string_view message);

template <typename... Args>
void log(Level level, LogType type, fmt::format_string<Args...> format, Args&&... args) {
  if (shows(level)) write(level, type, fmt::format(format, std::forward<Args>(args)...));
}

// Text that is no literal, and is a format all the same.
template <typename T>
concept RunTimeText = std::convertible_to < const std::remove_reference_t<T>
&, std::string_view > &&!(std::is_array_v<std::remove_reference_t<T>> &&
                          std::is_const_v<std::remove_reference_t<T>>);

// The message. Braces mean nothing where there are no arguments. Throws fmt::format_error for a
// format that does not fit the arguments.
template <typename... Args>
std::string message_of(std::string_view format, Args&&... args) {
  if constexpr (sizeof...(Args) == 0) return std::string(format);
  return fmt::format(fmt::runtime(format), std::forward<Args>(args)...);
}

template <typename... Args>
void log_text(Level level, LogType type, std::string_view format, Args&&... args) {
  if (shows(level)) write(level, type, message_of(format, std::forward<Args>(args)...));
}

}  // namespace logger

template <typename... Args>
void log_trace(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Trace, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_trace(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Trace, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_trace(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Trace, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_trace(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Trace, LogAlways, format, std::forward<Args>(args)...);
}

template <typename... Args>
void log_debug(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Debug, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Debug, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_debug(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Debug, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_debug(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Debug, LogAlways, format, std::forward<Args>(args)...);
}

template <typename... Args>
void log_info(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Info, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Info, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_info(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Info, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_info(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Info, LogAlways, format, std::forward<Args>(args)...);
}

template <typename... Args>
void log_warning(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Warning, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Warning, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_warning(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Warning, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_warning(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Warning, LogAlways, format, std::forward<Args>(args)...);
}

template <typename... Args>
void log_error(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Error, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Error, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_error(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Error, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_error(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Error, LogAlways, format, std::forward<Args>(args)...);
}

// Only logs: it does not throw.
template <typename... Args>
void log_fatal(LogType type, fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Fatal, type, format, std::forward<Args>(args)...);
}
template <typename... Args>
void log_fatal(fmt::format_string<Args...> format, Args&&... args) {
  logger::log(logger::Level::Fatal, LogAlways, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_fatal(LogType type, Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Fatal, type, format, std::forward<Args>(args)...);
}
template <logger::RunTimeText Text, typename... Args>
void log_fatal(Text&& format, Args&&... args) {
  logger::log_text(logger::Level::Fatal, LogAlways, format, std::forward<Args>(args)...);
}

}  // namespace tt

using tt::log_debug;
using tt::log_error;
using tt::log_fatal;
using tt::log_info;
using tt::log_trace;
using tt::log_warning;
