#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "harness/part/wrapped.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {
namespace wrap_session_test {

struct Heard final : WrapListener {
  void connected(const WrapHello& process) override { hellos.push_back(process); }
  std::optional<WrapStart> steady(int, const WrapSteady& steady) override {
    loops.push_back(steady);
    if (!refusal.empty()) throw ScenarioError(refusal);
    return takes ? std::optional(WrapStart{first, std::chrono::seconds{20}}) : std::nullopt;
  }
  void progressed(int, const std::string&, std::optional<WrapKind>, std::optional<std::uint32_t>,
                  const std::optional<std::vector<int>>&) override {}
  void spent(int, ExternalLedger ledger, std::vector<WrapLoader> all) override {
    ledgers.push_back(std::move(ledger));
    loaders = std::move(all);
  }
  void segment_begins(int, std::optional<WrapKind>, const std::vector<int>&) override {}
  void segment_ends(int) override {}
  void finished(int, WrapStretch) override {}
  std::optional<WrapNext> next(int, const WrapState& state) override {
    asked.push_back(state);
    if (nexts.empty()) return std::nullopt;
    const WrapNext answer = nexts.front();
    nexts.erase(nexts.begin());
    return answer;
  }
  void ready(int, std::uint32_t rank, std::uint32_t) override { ranks.push_back(rank); }
  void waits(const std::string& why, Nanoseconds) override { waiting.push_back(why); }
  void stood(const WrapStacks& stacks) override { stood_at.push_back(stacks); }
  void ended(int, const WrapEnd& end) override { ends.push_back(end); }

  std::vector<WrapHello> hellos;
  std::vector<WrapSteady> loops;
  std::string refusal;
  WrapNext first{{{WrapKind::full, std::chrono::seconds{1}, 16, 0, 0}}, 16, false, {}};
  std::vector<WrapStacks> stood_at;
  std::vector<WrapNext> nexts;
  std::vector<WrapState> asked;
  std::vector<WrapEnd> ends;
  std::vector<ExternalLedger> ledgers;
  std::vector<WrapLoader> loaders;
  std::vector<std::uint32_t> ranks;
  std::vector<std::string> waiting;
  bool takes = true;
};

WrapOrder order_of_a_minute() {
  WrapOrder order;
  order.budget = std::chrono::minutes{1};
  return order;
}

struct Talk {
  std::string variable(const std::string& name) const {
    for (const std::string& each : session->environment())
      if (each.starts_with(name + "=")) return each.substr(name.size() + 1);
    return "";
  }
  void passes(Nanoseconds time) {
    now += time;
    session->hear(0);
  }
  Heard heard;
  Nanoseconds now{0};
  std::unique_ptr<WrapSession> session =
      make_wrap_session(order_of_a_minute(), heard, [this] { return now; });
};

// A process of the script.
class Process {
 public:
  explicit Process(Talk& talk)
      : talk_(talk), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::string name = talk.variable("BENCHBENCH_WRAP");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin() + 1, name.end(), address.sun_path + 1);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address),
                      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0);
  }
  void send(const Json& message) {
    const std::string bytes = encoded(message);
    REQUIRE(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
    talk_.session->hear(0);
  }
  void says_hello(int pid, std::optional<int> rank = {}) {
    Json hello = {{"type", "hello"},
                  {"protocol", 1},
                  {"token", talk_.variable("BENCHBENCH_WRAP_TOKEN")},
                  {"pid", pid}};
    if (rank) hello["rank"] = {{"rank", *rank}, {"world", 2}};
    send(hello);
    talk_.session->hear(0);  // accepted first, then heard
  }
  // The type of the next message; empty: there is none.
  std::string next() {
    char bytes[65536];
    const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) reader_.feed({bytes, static_cast<std::size_t>(n)});
    const auto message = reader_.next();
    last_ = message ? message->body : Json();
    return message ? message->type : "";
  }
  void is_ready(int rank, const std::string& group = "here:1") {
    send({{"type", "ready"},
          {"rank", rank},
          {"world", 2},
          {"group", group},
          {"number", 100 + rank},
          {"batch_ns", 10'000'000},
          {"distinct", 16 - rank}});
  }
  // The next message itself.
  Json whole() {
    next();
    return last_;
  }
  void goes() { socket_.close(); }

 private:
  Talk& talk_;
  Descriptor socket_;
  MessageReader reader_;
  Json last_;
};

TEST_CASE("wrap: who reads the names of the machine's sockets cannot speak for the script",
          "[unit][python][wrap]") {
  Talk talk;
  CHECK(talk.variable("BENCHBENCH_WRAP").find(talk.variable("BENCHBENCH_WRAP_TOKEN")) ==
        std::string::npos);
  if (::geteuid() != 0) return;  // only root can be another user
  constexpr uid_t kAnother = 65534;
  REQUIRE(::seteuid(kAnother) == 0);
  Process stranger(talk);
  REQUIRE(::seteuid(0) == 0);
  talk.session->hear(0);
  CHECK_FALSE(talk.session->connected());
  Process own(talk);
  own.says_hello(70);
  CHECK(talk.heard.hellos.size() == 1);
}

TEST_CASE("wrap: loaders without a name are loaders", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  const Json unnamed = {{"name", nullptr}};
  process.send({{"type", "steady"},
                {"loader", unnamed},
                {"partners", Json::array({unnamed})},
                {"others", Json::array({nullptr, "valid"})}});
  REQUIRE(talk.heard.loops.size() == 1);
  CHECK(talk.heard.loops[0].others == std::vector<std::string>{"", "valid"});
  CHECK(talk.heard.ends.empty());
}

TEST_CASE("wrap: what time was spent on comes with some of the progress", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  process.send({{"type", "progress"}, {"phase", "measuring"}});
  CHECK(talk.heard.ledgers.empty());
  process.send({{"type", "progress"},
                {"phase", "measuring"},
                {"ledger", {{"batches", 7}}},
                {"loaders", Json::array({{{"name", "train_loader"}, {"trains", true}}})}});
  REQUIRE(talk.heard.ledgers.size() == 1);
  CHECK(talk.heard.ledgers[0].batches == 7);
  REQUIRE(talk.heard.loaders.size() == 1);
  CHECK(talk.heard.loaders[0].name == "train_loader");
}

TEST_CASE(
    "wrap: what makes no sense ends the conversation as our defect, and the process hears of it",
    "[unit][python][wrap]") {
  for (const Json& nonsense :
       {Json{{"type", "steady"}, {"loop", {{"batch_ns", "five"}}}},
        Json{{"type", "steady"}, {"loader", 3}},
        Json{{"type", "window"}, {"edge", "begin"}, {"workers", 7}},
        Json{{"type", "stretch"}, {"kind", "F"}}, Json{{"type", "end"}, {"reason", "none of ours"}},
        Json{{"type", "progress"}, {"round", "x"}}}) {
    INFO(nonsense.dump());
    Talk talk;
    Process process(talk);
    process.says_hello(70);
    CHECK(process.next() == "plan");
    process.send(nonsense);
    REQUIRE(talk.heard.ends.size() == 1);
    CHECK(talk.heard.ends[0].reason == WrapReason::internal);
    CHECK_FALSE(talk.heard.ends[0].message.empty());
    CHECK(process.next() == "leave");
    process.send({{"type", "steady"}});  // it is still connected, and not heard
    CHECK(talk.heard.loops.empty());
    CHECK(talk.session->connected());
    process.goes();
    talk.session->hear(0);
    CHECK_FALSE(talk.session->connected());
    CHECK(talk.heard.ends.size() == 1);
  }
}

Json stacks_of(const Talk& talk) {
  return {{"type", "stacks"},
          {"token", talk.variable("BENCHBENCH_WRAP_TOKEN")},
          {"pid", 71},
          {"worker", 2},
          {"saves", true},
          {"guarded", true},
          {"kept", false},
          {"threads",
           {{{"name", "MainThread"},
             {"frames", Json::array({Json::array({"train.py:27", "__getitem__", true})})}}}},
          {"lock",
           {{"name", "LOCK"}, {"thread", "report"}, {"where", "train.py:44"}, {"forked", true}}}};
}

TEST_CASE("wrap: a process says where it stands, and is answered whether it ends",
          "[unit][python][wrap]") {
  Talk talk;
  Process first(talk), second(talk), stranger(talk);
  const std::uint64_t messages = talk.session->messages();
  first.send(stacks_of(talk));
  talk.session->hear(0);
  CHECK(first.next() == "go");
  REQUIRE(talk.heard.stood_at.size() == 1);
  const WrapStacks& stood = talk.heard.stood_at[0];
  CHECK(stood.pid == 71);
  CHECK(stood.worker == 2u);
  CHECK(stood.saves);
  CHECK(stood.guarded);
  CHECK(stood.kept == false);
  CHECK(stood.threads.at(0).frames.at(0).function == "__getitem__");
  CHECK(stood.lock->thread == "report");
  talk.session->end_who_is_asked(WrapReason::hangs);
  second.send(stacks_of(talk));
  talk.session->hear(0);
  CHECK(second.whole() == Json({{"type", "stop"}, {"reason", "hangs"}}));
  stranger.send({{"type", "stacks"}, {"token", "another"}, {"pid", 71}});
  talk.session->hear(0);
  CHECK(talk.heard.stood_at.size() == 2);
  CHECK(talk.session->messages() == messages);  // it was asked: no sign that it works
}

TEST_CASE("wrap: one that goes without an end is lost", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  process.goes();
  talk.session->hear(0);
  REQUIRE(talk.heard.ends.size() == 1);
  CHECK(talk.heard.ends[0].reason == WrapReason::lost);
}

TEST_CASE("wrap: each steady loop is answered, before anything of the script is changed",
          "[unit][python][wrap]") {
  Talk talk;
  Process measured(talk), other(talk);
  measured.says_hello(70);
  other.says_hello(71);
  CHECK(measured.next() == "plan");
  CHECK(other.next() == "plan");
  measured.send({{"type", "steady"}});
  CHECK(measured.next() == "go");
  talk.heard.takes = false;
  other.send({{"type", "steady"}});
  CHECK(other.next() == "leave");
}

TEST_CASE("wrap: a process has the stretches of a round, and asks for more until it is enough",
          "[unit][python][wrap]") {
  Talk talk;
  WrapNext more;
  more.stretches = {{WrapKind::changed_full, std::chrono::seconds{2}, 20, 3, 1}};
  more.distinct = 4, more.after_save = true;
  more.settings = {{"num_workers", std::int64_t{4}}, {"pin_memory", true}};
  talk.heard.nexts = {more};
  Process process(talk);
  process.says_hello(70);
  CHECK(process.next() == "plan");
  process.send({{"type", "steady"}});
  const Json first = {
      {"kind", "F"}, {"ns", 1'000'000'000}, {"batches", 16}, {"round", 0}, {"order", 0}};
  CHECK(process.whole() == Json{{"type", "go"},
                                {"stretches", Json::array({first})},
                                {"distinct", 16},
                                {"after_save", false},
                                {"settings", nullptr}});
  process.send({{"type", "next"}, {"saves", 3}, {"refused", Json::array()}});
  const Json asked = {
      {"kind", "f"}, {"ns", 2'000'000'000}, {"batches", 20}, {"round", 3}, {"order", 1}};
  CHECK(process.whole() == Json{{"type", "round"},
                                {"stretches", Json::array({asked})},
                                {"distinct", 4},
                                {"after_save", true},
                                {"settings", {{"num_workers", 4}, {"pin_memory", true}}}});
  process.send({{"type", "next"}, {"refused", {"there is no memory for 4 more workers"}}});
  CHECK(process.whole() == Json{{"type", "enough"}});
  REQUIRE(talk.heard.asked.size() == 2);
  CHECK(talk.heard.asked[0].saves == 3);
  CHECK(talk.heard.asked[1].refused ==
        std::vector<std::string>{"there is no memory for 4 more workers"});
  CHECK(talk.heard.ends.empty());
}

TEST_CASE("wrap: a loop that cannot be measured is stopped with the reason",
          "[unit][python][wrap]") {
  Talk talk;
  talk.heard.refusal = "a batch takes 10 s";
  Process process(talk);
  process.says_hello(70);
  CHECK(process.next() == "plan");
  process.send({{"type", "steady"}});
  CHECK(process.whole() ==
        Json{{"type", "stop"}, {"reason", "refused"}, {"message", "a batch takes 10 s"}});
  CHECK(talk.heard.ends.empty());
}

TEST_CASE("wrap: more is not asked for before a loop is steady", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  process.send({{"type", "next"}});
  REQUIRE(talk.heard.ends.size() == 1);
  CHECK(talk.heard.ends[0].reason == WrapReason::internal);
  CHECK(talk.heard.asked.empty());
}

struct TwoRanks : Talk {
  TwoRanks() {
    for (Process* each : {&first, &second}) {
      each->says_hello(each == &first ? 70 : 71);
      CHECK(each->next() == "plan");
    }
  }
  Process first{*this}, second{*this};
};

TEST_CASE("wrap: ranks begin once all are ready, at a batch that none has reached",
          "[unit][python][wrap]") {
  TwoRanks talk;
  talk.first.is_ready(0);
  CHECK(talk.first.next() == "");
  talk.second.is_ready(1);
  CHECK(talk.heard.ranks == std::vector<std::uint32_t>{0, 1});
  const Json agreed = {
      {"type", "agreed"}, {"start", 101 + 50}, {"batch_ns", 10'000'000}, {"distinct", 15}};
  CHECK(talk.first.whole() == agreed);
  CHECK(talk.second.whole() == agreed);
}

TEST_CASE("wrap: ranks of two trainings do not begin together", "[unit][python][wrap]") {
  TwoRanks talk;
  talk.first.is_ready(0, "here:1");
  talk.second.is_ready(1, "here:2");
  CHECK(talk.first.next() == "");
  CHECK(talk.second.next() == "");
}

TEST_CASE(
    "wrap: a missing rank is named after half a minute, and is not waited for beyond the budget",
    "[unit][python][wrap]") {
  TwoRanks talk;
  talk.first.is_ready(0);
  talk.passes(std::chrono::seconds{29});
  CHECK(talk.heard.waiting.empty());
  talk.passes(std::chrono::seconds{1});
  talk.passes(std::chrono::seconds{1});
  REQUIRE(talk.heard.waiting.size() == 1);
  CHECK(talk.heard.waiting[0].find("rank 1 was not seen to fetch batches of a DataLoader in a "
                                   "steady loop, 30 s after rank 0") == 0);
  CHECK(talk.first.next() == "");
  talk.passes(std::chrono::seconds{29});
  const Json stop = talk.first.whole();
  CHECK(stop["type"] == "stop");
  CHECK(stop["reason"] == "refused");
  CHECK(stop["message"].get<std::string>().find("rank 1 ") == 0);
  talk.first.goes();
  talk.passes(std::chrono::seconds{29});
  CHECK_FALSE(talk.session->hangs());
  talk.passes(std::chrono::seconds{1});
  CHECK(talk.session->hangs());
}

TEST_CASE(
    "wrap: ranks are stopped at the end of their budget, once, and hang where they do not end then",
    "[unit][python][wrap]") {
  TwoRanks talk;
  for (Process* each : {&talk.first, &talk.second}) each->is_ready(each == &talk.first ? 0 : 1);
  for (Process* each : {&talk.first, &talk.second}) {
    CHECK(each->next() == "agreed");
    each->send({{"type", "steady"}, {"rank", {0, 2}}});
    CHECK(each->next() == "go");
  }
  talk.passes(std::chrono::seconds{20});
  CHECK(talk.first.next() == "");
  talk.passes(std::chrono::milliseconds{1});
  for (Process* each : {&talk.first, &talk.second}) {
    CHECK(each->whole()["reason"] == "budget over");
    CHECK(each->next() == "");
  }
  talk.first.send({{"type", "end"}, {"reason", "budget over"}});
  CHECK(talk.second.next() == "");
  talk.passes(std::chrono::seconds{30});
  CHECK(talk.session->hangs());
  talk.first.goes();
  talk.second.goes();
  talk.session->hear(0);
  CHECK_FALSE(talk.session->hangs());
}

}  // namespace wrap_session_test
}  // namespace benchbench::python_part
