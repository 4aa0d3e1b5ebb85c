#include "harness/trial/trial_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"
#include "harness/cuda/open/cuda_open.h"
#include "harness/record/device_presets.h"
#include "harness/trial/external/device_elsewhere.h"
#include "harness/trial/external/external_order.h"
#include "harness/trial/made_loader.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

std::unique_ptr<Device> device_of(const SettingsMap& settings, const ResolvedSettings& resolved,
                                  Runtime& runtime, bool kernels) {
  const TrainerSettings& trainer = resolved.trainer;
  const std::string_view name = trainer.device;
  if (name == "cpu") return make_cpu_device(!runtime.simulated());
  if (name == "emulated")
    return make_emulated_device(emulated_device_of(settings), runtime, !runtime.simulated());
  if (is_cuda(name))
    return cuda::open_cuda_device(
        name,
        {.wait = trainer.upload.sleeps ? cuda::CudaWait::block : cuda::CudaWait::spin,
         .kernels = kernels},
        runtime);
  throw DeviceError(fmt::format("no device \"{}\" in this build", name),
                    "trainer.device: cpu always works");
}

class Maker {
 public:
  Maker(const TrialContext& context, std::vector<std::string>& notices)
      : context_(context),
        trial_(context.trial),
        s_(context.settings),
        round_(context.round),
        seeds_(seeds_of(s_, round_)),
        executor_(context.executor),
        runtime_(context.runtime),
        notices_(notices) {}

  TrialParts make() {
    make_device();
    p_.external = std::make_unique<ExternalTerms>(external_terms(context_));
    make_prototype();
    const TimePoint start = runtime_.now();
    make_loader_and_sampler();
    make_trainer();
    make_supply();
    make_loop();
    if (has_background_loader(trial_.settings))
      p_.background = std::make_unique<BackgroundLoader>(
          BackgroundLoader::Order{executor_.catalog, trial_.settings, executor_.dataset, *p_.device,
                                  runtime_, executor_.loader_times, round_});
    make_probes();
    p_.startup_ns = (runtime_.now() - start).count();
    return std::move(p_);
  }

 private:
  const PartDescription& description(PartKind kind, const std::string& use) const {
    return *row_of(executor_.catalog, kind, use, runtime_.simulated()).description;
  }

  // A step in a process of its own has the context of its device; in exclusive compute mode there
  // is room for no other one.
  void make_device() {
    const PartDescription& trainer = description(PartKind::trainer, s_.trainer.use);
    const bool external = trainer.external || description(PartKind::loader, s_.loader.use).external;
    const bool on_card = is_cuda(s_.trainer.device), real = !runtime_.simulated();
    if (external && !(on_card && !trainer.external) && real && s_.measure.probe_every.count() > 0)
      p_.cards = CardSearch::make(executor_.environment.gpu_uuids, runtime_);
    if (on_card && trainer.external) {
      p_.device = make_device_elsewhere(s_.trainer.device);
      return;
    }
    if (on_card && real) p_.gpu = GpuWatch::of(s_.trainer.device, runtime_);
    p_.device = device_of(trial_.settings, s_, runtime_,
                          trainer.needs_kernels || s_.loader.on_device || s_.loader.decodes_there);
    if (p_.gpu) p_.gpu->start();
  }

  std::uint32_t batch_size() const noexcept {
    return p_.prototype && p_.prototype->own_rows() > 0 ? p_.prototype->own_rows()
                                                        : s_.loader.batch_size;
  }

  void make_prototype() {
    if (!has_prototype(trial_.settings)) return;
    p_.prototype = std::make_unique<MadePrototype>(MadePrototype::Order{
        executor_.catalog, trial_.settings, executor_.dataset, s_.loader.batch_size, seeds_.loader,
        *p_.device, runtime_, executor_.loader_times, seeds_of(s_, 0).order, p_.external->look});
    if (!p_.prototype->note().empty()) notices_.push_back(p_.prototype->note());
  }

  void make_loader_and_sampler() {
    const PartDescription& part = description(PartKind::loader, s_.loader.use);
    p_.mock_loader = part.mock;
    p_.reads_dataset = part.needs_dataset;
    note_where(part);
    p_.storage = emulated_storage(trial_.settings, runtime_);
    note_virtual_time();
    p_.loader_settings = std::make_unique<PrefixedSettings>(trial_.settings, "loader.");
    const LoaderOrder order{.catalog = executor_.catalog,
                            .use = s_.loader.use,
                            .settings = *p_.loader_settings,
                            .dataset = executor_.dataset,
                            .batch_size = batch_size(),
                            .num_workers = s_.loader.num_workers,
                            .seed = seeds_.loader,
                            .round = round_,
                            .prototype = p_.prototype ? &p_.prototype->batch() : nullptr,
                            .storage = p_.storage.get(),
                            .times = executor_.loader_times,
                            .simulated = runtime_.simulated(),
                            .external = p_.external.get()};
    p_.loader = make_loader(order);
    if (s_.loader.on_device) put_rows_on_device();
    if (s_.loader.decodes_there) leave_decoding_to_device();
    p_.sampler =
        make_sampler(order, {s_.loader.access, seeds_.order, s_.dataset, seeds_.kept}, *p_.loader);
  }

  void note_virtual_time() {
    if (!runtime_.simulated() || !p_.reads_dataset || p_.mock_loader || s_.loader.on_device) return;
    notices_.push_back(fmt::format(
        "virtual time: of loader {} only the emulated storage takes time; reading, decoding and "
        "transforming take none, so its rate is that of the storage (loader.payload: ready skips "
        "the work)",
        s_.loader.use));
  }

  void put_rows_on_device() {
    p_.rows = std::make_unique<DeviceRows>(
        DeviceRows::Order{.device = *p_.device,
                          .runtime = runtime_,
                          .maker = *p_.loader,
                          .batch_size = batch_size(),
                          .seed = seeds_.loader,
                          .staging = s_.loader.pin_memory ? Memory::pinned : Memory::host,
                          .meters = meters(),
                          .interruption = context_.interruption});
    p_.loader = list_samples(std::move(p_.loader), *p_.rows);
  }

  void leave_decoding_to_device() {
    p_.decode = std::make_unique<DeviceDecode>(*p_.device, p_.loader->spec());
    p_.loader = p_.loader->leave_decoding();
    p_.decode->take_files_of(*p_.loader);
  }

  // nullptr: batches are made on the host.
  DeviceMaking* making() const noexcept {
    return p_.rows ? static_cast<DeviceMaking*>(p_.rows.get()) : p_.decode.get();
  }

  // Describes the batches that trainer and device are given.
  BatchSpec batch_spec() const { return making() ? making()->spec() : p_.loader->spec(); }

  MeterOptions meters() const {
    return {s_.measure.observer, std::max<std::uint64_t>(1, s_.measure.content_check),
            &executor_.expected_digest};
  }

  std::uint32_t classes() const {
    const std::uint32_t known = p_.prototype ? p_.prototype->classes() : p_.loader->classes();
    return known > 0 ? known : s_.dataset.classes.value_or(1000);
  }
  // The most rows of a batch, as the trainer gets it.
  std::uint32_t most_rows() const { return std::max(batch_size(), p_.loader->own_rows()); }
  // Before the part is made: what is below this process then is not its own.
  void note_where(const PartDescription& part) {
    if (!part.external) return;
    p_.elsewhere = true;
    p_.watched_elsewhere = std::make_unique<Elsewhere>(runtime_);
  }

  void make_trainer() {
    note_where(description(PartKind::trainer, s_.trainer.use));
    p_.trainer_settings = std::make_unique<PrefixedSettings>(trial_.settings, "trainer.");
    p_.trainer = executor_.catalog.maker(PartKind::trainer, s_.trainer.use)
                     .trainer({.settings = *p_.trainer_settings,
                               .batch = batch_spec(),
                               .batch_size = most_rows(),
                               .classes = classes(),
                               .intra_op_threads = s_.trainer.intra_op_threads,
                               .seed = seeds_.trainer,
                               .runtime = runtime_,
                               .device = *p_.device,
                               .times = executor_.trainer_times,
                               .first_time = first_sample(round_, executor_.trainer_times.size()),
                               .external = p_.external.get()});
  }

  void make_supply() {
    const std::uint32_t holds =
        p_.trainer->holds() + (p_.device->accelerator() ? DeviceFeed::holds(s_.trainer.upload) : 0);
    SupplyOptions options = supply_options(s_.loader, seeds_.loader, holds, meters());
    options.batch_size = batch_size();
    p_.supply = std::make_unique<Supply>(options, *p_.loader, *p_.sampler, *p_.device, runtime_);
    p_.accounting = std::make_unique<SampleAccounting>(
        p_.supply->stream(), p_.loader->layout().samples, &executor_.expected_bytes);
    p_.meter = std::make_unique<ThreadMeter>(meters());
    make_feed();
    if (p_.supply->foreign()) note_foreign_workers();
    make_trace();
  }

  void make_feed() {
    if (!p_.device->accelerator()) return;
    p_.feed = std::make_unique<DeviceFeed>(
        DeviceFeed::Order{.device = *p_.device,
                          .runtime = runtime_,
                          .meter = *p_.meter,
                          .settings = s_.trainer.upload,
                          .spec = batch_spec(),
                          .batch_size = most_rows(),
                          .uploads = p_.trainer->wants_batches_on_device(),
                          .making = making()});
  }

  // Settings of the harness's own workers that another's cannot follow.
  void note_foreign_workers() {
    std::string unheard;
    const auto add = [&](bool given, std::string_view what) {
      if (given) unheard += fmt::format("{}{}", unheard.empty() ? "" : ", ", what);
    };
    add(s_.loader.dispatch != Dispatch::shared, "dispatch");
    add(s_.loader.work_unit != WorkUnit::batch, "work_unit: sample");
    if (!unheard.empty())
      notices_.push_back(fmt::format("loader {} has workers of its own and ignores loader.{}",
                                     s_.loader.use, unheard));
  }

  void make_trace() {
    if (!s_.measure.trace) return;
    if (s_.measure.observer == 0)
      return notices_.push_back("no trace: measure.observer is 0, which reads no clocks");
    p_.trace = std::make_unique<TraceRecorder>(runtime_, s_.loader.num_workers);
    p_.supply->trace(*p_.trace);
    p_.meter->trace(p_.trace->trainer());
    if (p_.feed) p_.feed->trace(p_.trace->compute(), p_.trace->copies());
  }

  void make_loop() {
    if (p_.elsewhere && p_.loader->own_rows() > 0)
      p_.own_epochs = std::make_unique<OwnEpochs>(
          s_.loader.num_workers, s_.loader.num_workers > 0 ? s_.loader.max_jobs : 0);
    p_.after = std::make_unique<AfterStep>(
        trial_.settings,
        AfterStep::Parts{*p_.trainer, *p_.meter, runtime_, notices_, p_.feed.get()});
    p_.loop = std::make_unique<StepLoop>(
        StepLoop::Parts{runtime_, *p_.supply, *p_.trainer, *p_.accounting, *p_.meter,
                        p_.after->any() ? p_.after.get() : nullptr,
                        p_.trace ? &p_.trace->trainer() : nullptr, p_.feed.get()},
        s_.measure.observer > 0, s_.loader.num_workers == 0 && !p_.mock_loader && !p_.elsewhere);
    watch_first_batch();
  }
  void watch_first_batch() {
    p_.first_batch = std::make_unique<FirstBatch>();
    p_.loop->on_first_batch = [first = p_.first_batch.get(), &runtime = runtime_](
                                  const BatchLease& batch) { first->note(batch, runtime.now()); };
  }

  // Virtual time has no machine beside it.
  void make_probes() {
    if (runtime_.simulated() || s_.measure.probe_every.count() <= 0) return;
    p_.probes = std::make_unique<TrialProbes>(TrialProbes::Order{
        .runtime = runtime_,
        .every = s_.measure.probe_every,
        .dataset = p_.reads_dataset ? std::string(executor_.dataset.path) : std::string(),
        .supply = s_.loader.num_workers > 0 ? p_.supply.get() : nullptr,
        .gpu = p_.gpu.get(),
        .cards = p_.cards.get(),
        .device = s_.trainer.device});
  }

  const TrialContext& context_;
  const Trial& trial_;
  const ResolvedSettings& s_;
  const std::uint32_t round_;
  const RoundSeeds seeds_;
  const ExecutorContext& executor_;
  Runtime& runtime_;
  std::vector<std::string>& notices_;
  TrialParts p_;
};

}  // namespace

TrialParts make_parts(const TrialContext& context, std::vector<std::string>& notices) {
  return Maker(context, notices).make();
}

std::string loader_note(const TrialParts& parts) {
  std::string note(parts.loader->note());
  if (parts.decode) note += fmt::format("; {}", parts.decode->note());
  return note;
}

std::optional<double> last_loss(Trainer& trainer) {
  const double loss = trainer.loss();
  return std::isnan(loss) ? std::nullopt : std::optional(loss);
}

}  // namespace benchbench
