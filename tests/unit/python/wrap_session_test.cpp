#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/descriptor.h"
#include "harness/part/wrapped.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {
namespace wrap_session_test {

struct Heard final : WrapListener {
  bool connected(const WrapHello& process) override {
    hellos.push_back(process);
    return true;
  }
  bool planned(int, const WrapPlanned& planned) override {
    plans.push_back(planned);
    return true;
  }
  void progressed(int, const std::string&, std::optional<WrapKind>, std::optional<std::uint32_t>, const std::vector<int>&) override {}
  void segment_begins(int, std::optional<WrapKind>, const std::vector<int>&) override {}
  void segment_ends(int) override {}
  void finished(int, WrapStretch) override {}
  void ended(int, const WrapEnd& end) override { ends.push_back(end); }

  std::vector<WrapHello> hellos;
  std::vector<WrapPlanned> plans;
  std::vector<WrapEnd> ends;
};

struct Talk {
  std::string variable(const std::string& name) const {
    for (const std::string& each : session->environment())
      if (each.starts_with(name + "=")) return each.substr(name.size() + 1);
    return "";
  }
  Heard heard;
  std::unique_ptr<WrapSession> session = make_wrap_session({}, heard);
};

// A process of the script.
class Process {
 public:
  explicit Process(Talk& talk) : talk_(talk), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::string name = talk.variable("BENCHBENCH_WRAP");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin() + 1, name.end(), address.sun_path + 1);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0);
  }
  void send(const Json& message) {
    const std::string bytes = encoded(message);
    REQUIRE(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
    talk_.session->hear(0);
  }
  void says_hello(int pid, std::optional<int> rank = {}) {
    Json hello = {{"type", "hello"}, {"protocol", 1}, {"token", talk_.variable("BENCHBENCH_WRAP_TOKEN")}, {"pid", pid}};
    if (rank) hello["rank"] = {{"rank", *rank}, {"world", 2}};
    send(hello);
    talk_.session->hear(0);   // accepted first, then heard
  }
  // The type of the next message; empty: there is none.
  std::string next() {
    char bytes[65536];
    const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (n > 0) reader_.feed({bytes, static_cast<std::size_t>(n)});
    const auto message = reader_.next();
    return message ? message->type : "";
  }
  void goes() { socket_.close(); }

 private:
  Talk& talk_;
  Descriptor socket_;
  MessageReader reader_;
};

TEST_CASE("wrap: loaders without a name are loaders", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  const Json unnamed = {{"name", nullptr}};
  process.send({{"type", "planned"}, {"loader", unnamed}, {"partners", Json::array({unnamed})}, {"others", Json::array({nullptr, "valid"})}});
  REQUIRE(talk.heard.plans.size() == 1);
  CHECK(talk.heard.plans[0].others == std::vector<std::string>{"", "valid"});
  CHECK(talk.heard.ends.empty());
}

TEST_CASE("wrap: what makes no sense ends the conversation as our defect, and the process hears of it", "[unit][python][wrap]") {
  for (const Json& nonsense : {Json{{"type", "planned"}, {"rounds", "five"}}, Json{{"type", "planned"}, {"loader", 3}}, Json{{"type", "window"}, {"edge", "begin"}, {"workers", 7}},
                               Json{{"type", "stretch"}, {"kind", "F"}}, Json{{"type", "end"}, {"reason", "none of ours"}}, Json{{"type", "progress"}, {"round", "x"}}}) {
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
    process.send({{"type", "planned"}});   // it is still connected, and not heard
    CHECK(talk.heard.plans.empty());
    CHECK(talk.session->connected());
    process.goes();
    talk.session->hear(0);
    CHECK_FALSE(talk.session->connected());
    CHECK(talk.heard.ends.size() == 1);
  }
}

TEST_CASE("wrap: one that goes without a word is lost", "[unit][python][wrap]") {
  Talk talk;
  Process process(talk);
  process.says_hello(70);
  process.goes();
  talk.session->hear(0);
  REQUIRE(talk.heard.ends.size() == 1);
  CHECK(talk.heard.ends[0].reason == WrapReason::lost);
}

}  // namespace wrap_session_test
}  // namespace benchbench::python_part
