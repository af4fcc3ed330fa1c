#pragma once

#include <cstdint>
#include <string>

namespace lightmetal::testing {

// Mounts a file system in memory of `bytes` at `folder`, which this process and those that it
// starts see alone. Returns false where the machine allows neither root's mount namespace nor a
// user namespace. REQUIRES: this process has one thread.
bool mount_small_disk(const std::string& folder, uint64_t bytes);

// The reason of a test that is skipped where mount_small_disk() returns false.
inline constexpr char kNoSmallDisk[] =
    "this machine lets no test mount a small tmpfs: neither root's mount namespace nor a user "
    "namespace is to be had";

}  // namespace lightmetal::testing
