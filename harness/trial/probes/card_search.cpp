#include "harness/trial/probes/card_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/trial/probes/own_processes.h"

namespace benchbench {
namespace {

std::vector<unsigned> users_now(const cuda::NvmlProbe& probe) {
  std::vector<unsigned> pids;
  const auto users = probe.read_users();
  if (users.value)
    for (const cuda::NvmlUser& user : *users.value) pids.push_back(user.pid);
  return pids;
}

// Leaves out what an earlier trial of this process left there, which is ours.
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

std::unique_ptr<cuda::NvmlProbe> make_probe_here(const std::string& uuid) {
  return cuda::cuda_entry().make_probe(uuid, cuda::kNvmlLibrary);
}

std::vector<CardSearch::Card> open_cards() {
  std::vector<CardSearch::Card> cards;
  for (cuda::NvmlCard& card : cuda::cuda_entry().list_cards(cuda::kNvmlLibrary)) {
    auto probe = make_probe_here(card.uuid);
    cards.push_back({std::move(card), std::move(probe)});
  }
  return cards;
}

}  // namespace

CardSearch::CardSearch(const std::vector<Card>& cards, MakeProbe make_probe,
                       std::span<const std::string> devices, Runtime& runtime)
    : make_probe_(std::move(make_probe)), runtime_(runtime), devices_known_(!devices.empty()) {
  for (const auto& [card, probe] : cards)
    candidates_.push_back(
        {{device_name(devices, card.uuid), card.model, card.uuid, strangers_now(*probe)}, probe});
}

std::unique_ptr<CardSearch> CardSearch::make(std::span<const std::string> devices,
                                             Runtime& runtime) try {
  static const std::vector<Card> cards = open_cards();
  if (cards.empty()) return nullptr;
  return std::make_unique<CardSearch>(cards, make_probe_here, devices, runtime);
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
  if (cuda::ordinal_of(device) < 0) return nullptr;
  const auto named =
      std::ranges::find_if(candidates_, [&](const Candidate& c) { return c.card.name == device; });
  if (named != candidates_.end()) return watch(*named);
  const bool is_sure = !devices_known_ && candidates_.size() == 1 &&
                       cuda::ordinal_of(device) == 0 && !std::getenv("CUDA_VISIBLE_DEVICES");
  return is_sure ? watch(candidates_.front()) : nullptr;
}

}  // namespace benchbench
