// What an accelerator's steps come to, from the equations alone: nothing of the program's.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace benchbench::test::device {

using Ns = std::int64_t;

// One run. Times in ns; of each step its own.
struct Work {
  std::size_t in_flight = 2;
  // Copies hold the host: from pageable memory, or not non_blocking; what is gathered behind one
  // does only if `waits`.
  bool held = false, waits = false;
  bool own_stream = false;
  Ns copy_call = 0, launch_call = 0;
  std::size_t queue = 1024;  // launches under way
  Ns read_back = 0;          // of the four bytes of a loss
  struct Step {
    Ns ready = 0;  // when its batch is there
    Ns copy = 0;
    Ns gather = 0;  // a launch behind the copy, which is of a list then; 0: none
    std::vector<Ns> kernels;
    bool logged = false;  // the loss is read back after it
  };
  std::vector<Step> steps;
};

// Of one step: host and device.
struct Times {
  Ns asked = 0, got = 0, called = 0;          // q, get, s
  Ns copy_begin = 0, copied = 0;              // cb, ce
  Ns work_begin = 0, done = 0, host_end = 0;  // b_1, done, h
};

inline std::vector<Times> times_of(const Work& work) {
  std::vector<Times> all;
  std::vector<Ns> ends;  // of all launches so far
  for (std::size_t k = 0; k < work.steps.size(); ++k) {
    const Work::Step& step = work.steps[k];
    Times t;
    t.asked = k > 0 ? all[k - 1].host_end : 0;
    if (k >= work.in_flight) t.asked = std::max(t.asked, all[k - work.in_flight].done);
    t.got = std::max(t.asked, step.ready);
    t.called = t.got + work.copy_call;
    t.copy_begin = t.called;
    if (k > 0) t.copy_begin = std::max(t.copy_begin, all[k - 1].copied);
    if (k > 0 && !work.own_stream) t.copy_begin = std::max(t.copy_begin, all[k - 1].done);
    t.copied = t.copy_begin + step.copy;
    Ns enqueued = work.held ? t.copied : t.called;
    const auto launch = [&](Ns free, Ns kernel) {
      if (ends.size() >= work.queue) enqueued = std::max(enqueued, ends[ends.size() - work.queue]);
      enqueued += work.launch_call;
      ends.push_back(std::max(enqueued, free) + kernel);
      return ends.back();
    };
    if (step.gather > 0) t.copied = launch(t.copied, step.gather);
    if (work.waits) enqueued = std::max(enqueued, t.copied);
    Ns free = std::max(t.copied, k > 0 ? all[k - 1].done : 0);
    for (std::size_t j = 0; j < step.kernels.size(); ++j) {
      free = launch(free, step.kernels[j]);
      if (j == 0) t.work_begin = free - step.kernels[j];
    }
    t.done = free;
    t.host_end = step.logged ? std::max(enqueued, t.done) + work.read_back : enqueued;
    all.push_back(t);
  }
  return all;
}

}  // namespace benchbench::test::device
