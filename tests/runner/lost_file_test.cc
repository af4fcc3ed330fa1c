// What the runner says when a file that it has mapped is lost.
#include "runner/lost_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include "base/write_all.h"

namespace lightmetal::runner {
namespace {

using ::testing::StartsWith;

// Reads a mapped file that has been cut short.
void read_lost_file() {
  constexpr size_t kSize = 4096;
  const int file = memfd_create("lost", 0);
  if (ftruncate(file, kSize) != 0) return;
  const auto* bytes =
      static_cast<const volatile char*>(mmap(nullptr, kSize, PROT_READ, MAP_SHARED, file, 0));
  if (ftruncate(file, 0) != 0) return;
  (void)*bytes;
}

// Loses the file `first`, whose line goes to a pipe without room. Names the file `second` while the
// line waits there, and only then makes room.
[[noreturn]] void lose_while_another_is_named(const int (&pipe)[2], const std::string& first,
                                              const std::string& second) {
  std::string fill(static_cast<size_t>(fcntl(pipe[1], F_GETPIPE_SZ)), ' ');
  if (dup2(pipe[1], STDERR_FILENO) < 0 || !write_all(pipe[1], bytes_of(fill.data(), fill.size())))
    _exit(1);
  report_loss_of(first);
  std::thread([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until the line waits
    report_loss_of(second);
    if (read(pipe[0], fill.data(), fill.size()) < 0) _exit(1);
  }).detach();
  read_lost_file();
  _exit(1);
}

TEST(LostFileTest, TheLineIsWholeThoughAnotherFileIsNamedMeanwhile) {
  const std::string first(200, 'a'), second(300, 'b');
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) lose_while_another_is_named(ends, first, second);
  close(ends[1]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
  std::string line(1000, ' ');
  line.resize(static_cast<size_t>(std::max<ssize_t>(read(ends[0], line.data(), line.size()), 0)));
  close(ends[0]);
  EXPECT_THAT(line,
              StartsWith("lightmetal_runner: " + first + ": it, or a file that it refers to"));
}

}  // namespace
}  // namespace lightmetal::runner
