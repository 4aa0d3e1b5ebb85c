// Finds the card that a trial's processes use.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trial/probes/gpu_watch.h"

namespace benchbench {

// Looks at who is on the cards of this machine, whoever started them and whatever the scenario says
// of a device. It asks NVML alone, which stays open to the process's end: no driver is started and
// no context made. Made before the processes that it looks for. One thread.
class CardSearch {
 public:
  using MakeProbe = std::function<std::unique_ptr<cuda::NvmlProbe>(const std::string& uuid)>;
  struct Card {
    cuda::NvmlCard is;
    std::shared_ptr<const cuda::NvmlProbe> probe;
  };
  // `devices`: UUIDs by the N of cuda:N; empty where they are not known. The runtime outlives all
  // watches.
  CardSearch(const std::vector<Card>& cards, MakeProbe make_probe,
             std::span<const std::string> devices, Runtime& runtime);
  // Returns that of this machine; null where NVML has no card, or is not there.
  static std::unique_ptr<CardSearch> make(std::span<const std::string> devices, Runtime& runtime);

  // Returns the watch, started, of the card that a process at or below `root` uses; in a container,
  // where such processes are not seen, of the one that got a user since. Null where there is none
  // yet. Takes about 0.1 ms a card.
  std::unique_ptr<GpuWatch> find(int root) const;
  // Returns the watch of cuda:N, for processes that NVML does not list; null of any other name, and
  // where it is not sure which card that is: only of a single one without CUDA_VISIBLE_DEVICES is
  // it, while `devices` are not known.
  std::unique_ptr<GpuWatch> watch_named(std::string_view device) const;

 private:
  struct Candidate {
    WatchedCard card;
    std::shared_ptr<const cuda::NvmlProbe> probe;
  };
  std::unique_ptr<GpuWatch> watch(const Candidate& candidate) const;

  MakeProbe make_probe_;
  Runtime& runtime_;
  const bool devices_known_;
  std::vector<Candidate> candidates_;
};

}  // namespace benchbench
