#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

// How the ranks of a suite talk: over sockets, whose kernels tell the one end when the process at
// the other has died, in whatever way.
namespace lightmetal::runner {

// One end of a connection, over which messages go: each a list of texts without zero bytes. What
// comes is limited, whoever sends it.
class RankLink {
 public:
  // Takes the socket, which is closed with the link.
  explicit RankLink(int socket);
  ~RankLink();
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;

  int socket() const { return socket_; }

  // False when the partner has gone.
  bool send(absl::Span<const std::string> message) const;

  // Takes what has come, without waiting. False when the partner has gone, or sends what is no
  // message.
  bool take();

  // The next message that is whole.
  std::optional<std::vector<std::string>> next();

  // Waits for a message; none when the partner has gone.
  std::optional<std::vector<std::string>> wait_next();

 private:
  const int socket_;
  std::string come_;
};

// Where a rank waits for the others.
class RankListener {
 public:
  static absl::StatusOr<RankListener> create(bool on_one_machine);
  RankListener(RankListener&& other) noexcept;
  ~RankListener();

  int socket() const { return socket_; }
  // What connect_to_rank() takes: the port, and the addresses of this machine.
  const std::string& place() const { return place_; }
  // A connection that waits, or -1.
  int accept() const;

 private:
  RankListener(int socket, std::string place) : socket_(socket), place_(std::move(place)) {}

  int socket_;
  std::string place_;
};

// Connects to the first of the addresses that answers; an error names what was tried.
absl::StatusOr<int> connect_to_rank(const std::string& place);

}  // namespace lightmetal::runner
