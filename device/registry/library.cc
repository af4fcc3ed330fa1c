#include "device/registry/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file_error.h"
#include "base/status.h"

namespace lightmetal::device {
namespace {

constexpr char kEntry[] = "lightmetal_backend";

std::string text_of(const BackendBuild& build) {
  return absl::StrCat("backend interface ", build.interface, ", Abseil ", build.abseil,
                      ", C++ library ", build.standard_library, ", plans of ", build.plan_size,
                      " bytes");
}

absl::Status no_backend(const std::string& path, absl::string_view reason) {
  return absl::FailedPreconditionError(absl::StrCat(path, " is no backend: ", reason));
}

// Opens the file itself first, because the system's loader gives the same message for a missing
// file and for a missing dependency. O_NONBLOCK: a pipe that nobody writes to must not hold up the
// caller.
absl::Status check_readable(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return file_error("open", path, errno);
  ::close(descriptor);
  return absl::OkStatus();
}

// The loader's message begins with the path, which no_backend() says already.
absl::Status not_loaded(const std::string& path) {
  const char* reason = ::dlerror();
  absl::string_view text = reason == nullptr ? "" : reason;
  absl::ConsumePrefix(&text, absl::StrCat(path, ": "));
  return no_backend(path, absl::StrCat("it cannot be loaded as a shared library: ", text));
}

bool is_name(absl::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_';
  });
}

// The build comes first: where it differs, the other members may lie elsewhere, and nothing else of
// the library can be read.
absl::Status check_library(const std::string& path, const BackendLibrary* library) {
  if (library == nullptr) return no_backend(path, absl::StrCat("its ", kEntry, "() gives nothing"));
  const BackendBuild expected;
  if (library->build != expected) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, " was built with ", text_of(library->build), "; this program expects ",
                     text_of(expected)));
  }
  if (library->name == nullptr || !is_name(library->name)) {
    return no_backend(path, "its name is not one of lower-case letters, digits and '_'");
  }
  if (library->open == nullptr) return no_backend(path, "it has no function that opens a device");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<const BackendLibrary*> load_library(const std::string& path) {
  LM_RETURN_IF_ERROR(check_readable(path));
  // The library is never unloaded: even one that is refused may have threads or handlers of its own
  // by now.
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return not_loaded(path);
  void* const symbol = ::dlsym(handle, kEntry);
  if (symbol == nullptr) {
    return no_backend(path, absl::StrCat("it exports no function ", kEntry, "()"));
  }
  const auto entry = reinterpret_cast<decltype(&lightmetal_backend)>(symbol);
  const BackendLibrary* library = entry();
  LM_RETURN_IF_ERROR(check_library(path, library));
  return library;
}

}  // namespace lightmetal::device
