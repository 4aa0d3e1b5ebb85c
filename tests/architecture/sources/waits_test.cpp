// Every wait between our threads and every timed wait goes through the Runtime, so that the same
// code runs in virtual time; what must wait for something else is listed here with its reason.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string_view>

#include "tests/architecture/sources/source_file.h"

namespace benchbench::architecture {
namespace waits_test {

// What no source may call or name, with the group that an exemption allows.
struct Forbidden {
  const char* group;
  const char* pattern;
};
const Forbidden kForbidden[] = {
    {"threads", R"(\bstd::(jthread|thread|async|future|promise|packaged_task|this_thread)\b)"},
    {"threads", R"(\bpthread_(create|join|mutex\w*|cond\w*|barrier\w*|rwlock\w*)\b)"},
    {"locks",
     R"(\bstd::(mutex|timed_mutex|recursive_mutex|recursive_timed_mutex|shared_mutex|shared_timed_mutex)\b)"},
    {"locks",
     R"(\bstd::(condition_variable\w*|counting_semaphore|binary_semaphore|latch|barrier|call_once|once_flag)\b)"},
    {"locks", R"(\b(sem_wait|sem_timedwait|SYS_futex|futex)\b)"},
    {"locks", R"(\.(wait|notify_one|notify_all)\s*\(\s*(std::memory_order|[01]\s*[,)]|\)))"},
    {"sleeps",
     R"(\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep)\b|(^|[^\w.:>])(::)?sleep\s*\()"},
    {"sleeps", R"(\bsched_yield\b)"},
    {"processes", R"((^|[^\w.>])(::)?(waitpid|waitid|wait3|wait4)\s*\()"},
    {"descriptors", R"((^|[^\w.>])(::)?(poll|ppoll|select|pselect|epoll_wait|epoll_pwait)\s*\()"},
    {"includes",
     R"(#\s*include\s*<(thread|mutex|condition_variable|shared_mutex|future|semaphore|latch|barrier|stop_token)>)"},
};

struct Exempt {
  const char* path;
  std::vector<std::string> groups;
  const char* reason;
};
const Exempt kExempt[] = {
    {"harness/core/real_runtime.cpp",
     {"threads", "locks", "sleeps", "includes"},
     "it is the real Runtime"},
    {"harness/core/child_process.cpp",
     {"processes", "descriptors"},
     "it is the one place that waits for children"},
    {"harness/core/process_tree.cpp",
     {"processes", "descriptors"},
     "reaps what children left behind"},
    {"harness/core/process_mark.cpp",
     {"descriptors"},
     "waits for the end of processes that it killed"},
    {"harness/process/framed_child.cpp", {"descriptors"}, "hears the child that runs the trials"},
    {"harness/part/probe.cpp", {"descriptors"}, "hears a throw-away child that opens a module"},
    {"scenarios/python/output_tail.cpp", {"descriptors"}, "hears what the user's Python prints"},
    {"scenarios/python/python_child.cpp", {"descriptors"}, "hears the user's Python"},
    {"scenarios/python/wrap/wrap_session.cpp",
     {"descriptors"},
     "hears the processes of a script that runs unchanged"},
    {"harness/app/wrap/wrap_places.cpp",
     {"locks"},
     "names the system call that a process of a script waits in"},
    {"harness/core/foreground/foreground_process.cpp",
     {"processes"},
     "waits for the command that benchbench wrap starts"},
    {"harness/core/foreground/foreground_signals.cpp",
     {"processes"},
     "a process of ours that waits for signals"},
};

const Exempt* exemption_of(const std::string& path) {
  for (const Exempt& e : kExempt)
    if (path == e.path) return &e;
  return nullptr;
}

// Each of what is forbidden has one of them.
constexpr std::string_view kStems[] = {
    "thread", "async", "future",  "promise",   "packaged_task", "mutex",     "condition_variable",
    "once",   "latch", "barrier", "semaphore", "sem_",          "futex",     "wait",
    "sleep",  "poll",  "select",  "yield",     "notify_",       "stop_token"};

// Where lines begin that have a stem.
std::set<std::size_t> suspicious_lines(const std::string& code) {
  std::set<std::size_t> lines;
  for (const std::string_view stem : kStems)
    for (std::size_t at = code.find(stem); at != std::string::npos; at = code.find(stem, at + 1))
      lines.insert(code.rfind('\n', at) + 1);  // 0 in the first line
  return lines;
}

// The groups of the waits that begin in the line at `begin`; one may reach into the next line.
std::vector<std::string> groups_in(const std::string& code, std::size_t begin) {
  const std::size_t end = std::min(code.find('\n', begin), code.size());
  const std::string lines = code.substr(begin, code.find('\n', end + 1) - begin);
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> made;
    for (const Forbidden& f : kForbidden) made.emplace_back(f.pattern);
    return made;
  }();
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines, match, patterns[i]) &&
        begin + static_cast<std::size_t>(match.position()) < end)
      groups.emplace_back(kForbidden[i].group);
  }
  return groups;
}

// The group and the line of each wait in the file, exempt or not.
std::vector<std::pair<std::string, int>> waits_in(const SourceFile& file) {
  std::vector<std::pair<std::string, int>> waits;
  for (const std::size_t begin : suspicious_lines(file.code))
    for (const std::string& group : groups_in(file.code, begin))
      waits.emplace_back(group, line_of(file.code, begin));
  return waits;
}

std::vector<std::string> broken_waits(const SourceFile& file) {
  const Exempt* const exempt = exemption_of(file.path);
  std::vector<std::string> broken;
  for (const auto& [group, line] : waits_in(file)) {
    const bool allowed = exempt && std::find(exempt->groups.begin(), exempt->groups.end(), group) !=
                                       exempt->groups.end();
    if (!allowed)
      broken.push_back(file.path + ":" + std::to_string(line) + ": " + group +
                       " outside the Runtime");
  }
  return broken;
}

TEST_CASE("waits: every wait goes through the Runtime, but for the files listed with their reason",
          "[architecture]") {
  std::vector<std::string> broken;
  for (const SourceFile& file : sources_under({"harness", "mocks", "scenarios"}))
    for (std::string& line : broken_waits(file)) broken.push_back(std::move(line));
  for (const std::string& line : broken) UNSCOPED_INFO(line);
  CHECK(broken.empty());
}

TEST_CASE("waits: an exemption that is not needed any more is taken back", "[architecture]") {
  for (const Exempt& e : kExempt) {
    const auto waits = waits_in(source_at(e.path));
    for (const std::string& group : e.groups) {
      CAPTURE(e.path, group);
      CHECK(
          std::any_of(waits.begin(), waits.end(), [&](const auto& w) { return w.first == group; }));
    }
  }
}

TEST_CASE("waits: the check sees each way to wait", "[architecture]") {
  for (const char* const bad : {"std::mutex m;",
                                "std::condition_variable_any c;",
                                "std::thread t(f);",
                                "std::jthread t;",
                                "std::this_thread::yield();",
                                "std::async(f);",
                                "usleep(5);",
                                "  nanosleep(&t, nullptr);",
                                "::sleep(1);",
                                "sleep(1);",
                                "std::latch l(1);",
                                "flag.wait(0);",
                                "done.notify_all();",
                                "pthread_mutex_lock(&m);",
                                "syscall(SYS_futex, 0);",
                                "  ::poll(nullptr, 0, 5);",
                                "waitpid(-1, nullptr, 0);",
                                "#include <thread>\n",
                                "#include <mutex>",
                                "#include <condition_variable>",
                                "#include <shared_mutex>",
                                "#include <future>",
                                "#include <semaphore>",
                                "#include <latch>",
                                "#include <barrier>",
                                "#include <stop_token>",
                                "std::future<int> f;",
                                "std::promise<int> p;",
                                "std::packaged_task<int()> t;",
                                "std::shared_timed_mutex m;",
                                "std::counting_semaphore<2> s;",
                                "std::binary_semaphore s;",
                                "std::barrier b(2);",
                                "std::once_flag f;",
                                "sem_timedwait(&s, &t);",
                                "a.wait(\n    std::memory_order_acquire);",
                                "done.notify_one();",
                                "pthread_rwlock_rdlock(&l);",
                                "waitid(P_ALL, 0, &i, WEXITED);",
                                "select(1, &r, nullptr, nullptr, &t);",
                                "epoll_wait(e, &v, 1, 5);",
                                "ppoll(nullptr, 0, &t, nullptr);",
                                "sched_yield();",
                                "t = std::this_thread::get_id();"}) {
    CAPTURE(bad);
    CHECK_FALSE(broken_waits(source_from("harness/trial/x.cpp", bad)).empty());
  }
  for (const char* const good :
       {"// std::mutex is not for us\n", "const char* text = \"sleep(1)\";", "runtime.yield();",
        "how == Spend::sleep;", "task.join();", "waiters.wait(guard, runtime);",
        "spend_until(t, Spend::sleep);", "device.poll();", "/* usleep(3) */",
        "const int n = 1'000'000; const char c = 'x';", "event->wait();"}) {
    CAPTURE(good);
    CHECK(broken_waits(source_from("harness/trial/x.cpp", good)).empty());
  }
}

}  // namespace waits_test
}  // namespace benchbench::architecture
