#include "device/system_call_names.h"

#include <sys/syscall.h>

#include "absl/strings/str_cat.h"

namespace lightmetal::device {
namespace {

struct Named {
  int number;
  const char* name;
};

// The calls that reach files, the network, other processes and the rights of memory. The first ones
// exist on x86-64 and not on AArch64.
constexpr Named kNames[] = {
#if defined(__x86_64__)
    {SYS_open, "open"},
    {SYS_creat, "creat"},
    {SYS_fork, "fork"},
    {SYS_vfork, "vfork"},
    {SYS_unlink, "unlink"},
    {SYS_rename, "rename"},
    {SYS_chmod, "chmod"},
    {SYS_mkdir, "mkdir"},
    {SYS_dup2, "dup2"},
    {SYS_pipe, "pipe"},
#endif
    {SYS_openat, "openat"},
    {SYS_openat2, "openat2"},
    {SYS_read, "read"},
    {SYS_write, "write"},
    {SYS_close, "close"},
    {SYS_ioctl, "ioctl"},
    {SYS_fcntl, "fcntl"},
    {SYS_unlinkat, "unlinkat"},
    {SYS_socket, "socket"},
    {SYS_connect, "connect"},
    {SYS_bind, "bind"},
    {SYS_sendto, "sendto"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_execve, "execve"},
    {SYS_execveat, "execveat"},
    {SYS_clone, "clone"},
    {SYS_clone3, "clone3"},
    {SYS_kill, "kill"},
    {SYS_tgkill, "tgkill"},
    {SYS_ptrace, "ptrace"},
    {SYS_process_vm_readv, "process_vm_readv"},
    {SYS_process_vm_writev, "process_vm_writev"},
    {SYS_mmap, "mmap"},
    {SYS_mprotect, "mprotect"},
    {SYS_memfd_create, "memfd_create"},
    {SYS_io_uring_setup, "io_uring_setup"},
    {SYS_bpf, "bpf"},
    {SYS_prctl, "prctl"},
    {SYS_exit, "exit"},
    {SYS_exit_group, "exit_group"},
    {SYS_getpid, "getpid"},
};

}  // namespace

const char* known_name_of_system_call(int number) {
  for (const Named& each : kNames) {
    if (each.number == number) return each.name;
  }
  return nullptr;
}

std::string name_of_system_call(int number) {
  const char* name = known_name_of_system_call(number);
  return name != nullptr ? name : absl::StrCat("number ", number);
}

}  // namespace lightmetal::device
