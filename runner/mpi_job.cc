#include "runner/mpi_job.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/status.h"
#include "base/write_all.h"

namespace lightmetal::runner {
namespace {

namespace fs = std::filesystem;

constexpr char kProgram[] = "lightmetal_mpi_exchange";
constexpr size_t kMostText = 1 << 20;

// What launchers call the numbers: that of Open MPI, and those that speak PMI, as MPICH's.
struct LauncherNames {
  const char* rank;
  const char* ranks;
  const char* ranks_here;
};
constexpr LauncherNames kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"}};

std::optional<uint64_t> environment_number(const char* name) {
  const char* text = std::getenv(name);
  uint64_t number = 0;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? std::optional(number) : std::nullopt;
}

// Beside the runner in a build, and where a package has it.
absl::StatusOr<std::string> exchange_program() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {folder, folder / LIGHTMETAL_LIBEXEC}) {
    const std::string path = (place / kProgram).lexically_normal();
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::NotFoundError(
      absl::StrCat(kProgram, ", by which ranks find each other, is neither in ", folder.string(),
                   " nor in ", (folder / LIGHTMETAL_LIBEXEC).lexically_normal().string()));
}

[[noreturn]] void become_exchange(const std::string& path, int partner) {
  ::dup2(partner, STDIN_FILENO);
  ::dup2(partner, STDOUT_FILENO);
  ::execl(path.c_str(), kProgram, static_cast<char*>(nullptr));
  ::_exit(127);
}

std::string read_to_end(int descriptor) {
  std::string text;
  char part[4096];
  for (ssize_t size; text.size() < kMostText;) {
    size = ::read(descriptor, part, sizeof(part));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(part, static_cast<size_t>(size));
  }
  return text;
}

// What the program answers to the input; its errors go where this process's go.
absl::StatusOr<std::string> answer_of(const std::string& path, const std::string& input) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::InternalError(absl::StrCat("no socket for ", path, ": ", std::strerror(errno)));
  }
  const absl::Cleanup close_own = [&] { ::close(ends[0]); };
  const pid_t child = ::fork();
  if (child == 0) become_exchange(path, ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    return absl::InternalError(absl::StrCat("no process for ", path, ": ", std::strerror(errno)));
  }
  uint64_t done = 0;
  write_all({bytes_of(input.data(), input.size())}, done, [&](const iovec* parts, int) {
    return ::send(ends[0], parts->iov_base, parts->iov_len, MSG_NOSIGNAL);
  });
  ::shutdown(ends[0], SHUT_WR);
  std::string answer = read_to_end(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return answer;
  return absl::UnavailableError(absl::StrCat(path, " could not start MPI in this rank"));
}

}  // namespace

std::optional<MpiJob> mpi_job() {
  for (const LauncherNames& names : kLaunchers) {
    const auto rank = environment_number(names.rank), ranks = environment_number(names.ranks);
    if (!rank || !ranks || *ranks < 2 || *rank >= *ranks) continue;
    return MpiJob{.rank = *rank,
                  .ranks = *ranks,
                  .on_one_machine = environment_number(names.ranks_here) == ranks};
  }
  return std::nullopt;
}

bool is_built_with_mpi() { return LIGHTMETAL_HAS_MPI != 0; }

absl::StatusOr<std::string> text_of_rank_0(const MpiJob& job, const std::string& text) {
  LM_ASSIGN_OR_RETURN(path, exchange_program());
  LM_ASSIGN_OR_RETURN(answer, answer_of(path, job.rank == 0 ? text : ""));
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(answer, absl::MaxSplits('\n', 1));
  if (parts.first == absl::StrCat(job.rank, " ", job.ranks)) return parts.second;
  return absl::FailedPreconditionError(absl::StrCat(
      "this is rank ", job.rank, " of ", job.ranks, " for whoever started it, and rank and ranks ",
      parts.first, " for ", path, ": they are of different MPIs"));
}

}  // namespace lightmetal::runner
