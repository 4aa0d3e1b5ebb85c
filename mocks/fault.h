// The ends that a faulty loader and a faulty trainer have in common.
#pragma once
#include <signal.h>

#include <cstdlib>
#include <string_view>

#include "harness/core/error.h"
#include "harness/core/runtime.h"

namespace benchbench {

// Ends the thread or the process as `fault` says; returns where it names no such end.
inline void end_by(std::string_view fault, Runtime& runtime) {
  if (fault == "throw") throw PartError("injected fault");
  if (fault == "exit") std::_Exit(3);
  if (fault == "abort") std::abort();
  if (fault == "segv") ::raise(SIGSEGV);
  if (fault == "hang") {
    Waiter nobody;
    while (!runtime.park(nobody, kForever)) {
    }
  }
}

}  // namespace benchbench
