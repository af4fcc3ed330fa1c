#include "device/cpu/machine/appended_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "base/mutex.h"
#include "base/write_all.h"

namespace lightmetal::device::cpu {

// O_APPEND: each write goes to the end of the file, whichever device or thread makes it. The lock
// is held until the heading is written, so that no other device has written to the file before. A
// path that could not be opened, or took no heading, counts as not used: whoever opens it later
// begins the file.
int open_appended_file(Output output, absl::string_view heading) {
  static Mutex mutex;
  static auto* const used = new absl::flat_hash_set<std::string>;
  const std::string path = value_of(output);
  MutexLock lock(&mutex);
  const bool is_new = !used->contains(path);
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (is_new ? O_TRUNC : 0);
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0) return -1;
  if (is_new && !write_all(descriptor, bytes_of(heading.data(), heading.size()))) {
    const int why = errno;
    close(descriptor);
    errno = why;
    return -1;
  }
  used->insert(path);
  return descriptor;
}

}  // namespace lightmetal::device::cpu
