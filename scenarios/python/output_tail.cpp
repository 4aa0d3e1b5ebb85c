#include "scenarios/python/output_tail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "harness/core/utf8.h"

namespace benchbench::python_part {
namespace {

constexpr std::size_t kLongestLine = 200;

std::string printable(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size() && out.size() < kLongestLine;) {
    const std::size_t size = utf8_length(line.substr(at));
    const bool shown =
        size > 1 || (size == 1 && (line[at] == '\t' || (line[at] >= ' ' && line[at] != 0x7f)));
    out += shown ? line.substr(at, size) : "?";
    at += std::max<std::size_t>(1, size);
  }
  return out;
}

// Where a progress bar went back to the line's begin, what it wrote last is the line.
std::string_view last_written(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  return line.substr(line.rfind('\r') + 1);
}

}  // namespace

OutputTail::OutputTail(Descriptor pipe, Runtime& runtime)
    : pipe_(std::move(pipe)), wake_(make_pipe()), lock_(runtime) {
  ::fcntl(pipe_.get(), F_SETFL, ::fcntl(pipe_.get(), F_GETFL) | O_NONBLOCK);
  task_ = runtime.spawn("python-output", *this);
}

OutputTail::~OutputTail() { stop(); }

void OutputTail::stop() noexcept {
  wake_.write.close();
  if (task_) task_->join();
}

void OutputTail::run() {
  pollfd heard[] = {{pipe_.get(), POLLIN, 0}, {wake_.read.get(), 0, 0}};
  for (bool asked_to_stop = false; !asked_to_stop;) {
    if (::poll(heard, 2, -1) < 0 && errno != EINTR) return;
    asked_to_stop = heard[1].revents != 0;
    if (!take_what_is_there()) return;
  }
}

// False at the end of the file. At most what a pipe can hold and some more: a writer that never
// stops does not keep us.
bool OutputTail::take_what_is_there() {
  char bytes[16384];
  for (int times = 0; times < 64; ++times) {
    const Guard guard(lock_);  // two may read: what comes first is kept first
    const ssize_t n = ::read(pipe_.get(), bytes, sizeof bytes);
    if (n > 0) keep({bytes, static_cast<std::size_t>(n)});
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (n < 0 && errno == EAGAIN) return true;
  }
  return true;
}

void OutputTail::keep(std::string_view bytes) {
  kept_.append(bytes);
  if (kept_.size() > 2 * kKept) kept_.erase(0, kept_.size() - kKept);
}

void OutputTail::forget() {
  take_what_is_there();
  const Guard guard(lock_);
  kept_.clear();
}

std::string OutputTail::last_lines(std::size_t count) {
  take_what_is_there();  // the thread that reads may not have come to it yet
  std::string text;
  {
    const Guard guard(lock_);
    text = kept_.size() > kKept ? kept_.substr(kept_.size() - kKept) : kept_;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  std::vector<std::string> lines;
  for (bool more = !text.empty(); more && lines.size() < count;) {
    const std::size_t end_before = text.rfind('\n');
    more = end_before != std::string::npos;
    const std::size_t from = more ? end_before + 1 : 0;
    lines.push_back(printable(last_written(std::string_view(text).substr(from))));
    text.resize(more ? end_before : 0);
  }
  std::ranges::reverse(lines);
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace benchbench::python_part
