// The loader of a scenario running beside a trainer that does not use it: what the one costs the
// other.
#pragma once
#include <atomic>
#include <exception>
#include <memory>

#include "harness/part/catalog.h"
#include "harness/pipeline/supply.h"

namespace benchbench {

// Trial settings below "beside." say which loader runs, and of what data.
bool has_background_loader(const SettingsMap& settings);
// Threads that it adds to the trial's.
std::uint32_t background_threads(const SettingsMap& settings);

// A second supply of batches, with workers, slots and a queue of its own, drained by a task of its
// own that gets batches and drops them, as fast as they come. Nothing of it is metered but how many
// samples came. One thread uses it, on either runtime.
class BackgroundLoader {
 public:
  struct Order {
    const Catalog& catalog;
    const SettingsMap& settings;  // the trial's, with the prefix
    DatasetPlace dataset;
    Device& device;
    Runtime& runtime;
    std::span<const std::int64_t> times = {};  // for replay
    std::uint32_t round = 0;
  };
  // Throws what the loader throws, and PartError where it cannot run under a simulated runtime that
  // is asked for.
  explicit BackgroundLoader(const Order& order);
  ~BackgroundLoader();
  BackgroundLoader(const BackgroundLoader&) = delete;
  BackgroundLoader& operator=(const BackgroundLoader&) = delete;

  void start();
  // Throws what its loader died of. Never called inside a catch.
  void check() const;
  // Samples got and dropped so far.
  std::uint64_t delivered() const noexcept { return delivered_.load(std::memory_order_relaxed); }
  // Ends its workers; never inside a catch. Idempotent.
  void stop();

 private:
  class Drain;
  Runtime& runtime_;
  SettingsMap settings_;  // without the prefix
  PrefixedSettings loader_settings_;
  std::unique_ptr<EmulatedStorage> storage_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Supply> supply_;
  bool on_demand_ = false;  // no workers: its drain makes the batches
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<bool> stop_{false}, failed_{false};
  std::exception_ptr cause_;  // written before failed_
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<Task> task_;
};

}  // namespace benchbench
