// The process of the user's interpreter that a trial leaves for the next one with the same code:
// torch, CUDA and cuDNN's tuning are paid for once.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/part/external.h"
#include "scenarios/python/message.h"
#include "scenarios/python/python_child.h"

namespace benchbench::python_part {

// A process and a trial must have this in common.
struct ChildKind {
  // Interpreter, scripts or modules, if there are hooks, and the CPUs that the calling thread may
  // use, in one text.
  std::string code;
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

// The processes that wait for another trial, two at most: the one that waited longest ends. One
// thread.
class KeptChildren {
 public:
  // Gives up the one that is kept for such a trial; else returns one without a child. The others
  // whose steps used a CUDA device end: an idle context slows whoever uses the card now.
  KeptChild take(const ChildKind& trial);
  void keep(KeptChild child);
  // Ends those whose steps used a CUDA device, or all, and waits for it.
  void end_on_cards();
  void end() { kept_.clear(); }
  // Code whose trial failed in a process that had run others shares none from now on.
  void refuse(const ChildKind& trial) { refused_.insert(trial.code); }
  bool refuses(const ChildKind& trial) const { return refused_.contains(trial.code); }

  static constexpr std::size_t kMost = 2;

 private:
  std::vector<KeptChild> kept_;  // the oldest first
  std::set<std::string> refused_;
};
KeptChildren& kept_children();

// After a trial: asks the process what the trial left in it, and keeps it where that is nothing.
// Else, or without an answer within `patience`, the process ends, and the next trial of the kind
// has the reason.
void rest_child(KeptChild child, const Patience& patience) noexcept;

}  // namespace benchbench::python_part
