#include "harness/trial/probes/card_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/trial/probes/own_processes.h"

namespace benchbench {
namespace {

std::vector<unsigned> users_now(const cuda::NvmlProbe& probe) {
  std::vector<unsigned> pids;
  const auto users = probe.read(false).users;
  if (users.value)
    for (const cuda::NvmlUser& user : *users.value) pids.push_back(user.pid);
  return pids;
}

// Without what an earlier trial of this process left there, which is ours.
std::set<unsigned> strangers_now(const cuda::NvmlProbe& probe) {
  const std::set<unsigned> own = own_processes();
  std::set<unsigned> strangers;
  for (const unsigned pid : users_now(probe))
    if (!own.contains(pid) && !is_below_this_process(pid)) strangers.insert(pid);
  return strangers;
}

// "cuda:1"; "" of a card that CUDA does not see here, or that it was not asked for.
std::string device_name(std::span<const std::string> devices, const std::string& uuid) {
  const auto at = std::ranges::find(devices, uuid);
  return at == devices.end() ? "" : fmt::format("cuda:{}", at - devices.begin());
}

}  // namespace

CardSearch::CardSearch(std::vector<cuda::NvmlCard> cards, MakeProbe make_probe,
                       std::span<const std::string> devices, Runtime& runtime)
    : make_probe_(std::move(make_probe)), runtime_(runtime) {
  for (cuda::NvmlCard& card : cards) {
    auto probe = make_probe_(card.uuid);
    WatchedCard watched{device_name(devices, card.uuid), std::move(card.model), card.uuid,
                        strangers_now(*probe)};
    candidates_.push_back({std::move(watched), std::move(probe)});
  }
}

std::unique_ptr<CardSearch> CardSearch::make(std::span<const std::string> devices,
                                             Runtime& runtime) try {
  const cuda::CudaEntry& entry = cuda::cuda_entry();
  auto cards = entry.list_cards(cuda::kNvmlLibrary);
  if (cards.empty()) return nullptr;
  const auto probe = [&entry](const std::string& uuid) {
    return entry.make_probe(uuid, cuda::kNvmlLibrary);
  };
  return std::make_unique<CardSearch>(std::move(cards), probe, devices, runtime);
} catch (const DeviceError&) {  // a build without the module has no NVML
  return nullptr;
}

std::unique_ptr<GpuWatch> CardSearch::watch(const Candidate& candidate) const {
  auto watch =
      std::make_unique<GpuWatch>(make_probe_(candidate.card.uuid), runtime_, candidate.card);
  watch->start();
  return watch;
}

std::unique_ptr<GpuWatch> CardSearch::find(int root) const {
  const Candidate* got_user = nullptr;
  for (const Candidate& candidate : candidates_)
    for (const unsigned pid : users_now(*candidate.probe)) {
      if (is_below(pid, static_cast<unsigned>(root))) return watch(candidate);
      const bool is_new = !candidate.card.before->contains(pid) && !is_seen_here(pid);
      if (is_new && !got_user) got_user = &candidate;
    }
  return got_user ? watch(*got_user) : nullptr;
}

std::unique_ptr<GpuWatch> CardSearch::watch_named(std::string_view device) const {
  const int ordinal = cuda::ordinal_of(device);
  if (ordinal < 0) return nullptr;
  const auto named =
      std::ranges::find_if(candidates_, [&](const Candidate& c) { return c.card.name == device; });
  if (named != candidates_.end()) return watch(*named);
  const auto at = static_cast<std::size_t>(ordinal);  // CUDA was not asked which is which
  return at < candidates_.size() ? watch(candidates_[at]) : nullptr;
}

}  // namespace benchbench
