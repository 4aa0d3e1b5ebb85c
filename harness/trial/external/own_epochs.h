// The epochs of a loader in a process of its own that hands its batches over, as they are seen
// where the batches arrive.
#pragma once
#include <cstdint>
#include <string>

namespace benchbench {

// Between two epochs there is a pause: workers are started, an order is drawn. It and the batches
// after it that prefetching had made before they were asked for are left out of the window, as in
// the process itself when it measures alone.
class OwnEpochs {
 public:
  // `ahead`: batches that may be made before they are asked for.
  OwnEpochs(std::uint32_t workers, std::uint64_t ahead) noexcept;

  // After each step: how many there were, and the number of the first one of its epoch, both
  // counted from the trial's begin.
  void stepped(std::uint64_t steps, std::uint64_t epoch_began) noexcept;
  // The last step was the first of an epoch, and not of the first one.
  bool just_began() const noexcept { return left_out_ && just_began_; }
  // Steps from here on that are not to be counted, unless the epoch ends before.
  std::uint64_t left() const noexcept {
    return left_out_ && in_epoch_ < discards_ ? discards_ - in_epoch_ : 0;
  }
  // The epoch has no room for one group more, if it is as long as the last one: what is read off
  // here is not of the pause.
  bool rests() const noexcept {
    return left_out_ && last_ > 0 && in_epoch_ <= last_ && in_epoch_ + group_ > last_;
  }
  // False: what passes between two epochs is part of the rate.
  bool leaves_out_pauses() const noexcept { return left_out_; }
  // Batches arrive one of each worker: so many at a time are counted.
  std::uint64_t group() const noexcept { return group_; }

  // Epochs were too short for all this.
  bool short_epochs() const noexcept { return short_.batches > 0; }
  // What is to be said of them, then; else empty.
  std::string notice() const;

 private:
  void has_ended(std::uint64_t batches) noexcept;

  // An epoch that was too short, and what was made of it for the next one.
  struct Short {
    std::uint64_t batches = 0, discards = 0;
    bool left_out = true;
  };

  const std::uint64_t group_, all_discards_;
  std::uint64_t discards_;
  // The present epoch's first step, and how many it has had.
  std::uint64_t began_ = 0, in_epoch_ = 0;
  std::uint64_t last_ = 0;  // batches of the last epoch that ended
  Short short_;             // the last such
  bool just_began_ = false, left_out_ = true, some_long_ = false;
};

}  // namespace benchbench
