#include "harness/trial/trial_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "harness/pipeline/sampling/shuffle_quality.h"
#include "harness/trial/round_seeds.h"

namespace benchbench {
namespace {

AccountingFacts accounting_of(TrialParts& parts) {
  const RequestCounts requests = parts.supply->counts();
  return {.issued = requests.issued,
          .delivered = parts.accounting->delivered(),
          .dropped = requests.dropped,
          .in_flight = parts.supply->in_flight().value,
          .duplicated = parts.accounting->duplicated(),
          .missing = parts.accounting->missing()};
}

void note_accounting(const std::string& loader, TrialParts& parts, TrialEnd& end,
                     std::vector<std::string>& notices) {
  if (!parts.accounting->measured()) return notices.push_back(not_accounted(loader));
  end.accounting = accounting_of(parts);
  end.epochs.completed = parts.accounting->epochs_completed();
}
ContentFacts content_of(const TrialParts& parts, MeterTotals totals) {
  if (parts.rows) totals += parts.rows->meter().totals();
  if (parts.decode) totals += parts.meter->totals();  // the device decodes in steps
  ContentFacts content{totals.content_checked,
                       totals.content_wrong,
                       totals.decode_errors,
                       totals.decode_warnings,
                       {}};
  const auto keep = [&](const ThreadMeter& meter) {
    for (const FaultySample& fault : meter.faults()) keep_fault(content.faults, fault);
  };
  for (std::uint32_t i = 0; i < parts.supply->meters(); ++i) keep(parts.supply->meter(i));
  if (parts.rows) keep(parts.rows->meter());
  if (parts.decode) keep(*parts.meter);
  return content;
}

// The workers' own count of what they were given, and the manifest's sizes of what the trainer got
// and what still waits for it: two ways to one number. Batches made by halves, where a worker died,
// belong to neither. What a loader's own workers had made and nobody got is not known.
void note_bytes(TrialParts& parts, const MeterTotals& totals, TrialEnd& end) {
  if (totals.payloads == 0 || parts.supply->foreign() || parts.supply->half_filled()) return;
  parts.supply->for_each_ready(
      [&](std::span<const SampleId> ids) { parts.accounting->add_undelivered(ids); });
  end.bytes_expected = parts.accounting->bytes();
  if (end.bytes_expected) end.bytes_loaded = totals.payload_bytes;
}

// Numbers the kept samples 0, 1, ... in storage order, as if there were no others.
void renumber_kept(std::vector<SampleId>& order) {
  std::vector<SampleId> stored = order;
  std::ranges::sort(stored);
  for (SampleId& id : order)
    id = static_cast<SampleId>(std::ranges::lower_bound(stored, id) - stored.begin());
}

// Off the measured path: the order is drawn again. A trial that repeats one batch reads nothing in
// any order. Where there is no memory left for it, it is not measured, and the rest is kept.
ShuffleFacts shuffle_of(const TrialParts& parts, const TrialContext& context) try {
  if (parts.prototype || parts.loader->own_rows() > 0) return {};
  std::vector<SampleId> order(parts.sampler->samples_per_epoch());
  parts.sampler->begin(0, order);
  const double keep = context.settings.dataset.keep;
  const std::uint64_t all = count_kept(keep, parts.loader->layout().samples),
                      first = first_sample(context.round, all);
  if (keep < 1) renumber_kept(order);
  // Counts from where storage order begins.
  for (SampleId& id : order) id = id < first ? id + all - first : id - first;
  const auto quality = quality_of(order, all);
  return quality ? ShuffleFacts{quality->displacement, quality->together} : ShuffleFacts{};
} catch (const std::bad_alloc&) {
  return {};
}

// Every value of every stage, by stage over all threads: observer level 2.
void note_values(const TrialParts& parts,
                 std::map<std::string, std::vector<std::int64_t>>& series) {
  for (std::size_t i = 0; i < kStages; ++i) {
    const auto stage = static_cast<Stage>(i);
    std::vector<std::int64_t> values = parts.meter->values(stage);
    for (std::uint32_t m = 0; m < parts.supply->meters(); ++m) {
      const auto& more = parts.supply->meter(m).values(stage);
      values.insert(values.end(), more.begin(), more.end());
    }
    if (!values.empty()) series["value_" + std::string(name_of(stage))] = std::move(values);
  }
}

void note_series(const TrialContext& context, TrialParts& parts, TrialEnd& end,
                 std::vector<std::string>& notices) {
  const int observer = context.settings.measure.observer;
  end.timed = observer > 0;
  end.series = parts.loop->take_series();
  if (!end.timed) return;
  if (parts.trace) {
    end.more_series["trace"] = trace_series(parts.trace->events());
    if (parts.trace->dropped() > 0)
      notices.push_back(
          fmt::format("the trace holds the window's first {} events; {} later ones were dropped",
                      kMaxTraceEvents, parts.trace->dropped()));
  }
  if (observer > 1) note_values(parts, end.more_series);
}

// What the process itself says of it once it is over.
void note_external(TrialParts& parts, TrialEnd& end, std::vector<std::string>& notices) {
  end.external = parts.loader->external_result();
  if (!end.external) end.external = parts.trainer->external_result();
  if (!end.external) return;
  // It is in the rate.
  if (parts.own_epochs && !parts.own_epochs->leaves_out_pauses())
    end.external->epoch_gap_ns.reset();
  notices.insert(notices.end(), end.external->notices.begin(), end.external->notices.end());
}

void note_device(const TrialParts& parts, TrialEnd& end, std::vector<std::string>& notices) {
  end.device = parts.device->traits();
  notices.insert(notices.end(), end.device.notes.begin(), end.device.notes.end());
  end.gpu = end.probes.gpu;
  if (!parts.gpu || parts.probes) return;
  end.gpu = parts.gpu->facts();
  if (end.gpu->absent.empty()) end.gpu->absent = "measure.probe_every is 0";
}

void stop_all(TrialParts& parts) {
  if (parts.probes) parts.probes->stop();
  if (parts.background) parts.background->stop();
  parts.supply->stop();
}
}  // namespace

std::string not_accounted(const std::string& loader) {
  return fmt::format(
      "conservation (R01) was not measured: loader {} does not report which samples its batches "
      "hold",
      loader);
}

TrialEnd end_trial(const TrialContext& context, TrialParts& parts,
                   std::vector<std::string>& notices) {
  TrialEnd end;
  stop_all(parts);
  if (parts.probes) end.probes = parts.probes->results();
  note_device(parts, end, notices);
  if (parts.elsewhere) end.probes = of_the_machine(std::move(end.probes));
  end.loader_note = loader_note(parts);  // it may say now what it found out while it worked
  end.loader_mock = parts.loader->mock_time();
  end.trainer_mock = parts.trainer->mock_time();
  end.queue = parts.supply->queue_facts();
  const MeterTotals totals = parts.supply->totals();
  end.content = content_of(parts, totals);
  note_accounting(context.settings.loader.use, parts, end, notices);
  note_external(parts, end, notices);
  note_bytes(parts, totals, end);
  end.shuffle = shuffle_of(parts, context);
  if (parts.reads_dataset && !parts.prototype)
    end.epochs.samples = parts.sampler->samples_per_epoch();
  note_series(context, parts, end, notices);
  return end;
}

}  // namespace benchbench
