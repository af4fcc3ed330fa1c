#include "device/cpu/machine/appended_file.h"

#include <fcntl.h>

#include "absl/container/flat_hash_set.h"
#include "base/mutex.h"

namespace lightmetal::device::cpu {
namespace {

bool is_first_use(const std::string& path) {
  static Mutex mutex;
  static auto* const used = new absl::flat_hash_set<std::string>;
  MutexLock lock(&mutex);
  return used->insert(path).second;
}

}  // namespace

// O_APPEND: each write goes to the end of the file, whichever device or thread makes it.
AppendedFile open_appended_file(const std::string& path) {
  const bool is_new = is_first_use(path);
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_new ? O_TRUNC : 0);
  return {.descriptor = ::open(path.c_str(), flags, 0666), .is_new = is_new};
}

}  // namespace lightmetal::device::cpu
