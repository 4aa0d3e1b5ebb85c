// One process of the user's interpreter, and the conversation with it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/core/lock.h"
#include "harness/part/external_facts.h"
#include "scenarios/python/message.h"
#include "scenarios/python/output_tail.h"

namespace benchbench::python_part {

// How long an answer may take, and who wants to look in meanwhile.
struct Patience {
  Nanoseconds silence{0};  // between two messages; 0: without end
  // Called every 100 ms at most; what it throws ends the wait. May be empty.
  const std::function<void()>& look;
};

struct PythonStart {
  std::string interpreter;  // a path
  std::string script;       // start_child.py
};

// Starts the process and hears its `hello`; the destructor ends it and everything that it left
// running, wherever that is. One thread, but for send().
class PythonChild {
 public:
  // ScenarioError where what was started is no Python that can run our side of it; PartError where
  // it hangs or is killed.
  PythonChild(const PythonStart& start, const Patience& patience);
  ~PythonChild();
  PythonChild(const PythonChild&) = delete;
  PythonChild& operator=(const PythonChild&) = delete;

  // As the process itself has them.
  const std::string& interpreter() const noexcept { return interpreter_; }
  int pid() const noexcept { return pid_; }
  // From its start to its first word.
  Nanoseconds spawn_time() const noexcept { return spawn_time_; }
  // A memory file that both have, empty at first. It can grow, but not shrink.
  int memory() const noexcept { return memory_.get(); }
  void forget_output() { output_->forget(); }
  std::string last_output() { return output_->last_lines(kShownLines); }

  // Any thread. PartError where the process cannot take it within some seconds, because it hangs or
  // has ended.
  void send(const Json& message);
  // The next message. `doing` completes "while it ...": for the text of PartError where it ended,
  // hung or sent nonsense. An `error` is thrown as its kind says: ScenarioError, DeviceError for a
  // lack, PartError.
  Message receive(std::string_view doing, const Patience& patience);
  // Sends a request and hears its answer; `progress` before it is passed over.
  Message ask(const Json& request, std::string_view answer, std::string_view doing,
              const Patience& patience);
  // The request is answered: another may be sent, and its end may wait for the process.
  void be_idle() noexcept { idle_ = true; }

  static constexpr std::size_t kShownLines = 10;

 private:
  enum class Heard { message, nothing, ended };
  PythonChild(const PythonStart& start, const Patience& patience, Pipe output, Pipe sockets);
  ChildStart wired(const PythonStart& start, int output, int socket) const;
  void hear_hello(const PythonStart& start, const Patience& patience);
  Heard hear(Message& message, int milliseconds);
  Message await_message(std::string_view doing, const Patience& patience);
  [[noreturn]] void throw_ended(std::string_view doing);
  [[noreturn]] void throw_silent(std::string_view doing, Nanoseconds silence);
  std::string how_it_ended(const std::optional<ChildEnd>& end) const;
  [[noreturn]] void throw_failure(const Message& error);
  void add_output(Error& error);
  void say_goodbye() noexcept;

  const std::string mark_;  // of all its descendants
  const std::unique_ptr<Runtime> runtime_;
  Descriptor memory_, socket_;
  Lock sending_;
  const std::chrono::steady_clock::time_point started_;
  ChildProcess process_;
  std::unique_ptr<OutputTail> output_;
  MessageReader reader_;
  std::string interpreter_;
  int pid_ = 0;
  Nanoseconds spawn_time_{0};
  bool closed_ = false;  // the other end
  bool idle_ = false;
};

// Starts the process with our script, and notes which interpreter it is and how long that took.
std::unique_ptr<PythonChild> start_child(const std::string& interpreter, const Patience& patience,
                                         ExternalFacts& facts);
// Has it load the user's code, and notes what it says of that. `request`: of load_request().
void load_code(PythonChild& child, const Json& request, const Patience& patience,
               ExternalFacts& facts);

}  // namespace benchbench::python_part
