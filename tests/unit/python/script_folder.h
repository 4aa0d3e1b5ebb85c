// Python files that a test writes.
#pragma once
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/hang.h"
#include "tests/scratch_folder.h"

namespace benchbench::test {

class ScriptFolder {
 public:
  ~ScriptFolder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    const std::string file = path_ + "/" + name;
    std::ofstream(file) << text;
    return file;
  }
  const std::string& path() const noexcept { return path_; }

 private:
  const std::string path_ = make_scratch_folder("python");
};

// Whether the process is gone, or has ended and waits to be reaped, by whomever.
inline bool has_ended(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string line{std::istreambuf_iterator<char>(stat), {}};
  return line.empty() || line.find(") Z ") != std::string::npos;
}

// The same, once it had time to: one that was killed is seen in /proc while it ends, without its
// environment already.
inline bool ends_soon(int pid) {
  const auto until = std::chrono::steady_clock::now() + kHang;
  while (!has_ended(pid) && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  return has_ended(pid);
}

// What stands in front of a script that plays start_child.py: say(), say_bytes(), hear() and
// hello().
inline constexpr char kConversation[] = R"(
import json, os, signal, socket, struct, subprocess, sys, time
connection = socket.socket(fileno=3)
def say_bytes(data):
    connection.sendall(data)
def frame(kind, members, blob=b""):
    body = json.dumps(dict(members, type=kind)).encode()
    return struct.pack("<II", len(body), len(blob)) + body + blob
def say(*kind, blob=b"", **members):
    say_bytes(frame(kind[0], members, blob))
def exactly(size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data
def hear():
    length, blob = struct.unpack("<II", exactly(8))
    return json.loads(exactly(length))
def hello():
    say("hello", protocol=1, python="3.11.2", executable=sys.executable, pid=os.getpid())
def die():
    os.kill(os.getpid(), signal.SIGKILL)
)";

}  // namespace benchbench::test
