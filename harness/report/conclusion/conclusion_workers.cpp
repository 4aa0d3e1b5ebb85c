// Says what more workers would make of the user's loader.
#include <fmt/format.h>

#include "harness/report/conclusion/conclusion_part_words.h"

namespace benchbench {

std::string workers_words(const WorkersForetold& w) {
  switch (w.limit) {
    case WorkersLimit::workers:
      return fmt::format(
          "At most {:.2g}x the rate is foretold, by what a batch takes of the workers, of the main "
          "process and of the cores that other programs leave.",
          w.times);
    case WorkersLimit::main:
      return "More workers would not help: the main process's own thread is the limit.";
    case WorkersLimit::cores:
      return "More workers would not help: too few cores are free for them.";
    case WorkersLimit::others:
      return "Whether more workers would help is not known: other programs keep the cores busy.";
    case WorkersLimit::one_worker:
      return "More workers would not help: one of them makes far more batches than the others.";
    case WorkersLimit::unseen:
      return "Whether more workers would help is not known: they are idle, or wait for what was "
             "not "
             "timed.";
    case WorkersLimit::unknown:
      return "Whether more workers would help is not known: what a batch takes of the processes "
             "was not measured.";
  }
  return "";
}

}  // namespace benchbench
