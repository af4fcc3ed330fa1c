#include "runner/file_list.h"

#include <glob.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace lightmetal::runner {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name, ignored);
}

bool is_pattern(const std::string& name) {
  std::error_code ignored;
  return name.find_first_of("*?[") != name.npos && !fs::exists(name, ignored);
}

absl::Status add_folder(const std::string& folder, std::set<std::string>& files) {
  std::error_code error;
  bool found = false;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() != ".lmb" || entry->is_directory(ignored)) continue;
    files.insert(entry->path().string());
    found = true;
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  if (found) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(folder, ": no .lmb file lies in this folder or below"));
}

absl::Status add_matches(const std::string& pattern, std::set<std::string>& files) {
  glob_t matches{};
  const absl::Cleanup free_matches = [&] { ::globfree(&matches); };
  if (::glob(pattern.c_str(), 0, nullptr, &matches) != 0) {
    return absl::NotFoundError(absl::StrCat(pattern, ": no file matches this pattern"));
  }
  for (size_t i = 0; i < matches.gl_pathc; ++i) {
    const std::string match = matches.gl_pathv[i];
    if (!is_folder(match)) {
      files.insert(match);
    } else {
      LM_RETURN_IF_ERROR(add_folder(match, files));
    }
  }
  return absl::OkStatus();
}

absl::Status add_files(const std::string& name, std::set<std::string>& files) {
  if (is_folder(name)) return add_folder(name, files);
  if (is_pattern(name)) return add_matches(name, files);
  files.insert(name);
  return absl::OkStatus();
}

}  // namespace

bool names_many(const std::string& name) { return is_folder(name) || is_pattern(name); }

absl::StatusOr<std::vector<std::string>> files_named(absl::Span<const std::string> names) {
  std::set<std::string> files;
  for (const std::string& name : names) LM_RETURN_IF_ERROR(add_files(name, files));
  return std::vector<std::string>(files.begin(), files.end());
}

std::vector<std::string> shard_of(absl::Span<const std::string> files, const Shard& shard) {
  std::vector<std::string> part;
  for (size_t i = shard.index - 1; i < files.size(); i += shard.count) part.push_back(files[i]);
  return part;
}

}  // namespace lightmetal::runner
