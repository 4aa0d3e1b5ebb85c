#include "harness/app/wrap/wrap_progress.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/app/output_file.h"
#include "harness/app/tell.h"
#include "harness/app/wrap/wrap_plan.h"
#include "harness/app/wrap/wrap_record.h"
#include "harness/app/wrap/wrap_try.h"
#include "harness/app/wrap/wrap_words.h"
#include "harness/report/text/formats.h"

namespace benchbench {
namespace {

constexpr double kBetweenLines = 5;  // s: short rounds are not all told

}  // namespace

void WrapProgress::planned(const WrapPlanned& planned, double now) {
  begin_ = now;
  expected_ = to_seconds(planned.expected);
  most_ = to_seconds(planned.ends_after);
  kinds_ = planned.changed ? 5 : planned.kinds == "F" ? 1 : 3;
  until_settled_ = planned.until_settled;
  state_.rounds = planned.rounds;
  state_.trials = planned.rounds * kinds_;
  done_ = told_ = 0;  // of a loop that was not the training
  rates_ = of_round_ = {};
}

double WrapProgress::left(double now) const {
  const double gone = now - begin_, parts = std::max(1u, state_.trials);
  // A round has stretches of different lengths.
  const double whole = done_ >= kinds_ && !until_settled_ ? gone / done_ * parts : expected_;
  return std::max(0.0, std::min(whole, most_) - gone);
}

void WrapProgress::measures(const std::string& phase, std::optional<WrapKind> kind,
                            std::optional<std::uint32_t> round) {
  state_.phase = phase;
  if (kind) state_.mode = mode_of(*kind);
  changed_ = kind && is_changed(*kind);
  if (round) state_.round = *round + 1;
}

void WrapProgress::finished(const WrapStretch& stretch) {
  ++done_;
  state_.round = stretch.round + 1;
  rates_[static_cast<std::size_t>(stretch.kind)] = rate_of(stretch.result);
  if (done_ % kinds_ == 0) of_round_ = rates_;
}

std::string WrapProgress::round_line(double now) {
  const std::uint32_t rounds = done_ / kinds_;
  if (rounds == told_ || rounds >= state_.rounds) return "";
  told_ = rounds;
  const auto text = [&](char letter, WrapKind kind) {
    const auto& rate = of_round_[static_cast<std::size_t>(kind)];
    return rate ? fmt::format("{} {}/s, ", letter, human_count(*rate)) : "";
  };
  std::string rates =
      text('L', WrapKind::loader) + text('T', WrapKind::trainer) + text('F', WrapKind::full);
  if (kinds_ > 3)
    rates +=
        "with --try " + text('L', WrapKind::changed_loader) + text('F', WrapKind::changed_full);
  rates.resize(rates.size() - 2);
  return fmt::format("round {} of {}: {}; {:.0f} s left{}", rounds, state_.rounds, rates,
                     std::max(1.0, left(now)), until_settled_ ? " at most" : "");
}

void WrapProgress::searched(const WrapStretch& stretch) {
  tried_ =
      stretch.settings.empty() ? "the script's own settings" : settings_words(stretch.settings);
  tried_rate_ = rate_of(stretch.result);
  best_rate_ = std::max(best_rate_, tried_rate_);
}

std::string WrapProgress::search_line(double now) const {
  return fmt::format("{}: {}/s; best so far {}/s; {:.0f} s left at most", tried_,
                     human_count(tried_rate_), human_count(best_rate_),
                     std::max(1.0, begin_ + most_ - now));
}

std::string WrapProgress::line(std::size_t width, double now) {
  state_.trial = std::min(done_ + 1, state_.trials);
  state_.point = fmt::format("round {} of {}{}", std::max(1u, state_.round), state_.rounds,
                             changed_ ? " --try" : "");
  state_.loader_rate = of(WrapKind::loader);
  state_.trainer_rate = of(WrapKind::trainer);
  state_.pipeline_rate = of(WrapKind::full);
  state_.left = Seconds(left(now));
  return progress_text(state_, width);
}

void WrapTeller::connected(const WrapHello& process) {
  if (const std::string text = unpatched_words(process); !text.empty()) print_fitted(stderr, text);
}

void WrapTeller::warms_up(const WrapRequest& request, int pid) {
  if (warms_up_ || request.order.check || request.order.keep_going) return;
  warms_up_ = true;
  if (prints_beside_us(pid)) apart_ = "\n";
  print_fitted(
      stderr,
      apart_ +
          fmt::format("benchbench: the loop of {} has begun; it is measured once it is steady.\n",
                      request.script));
}

void WrapTeller::planned(const WrapRequest& request, const WrapPlanned& planned, int pid) {
  line_.clear();
  const bool beside = prints_beside_us(pid);
  apart_ = beside ? "\n" : "";
  print_fitted(stderr, apart_ + planned_words(request, planned));
  quiet_ = request.order.keep_going;  // how long it runs is not known
  redraws_ = !quiet_ && line_.is_on_terminal() && !beside;
  progress_.planned(planned, now());
  last_ = now();
}

void WrapTeller::left_alone(int pid, const WrapLoader& loader, bool after) {
  line_.clear();
  print_fitted(stderr, left_alone_words(pid, loader, after));
}

void WrapTeller::measures(const std::string& phase, std::optional<WrapKind> kind,
                          std::optional<std::uint32_t> round) {
  progress_.measures(phase, kind, round);
  draw();
}

void WrapTeller::finished(const WrapStretch& stretch) {
  progress_.finished(stretch);
  draw();
  if (quiet_ || redraws_ || now() - last_ < kBetweenLines) return;
  const std::string line = progress_.round_line(now());
  if (line.empty()) return;
  tell("{}benchbench: {}\n", apart_, line);
  last_ = now();
}

void WrapTeller::searched(const WrapStretch& stretch) {
  line_.clear();
  if (std::exchange(redraws_, false)) last_ = now();
  progress_.searched(stretch);
  if (quiet_ || now() - last_ < kBetweenLines) return;
  tell("{}benchbench: {}\n", apart_, progress_.search_line(now()));
  last_ = now();
}

void WrapTeller::draw() {
  if (redraws_) line_.show([&](std::size_t width) { return progress_.line(width, now()); });
}

bool prints_beside_us(int pid) {
  struct stat ours{}, theirs{};
  if (::fstat(STDERR_FILENO, &ours) != 0) return true;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    const std::string path = fmt::format("/proc/{}/fd/{}", pid, descriptor);
    if (::stat(path.c_str(), &theirs) != 0) continue;  // closed
    if (ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino) return true;
    // /dev/tty is the terminal by its other name.
    if (S_ISCHR(theirs.st_mode) && major(theirs.st_rdev) == 5) return true;
  }
  return false;
}

}  // namespace benchbench
