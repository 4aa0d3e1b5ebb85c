#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <random>

#include "harness/core/error.h"
#include "harness/part/wrapped.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/wrap/wrap_connection.h"

namespace benchbench {
namespace {

using namespace python_part;

constexpr int kWaiting = 64;  // connections that were not accepted yet
// For ranks that were stopped: what has not ended then hangs.
constexpr Nanoseconds kEndsWithin = std::chrono::seconds{30};

Nanoseconds monotonic() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::string new_token() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

// A name without a file: nothing is left of it.
Descriptor listening_at(const std::string& name) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::listen(socket.get(), kWaiting) != 0)
    throw PartError(
        fmt::format("cannot listen for the script's processes: {}", strerrordesc_np(errno)));
  return socket;
}

// Names of abstract sockets can be read by every user of the machine.
bool is_ours(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

Json stop_message(WrapReason reason) {
  return {{"type", "stop"}, {"reason", kWordsOf<WrapReason>[std::size_t(reason)]}};
}

Json refusal_message(std::string_view why) {
  Json message = stop_message(WrapReason::refused);
  message["message"] = why;
  return message;
}

std::string with_ours_first(const std::string& folder) {
  const char* theirs = std::getenv("PYTHONPATH");
  return theirs && *theirs ? fmt::format("PYTHONPATH={}:{}", folder, theirs)
                           : "PYTHONPATH=" + folder;
}

class ScriptSession final : public WrapSession {
 public:
  ScriptSession(const WrapOrder& order, WrapListener& listener, std::function<Nanoseconds()> now)
      : plan_(plan_message(order)),
        longest_wait_(longest_wait(order)),
        now_(std::move(now)),
        listener_(listener),
        token_(new_token()),
        name_("benchbench-wrap-" + new_token()),
        socket_(listening_at(name_)) {}

  std::vector<std::string> environment() const override {
    // Our own files are known by their real paths.
    const auto folder = std::filesystem::canonical(child_script()).parent_path() / "wrap_site";
    return {with_ours_first(folder.string()), "BENCHBENCH_WRAP=@" + name_,
            "BENCHBENCH_WRAP_TOKEN=" + token_};
  }

  void hear(int milliseconds) override {
    std::vector<pollfd> watched{{socket_.get(), POLLIN, 0}};
    for (const WrapConnection& c : connections_) watched.push_back({c.socket(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), milliseconds);
    accept_all();
    for (WrapConnection& c : connections_) hear_from(c);
    connections_.remove_if([](const WrapConnection& c) { return !c.open(); });
    look_at_time();
  }

  std::uint64_t messages() const noexcept override { return messages_; }
  void end_who_is_asked(WrapReason reason) override { ends_as_ = reason; }
  bool connected() const noexcept override { return !connections_.empty(); }

  bool hangs() const override {
    if (!stopped_at_ || now_() - *stopped_at_ < kEndsWithin) return false;
    return absent_ || std::ranges::any_of(connections_, &WrapConnection::told_to_stop);
  }

 private:
  void accept_all() {
    for (;;) {
      Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return;
      if (is_ours(socket.get())) connections_.emplace_back(std::move(socket));
    }
  }

  void hear_from(WrapConnection& c) {
    try {
      c.read();
      while (auto message = c.next()) take(c, *message);
    } catch (const Error& error) {
      ignore(c, std::string(error.message()));
    } catch (const std::exception& error) {
      ignore(c, error.what());
    }
    if (c.at_end()) leave(c);
  }

  // What makes no sense is our own defect: the script goes on, or is stopped where it is no longer
  // what it was. Until then it is kept connected, so that it does not take us for gone.
  void ignore(WrapConnection& c, std::string why) {
    c.ignore();
    if (!c.hello) return c.close();
    if (!c.end) tell_end_without_one(c, WrapReason::internal, std::move(why));
    c.send({{"type", "leave"}});
  }

  // What it was asked for stays undone; the script sees that by itself.
  void leave(WrapConnection& c) {
    c.close();
    if (c.hello && !c.end) tell_end_without_one(c, WrapReason::lost, "");
  }

  void tell_end_without_one(WrapConnection& c, WrapReason reason, std::string why) {
    WrapEnd end;
    end.reason = reason;
    end.message = std::move(why);
    end.seen = c.steady.has_value();
    tell_end(c, std::move(end));
  }

  void take(WrapConnection& c, const Message& message) {
    if (!c.hello) return message.type == "stacks" ? take_stacks(c, message) : greet(c, message);
    ++messages_;
    const int pid = c.hello->pid;
    if (message.type == "steady")
      take_steady(c, steady_from(message));
    else if (message.type == "progress")
      tell_progress(pid, message);
    else if (message.type == "window")
      tell_edge(pid, message);
    else if (message.type == "stretch")
      take_stretch(c, message);
    else if (message.type == "next")
      take_next(c, message);
    else if (message.type == "ready")
      agree(c, message);
    else if (message.type == "end")
      tell_end(c, end_from(message));
  }

  bool has_token(const Message& message) const {
    return read_from(message, [&](const Json& body) { return text_in(body, "token") == token_; });
  }

  // Each time on a connection of its own.
  void take_stacks(WrapConnection& c, const Message& message) {
    if (!has_token(message)) return c.close();
    listener_.stood(stacks_from(message));
    c.send(ends_as_ ? stop_message(*ends_as_) : Json{{"type", "go"}});
    c.close();
  }

  void greet(WrapConnection& c, const Message& message) {
    const bool ours =
        message.type == "hello" && has_token(message) && read_from(message, [&](const Json& body) {
          return member_or<int>(body, "protocol", 0) == kProtocol;
        });
    if (!ours) return c.close();
    ++messages_;
    c.hello = hello_from(message);
    listener_.connected(*c.hello);
    c.send(plan_);
  }

  void tell_progress(int pid, const Message& message) {
    read_from(message, [&](const Json& body) {
      listener_.progressed(pid, text_in(body, "phase"), kind_in(body),
                           member<std::uint32_t>(body, "round"),
                           member<std::vector<int>>(body, "workers"));
      if (auto ledger = ledger_in(body))
        listener_.spent(pid, std::move(*ledger), loaders_in(body, "loaders"));
    });
  }

  void tell_edge(int pid, const Message& message) {
    read_from(message, [&](const Json& body) {
      if (body.at("edge") == "begin")
        listener_.segment_begins(pid, kind_in(body), workers_in(body));
      else
        listener_.segment_ends(pid);
    });
  }
  static std::vector<int> workers_in(const Json& body) {
    return member_or<std::vector<int>>(body, "workers", {});
  }

  // It waits for this before it changes anything of the script.
  void take_steady(WrapConnection& c, WrapSteady steady) {
    std::optional<WrapStart> start;
    try {
      start = listener_.steady(c.hello->pid, steady);
    } catch (const ScenarioError& error) {
      c.send(refusal_message(error.message()));
      return;
    }
    c.begun_at = now_();
    if (!start) {
      c.ready.reset();
      c.send({{"type", "leave"}});
      return;
    }
    c.steady = std::move(steady);
    c.ends_after = start->ends_after;
    c.send(round_message("go", start->first));
  }

  void take_stretch(WrapConnection& c, const Message& message) {
    if (!c.steady) throw_nonsense("a stretch of a loop that is not steady");
    listener_.finished(c.hello->pid, stretch_from(message, *c.hello, *c.steady));
  }

  void take_next(WrapConnection& c, const Message& message) {
    if (!c.steady) throw_nonsense("a question for more of a loop that is not steady");
    const auto next = listener_.next(c.hello->pid, state_in(message));
    c.send(next ? round_message("round", *next) : Json{{"type", "enough"}});
  }

  // Those of one training: two may run at once.
  std::vector<WrapConnection*> ranks_with(const WrapConnection& c) {
    std::vector<WrapConnection*> ranks;
    for (WrapConnection& each : connections_)
      if (each.ready && each.open() && each.ready->group == c.ready->group) ranks.push_back(&each);
    return ranks;
  }
  static std::vector<RankReady> ready_of(const std::vector<WrapConnection*>& ranks) {
    std::vector<RankReady> ready;
    for (const WrapConnection* each : ranks) ready.push_back(*each->ready);
    return ready;
  }

  void agree(WrapConnection& c, const Message& message) {
    c.ready = ready_from(message, now_());
    listener_.ready(c.hello->pid, c.ready->rank, c.ready->world);
    const auto ranks = ranks_with(c);
    if (const auto agreed = agreed_on(ready_of(ranks)))
      for (WrapConnection* each : ranks) each->send(*agreed);
  }

  // No budget is exceeded, and no rank waits without end: the script would stand still where the
  // others are in a collective.
  void look_at_time() {
    const Nanoseconds at = now_();
    const Json over = stop_message(WrapReason::budget_over);
    for (WrapConnection& c : connections_) {
      if (!c.open() || c.told_to_stop) continue;
      const bool ends = c.steady && at - c.begun_at > c.ends_after;
      if (!c.ready && ends) stop(c, over);
      if (c.ready && ends) stop_ranks(ranks_with(c), over);
      if (c.ready && !c.steady) look_at_waiting(c, at);
    }
  }

  void look_at_waiting(WrapConnection& c, Nanoseconds at) {
    const auto ranks = ranks_with(c);
    const auto ready = ready_of(ranks);
    const Nanoseconds since = waited(ready, at);
    if (since < kNamedAfter) return;
    const std::string why = missing_words(ready, at);
    if (since >= longest_wait_) {
      stop_ranks(ranks, refusal_message(why));
      absent_ = true;
    } else if (std::ranges::none_of(ranks, &WrapConnection::named)) {
      c.named = true;
      listener_.waits(why, longest_wait_ - since);
    }
  }

  void stop_ranks(const std::vector<WrapConnection*>& ranks, const Json& message) {
    for (WrapConnection* each : ranks) stop(*each, message);
    if (!stopped_at_) stopped_at_ = now_();
  }

  static void stop(WrapConnection& c, const Json& message) {
    if (!c.told_to_stop) c.send(message);
    c.told_to_stop = true;
  }

  void tell_end(WrapConnection& c, WrapEnd end) {
    c.end = std::move(end);
    listener_.ended(c.hello->pid, *c.end);
    if (c.ready) end_ranks(*c.end, ranks_with(c));
  }

  // One that is stopped early would leave the others in a collective; those that have all that was
  // asked for wait for each other.
  static void end_ranks(const WrapEnd& first, const std::vector<WrapConnection*>& ranks) {
    const bool all = std::ranges::all_of(
        ranks, [](const WrapConnection* each) { return each->end.has_value(); });
    if (first.reason == WrapReason::answer && !all) return;
    for (WrapConnection* each : ranks)
      if (!each->end || each->end->reason != WrapReason::stopped) stop(*each, {{"type", "stop"}});
  }

  const Json plan_;
  const Nanoseconds longest_wait_;
  const std::function<Nanoseconds()> now_;
  WrapListener& listener_;
  const std::string token_, name_;
  const Descriptor socket_;
  std::list<WrapConnection> connections_;
  std::uint64_t messages_ = 0;
  std::optional<WrapReason> ends_as_;
  std::optional<Nanoseconds> stopped_at_;  // ranks, at their budget's end
  bool absent_ = false;                    // then: ranks that had not come
};

}  // namespace

std::unique_ptr<WrapSession> make_wrap_session(const WrapOrder& order, WrapListener& listener,
                                               std::function<Nanoseconds()> now) {
  return std::make_unique<ScriptSession>(order, listener, now ? std::move(now) : monotonic);
}

}  // namespace benchbench
