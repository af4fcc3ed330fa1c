#include "tests/support/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace lightmetal::testing {
namespace {

bool write_text(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

// A mount namespace of its own for this process; as an ordinary user with a user namespace.
bool enter_namespace() {
  const std::string user = absl::StrCat("0 ", getuid(), " 1");
  if (geteuid() == 0) {
    if (unshare(CLONE_NEWNS) != 0) return false;
  } else if (unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0 ||
             !write_text("/proc/self/setgroups", "deny") ||
             !write_text("/proc/self/uid_map", user)) {
    return false;
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

bool mount_small_disk(const std::string& folder, uint64_t bytes) {
  const std::string size = absl::StrCat("size=", bytes);
  return enter_namespace() && mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

}  // namespace lightmetal::testing
