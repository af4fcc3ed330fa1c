#include "runner/rank_link.h"

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/digest.h"
#include "base/status.h"
#include "base/write_all.h"

namespace lightmetal::runner {
namespace {

// A message is its length in four bytes and its texts, with a zero between two.
constexpr size_t kHead = sizeof(uint32_t);
constexpr size_t kMostMessage = 1 << 20;
constexpr int kConnectMilliseconds = 5000;
constexpr absl::string_view kBetween("\0", 1);

absl::Status socket_error(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
}

void set_option(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof(value));
}

// A machine that is gone is noticed within a minute. A socket between two processes of one machine
// has none of these options and needs none.
void notice_lost_machine(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

std::string number_text(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST];
  const int failed = ::getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST);
  return failed != 0 ? "" : text;
}

// The address that other machines may know, as text; empty for an interface without one.
std::string address_of(const ifaddrs& each) {
  if (each.ifa_addr == nullptr || (each.ifa_flags & IFF_UP) == 0) return "";
  if ((each.ifa_flags & IFF_LOOPBACK) != 0) return "";
  if (each.ifa_addr->sa_family != AF_INET) return "";
  return number_text(each.ifa_addr, sizeof(sockaddr_in));
}

std::string addresses_of_this_machine() {
  std::string text;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return text;
  const absl::Cleanup free_all = [&] { ::freeifaddrs(all); };
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    const std::string address = address_of(*each);
    if (!address.empty()) absl::StrAppend(&text, " ", address);
  }
  return text;
}

// Waits for the end of a connect that does not block.
bool is_connected(int socket) {
  pollfd watched = {.fd = socket, .events = POLLOUT, .revents = 0};
  if (::poll(&watched, 1, kConnectMilliseconds) != 1) {
    errno = ETIMEDOUT;
    return false;
  }
  socklen_t size = sizeof(errno);
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &errno, &size) == 0 && errno == 0;
}

// The socket, or -1 with errno.
int connected(const std::string& address, const std::string& port) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  errno = EINVAL;
  if (::getaddrinfo(address.c_str(), port.c_str(), &wanted, &found) != 0) return -1;
  const absl::Cleanup free_found = [&] { ::freeaddrinfo(found); };
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  const int begun = ::connect(socket, found->ai_addr, found->ai_addrlen);
  if ((begun == 0 || errno == EINPROGRESS) && is_connected(socket)) return socket;
  const int why = errno;
  ::close(socket);
  errno = why;
  return -1;
}

}  // namespace

RankLink::RankLink(int socket) : socket_(socket) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) & ~O_NONBLOCK);
  notice_lost_machine(socket_);
}

RankLink::~RankLink() { ::close(socket_); }

bool RankLink::send(absl::Span<const std::string> message) const {
  const std::string texts = absl::StrJoin(message, kBetween);
  if (texts.size() > kMostMessage) return false;
  const auto size = static_cast<uint32_t>(texts.size());
  uint64_t done = 0;
  return write_all({bytes_of(&size, kHead), bytes_of(texts.data(), texts.size())}, done,
                   [this](const iovec* parts, int count) {
                     const msghdr all = {.msg_name = nullptr,
                                         .msg_namelen = 0,
                                         .msg_iov = const_cast<iovec*>(parts),
                                         .msg_iovlen = static_cast<size_t>(count),
                                         .msg_control = nullptr,
                                         .msg_controllen = 0,
                                         .msg_flags = 0};
                     return ::sendmsg(socket_, &all, MSG_NOSIGNAL);
                   });
}

bool RankLink::take() {
  char part[4096];
  while (come_.size() <= kHead + kMostMessage) {
    const ssize_t size = ::recv(socket_, part, sizeof(part), MSG_DONTWAIT);
    if (size > 0) {
      come_.append(part, static_cast<size_t>(size));
    } else if (size == 0 || errno != EINTR) {
      return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }
  }
  return false;
}

std::optional<std::vector<std::string>> RankLink::next() {
  uint32_t size = 0;
  if (come_.size() < kHead) return std::nullopt;
  std::memcpy(&size, come_.data(), kHead);
  if (come_.size() - kHead < size) return std::nullopt;
  std::vector<std::string> message = absl::StrSplit(come_.substr(kHead, size), kBetween);
  come_.erase(0, kHead + size);
  return message;
}

std::optional<std::vector<std::string>> RankLink::wait_next() {
  bool is_there = true;
  while (is_there) {
    pollfd watched = {.fd = socket_, .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, -1);
    is_there = take();
    if (auto message = next()) return message;
  }
  return std::nullopt;
}

absl::StatusOr<RankListener> RankListener::create(bool on_one_machine) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return socket_error("no socket for the other ranks");
  RankListener listener(socket, "");
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(on_one_machine ? INADDR_LOOPBACK : INADDR_ANY);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, any, size) != 0 || ::listen(socket, SOMAXCONN) != 0 ||
      ::getsockname(socket, any, &size) != 0) {
    return socket_error("no port for the other ranks");
  }
  listener.place_ = absl::StrCat(ntohs(address.sin_port), on_one_machine ? " 127.0.0.1" : "",
                                 on_one_machine ? "" : addresses_of_this_machine());
  return listener;
}

RankListener::RankListener(RankListener&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), place_(std::move(other.place_)) {}

RankListener::~RankListener() {
  if (socket_ >= 0) ::close(socket_);
}

int RankListener::accept() const { return ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

absl::StatusOr<int> connect_to_rank(const std::string& place) {
  const std::vector<std::string> parts = absl::StrSplit(place, ' ');
  errno = EADDRNOTAVAIL;
  for (size_t i = 1; i < parts.size(); ++i) {
    const int socket = connected(parts[i], parts[0]);
    if (socket >= 0) return socket;
  }
  return socket_error(
      absl::StrCat("this rank cannot reach rank 0 (port and addresses ", place, ")"));
}

}  // namespace lightmetal::runner
