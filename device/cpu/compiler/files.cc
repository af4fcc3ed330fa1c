#include "device/cpu/compiler/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/mutex.h"
#include "base/status.h"
#include "device/cpu/compiler/embedded_files.h"

namespace lightmetal::device::cpu {
namespace {

namespace fs = std::filesystem;

std::string from_environment(const char* name, absl::string_view below = "") {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? absl::StrCat(value, below) : "";
}

std::string wanted_cache_folder() {
  std::string folder = from_environment("LIGHTMETAL_CACHE_DIR");
  if (folder.empty()) folder = from_environment("XDG_CACHE_HOME", "/lightmetal");
  if (folder.empty()) folder = from_environment("HOME", "/.cache/lightmetal");
  return folder;
}

struct NamedContent {
  std::string name;
  absl::string_view content;
};

// Other names of folders of kernel headers, made as links: the names of upstream's releases of
// 2026, and those of upstream's source tree, where a kernel must find our headers before
// upstream's. Other names of single headers are in kernel_headers/header_table.txt.
struct FolderName {
  const char* name;
  const char* folder;  // as the link's text
};
constexpr FolderName kFolderNames[] = {
    {"api/compute", "../compute_kernel_api"},
    {"api/debug", "../debug"},
    {"tt_metal/include", ".."},
    {"tt_metal/hw/inc", "../.."},
    {"tt_metal/tools", "../tools"},
    {"tt_metal/hostdevcommon", "../hostdevcommon"},
    {"hw/inc", ".."},
    {"llk_api", "."},
};

// The files of a toolbox, by their paths below its folder.
std::vector<NamedContent> toolbox_files() {
  std::vector<NamedContent> files;
  for (const EmbeddedFile& file : kernel_headers())
    files.push_back({absl::StrCat("include/", file.name), file.content});
  files.push_back({"rebase_pass.so", rebase_pass().front().content});
  return files;
}

bool has_content(const std::string& path, absl::string_view content) {
  const auto present = read_file(path);
  return present.ok() && absl::string_view(*present) == content;
}

// Makes the links. A failure to make one is an error only when no folder is there afterwards, since
// another process may have made it at the same time.
absl::Status name_folders(const std::string& folder) {
  for (const FolderName& name : kFolderNames) {
    const fs::path link = fs::path(folder) / "include" / name.name;
    std::error_code error;
    fs::create_directories(link.parent_path(), error);
    if (!fs::is_directory(link, error)) fs::create_directory_symlink(name.folder, link, error);
    if (!fs::is_directory(link, error))
      return absl::UnavailableError(absl::StrCat("cannot make the link ", link.string()));
  }
  return absl::OkStatus();
}

std::string preludes_in(const std::string& folder) { return absl::StrCat(folder, "/preludes"); }

// What changes whenever a file's content does.
using FileState = std::array<int64_t, 7>;

FileState state_of(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {static_cast<int64_t>(found.st_dev),
          static_cast<int64_t>(found.st_ino),
          found.st_size,
          found.st_mtim.tv_sec,
          found.st_mtim.tv_nsec,
          found.st_ctim.tv_sec,
          found.st_ctim.tv_nsec};
}

// The files that were approved, as they were then.
class ApprovedFiles {
 public:
  bool has(const std::string& path, const FileState& state) {
    MutexLock lock(&mutex_);
    const auto place = files_.find(path);
    return place != files_.end() && place->second == state;
  }
  void add(const std::string& path, const FileState& state) {
    MutexLock lock(&mutex_);
    files_[path] = state;
  }

 private:
  Mutex mutex_;
  std::map<std::string, FileState> files_ ABSL_GUARDED_BY(mutex_);
};

// Another user's toolbox may be whole and yet no place for what this process compiles.
absl::Status make_preludes(const std::string& folder) {
  const std::string preludes = preludes_in(folder);
  std::error_code error;
  fs::create_directories(preludes, error);
  if (access(preludes.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write into ", preludes));
}

absl::Status unpack_into(const std::string& folder) {
  for (const NamedContent& file : toolbox_files()) {
    const std::string path = absl::StrCat(folder, "/", file.name);
    if (is_checked(path, [&] { return has_content(path, file.content); })) continue;
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    LM_RETURN_IF_ERROR(write_file(path, file.content));
  }
  LM_RETURN_IF_ERROR(name_folders(folder));
  return make_preludes(folder);
}

// Where this process has its toolbox. The files are looked at each time, because somebody may have
// emptied the cache. The temporary folder goes when the process ends.
class ToolboxPlace {
 public:
  absl::StatusOr<std::string> find() {
    MutexLock lock(&mutex_);
    const std::string cache = cache_folder();
    const std::string wanted =
        cache.empty() ? "" : absl::StrCat(cache, "/toolbox-", toolbox_digest().hex());
    const bool usable = !wanted.empty() && may_be_left_out_of_names(wanted);
    if (usable && unpack_into(wanted).ok()) return wanted;
    if (temporary_.path().empty()) LM_RETURN_IF_ERROR(temporary_.create());
    LM_RETURN_IF_ERROR(unpack_into(temporary_.path()));
    return temporary_.path();
  }

 private:
  Mutex mutex_;
  TemporaryFolder temporary_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

bool may_be_left_out_of_names(absl::string_view folder) { return !absl::StrContains(folder, '='); }

absl::StatusOr<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot open ", path));
  std::error_code error;
  std::string content;
  content.reserve(fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0);
  for (char block[size_t{64} << 10]; file;) {
    file.read(block, sizeof(block));
    content.append(block, static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) return absl::UnavailableError(absl::StrCat("cannot read ", path));
  return content;
}

bool is_checked(const std::string& path, absl::FunctionRef<bool()> check) {
  static auto* const approved = new ApprovedFiles;  // threads may compile during exit
  const FileState state = state_of(path);           // of before: a change meanwhile is seen later
  if (approved->has(path, state)) return true;
  if (!check()) return false;
  approved->add(path, state);
  return true;
}

absl::Status write_file(const std::string& path, absl::string_view content) {
  static std::atomic<uint64_t> count{0};
  const std::string temporary = absl::StrCat(path, ".", getpid(), ".", count.fetch_add(1), ".new");
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  std::error_code error;
  if (file.good()) fs::rename(temporary, path, error);
  if (file.good() && !error) return absl::OkStatus();
  fs::remove(temporary, error);
  return absl::UnavailableError(absl::StrCat("cannot write ", path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

absl::Status TemporaryFolder::create() {
  std::string pattern = from_environment("TMPDIR", "/lightmetal-XXXXXX");
  if (pattern.empty() || !may_be_left_out_of_names(pattern)) pattern = "/tmp/lightmetal-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make the temporary folder ", pattern));
  }
  path_ = pattern;
  return absl::OkStatus();
}

std::string cache_folder() {
  const std::string folder = wanted_cache_folder();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  return access(folder.c_str(), W_OK | X_OK) == 0 ? folder : "";
}

absl::StatusOr<std::string> debug_folder() {
  const std::string cache = cache_folder();
  if (cache.empty()) {
    return absl::FailedPreconditionError(
        "LIGHTMETAL_CPU_DEVICE_DEBUG needs a cache folder that can be written; "
        "LIGHTMETAL_CACHE_DIR chooses it");
  }
  std::error_code error;
  const std::string folder = absl::StrCat(fs::absolute(cache, error).string(), "/debug");
  fs::create_directories(folder, error);
  if (!error) return folder;
  return absl::UnavailableError(
      absl::StrCat("cannot make the folder ", folder, ": ", error.message()));
}

std::string header_of_name(absl::string_view name) {
  for (const FolderName& other : kFolderNames) {
    absl::string_view below = name;
    if (!absl::ConsumePrefix(&below, other.name) || !absl::ConsumePrefix(&below, "/")) continue;
    const fs::path folder = fs::path(other.name).parent_path() / other.folder;
    return header_of_name((folder / std::string(below)).lexically_normal().string());
  }
  return std::string(name);
}

Digest toolbox_digest() {
  static const Digest digest = [] {
    std::string all;
    for (const NamedContent& file : toolbox_files()) {
      const Digest content = digest_of(bytes_of(file.content.data(), file.content.size()));
      absl::StrAppend(&all, file.name, "=", content.hex(), "\n");
    }
    for (const FolderName& name : kFolderNames)
      absl::StrAppend(&all, name.name, "->", name.folder, "\n");
    return digest_of(bytes_of(all.data(), all.size()));
  }();
  return digest;
}

absl::StatusOr<Toolbox> unpack_toolbox() {
  static ToolboxPlace place;
  LM_ASSIGN_OR_RETURN(found, place.find());
  // Of a precompiled header clang writes paths so, whatever they were when it was made.
  std::error_code error;
  std::string folder = fs::canonical(found, error).string();
  if (error) folder = found;
  return Toolbox{absl::StrCat(folder, "/include"), absl::StrCat(folder, "/rebase_pass.so"),
                 preludes_in(folder)};
}

}  // namespace lightmetal::device::cpu
