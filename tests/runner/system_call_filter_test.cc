// The system calls that code of the runner may still make in the sandbox, whoever makes it do so:
// each case is a child that has entered the filter.
#include "runner/system_call_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "device/cpu/memory/confined_code.h"
#include "device/cpu/memory/mapping.h"

namespace lightmetal::runner {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;

const KilledBySignal kStopped(SIGSYS);
const ExitedWithCode kDone(0);

// Returns a page of the kernels' range, readable and writable.
std::byte* enter() {
  const uint64_t code_begin = *device::cpu::confine_kernels();
  std::byte* const page = *device::cpu::take_code_memory(device::cpu::page_size());
  std::vector<sock_filter> filter = system_call_filter(code_begin);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  const bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  if (!entered) _exit(100);
  return page;
}

void* new_page() {
  return mmap(nullptr, device::cpu::page_size(), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

[[noreturn]] void leave(bool as_expected) { _exit(as_expected ? 0 : 1); }

int make_executable(std::byte* begin, uint64_t size, int rights = PROT_READ | PROT_EXEC) {
  return mprotect(begin, size, rights);
}

TEST(SystemCallFilterTest, NobodyGoesBackInAnOpenFile) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_GE(std::fputs("written before", file), 0);
  ASSERT_EQ(std::fflush(file), 0);
  const auto rewind = [&] {
    enter();
    leave(lseek(fileno(file), 0, SEEK_SET) == -1 && errno == ESPIPE);
  };
  EXPECT_EXIT(rewind(), kDone, "");
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_CUR), 14);
  std::fclose(file);
}

TEST(SystemCallFilterTest, OnlyAdviceIsTakenThatAReplayNeeds) {
  const auto advise = [](int advice) {
    const uint64_t size = device::cpu::page_size();
    enter();
    void* const page = new_page();
    leave(madvise(page, size, MADV_DONTNEED) == 0 && madvise(page, size, advice) == -1 &&
          errno == EINVAL);
  };
  for (const int other : {MADV_WILLNEED, MADV_DONTFORK, MADV_MERGEABLE}) {
    EXPECT_EXIT(advise(other), kDone, "") << other;
  }
}

TEST(SystemCallFilterTest, MemoryGrowsWhereverThereIsRoom) {
  const auto grow = [] {
    const uint64_t size = device::cpu::page_size();
    enter();
    leave(mremap(new_page(), size, 64 * size, MREMAP_MAYMOVE) != MAP_FAILED);
  };
  EXPECT_EXIT(grow(), kDone, "");
}

TEST(SystemCallFilterTest, CodeOfKernelsStaysInTheirRange) {
  const uint64_t size = device::cpu::page_size();
  const auto move = [&] {
    std::byte* const code = enter();
    if (make_executable(code, size) != 0) _exit(1);
    mremap(code, size, 64 * size, MREMAP_MAYMOVE);
    _exit(2);
  };
  EXPECT_EXIT(move(), kStopped, "");
  const auto move_with_what_lies_before = [&] {
    std::byte* const code = enter();
    mremap(code - size, 2 * size, 2 * size, MREMAP_MAYMOVE | MREMAP_FIXED, new_page());
    _exit(2);
  };
  EXPECT_EXIT(move_with_what_lies_before(), kStopped, "");
}

TEST(SystemCallFilterTest, NothingIsMadeExecutableOutsideOfTheKernelsRange) {
  const uint64_t size = device::cpu::page_size();
  EXPECT_EXIT(leave(make_executable(enter(), size) == 0), kDone, "");
  EXPECT_EXIT(enter(); make_executable(static_cast<std::byte*>(new_page()), size), kStopped, "");
  const auto make_all_and_more = [&] {
    make_executable(enter(), device::cpu::kConfinedCodeSize + size);
    _exit(2);
  };
  EXPECT_EXIT(make_all_and_more(), kStopped, "");
  const auto make_from_the_end = [&] {
    make_executable(enter() + device::cpu::kConfinedCodeSize - size, 2 * size);
    _exit(2);
  };
  EXPECT_EXIT(make_from_the_end(), kStopped, "");
}

// Makes a call that must end the process, and leaves with 2 where it does not.
template <class Call>
void make(Call call) {
  enter();
  call();
  _exit(2);
}

TEST(SystemCallFilterTest, NoFileIsOpenedWrittenOrMapped) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int open_file = fileno(file);
  EXPECT_EXIT(make([&] { (void)!write(open_file, "x", 1); }), kStopped, "");
  EXPECT_EXIT(make([&] { mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, open_file, 0); }), kStopped, "");
  const auto look = [] {
    enter();
    struct stat info {};
    leave(open("/etc/passwd", O_RDONLY) == -1 && errno == EACCES && stat("/", &info) == -1 &&
          errno == EACCES && fstat(STDERR_FILENO, &info) == 0 && write(STDERR_FILENO, "", 0) == 0);
  };
  EXPECT_EXIT(look(), kDone, "");
  std::fclose(file);
}

TEST(SystemCallFilterTest, NoCodeIsMappedAndNoOtherProcessIsReached) {
  const auto executable = [] {
    mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  };
  EXPECT_EXIT(make(executable), kStopped, "");
  EXPECT_EXIT(make([] { fork(); }), kStopped, "");
  EXPECT_EXIT(make([] { socket(AF_UNIX, SOCK_STREAM, 0); }), kStopped, "");
  const pid_t other = getpid();  // the parent of the process that makes the call
  EXPECT_EXIT(make([other] { syscall(SYS_tgkill, other, other, 0); }), kStopped, "");
  EXPECT_EXIT(enter(); leave(syscall(SYS_tgkill, getpid(), getpid(), 0) == 0), kDone, "");
}

TEST(SystemCallFilterTest, NothingIsBothWritableAndExecutable) {
  const auto make_both = [] {
    make_executable(enter(), device::cpu::page_size(), PROT_READ | PROT_WRITE | PROT_EXEC);
    _exit(2);
  };
  EXPECT_EXIT(make_both(), kStopped, "");
}

}  // namespace
}  // namespace lightmetal::runner
