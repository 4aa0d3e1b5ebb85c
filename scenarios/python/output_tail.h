// What the user's code prints: taken from the pipe as it comes, so that it never has to wait, and
// the end of it kept.
#pragma once
#include <memory>
#include <string>

#include "harness/core/descriptor.h"
#include "harness/core/lock.h"

namespace benchbench::python_part {

class OutputTail final : private Job {
 public:
  static constexpr std::size_t kKept = 64 << 10;  // bytes

  // Reads on a thread of its own until every writer has closed the pipe, or to its end. The runtime
  // must outlive it.
  OutputTail(Descriptor pipe, Runtime& runtime);
  ~OutputTail();

  // Takes what has been written so far, and then no more.
  void stop() noexcept;
  // The last lines of what has been written, at most so many, without empty ones at the end; long
  // ones are cut. Control characters and what is no UTF-8 are '?'. Any thread.
  std::string last_lines(std::size_t count);
  // Drops all that has been written so far: it is another trial's. Any thread.
  void forget();

 private:
  void run() override;
  bool take_what_is_there();
  void keep(std::string_view bytes);

  Descriptor pipe_;
  Pipe wake_;
  Lock lock_;
  std::string kept_;
  std::unique_ptr<Task> task_;
};

}  // namespace benchbench::python_part
