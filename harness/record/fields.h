// The members of the record's types by name, in the order the store writes them. Said once: the
// JSON writer, its reader and the columns of results.h5 all walk these, so that none can forget
// one. results/README.md tells what they mean; a name that is there stays.
#pragma once
#include "harness/record/device_fields.h"
#include "harness/record/like.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// Said first in every object of the store; only a change that older programs would misread raises
// it.
inline constexpr int kRecordVersion = 2;

void visit_fields(Like<Reason> auto& r, auto&& visit) {
  visit("rule", r.rule);
  visit("invalid", r.invalid);
  visit("text", r.text);
  visit("details", r.details);
}

void visit_fields(Like<StageTotal> auto& s, auto&& visit) {
  visit("ns", s.ns);
  visit("count", s.count);
}

void visit_fields(Like<Distribution> auto& d, auto&& visit) {
  visit("mean", d.mean);
  visit("p50", d.p50);
  visit("p90", d.p90);
  visit("p99", d.p99);
  visit("max", d.max);
  visit("n", d.n);
}

void visit_fields(Like<FaultySample> auto& f, auto&& visit) {
  visit("id", f.id);
  visit("kind", f.kind);
  visit("where", f.where);
  visit("what", f.what);
}

void visit_fields(Like<LoopTimes> auto& l, auto&& visit) {
  visit("get_ns", l.get_ns);
  visit("accounting_ns", l.accounting_ns);
  visit("step_ns", l.step_ns);
  visit("after_ns", l.after_ns);
  visit("report_ns", l.report_ns);
  visit("core_wait_ns", l.core_wait_ns);
}

void visit_fields(Like<WorkerTimes> auto& w, auto&& visit) {
  visit("fill_ns", w.fill_ns);
  visit("slot_wait_ns", w.slot_wait_ns);
  visit("queue_ns", w.queue_ns);
  visit("batches", w.batches);
}

void visit_fields(Like<QueueFacts> auto& q, auto&& visit) {
  visit("batches", q.batches);
  visit("depth_ns", q.depth_ns);
  visit("stay_ns", q.stay_ns);
  visit("seen_ns", q.seen_ns);
  visit("deepest", q.deepest);
}

void visit_fields(Like<MockFacts> auto& m, auto&& visit) {
  visit("asked_ns", m.asked_ns);
  visit("taken_ns", m.taken_ns);
  visit("pieces", m.pieces);
}

void visit_fields(Like<Stall> auto& s, auto&& visit) {
  visit("at_ns", s.at_ns);
  visit("ns", s.ns);
  visit("step", s.step);
  visit("cause", s.cause);
}

void visit_fields(Like<StallFacts> auto& s, auto&& visit) {
  visit("count", s.count);
  visit("total_ns", s.total_ns);
  visit("period_steps", s.period_steps);
  visit("longest", s.longest);
}

void visit_fields(Like<ProbeFacts> auto& p, auto&& visit) {
  visit("name", p.name);
  visit("unit", p.unit);
  visit("state", p.state);
  visit("why", p.why);
  visit("mean", p.mean);
  visit("least", p.min);
  visit("most", p.max);
  visit("samples", p.samples);
  visit("lost", p.lost);
}

void visit_fields(Like<CacheFacts> auto& c, auto&& visit) {
  visit("asked", c.asked);
  visit("state", c.state);
  visit("method", c.method);
  visit("resident_before", c.resident_before);
  visit("evictions", c.evictions);
}

void visit_fields(Like<ExternalTime> auto& t, auto&& visit) {
  visit("ns", t.ns);
  visit("count", t.count);
}

void visit_fields(Like<ExternalWorker> auto& w, auto&& visit) {
  visit("samples", w.samples);
  visit("batches", w.batches);
  visit("made_ns", w.made_ns);
}

void visit_fields(Like<ExternalSameDraws> auto& d, auto&& visit) {
  visit("what", d.what);
  visit("where", d.where);
  visit("workers", d.workers);
  visit("every_epoch", d.every_epoch);
}

void visit_fields(Like<ExternalNoticed> auto& n, auto&& visit) {
  visit("kind", n.kind);
  visit("what", n.what);
  visit("where", n.where);
  visit("count", n.count);
  visit("bytes", n.bytes);
  visit("ns", n.ns);
  visit("numbers", n.numbers);
}

void visit_fields(Like<ExternalPartner> auto& p, auto&& visit) {
  visit("name", p.name);
  visit("wait_ns", p.wait_ns);
}

void visit_fields(Like<ExternalSpent> auto& s, auto&& visit) {
  visit("state", s.state);
  visit("loader", s.loader);
  visit("made", s.made);
  visit("saver", s.saver);
  visit("where", s.where);
  visit("trains", s.trains);
  visit("workers", s.workers);
  visit("ns", s.ns);
  visit("before_ns", s.before_ns);
  visit("count", s.count);
  visit("before", s.before);
}

void visit_fields(Like<ExternalLedger> auto& l, auto&& visit) {
  visit("batches", l.batches);
  visit("whole", l.whole);
  visit("rows", l.rows);
}

void visit_fields(Like<ExternalMemory> auto& m, auto&& visit) {
  visit("pss", m.pss);
  visit("pss_growth", m.pss_growth);
  visit("private_growth", m.private_growth);
  visit("resident_growth", m.resident_growth);
  visit("samples", m.samples);
  visit("shared", m.shared);
  visit("steadiness", m.steadiness);
}

void visit_fields(Like<ExternalFacts> auto& e, auto&& visit) {
  visit("way", e.way);
  visit("interpreter", e.interpreter);
  visit("versions", e.versions);
  visit("loader_call", e.loader_call);
  visit("trainer_call", e.trainer_call);
  visit("kind", e.kind);
  visit("where", e.where);
  visit("getitem_where", e.getitem_where);
  visit("device", e.device);
  visit("step_times", e.step_times);
  visit("start_method", e.start_method);
  visit("epoch_samples", e.epoch_samples);
  visit("epoch_batches", e.epoch_batches);
  visit("spawn_ns", e.spawn_ns);
  visit("import_ns", e.import_ns);
  visit("call_ns", e.call_ns);
  visit("trials_before", e.trials_before);
  visit("why_fresh", e.why_fresh);
  visit("workers_start_ns", e.workers_start_ns);
  visit("epoch_start_ns", e.epoch_start_ns);
  visit("persistent_workers", e.persistent_workers);
  visit("streams", e.streams);
  visit("in_order", e.in_order);
  visit("prefetch_factor", e.prefetch_factor);
  visit("getitem", e.getitem);
  visit("collate", e.collate);
  visit("handover", e.handover);
  visit("pin", e.pin);
  visit("hooks_ns", e.hooks_ns);
  visit("workers", e.workers);
  visit("memory", e.memory);
  visit("runnable_mean", e.runnable_mean);
  visit("runnable_max", e.runnable_max);
  visit("runnable_workers_mean", e.runnable_workers_mean);
  visit("core_wait_loader_ns", e.core_wait_loader_ns);
  visit("core_wait_main_ns", e.core_wait_main_ns);
  visit("main_ran_ns", e.main_ran_ns);
  visit("cpu_count", e.cpu_count);
  visit("threads", e.threads);
  visit("shm_free_bytes", e.shm_free_bytes);
  visit("shm_bytes", e.shm_bytes);
  visit("direct_ns", e.direct_ns);
  visit("same_draws", e.same_draws);
  visit("noticed", e.noticed);
  visit("partners", e.partners);
  visit("ledger", e.ledger);
  visit("distinct", e.distinct);
  visit("changed", e.changed);
}

void visit_fields(Like<Facts> auto& f, auto&& visit) {
  visit("window_ns", f.window.ns);
  visit("samples", f.window.samples);
  visit("steps", f.window.steps);
  visit("burst", f.window.burst);
  visit("pace_range_ns", f.window.pace_range_ns);
  visit("startup_ns", f.start.startup_ns);
  visit("first_batch_ns", f.start.first_batch_ns);
  visit("warmup_ns", f.start.warmup_ns);
  visit("warmup_steps", f.start.warmup_steps);
  visit("steady", f.start.steady);
  visit("slope_share", f.window.slope_share);
  visit("epochs_completed", f.epochs.completed);
  visit("epoch_gap_ns", f.epochs.gap_ns);
  visit("stages", f.window.stages);
  visit("get_blocked", f.window.get_blocked);
  visit("step", f.window.step);
  visit("workers", f.workers.count);
  visit("worker_wall_ns", f.workers.wall_ns);
  visit("worker_fill_ns", f.workers.fill_ns);
  visit("worker_slot_wait_ns", f.workers.slot_wait_ns);
  visit("worker_queue_ns", f.workers.queue_ns);
  visit("made_ns", f.workers.made_ns);
  visit("used_ns", f.workers.used_ns);
  visit("cpu_user_s", f.cpu.user_s);
  visit("cpu_system_s", f.cpu.system_s);
  visit("cpu_loader_s", f.cpu.loader_s);
  visit("cpu_trainer_s", f.cpu.trainer_s);
  visit("cores_available", f.cpu.cores_available);
  visit("peak_memory_bytes", f.peak_memory_bytes);
  visit("bytes_payload", f.bytes.payload);
  visit("bytes_read", f.bytes.read);
  visit("bytes_device", f.bytes.device);
  visit("reads", f.bytes.reads);
  visit("steal_share", f.cpu.steal_share);
  visit("throttled_s", f.cpu.throttled_s);
  visit("page_faults", f.cpu.page_faults);
  visit("others_s", f.cpu.others_s);
  visit("run_delay_most_s", f.cpu.run_delay_most_s);
  visit("run_delay_trainer_s", f.cpu.run_delay_trainer_s);
  visit("issued", f.accounting.issued);
  visit("delivered", f.accounting.delivered);
  visit("dropped", f.accounting.dropped);
  visit("in_flight", f.accounting.in_flight);
  visit("duplicated", f.accounting.duplicated);
  visit("missing", f.accounting.missing);
  visit("content_checked", f.content.checked);
  visit("content_wrong", f.content.wrong);
  visit("decode_errors", f.content.decode_errors);
  visit("decode_warnings", f.content.decode_warnings);
  visit("faults", f.content.faults);
  visit("scopes", f.instrument.scopes);
  visit("overhead_share", f.instrument.overhead_share);
  visit("batch_digest", f.parts.batch_digest);
  visit("batch_bytes", f.parts.batch_bytes);
  visit("loss_first", f.parts.loss_first);
  visit("loss_last", f.parts.loss_last);
  visit("trainer_parameters", f.parts.trainer_parameters);
  visit("intra_op_threads", f.parts.intra_op_threads);
  visit("slots", f.parts.slots);
  visit("max_jobs", f.parts.max_jobs);
  visit("simulated", f.simulated);
  visit("loop", f.window.loop);
  visit("each_worker", f.workers.each);
  visit("queue", f.queue);
  visit("clock_slew_ppm", f.instrument.clock_slew_ppm);
  visit("steadiness", f.window.steadiness);
  visit("period_steps", f.window.period_steps);
  visit("stalls", f.window.stalls);
  visit("get_blocked_bins", f.window.get_blocked_bins);
  visit("step_bins", f.window.step_bins);
  visit("probes", f.probes);
  visit("cache", f.cache);
  visit("checkpoints", f.checkpoints.count);
  visit("checkpoint_bytes", f.checkpoints.bytes);
  visit("bytes_logged", f.bytes.logged);
  visit("bytes_written_there", f.bytes.written_there);
  visit("bytes_loaded", f.bytes.loaded);
  visit("bytes_expected", f.bytes.expected);
  visit("background_rate", f.background_rate);
  visit("mock_fidelity", f.parts.mock_fidelity);
  visit("shuffle_displacement", f.shuffle.displacement);
  visit("shuffle_together", f.shuffle.together);
  visit("elements", f.elements.count);
  visit("elements_padding", f.elements.padding);
  visit("loader_note", f.parts.loader_note);
  visit("notices", f.notices);
  visit("epoch_samples", f.epochs.samples);
  visit("mock_loader", f.parts.loader_mock);
  visit("mock_trainer", f.parts.trainer_mock);
  visit("external", f.external);
  visit("device", f.device);
  visit("gpu", f.gpu);
}

void visit_fields(Like<Environment> auto& e, auto&& visit) {
  visit_environment(
      e, [&](const EnvironmentField& field, auto& value, auto&&...) { visit(field.name, value); });
}

void visit_fields(Like<SeriesFile> auto& s, auto&& visit) {
  visit("name", s.name);
  visit("file", s.file);
  visit("length", s.length);
  visit("kept_every", s.kept_every);
  visit("crc32c", s.crc32c);
}

void visit_fields(Like<PlannedRun> auto& s, auto&& visit) {
  visit("trial", s.trial);
  visit("round", s.round);
  visit("repeat", s.repeat);
}

void visit_fields(Like<Trial> auto& t, auto&& visit) {
  visit("index", t.index);
  visit("digest", t.digest);
  visit("mode", t.mode);
  visit("points", t.points);
  visit("ablation", t.ablation);
  visit("skip", t.skip);
  visit("settings", t.settings);
}

void visit_fields(Like<TrialRecord> auto& r, auto&& visit) {
  visit("sequence", r.sequence);
  visit("trial", r.trial);
  visit("planned", r.planned);
  visit("status", r.status);
  visit("reasons", r.reasons);
  visit("started_at", r.started_at);
  visit("took_ns", r.took_ns);
  visit("environment", r.environment);
  visit("facts", r.facts);
  visit("series", r.series);
}

void visit_fields(Like<AxisValue> auto& a, auto&& visit) {
  visit("label", a.label);
  visit("erase", a.erase);
  visit("set", a.set);
  visit("repeat", a.repeat);
}

void visit_fields(Like<Axis> auto& a, auto&& visit) {
  visit("key", a.key);
  visit("values", a.values);
}

void visit_fields(Like<Replaced> auto& r, auto&& visit) {
  visit("by", r.by);
  visit("key", r.key);
  visit("from", r.from);
  visit("to", r.to);
}

void visit_fields(Like<Scenario> auto& s, auto&& visit) {
  visit("name", s.name);
  visit("question", s.question);
  visit("source", s.source);
  visit("source_digest", s.source_digest);
  visit("base", s.base);
  visit("sweep_mode", s.mode);
  visit("axes", s.axes);
  visit("max_jobs_follows", s.max_jobs_follows);
  visit("threads_follow", s.threads_follow);
  visit("auto_threads", s.auto_threads);
  visit("modes_follow", s.modes_follow);
  visit("decisions", s.decisions);
  visit("replaced", s.replaced);
  visit("mocks", s.mocks);
}

void visit_fields(Like<Point> auto& p, auto&& visit) {
  visit("index", p.index);
  visit("labels", p.labels);
  visit("trials", p.trials);
  visit("ablations", p.ablations);
  visit("skip", p.skip);
  visit("settings", p.settings);
}

void visit_fields(Like<ColumnNames> auto& c, auto&& visit) {
  visit("image", c.image);
  visit("label", c.label);
  visit("name", c.name);
}

void visit_fields(Like<DatasetNeed> auto& d, auto&& visit) {
  visit("format", d.format);
  visit("path", d.path);
  visit("source", d.source);
  visit("columns", d.columns);
  visit("synthesize", d.synthesize);
  visit("prepare", d.prepare);
  visit("prepare_size", d.prepare_size);
  visit("bytes_estimate", d.bytes_estimate);
  visit("ready", d.ready);
}

void visit_fields(Like<Price> auto& p, auto&& visit) {
  visit("seconds", p.seconds);
  visit("seconds_per_round", p.seconds_per_round);
  visit("disk_bytes", p.disk_bytes);
  visit("memory_bytes", p.memory_bytes);
  visit("basis", p.basis);
}

void visit_fields(Like<RankRates> auto& r, auto&& visit) {
  visit("rank", r.rank);
  visit("reported", r.reported);
  visit("loader_samples_per_second", r.loader);
  visit("trainer_samples_per_second", r.trainer);
  visit("pipeline_samples_per_second", r.pipeline);
  visit("waited_share", r.waited_share);
}

// The scenario comes first: settings of points and trials are told as what they change in its base.
void visit_fields(Like<Plan> auto& p, auto&& visit) {
  visit("digest", p.digest);
  visit("scenario", p.scenario);
  visit("points", p.points);
  visit("trials", p.trials);
  visit("datasets", p.datasets);
  visit("rounds", p.rounds);
  visit("order", p.order);
  visit("anchor", p.anchor);
  visit("shared", p.shared);
  visit("confirm_rounds", p.confirm_rounds);
  visit("price", p.price);
  visit("cuts", p.cuts);
  visit("labels", p.labels);
  visit("command", p.command);
  visit("ranks", p.ranks);
}

// What is walked by its members.
template <class T>
concept HasFields = requires(T& t) { visit_fields(t, [](std::string_view, auto&) {}); };

}  // namespace benchbench
