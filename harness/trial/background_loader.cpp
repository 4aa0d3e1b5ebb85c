#include "harness/trial/background_loader.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/pipeline/emulated_storage.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

constexpr std::string_view kBackgroundPrefix = "beside.";
constexpr char kBackgroundUse[] = "beside.loader.use";
// In a row without virtual time passing: a loader that takes none would be drained for ever.
constexpr std::uint64_t kMaxStanding = 100000;

SettingsMap without_prefix(const SettingsMap& trial) {
  SettingsMap settings;
  for (const auto& [key, value] : trial.all()) {
    if (key.starts_with(kBackgroundPrefix))
      settings.set(std::string_view(key).substr(kBackgroundPrefix.size()), value);
    if (key.starts_with("measure.") || key.starts_with("trainer.")) settings.set(key, value);
  }
  return settings;
}

}  // namespace

bool has_background_loader(const SettingsMap& settings) { return settings.has(kBackgroundUse); }

std::uint32_t background_threads(const SettingsMap& settings) {
  if (!has_background_loader(settings)) return 0;
  return static_cast<std::uint32_t>(settings.integer("beside.loader.num_workers")) + 1;
}

class BackgroundLoader::Drain final : public Job {
 public:
  explicit Drain(BackgroundLoader& background)
      : background_(background), interruption_(&background.stop_, kForever, Nanoseconds{0}) {}
  // Without workers batches are made on this thread, so that the loader's worker begins and ends
  // here too; its end may park, and so lies outside of the catch.
  void run() override {
    try {
      if (background_.on_demand_) background_.supply_->start();
      while (!background_.stop_.load(std::memory_order_relaxed)) drop_one();
    } catch (...) {
      if (!background_.stop_.load()) fail(std::current_exception());
    }
    if (background_.on_demand_) background_.supply_->stop();
  }

 private:
  void fail(std::exception_ptr cause) {
    background_.cause_ = std::move(cause);
    background_.failed_.store(true, std::memory_order_release);
  }
  void drop_one() {
    const BatchLease batch = background_.supply_->get(interruption_);
    background_.delivered_.fetch_add(batch.samples().value, std::memory_order_relaxed);
    if (background_.runtime_.simulated()) check_clock();
  }
  void check_clock() {
    const TimePoint now = background_.runtime_.now();
    standing_ = now > last_ ? 0 : standing_ + 1;
    last_ = now;
    if (standing_ >= kMaxStanding)
      throw PartError("the background loader takes no virtual time",
                      "give it a time, or drop --interference");
  }
  BackgroundLoader& background_;
  Interruption interruption_;
  TimePoint last_ = TimePoint::min();
  std::uint64_t standing_ = 0;
};

BackgroundLoader::BackgroundLoader(const Order& order)
    : runtime_(order.runtime),
      settings_(without_prefix(order.settings)),
      loader_settings_(settings_, "loader.") {
  const ResolvedSettings settings = resolve(settings_);
  const RoundSeeds seeds = seeds_of(settings, order.round);
  storage_ = emulated_storage(settings_, runtime_);
  const LoaderOrder wanted{.catalog = order.catalog,
                           .use = settings.loader.use,
                           .settings = loader_settings_,
                           .dataset = order.dataset,
                           .batch_size = settings.loader.batch_size,
                           .num_workers = settings.loader.num_workers,
                           .seed = seeds.loader,
                           .round = order.round,
                           .storage = storage_.get(),
                           .times = order.times,
                           .simulated = runtime_.simulated()};
  loader_ = make_loader(wanted);
  sampler_ = make_sampler(
      wanted, {settings.loader.access, seeds.order, settings.dataset, seeds.kept}, *loader_);
  const MeterOptions meters{0, std::max<std::uint64_t>(1, settings.measure.content_check), nullptr};
  on_demand_ = settings.loader.num_workers == 0;
  supply_ = std::make_unique<Supply>(supply_options(settings.loader, seeds.loader, 0, meters),
                                     *loader_, *sampler_, order.device, runtime_);
}

BackgroundLoader::~BackgroundLoader() { stop(); }

void BackgroundLoader::start() {
  if (!on_demand_) supply_->start();
  drain_ = std::make_unique<Drain>(*this);
  task_ = runtime_.spawn("beside", *drain_);
}

void BackgroundLoader::check() const {
  if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(cause_);
}

// The drain alone uses the supply. It ends with the batch it waits for, at the latest 50 ms after.
void BackgroundLoader::stop() {
  stop_.store(true);
  if (task_) task_->join();
  task_.reset();
  supply_->stop();
}

}  // namespace benchbench
