// The process of the user's interpreter that a trial leaves for the next one with the same code:
// torch, CUDA and cuDNN's tuning are paid for once.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/part/external.h"
#include "scenarios/python/message.h"
#include "scenarios/python/python_child.h"

namespace benchbench::python_part {

// A process and a trial must have this in common.
struct ChildKind {
  std::string code;    // interpreter, scripts or modules, and whether there are hooks, in one text
  std::string device;  // of the step; empty: none ran yet, or there is none
  // True if a process of this kind can run a trial of that one.
  bool suits(const ChildKind& trial) const noexcept;
};
// `load` is the trial's request.
ChildKind kind_of_child(const std::string& interpreter, const Json& load, int observer);

struct KeptChild {
  ChildKind kind;
  std::unique_ptr<PythonChild> child;  // null: a fresh one is to be started
  std::uint32_t trials = 0;            // that it ran
  std::string why_fresh;               // why the one before it did not go on; or empty
};

// Those of this process, two at most: the one that waited longest ends. One thread. They end with
// this process, whose end of the connection closes then.
class KeptChildren {
 public:
  // Gives up the one that is kept for such a trial; else returns one without a child.
  KeptChild take(const ChildKind& trial);
  void keep(KeptChild child);

  static constexpr std::size_t kMost = 2;

 private:
  std::vector<KeptChild> kept_;  // the oldest first
};
KeptChildren& kept_children();

// After a trial: asks the process what the trial left in it, and keeps it where that is nothing.
// Where it is something, or it does not answer within `patience`, it ends, and the next trial of
// the kind has the reason.
void rest_child(KeptChild child, const Patience& patience) noexcept;

}  // namespace benchbench::python_part
