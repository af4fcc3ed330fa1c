#include "device/registry/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

#include "absl/cleanup/cleanup.h"
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

absl::Status not_loaded(const std::string& path, absl::string_view reason) {
  return no_backend(path, absl::StrCat("it cannot be loaded as a shared library: ", reason));
}

bool read_at(int file, uint64_t offset, void* target, size_t size) {
  return ::pread(file, target, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

// Whether the program headers and the segments that they place lie in a file of this size. True for
// what is no 64-bit ELF file: the loader says what that is.
bool has_its_segments(int file, uint64_t size) {
  const auto lies_inside = [size](uint64_t offset, uint64_t length) {
    return offset <= size && length <= size - offset;
  };
  Elf64_Ehdr header;
  if (!read_at(file, 0, &header, sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    return true;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  const size_t bytes = segments.size() * sizeof(Elf64_Phdr);
  return lies_inside(header.e_phoff, bytes) &&
         read_at(file, header.e_phoff, segments.data(), bytes) &&
         std::ranges::all_of(segments, [&](const Elf64_Phdr& segment) {
           return segment.p_type != PT_LOAD || lies_inside(segment.p_offset, segment.p_filesz);
         });
}

// The loader's message begins with the path, which no_backend() says already.
absl::Status loaders_error(const std::string& path) {
  const char* reason = ::dlerror();
  absl::string_view text = reason == nullptr ? "" : reason;
  absl::ConsumePrefix(&text, absl::StrCat(path, ": "));
  return not_loaded(path, text);
}

// Opens the file itself first, because the system's loader gives the same message for a missing
// file and for a missing dependency, waits for the writer of a pipe, and maps what is not there of
// a file that was cut short. O_NONBLOCK: a pipe must not hold up this function either.
absl::Status check_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return file_error("open", path, errno);
  const absl::Cleanup close_file = [file] { ::close(file); };
  struct stat info {};
  if (::fstat(file, &info) != 0) return file_error("open", path, errno);
  if (!S_ISREG(info.st_mode)) return not_loaded(path, "it is not a regular file");
  if (has_its_segments(file, static_cast<uint64_t>(info.st_size))) return absl::OkStatus();
  return not_loaded(path, "it was cut short: what its program headers speak of is not all there");
}

// The library's entry is foreign code: what it throws becomes an error.
absl::StatusOr<const BackendLibrary*> call_entry(const std::string& path,
                                                 decltype(&lightmetal_backend) entry) {
  try {
    return entry();
  } catch (const std::exception& error) {
    return no_backend(path, absl::StrCat("its ", kEntry, "() throws: ", error.what()));
  } catch (...) {
    return no_backend(path, absl::StrCat("its ", kEntry, "() throws what is no std::exception"));
  }
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
  LM_RETURN_IF_ERROR(check_file(path));
  // The library is never unloaded: even one that is refused may have threads or handlers of its own
  // by now.
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return loaders_error(path);
  void* const symbol = ::dlsym(handle, kEntry);
  if (symbol == nullptr) {
    return no_backend(path, absl::StrCat("it exports no function ", kEntry, "()"));
  }
  const auto entry = reinterpret_cast<decltype(&lightmetal_backend)>(symbol);
  LM_ASSIGN_OR_RETURN(library, call_entry(path, entry));
  LM_RETURN_IF_ERROR(check_library(path, library));
  return library;
}

}  // namespace lightmetal::device
