// The one way errors travel. Header-only with fixed buffers, so that a module compiled apart
// (torch, CUDA, a user's own) can make one without a symbol of ours; nothing foreign is thrown
// across a module's boundary.
#pragma once
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace benchbench {

enum class ErrorKind {
  usage,        // the command line           exit 2
  scenario,     // the YAML, the data named   exit 2
  part,         // a loader, trainer, format  a FAILED record; exit 1
  store,        // results cannot be written  exit 5
  device,       // hardware absent or refusing; a SKIPPED record with the reason
  interrupted,  // SIGINT, SIGTERM            exit 130, 143
  budget,       // the time of --budget ended  exit 7
};

// A message (what, where), a hint (what was allowed, what to do) and a chain of contexts, outermost
// last. Text beyond the buffers is cut, never an allocation; only details are allocated.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string_view message, std::string_view hint = {}) noexcept
      : kind_(kind) {
    copy(message_, sizeof message_, message);
    copy(hint_, sizeof hint_, hint);
  }
  const char* what() const noexcept override { return message_; }
  ErrorKind kind() const noexcept { return kind_; }
  std::string_view message() const noexcept { return message_; }
  std::string_view hint() const noexcept { return hint_; }
  // "while reading shard 3; in trial 12" — empty where nobody added any.
  std::string_view context() const noexcept { return context_; }
  Error& add_context(std::string_view text) noexcept {
    const std::size_t used = std::strlen(context_);
    if (used + 3 < sizeof context_) {
      if (used) std::memcpy(context_ + used, "; ", 3);
      copy(context_ + used + (used ? 2 : 0), sizeof context_ - used - (used ? 2 : 0), text);
    }
    return *this;
  }
  // Whole lines to be shown below the message as they are, such as the traceback of the user's
  // code; empty where there are none.
  std::string_view details() const noexcept {
    return details_ ? std::string_view(*details_) : std::string_view();
  }
  // Without memory for them they are left out.
  Error& set_details(std::string_view lines) noexcept {
    try {
      details_ = lines.empty() ? nullptr : std::make_shared<const std::string>(lines);
    } catch (const std::bad_alloc&) {
      details_ = nullptr;
    }
    return *this;
  }

 private:
  static void copy(char* to, std::size_t room, std::string_view from) noexcept {
    const std::size_t n = std::min(room - 1, from.size());
    if (n) std::memcpy(to, from.data(), n);
    to[n] = '\0';
  }
  ErrorKind kind_;
  char message_[2048];
  char hint_[768];
  char context_[768] = {};
  std::shared_ptr<const std::string> details_;
};

template <ErrorKind K>
class KindOfError : public Error {
 public:
  explicit KindOfError(std::string_view message, std::string_view hint = {}) noexcept
      : Error(K, message, hint) {}
};
using UsageError = KindOfError<ErrorKind::usage>;
using ScenarioError = KindOfError<ErrorKind::scenario>;
using PartError = KindOfError<ErrorKind::part>;
using StoreError = KindOfError<ErrorKind::store>;
using DeviceError = KindOfError<ErrorKind::device>;
using InterruptedError = KindOfError<ErrorKind::interrupted>;
using BudgetError = KindOfError<ErrorKind::budget>;

}  // namespace benchbench
