// Turns an error that no command catches into words and an exit code.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/command_line.h"
#include "harness/app/exit_code.h"
#include "harness/app/input_output_error.h"
#include "harness/app/interrupt.h"
#include "harness/app/standard_streams.h"
#include "harness/app/whole_error.h"
#include "harness/core/called_as.h"
#include "harness/core/error.h"
#include "harness/core/foreground/foreground_process.h"
#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

// A thread's stack is as large as this too. Less than the frames of a command take would be a crash
// without a word.
void refuse_small_stack() {
  constexpr rlim_t kLeast = 256 << 10;
  struct rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLeast) return;
  throw StoreError("the stack may have " + std::to_string(stack.rlim_cur >> 10) +
                       " KiB, which is too little to run in",
                   "raise its limit: ulimit -s 256, or more");
}

// Of the command that argv names, also where the rest of argv makes no sense.
int added_to_ours(int argc, char** argv) {
  for (const Command* c : commands())
    if (argc > 1 && c->name == argv[1]) return c->added_to_ours;
  return 0;
}

int run(int argc, char** argv) {
  const int added = added_to_ours(argc, argv);
  std::vector<std::string_view> shown{"--version"};
  for (const Command* c : commands())
    if (!c->group.empty()) shown.push_back(c->name);
  note_call(argc > 0 ? argv[0] : nullptr, std::move(shown));
  try {
    refuse_small_stack();
    return run_command_line(argc, argv);
  } catch (const Error& e) {
    const int code = tell_whole_error(e);
    return e.kind() == ErrorKind::interrupted ? code : code + added;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return kTrialFailed + added;
  } catch (const std::exception& e) {
    if (const auto fault = input_output_error(e)) return tell_whole_error(*fault) + added;
    std::fprintf(
        stderr,
        "error: %s\nhint: this is a bug in benchbench: please report it with the command line\n",
        visible(e.what()).c_str());
    return kTrialFailed + added;
  }
}

const std::terminate_handler g_standard_end = std::get_terminate();

// Libraries free and move what they hold in functions that may not throw, and allocate there.
[[noreturn]] void end_without_memory() noexcept {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    constexpr std::string_view text = "error: out of memory\n";
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    ::_exit(kTrialFailed);
  } catch (...) {
  }
  g_standard_end();  // says what was thrown
  std::abort();
}

}  // namespace
}  // namespace benchbench

int main(int argc, char** argv) {
  benchbench::reserve_standard_streams();
  std::set_terminate(benchbench::end_without_memory);
  benchbench::ignore_signals_of_writes();
  const int code = benchbench::run(argc, argv);
  const bool flushed = std::fflush(stdout) == 0;
  if ((!flushed || std::ferror(stdout)) && code == 0) {
    std::fputs("error: the output could not be written\n", stderr);
    return benchbench::kNotWritten + benchbench::added_to_ours(argc, argv);
  }
  return code;
}
