#include "harness/trial/trial_run.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/record/measure_limits.h"
#include "harness/trial/trial_parts.h"
#include "harness/pipeline/emulated_storage.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kReportEvery = std::chrono::milliseconds{300};
// Under the simulated clock; fewer where each step is real work.
constexpr std::uint64_t kMaxStandingSteps = 100'000, kMaxStandingRealSteps = 300;

Digest digest_of_batch(const BatchLease& batch) {
  Digester digester;
  for (const TensorView& tensor : batch.tensors()) digester.add({tensor.data, tensor.bytes()});
  return digester.finish();
}

TimePoint deadline(TimePoint from, Nanoseconds timeout) {
  return timeout.count() > 0 ? from + timeout : kForever;
}

}  // namespace

TrialRun::TrialRun(const Trial& trial, const ExecutorContext& context, const TrialOptions& options,
                   Runtime& runtime)
    : trial_(trial),
      context_(context),
      options_(options),
      runtime_(runtime),
      made_at_(runtime.now()),
      interruption_(context.stop, deadline(made_at_, options.timeout), options.timeout) {}

TrialRun::~TrialRun() = default;

void TrialRun::run(TrialRecord& record) {
  record_ = &record;
  std::exception_ptr cause;
  try {
    report(Phase::starting, 0);
    make_parts();
    prepare_cache();
    warm_up();
    measure();
  } catch (...) {
    cause = std::current_exception();
  }
  end();  // outside the catch: ending workers may park
  if (cause) std::rethrow_exception(cause);
}

// --- making
// --------------------------------------------------------------------------------------------------------

void TrialRun::make_parts() {
  device_ = device_named(options_.device);
  if (has_prototype(trial_.settings))
    prototype_ = std::make_unique<MadePrototype>(MadePrototype::Order{context_.catalog, trial_.settings,
                                                                      context_.dataset, options_.batch_size,
                                                                      options_.seed, *device_, runtime_,
                                                                      context_.loader_times});
  if (prototype_ && !prototype_->note().empty()) record_->facts.notices.push_back(prototype_->note());
  const TimePoint start = runtime_.now();
  make_loader();
  make_trainer();
  make_supply();
  if (has_background_loader(trial_.settings))
    background_ = std::make_unique<BackgroundLoader>(BackgroundLoader::Order{context_.catalog, trial_.settings, context_.dataset, *device_,
                                                     runtime_, context_.loader_times});
  make_probes();
  Facts& facts = record_->facts;
  facts.startup_ns = (runtime_.now() - start).count();
  facts.workers = options_.num_workers;
  facts.max_jobs = options_.max_jobs;
  facts.slots = supply_->slots().size();
  facts.intra_op_threads = options_.intra_op_threads;
  facts.trainer_parameters = trainer_->parameters();
  facts.loader_note = loader_->note();
  facts.cores_available = context_.environment.cores_available;
  facts.simulated = runtime_.simulated();
}

void TrialRun::make_loader() {
  const PartRow& row = row_of(context_.catalog, PartKind::loader, options_.loader, runtime_.simulated());
  mock_loader_ = row.description->mock;
  storage_ = row.description->needs_dataset;
  store_ = emulated_storage(trial_.settings, runtime_);
  if (runtime_.simulated() && storage_ && !mock_loader_)
    record_->facts.notices.push_back(
        fmt::format("virtual time: of loader {} only the store played takes time; reading, decoding and transforming "
                    "are done and take none, so its rate is that of the store (loader.payload: ready spares the work)",
                    options_.loader));
  loader_settings_ = std::make_unique<PrefixedSettings>(trial_.settings, "loader.");
  loader_ = context_.catalog.maker(PartKind::loader, options_.loader)
                .loader({.settings = *loader_settings_,
                         .dataset = storage_ ? context_.dataset : DatasetPlace{},
                         .batch_size = options_.batch_size,
                         .num_workers = options_.num_workers,
                         .seed = options_.seed,
                         .prototype = prototype_ ? &prototype_->batch() : nullptr,
                         .catalog = &context_.catalog,
                         .store = store_.get(),
                         .times = context_.loader_times,
                         .simulated = runtime_.simulated()});
  row_of(context_.catalog, PartKind::sampler, options_.access, runtime_.simulated());
  sampler_ =
      context_.catalog.maker(PartKind::sampler, options_.access)
          .sampler({.layout = loader_->layout(), .seed = options_.seed, .batch_size = options_.batch_size, .settings = *loader_settings_});
}

void TrialRun::make_trainer() {
  row_of(context_.catalog, PartKind::trainer, options_.trainer, runtime_.simulated());
  trainer_settings_ = std::make_unique<PrefixedSettings>(trial_.settings, "trainer.");
  std::uint32_t classes = prototype_ ? prototype_->classes() : loader_->classes();
  if (classes == 0) classes = options_.classes.value_or(1000);
  trainer_ = context_.catalog.maker(PartKind::trainer, options_.trainer)
                 .trainer({.settings = *trainer_settings_,
                           .batch = loader_->spec(),
                           .batch_size = options_.batch_size,
                           .classes = classes,
                           .intra_op_threads = options_.intra_op_threads,
                           .seed = options_.seed,
                           .runtime = runtime_,
                           .device = *device_,
                           .times = context_.trainer_times});
}

void TrialRun::make_supply() {
  const MeterOptions meters{options_.observer, std::max<std::uint64_t>(1, options_.content_check),
                            &context_.expected_digest};
  supply_ = std::make_unique<Supply>(supply_options(options_, trainer_->holds(), meters), *loader_, *sampler_,
                                     *device_, runtime_);
  accounting_ = std::make_unique<SampleAccounting>(supply_->stream(), loader_->layout().samples,
                                          &context_.expected_bytes);
  meter_ = std::make_unique<ThreadMeter>(meters);
  if (supply_->foreign()) note_foreign_workers();
  make_trace();
  after_ = std::make_unique<AfterStep>(
      trial_.settings, AfterStep::Parts{*trainer_, *meter_, runtime_, record_->facts.notices});
  loop_ = std::make_unique<StepLoop>(StepLoop::Parts{runtime_, *device_, *supply_, *trainer_, *accounting_, *meter_,
                                                     after_->any() ? after_.get() : nullptr,
                                                     trace_ ? &trace_->trainer() : nullptr},
                                     options_.observer > 0, options_.num_workers == 0 && !mock_loader_);
  loop_->on_first_batch = [this](const BatchLease& batch) { note_first_batch(batch); };
}

// Settings of the harness's own workers that another's cannot follow.
void TrialRun::note_foreign_workers() {
  std::string unheard;
  const auto add = [&](bool given, std::string_view what) {
    if (given) unheard += fmt::format("{}{}", unheard.empty() ? "" : ", ", what);
  };
  add(options_.dispatch != Dispatch::shared, "dispatch");
  add(options_.work_unit != WorkUnit::batch, "work_unit: sample");
  add(options_.pin_memory, "pin_memory");
  if (!unheard.empty())
    record_->facts.notices.push_back(fmt::format("loader {} has workers of its own and does not follow loader.{}",
                                                 options_.loader, unheard));
}

void TrialRun::make_trace() {
  if (!options_.trace) return;
  if (options_.observer == 0) {
    record_->facts.notices.push_back("no trace at observer level 0, which reads no clocks");
    return;
  }
  trace_ = std::make_unique<TraceRecorder>(runtime_, options_.num_workers);
  supply_->trace(*trace_);
  meter_->trace(trace_->trainer());
}

// --- running
// -------------------------------------------------------------------------------------------------------

TimePoint TrialRun::step() {
  const TimePoint before = loop_->last_end();
  interruption_.check(before);
  if (background_) background_->check();
  const TimePoint end = loop_->step(interruption_);
  if (runtime_.simulated()) check_clock(end > before);
  return end;
}

// A virtual clock that stands still would never see the window's end.
void TrialRun::check_clock(bool moved) {
  standing_steps_ = moved ? 0 : standing_steps_ + 1;
  const bool real = storage_ && !mock_loader_;
  if (standing_steps_ < (real ? kMaxStandingRealSteps : kMaxStandingSteps)) return;
  throw PartError(fmt::format("{} steps took no virtual time", standing_steps_),
                  real ? "of a loader that reads data only the store played takes any: give dataset.storage, such as "
                         "like: nvme"
                       : "give the loader or the trainer a time");
}

void TrialRun::report(Phase phase, double share) {
  if (!context_.progress) return;
  const TimePoint now = loop_ ? loop_->last_end() : runtime_.now();
  const bool same = next_report_ != TimePoint{} && phase != Phase::finishing;
  if (same && now < next_report_) return;
  next_report_ = now + kReportEvery;
  const double seconds = to_seconds(window_.time + (now - counted_from_));
  const double samples = loop_ ? static_cast<double>(loop_->totals().samples) : 0;
  context_.progress({phase, share, seconds > 0 ? samples / seconds : 0});
  if (loop_) loop_->reported_until(runtime_.now());  // ours: the loader did not cost it
}

void TrialRun::note_first_batch(const BatchLease& batch) {
  record_->facts.first_batch_ns = (runtime_.now() - requests_at_).count();
  record_->facts.batch_digest = digest_of_batch(batch).text();
}

std::optional<double> TrialRun::last_loss() {
  const double loss = trainer_->loss();
  if (std::isnan(loss)) return std::nullopt;
  return loss;
}

void TrialRun::warm_up() {
  WarmUp warm({.fixed = options_.warmup,
               .window = options_.window,
               .cap = options_.warmup_cap,
               .prefetched = options_.num_workers > 0 ? options_.max_jobs : 1,
               .slope = slope_limit(storage_)});
  requests_at_ = counted_from_ = runtime_.now();
  if (background_) background_->start();
  supply_->start();
  TimePoint last = step();
  Facts& facts = record_->facts;
  facts.loss_first = last_loss();
  next_report_ = {};
  report(Phase::warming_up, 0);  // the first batch is there
  for (bool done = warm.done_after(last - requests_at_); !done;) {
    const TimePoint end = step();
    done = warm.done_after(end - last);
    last = end;
    report(Phase::warming_up, 0);
    if (done || !cold_ || !epoch_is_issued()) continue;
    evict_between();
    last = loop_->last_end();
  }
  trainer_->finish();
  facts.warmup_ns = (runtime_.now() - requests_at_).count();
  facts.warmup_steps = warm.steps();
  facts.steady = warm.steady();
}

void TrialRun::end() {
  if (!supply_) return;
  note_probes();  // before the workers' end, whose CPU time they read
  if (background_) background_->stop();
  supply_->stop();
  record_->facts.loader_note = loader_->note();  // it may say now what it found out while it worked
  note_accounting();
  note_shuffle();
  note_series();
  for (std::uint32_t i = 0; i < supply_->meters(); ++i) note_faults(supply_->meter(i));
}

}  // namespace benchbench
