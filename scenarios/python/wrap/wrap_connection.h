// One process of the script that has connected.
#pragma once
#include <optional>

#include "harness/core/descriptor.h"
#include "scenarios/python/message.h"
#include "scenarios/python/wrap/wrap_answers.h"
#include "scenarios/python/wrap/wrap_ranks.h"

namespace benchbench::python_part {

class WrapConnection {
 public:
  // `socket` does not block.
  explicit WrapConnection(Descriptor socket) noexcept : socket_(std::move(socket)) {}

  int socket() const noexcept { return socket_.get(); }
  bool open() const noexcept { return static_cast<bool>(socket_); }
  void close() noexcept { socket_.close(); }
  // What has come, without waiting for it.
  void read();
  // From now on what comes is thrown away: the process can go on sending.
  void ignore() noexcept { ignored_ = true; }
  // The next whole message. PartError for nonsense.
  std::optional<Message> next() { return ignored_ ? std::nullopt : reader_.next(); }
  // No more will come: the process is gone.
  bool at_end() const noexcept { return at_end_; }
  // Messages are small: one that does not fit at once is for a process that hangs, and closes this.
  void send(const Json& message) noexcept;

  std::optional<WrapHello> hello;
  std::optional<WrapSteady> steady;  // it is measured
  std::optional<RankReady> ready;    // of a rank that is steady
  bool named = false;                // it was said whom it waits for
  bool told_to_stop = false;
  Nanoseconds begun_at{0}, ends_after{0};
  std::optional<WrapEnd> end;

 private:
  Descriptor socket_;
  MessageReader reader_;
  bool at_end_ = false, ignored_ = false;
};

}  // namespace benchbench::python_part
