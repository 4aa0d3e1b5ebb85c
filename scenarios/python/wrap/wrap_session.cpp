#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

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

constexpr int kWaiting = 64;                          // connections that were not accepted yet
constexpr std::int64_t kAgreeAheadNs = 500'000'000;   // for a message to reach all ranks
constexpr std::int64_t kAgreeAheadBatches = 8;

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
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0 || ::listen(socket.get(), kWaiting) != 0)
    throw PartError(fmt::format("cannot listen for the script's processes: {}", strerrordesc_np(errno)));
  return socket;
}

std::string with_ours_first(const std::string& folder) {
  const char* theirs = std::getenv("PYTHONPATH");
  return theirs && *theirs ? fmt::format("PYTHONPATH={}:{}", folder, theirs) : "PYTHONPATH=" + folder;
}

class ScriptSession final : public WrapSession {
 public:
  ScriptSession(const WrapOrder& order, WrapListener& listener)
      : plan_(plan_message(order)), listener_(listener), token_(new_token()), name_("benchbench-wrap-" + token_), socket_(listening_at(name_)) {}

  std::vector<std::string> environment() const override {
    const auto folder = std::filesystem::canonical(child_script()).parent_path() / "wrap_site";   // our own files are known by their real paths
    return {with_ours_first(folder.string()), "BENCHBENCH_WRAP=@" + name_, "BENCHBENCH_WRAP_TOKEN=" + token_};
  }

  void hear(int milliseconds) override {
    std::vector<pollfd> watched{{socket_.get(), POLLIN, 0}};
    for (const WrapConnection& c : connections_) watched.push_back({c.socket(), POLLIN, 0});
    ::poll(watched.data(), watched.size(), milliseconds);
    accept_all();
    for (WrapConnection& c : connections_) hear_from(c);
    connections_.remove_if([](const WrapConnection& c) { return !c.open(); });
  }

  bool connected() const noexcept override { return !connections_.empty(); }

 private:
  void accept_all() {
    for (;;) {
      Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!socket) return;
      connections_.emplace_back(std::move(socket));
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

  // What makes no sense is our own defect: the script goes on, or is stopped where it is no longer what it was. Until then it is
  // kept connected, so that it does not take us for gone.
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
    end.seen = c.planned.has_value();
    tell_end(c, std::move(end));
  }

  void take(WrapConnection& c, const Message& message) {
    if (!c.hello) return greet(c, message);
    const int pid = c.hello->pid;
    if (message.type == "planned") take_planned(c, planned_from(message));
    else if (message.type == "progress") tell_progress(pid, message);
    else if (message.type == "window") tell_edge(pid, message);
    else if (message.type == "stretch") take_stretch(c, message);
    else if (message.type == "ready") agree(c, message);
    else if (message.type == "end") tell_end(c, end_from(message));
  }

  void greet(WrapConnection& c, const Message& message) {
    const bool ours = message.type == "hello" && read_from(message, [&](const Json& body) {
      return member_or<std::string>(body, "token", "") == token_ && member_or<int>(body, "protocol", 0) == kProtocol;
    });
    if (!ours) return c.close();
    c.hello = hello_from(message);
    c.send(listener_.connected(*c.hello) ? plan_ : Json{{"type", "leave"}});
  }

  void tell_progress(int pid, const Message& message) {
    read_from(message, [&](const Json& body) {
      listener_.progressed(pid, member_or<std::string>(body, "phase", ""), kind_in(body), member<std::uint32_t>(body, "round"), workers_in(body));
    });
  }

  void tell_edge(int pid, const Message& message) {
    read_from(message, [&](const Json& body) {
      if (body.at("edge") == "begin") listener_.segment_begins(pid, kind_in(body), workers_in(body));
      else listener_.segment_ends(pid);
    });
  }
  static std::vector<int> workers_in(const Json& body) { return member_or<std::vector<int>>(body, "workers", {}); }

  // It waits for this before it changes anything of the script.
  void take_planned(WrapConnection& c, const WrapPlanned& planned) {
    const bool goes = listener_.planned(c.hello->pid, planned);
    if (goes) c.planned = planned;
    else c.ready.reset();
    c.send({{"type", goes ? "go" : "leave"}});
  }

  void take_stretch(WrapConnection& c, const Message& message) {
    if (!c.planned) throw_nonsense("a stretch before what is planned");
    listener_.finished(c.hello->pid, stretch_from(message, *c.hello, *c.planned));
  }

  static std::string group_of(const Message& ready) {
    return read_from(ready, [](const Json& body) { return member_or<std::string>(body, "group", ""); });
  }

  // Those of one training: two may run at once.
  std::vector<WrapConnection*> ready_like(const Message& message) {
    std::vector<WrapConnection*> ready;
    for (WrapConnection& each : connections_)
      if (each.ready && each.open() && group_of(*each.ready) == group_of(message)) ready.push_back(&each);
    return ready;
  }

  // Ranks begin at one batch, which none of them has reached when they hear of it, and count alike from there.
  void agree(WrapConnection& c, const Message& message) {
    c.ready = message;
    const std::vector<WrapConnection*> ready = ready_like(message);
    std::int64_t world = 0, slowest = 1, last = 0, distinct = 64;
    for (const WrapConnection* each : ready)
      read_from(*each->ready, [&](const Json& body) {
        world = body.at("world").get<std::int64_t>();
        slowest = std::max(slowest, body.at("batch_ns").get<std::int64_t>());
        last = std::max(last, body.at("number").get<std::int64_t>());
        distinct = std::min(distinct, body.at("distinct").get<std::int64_t>());
      });
    if (static_cast<std::int64_t>(ready.size()) < world) return;
    const std::int64_t start = last + std::max(kAgreeAheadBatches, kAgreeAheadNs / slowest);
    for (WrapConnection* each : ready) each->send({{"type", "agreed"}, {"start", start}, {"batch_ns", slowest}, {"distinct", distinct}});
  }

  void tell_end(WrapConnection& c, WrapEnd end) {
    c.end = std::move(end);
    listener_.ended(c.hello->pid, *c.end);
    if (c.ready) end_ranks(*c.end, ready_like(*c.ready));
  }

  // One that is stopped early would leave the others in a collective; those that have all that was asked for wait for each other.
  static void end_ranks(const WrapEnd& first, const std::vector<WrapConnection*>& ranks) {
    const bool all = std::ranges::all_of(ranks, [](const WrapConnection* each) { return each->end.has_value(); });
    if (first.reason == WrapReason::answer && !all) return;
    for (WrapConnection* each : ranks)
      if (!each->end || each->end->reason != WrapReason::stopped) each->send({{"type", "stop"}});
  }

  const Json plan_;
  WrapListener& listener_;
  const std::string token_, name_;
  const Descriptor socket_;
  std::list<WrapConnection> connections_;
};

}  // namespace

std::unique_ptr<WrapSession> make_wrap_session(const WrapOrder& order, WrapListener& listener) { return std::make_unique<ScriptSession>(order, listener); }

}  // namespace benchbench
