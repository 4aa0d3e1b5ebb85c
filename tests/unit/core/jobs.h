// A Job made of a lambda, for tests.
#pragma once
#include <functional>
#include <utility>

#include "harness/core/runtime.h"

namespace benchbench::test {

class Work : public Job {
 public:
  explicit Work(std::function<void()> body) : body_(std::move(body)) {}
  void run() override { body_(); }

 private:
  std::function<void()> body_;
};

inline void run_simulated(SimulatedRuntime& runtime, std::function<void()> body) {
  Work work(std::move(body));
  runtime.run(work);
}

}  // namespace benchbench::test
