// Children that do a known thing when they are asked to, to be watched from outside.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/child_process.h"

namespace benchbench::test {

inline std::string python() {
  const char* given = std::getenv("BENCHBENCH_PYTHON");
  return given ? given : "/usr/bin/python3";
}

// A Python that runs lines of code, one at a time. Children that it forks with worker() do so too,
// by asking "w0:code".
class OutsideProcess {
 public:
  // `environment`: in addition to ours.
  explicit OutsideProcess(std::vector<std::string> environment = {}) {
    Pipe in = make_pipe(), out = make_pipe();
    child_ = std::make_unique<ChildProcess>(ChildStart{python(),
                                                       {"-c", kScript},
                                                       std::move(environment),
                                                       {{0, in.read.get()}, {1, out.write.get()}}});
    in_ = std::move(in.write);
    out_ = std::move(out.read);
  }
  // What the line said, "" where it said nothing. Waits until it is done.
  std::string ask(const std::string& line) const { return begin(line) ? read_answer() : "gone"; }
  // Has it run a line, and does not wait. False where it is gone.
  bool begin(const std::string& line) const {
    const std::string whole = line + "\n";
    return ::write(in_.get(), whole.data(), whole.size()) >= 0;
  }
  std::string read_answer() const {
    std::string answer;
    char c = 0;
    while (::read(out_.get(), &c, 1) == 1 && c != '\n') answer += c;
    return answer;
  }
  int number(const std::string& line) const { return std::atoi(ask(line).c_str()); }
  int pid() const { return child_->pid(); }
  ChildProcess& process() { return *child_; }

 private:
  static constexpr const char* kScript = R"(
import _thread, mmap, os, signal, sys, time
said, workers, kept = '', [], {}
def say(word):
    global said
    said = str(word)
def burn(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
def allocate(mib):
    kept[len(kept)] = bytearray(b'x') * (mib << 20)
def touch(name):
    data = kept[name]
    for i in range(0, len(data), 4096): data[i] = 1
def serve(lines, answers):
    global said
    for line in lines:
        said, line = '', line.rstrip('\n')
        if line.startswith('w') and line[1:2].isdigit():
            number, code = line[1:].split(':', 1)
            workers[int(number)][0].write(code + '\n')
            said = workers[int(number)][1].readline().rstrip('\n')
        else:
            exec(line, globals())
        answers.write(said + '\n')
        answers.flush()
def worker(group=False):
    there, here = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        if group: os.setpgid(0, 0)
        os.close(there[1])
        os.close(here[0])
        serve(os.fdopen(there[0]), os.fdopen(here[1], 'w', 1))
        os._exit(0)
    if group: os.setpgid(pid, pid)
    os.close(there[0])
    os.close(here[1])
    workers.append((os.fdopen(there[1], 'w', 1), os.fdopen(here[0]), pid))
    say(pid)
serve(sys.stdin, sys.stdout)
)";
  std::unique_ptr<ChildProcess> child_;
  Descriptor in_, out_;
};

}  // namespace benchbench::test
