// The conversation with small scripts that do what a Python process can do wrong.
#include "scenarios/python/python_child.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/error.h"
#include "tests/at_most.h"
#include "tests/unit/python/given_settings.h"
#include "tests/unit/python/script_folder.h"

namespace benchbench::python_part {
namespace python_child_test {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

const std::function<void()> kNoLook;
const Patience kLong{test::kHang, kNoLook};

// A process that runs `script` after the lines that let it talk.
class Talk {
 public:
  explicit Talk(const std::string& script, const Patience& patience = kLong)
      : child_(std::make_unique<PythonChild>(
            PythonStart{test::test_python(),
                        folder_.write("child.py", test::kConversation + script)},
            patience)) {}
  PythonChild& child() { return *child_; }
  Message ask(const Patience& patience = kLong) {
    return child_->ask({{"type", "load"}}, "loaded", "was loading the user's code", patience);
  }
  void end() { child_.reset(); }

 private:
  test::ScriptFolder folder_;
  std::unique_ptr<PythonChild> child_;
};

// What is thrown, whatever its kind.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return PartError("");
}

TEST_CASE("python child: it says who it is, answers, and has ended afterwards", "[unit][python]") {
  Talk talk(
      "hello()\nrequest = hear()\nsay('progress')\nsay('loaded', "
      "root=request['type'])\nhear()\nsay('bye')\n");
  CHECK(talk.child().pid() > 0);
  CHECK(std::filesystem::exists(talk.child().interpreter()));
  CHECK(talk.child().spawn_time() > Nanoseconds{0});
  CHECK(talk.ask().body["root"] == "load");
  talk.child().be_idle();
  const int pid = talk.child().pid();
  talk.end();
  CHECK(test::ends_soon(pid));
}

TEST_CASE(
    "python child: standard input is empty, descriptor 4 is a file of memory that cannot shrink",
    "[unit][python]") {
  Talk talk(R"(hello()
hear()
os.ftruncate(4, 8192)
try:
    os.ftruncate(4, 0)
    shrunk = True
except OSError:
    shrunk = False
say('loaded', input=sys.stdin.read(), shrunk=shrunk)
hear()
)");
  const Message answer = talk.ask();
  CHECK(answer.body["input"] == "");
  CHECK(answer.body["shrunk"] == false);
}

TEST_CASE("python child: an interpreter that is none cannot be used", "[unit][python]") {
  const auto start = [](const std::string& program) { PythonChild({program, "/dev/null"}, kLong); };
  const Error error = error_of([&] { start("/bin/false"); });
  CHECK(error.kind() == ErrorKind::scenario);
  CHECK(error.message() == "the Python interpreter exited with status 1 before it answered");
  CHECK(error_of([&] { start("/dev/null"); }).kind() == ErrorKind::part);
}

TEST_CASE("python child: what it printed stands below the cause", "[unit][python]") {
  const Error error = error_of([] { Talk("print('no such option')\nsys.exit(3)\n"); });
  CHECK(error.kind() == ErrorKind::scenario);
  CHECK(error.message().find("exited with status 3") != std::string_view::npos);
  CHECK(error.details() == "The last it printed:\n  no such option");
}

TEST_CASE("python child: another protocol is refused", "[unit][python]") {
  const Error error = error_of([] { Talk("say('hello', protocol=2)\nhear()\n"); });
  CHECK(error.message().find("speaks protocol 2, and this program 1") != std::string_view::npos);
}

TEST_CASE("python child: killed at any message, it is said how and when", "[unit][python]") {
  CHECK_THROWS_WITH(Talk("die()\n"),
                    "the Python process was killed by SIGKILL (Killed): out of memory, or killed "
                    "by hand (it was starting)");
  Talk after_hello("hello()\nhear()\ndie()\n");
  CHECK_THROWS_WITH(after_hello.ask(), Catch::Contains("was killed by SIGKILL") &&
                                           Catch::Contains("(it was loading the user's code)"));
  Talk by_exit("hello()\nhear()\nos._exit(4)\n");
  CHECK_THROWS_WITH(by_exit.ask(),
                    "the Python process exited with status 4 (it was loading the user's code)");
  Talk by_fault("hello()\nhear()\nos.kill(os.getpid(), signal.SIGSEGV)\n");
  CHECK_THROWS_WITH(by_fault.ask(), Catch::Contains("was killed by SIGSEGV (Segmentation fault)"));
}

TEST_CASE("python child: what it said before it died is heard", "[unit][python]") {
  Talk talk("hello()\nhear()\nsay('loaded', torch='2.9')\ndie()\n");
  CHECK(talk.ask().body["torch"] == "2.9");
  CHECK_THROWS_AS(talk.child().receive("was idle", kLong), PartError);
}

TEST_CASE("python child: its end is seen while a process of its own keeps the socket",
          "[unit][python]") {
  Talk talk("hello()\nhear()\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\ndie()\n");
  CHECK_THROWS_WITH(talk.ask(), Catch::Contains("was killed by SIGKILL"));
}

TEST_CASE("python child: half a message and nonsense are errors with their cause",
          "[unit][python]") {
  Talk half("hello()\nhear()\nsay_bytes(frame('loaded', {'torch': '2'})[:-3])\nos._exit(0)\n");
  CHECK_THROWS_WITH(half.ask(),
                    Catch::Contains("exited with status 0, in the middle of a message"));
  Talk printed(
      "hello()\nhear()\nprint('here')\nsys.stdout.flush()\nos.write(3, b'a line for standard "
      "output\\n')\nhear()\n");
  const Error error = error_of([&] { printed.ask(); });
  CHECK(error.message().find("sent no message: lengths of") != std::string_view::npos);
  CHECK(error.details() == "The last it printed:\n  here");
  Talk other("hello()\nhear()\nsay('bye')\nhear()\n");
  CHECK_THROWS_WITH(other.ask(), Catch::Contains("\"bye\" instead of \"loaded\""));
}

TEST_CASE("python child: silence has an end, before the first word and after", "[unit][python]") {
  const Patience brief{milliseconds{300}, kNoLook};
  CHECK_THROWS_WITH(Talk("time.sleep(600)\n", brief),
                    "the Python process was starting and said nothing for 0.3 s");
  Talk talk("print('stuck', flush=True)\nhello()\nhear()\ntime.sleep(600)\n");
  const Error error = error_of([&] { talk.ask(brief); });
  CHECK(error.message() ==
        "the Python process was loading the user's code and said nothing for 0.3 s");
  CHECK(error.details() == "The last it printed:\n  stuck");
}

TEST_CASE("python child: a wait is looked into, and ended from there", "[unit][python]") {
  test::judge_longest("a wait that is ended", std::chrono::seconds{5}, [] {
    Talk talk("hello()\nhear()\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n");
    int looks = 0;
    const std::function<void()> look = [&] {
      if (++looks == 3) throw InterruptedError("stopped");
    };
    const auto begun = Clock::now();
    CHECK_THROWS_AS(talk.ask({Nanoseconds{0}, look}), InterruptedError);
    const int pid = talk.child().pid();
    talk.end();
    const auto took = Clock::now() - begun;
    CHECK(looks == 3);
    CHECK(test::ends_soon(pid));
    return took;
  });
}

TEST_CASE("python child: noise does not keep it from its work", "[unit][python]") {
  Talk talk(R"(hello()
hear()
for i in range(40000):
    print('noise', i)
    if i % 2 == 0:
        print('more noise', i, file=sys.stderr)
sys.stdout.flush()
say('loaded')
hear()
)");
  CHECK(talk.ask().type == "loaded");
  CHECK(talk.child().last_output().ends_with("noise 39999"));
}

// How a process gets away: in a session of its own, also from its parent, or without the
// environment.
struct Escape {
  std::string code;
  bool keeps_environment, parent_dies;
};

// Says the number of the process that is to be found.
std::string script_of(const Escape& escape) {
  return R"(
def stay():
    os.write(outer, b'%d' % os.getpid())
    time.sleep(600)
hello()
hear()
inner, outer = os.pipe()
pid = os.fork()
if pid == 0:
    os.setsid()
    )" + escape.code +
         (escape.keeps_environment ? "\npid = int(os.read(inner, 20))\n"
                                   : "\nwhile open('/proc/%d/comm' % pid).read() != 'sleep\\n':\n  "
                                     "  time.sleep(0.002)\n") +
         "say('loaded', started=pid)\n" + (escape.parent_dies ? "die()\n" : "time.sleep(600)\n");
}

TEST_CASE("python child: nothing that it started outlives it", "[unit][python]") {
  const auto escape =
      GENERATE(values<Escape>({{"stay()", true, false},
                               {"stay()", true, true},
                               {"os.execve('/bin/sleep', ['sleep', '600'], {})", false, false},
                               {"os._exit(0) if os.fork() else stay()", true, false},
                               {"os._exit(0) if os.fork() else stay()", true, true}}));
  CAPTURE(escape.code, escape.parent_dies);
  Talk talk(script_of(escape));
  const int started = talk.ask().body["started"];
  CHECK_FALSE(test::has_ended(started));
  if (escape.parent_dies) CHECK_THROWS_AS(talk.child().receive("was idle", kLong), PartError);
  CHECK_FALSE(test::has_ended(started));
  talk.end();
  CHECK(test::ends_soon(started));
}

TEST_CASE("python child: an error of the user's code has its kind, with its traceback",
          "[unit][python]") {
  struct Said {
    std::string kind;
    ErrorKind expected;
    std::string text;
  };
  const auto said = GENERATE(
      values<Said>({{"scenario", ErrorKind::scenario, "train.py:31: it broke"},
                    {"lack", ErrorKind::device, "needs train.py:31: it broke"},
                    {"user", ErrorKind::part, "train.py:31: it broke"},
                    {"internal", ErrorKind::part,
                     "benchbench's side of the Python process failed: train.py:31: it broke"}}));
  std::string traceback;
  for (int i = 0; i < 40; ++i)
    traceback += "  File \"train.py\", line " + std::to_string(i) +
                 ", in __getitem__ of a class with a long name\n";
  Talk talk("hello()\nhear()\nsay('error', kind='" + said.kind +
            "', message='it broke', where='train.py:31', hint='mend it', traceback=''.join('  File "
            "\"train.py\", line %d, in __getitem__ of a "
            "class with a long name\\n' % i for i in range(40)))\nhear()\nsay('loaded')\nhear()\n");
  const Error error = error_of([&] { talk.ask(); });
  CHECK(error.kind() == said.expected);
  CHECK(error.message() == said.text);
  CHECK(error.details() == traceback);
  CHECK((error.hint() == "mend it") == (said.kind != "internal"));
  CHECK(talk.ask().type == "loaded");  // it hears the next request
}

}  // namespace python_child_test
}  // namespace benchbench::python_part
