#include "runner/rank_suite.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "runner/command_line.h"
#include "runner/progress.h"
#include "runner/signal_queue.h"

namespace lightmetal::runner {
namespace {

using Clock = std::chrono::steady_clock;
using Message = std::vector<std::string>;

// How long rank 0 waits at the end for ranks that have not found it yet: the files may have been
// few.
constexpr std::chrono::seconds kLateRanks{30};
constexpr size_t kMostUnknown = 64;  // connections that have not said who they are

// ---- Messages ----

Message message_about(const FileResult& result) {
  return {absl::StrCat(static_cast<int>(result.outcome)), absl::StrCat(result.goldens.compared),
          absl::StrCat(result.goldens.differing), absl::StrCat(result.seconds), result.message};
}

// False for what is no such message.
bool read_result(const Message& message, FileResult& result) {
  if (message.size() != 5) return false;
  const auto outcome = digits_of(message[0]), compared = digits_of(message[1]),
             differing = digits_of(message[2]);
  if (!outcome || *outcome > static_cast<uint64_t>(Outcome::kTimedOut)) return false;
  if (!compared || !differing || !absl::SimpleAtod(message[3], &result.seconds)) return false;
  result.outcome = static_cast<Outcome>(*outcome);
  result.goldens = {.compared = *compared, .differing = *differing};
  result.message = message[4];
  return true;
}

std::string machine_name() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  return name;
}

absl::StatusOr<std::string> new_password() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
    return absl::InternalError(absl::StrCat("no random bytes: ", std::strerror(errno)));
  }
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes), sizeof(bytes)));
}

void drop_standard_streams() {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
  ::close(nothing);
}

// ---- Rank 0 ----

// Hands the files out. Rank 0 replays files, too: in a child that is a rank like the others.
class Distributor {
 public:
  Distributor(const MpiJob& job, absl::Span<const std::string> files, ExecuteChild execute,
              RankListener listener, std::string password)
      : job_(job),
        execute_(execute),
        listener_(std::move(listener)),
        password_(std::move(password)) {
    for (const std::string& file : files) results_.push_back({.file = file});
  }

  std::vector<FileResult> run() {
    while (done_ < results_.size()) {
      if (begun_ < results_.size() && !has_own_rank_) begin_own_rank();
      for (Rank& rank : ranks_) give_file(rank);
      wait(1000);
      const bool end_is_asked = signals_.end_is_asked();
      collect();
      if (end_is_asked) break;
      progress_.update_files(done_, results_.size());
    }
    if (done_ == results_.size()) wait_for_late_ranks();
    ranks_.clear();
    return std::move(results_);
  }

 private:
  // A process that replays files. Its end follows from that of the link.
  struct Rank {
    Rank(int socket, pid_t own) : link(std::make_unique<RankLink>(socket)), process(own) {}
    Rank(Rank&&) = default;
    Rank& operator=(Rank&&) = default;
    ~Rank() {
      if (link != nullptr) end();
    }

    void end() {
      if (process == 0) return;
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
      process = 0;
    }

    std::unique_ptr<RankLink> link;
    pid_t process;          // of rank 0's own one; else 0
    std::string name = {};  // empty until it has said who it is
    std::optional<size_t> file = {};
    Clock::time_point start = {};
  };

  void begin_own_rank() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    std::fflush(stdout);  // or the child would write it again
    const pid_t parent = ::getpid(), process = ::fork();
    if (process == 0) be_own_rank(parent, ends);
    ::close(ends[1]);
    if (process < 0) {
      ::close(ends[0]);
      return;
    }
    has_own_rank_ = true;
    Rank& rank = ranks_.emplace_back(ends[0], process);
    rank.name = absl::StrCat("rank 0 (", machine_name(), ")");
  }

  // In a group of its own, so that a terminal's signals reach rank 0 alone.
  [[noreturn]] void be_own_rank(pid_t parent, const int (&ends)[2]) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kFailure);
    signals_.leave();
    ::close(ends[0]);
    ::close(listener_.socket());
    for (const Rank& rank : ranks_) ::close(rank.link->socket());
    drop_standard_streams();
    RankLink rank_0(ends[1]);
    ::_exit(execute_for_rank_0(rank_0, execute_));
  }

  void give_file(Rank& rank) {
    if (rank.name.empty() || rank.file || begun_ == results_.size()) return;
    rank.file = begun_++;
    rank.start = Clock::now();
    // One that has gone is seen by collect().
    rank.link->send({results_[*rank.file].file});
  }

  // Until somebody writes, ends or connects, the user wants an end, or the time is over.
  void wait(int milliseconds) {
    std::vector<pollfd> watched = {{.fd = signals_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = listener_.socket(), .events = POLLIN, .revents = 0}};
    for (const Rank& rank : ranks_) {
      watched.push_back({.fd = rank.link->socket(), .events = POLLIN, .revents = 0});
    }
    ::poll(watched.data(), watched.size(), milliseconds);
  }

  void collect() {
    std::erase_if(ranks_, [this](Rank& rank) {
      bool is_there = rank.link->take();
      while (auto message = rank.link->next()) is_there = take(rank, *message) && is_there;
      if (!is_there) lose(rank);
      return !is_there;
    });
    for (int socket; (socket = listener_.accept()) >= 0;) {
      if (std::ranges::count(ranks_, "", &Rank::name) < static_cast<ptrdiff_t>(kMostUnknown)) {
        ranks_.emplace_back(socket, 0);
      } else {
        ::close(socket);
      }
    }
  }

  // False for a message that makes no sense.
  bool take(Rank& rank, const Message& message) {
    if (rank.name.empty()) return introduce(rank, message);
    if (!rank.file || !read_result(message, results_[*rank.file])) return false;
    rank.file.reset();
    ++done_;
    return true;
  }

  bool introduce(Rank& rank, const Message& message) {
    if (message.size() != 3 || message[0] != password_) return false;
    rank.name = absl::StrCat("rank ", message[1], " (", message[2], ")");
    ++joined_;
    return true;
  }

  void lose(Rank& rank) {
    has_own_rank_ = has_own_rank_ && rank.process == 0;
    rank.end();
    if (!rank.file) return;
    FileResult& result = results_[*rank.file];
    result.outcome = Outcome::kCrashed;
    result.seconds = std::chrono::duration<double>(Clock::now() - rank.start).count();
    result.message = absl::StrCat(rank.name, ", which replayed it, has died");
    ++done_;
  }

  // A rank that did not find this one any more would end with an error.
  void wait_for_late_ranks() {
    const auto deadline = Clock::now() + kLateRanks;
    while (1 + joined_ < job_.ranks && Clock::now() < deadline && !signals_.end_is_asked()) {
      wait(100);
      collect();
    }
  }

  const MpiJob job_;
  const ExecuteChild execute_;
  RankListener listener_;
  const std::string password_;
  SignalQueue signals_;
  Progress progress_;
  std::vector<FileResult> results_;
  std::vector<Rank> ranks_;
  bool has_own_rank_ = false;
  size_t begun_ = 0;
  size_t done_ = 0;
  size_t joined_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<FileResult>> execute_in_ranks(const MpiJob& job,
                                                         absl::Span<const std::string> files,
                                                         ExecuteChild execute) {
  LM_ASSIGN_OR_RETURN(password, new_password());
  LM_ASSIGN_OR_RETURN(listener, RankListener::create(job.on_one_machine));
  LM_ASSIGN_OR_RETURN(known, text_of_rank_0(job, absl::StrCat(password, " ", listener.place())));
  // The launcher may be killed, too. Once MPI has ended, nobody else tells its ranks.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  return Distributor(job, files, execute, std::move(listener), password).run();
}

absl::StatusOr<std::unique_ptr<RankLink>> join_rank_0(const MpiJob& job) {
  LM_ASSIGN_OR_RETURN(text, text_of_rank_0(job, ""));
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(' ', 1));
  LM_ASSIGN_OR_RETURN(socket, connect_to_rank(parts.second));
  auto rank_0 = std::make_unique<RankLink>(socket);
  rank_0->send({parts.first, absl::StrCat(job.rank), machine_name()});
  const pid_t child = ::fork();
  if (child < 0) return absl::InternalError(absl::StrCat("no process: ", std::strerror(errno)));
  if (child > 0) return nullptr;
  ::setsid();
  drop_standard_streams();
  return rank_0;
}

int execute_for_rank_0(RankLink& rank_0, ExecuteChild execute) {
  while (const auto message = rank_0.wait_next()) {
    const FileResult result =
        execute_in_children({message->front()}, 1, execute, rank_0.socket()).front();
    if (result.outcome == Outcome::kNotFinished) return kFailure;
    if (!rank_0.send(message_about(result))) break;
  }
  return kSuccess;
}

}  // namespace lightmetal::runner
