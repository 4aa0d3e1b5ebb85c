#include "harness/report/describe/terms.h"

#include <vector>

#include "harness/report/tables/point_columns.h"

namespace benchbench {
namespace {

constexpr std::string_view kStatus = "status of a trial", kStage = "stage of a step",
                           kDevicePart = "part of a step on a device",
                           kSide = "side that holds a point back", kSeverity = "severity",
                           kMode = "mode of a trial", kStall = "cause of a stall",
                           kSteps = "shape of a window", kCache = "state of the page cache",
                           kProbe = "state of a probe", kFault = "kind of a faulty sample",
                           kSweep = "mode of the sweep", kExtra = "trial beyond the modes",
                           kField = "field of the JSON report", kWord = "word of a report",
                           kLine = "line of the report", kWay = "how a trial used your Python",
                           kFinding = "finding in your loader", kJudgement = "judgement of compare";

constexpr Term kTerms[] = {
    {"VALID", kStatus, "No validity rule fired. The trial counts in every figure."},
    {"NOISY", kStatus,
     "A rule casts doubt on the trial (see `rules`): its figures are printed and used, the "
     "conclusion says so, and --strict rejects them. Of a wrapped script the page says it only "
     "where the answer could be another one."},
    {"INVALID", kStatus,
     "A rule voids the trial (see `rules`): its figures are printed in brackets and used for "
     "nothing: no comparison, no conclusion, no best point."},
    {"FAILED", kStatus,
     "The trial did not run to its end: a part reported an error, "
     "or its process died. The cause is printed."},
    {"SKIPPED", kStatus,
     "The trial cannot run on this machine, for example without a GPU or a library. It costs no "
     "time; the reason is printed."},
    {"ABORTED", kStatus, "The run was interrupted during the trial. `run --resume` repeats it."},

    {"read", kStage,
     "A worker waits for storage: read calls, "
     "and page faults of mapped files. Billed by the loader."},
    {"parse", kStage, "A worker locates the sample in the bytes read. Billed by the loader."},
    {"decode", kStage, "A worker turns stored bytes into pixels or values. Billed by the loader."},
    {"transform", kStage, "A worker crops, resizes, flips or normalises. Billed by the loader."},
    {"collate", kStage,
     "A worker assembles rows into a batch; "
     "zero if rows are written in place. Billed by the loader."},
    {"pin", kStage,
     "The batch is copied to page-locked memory: by the loader, or of a loader with memory of its "
     "own by the trainer's thread, billed by the harness."},
    {"slot_wait", kStage,
     "A worker is idle because max_jobs batches are already in flight: the trainer is behind. "
     "Billed by the harness."},
    {"get_blocked", kStage,
     "The trainer waits for a batch that is not there yet: the loader is behind. Its mean per step "
     "is exposed_wait. Billed by the harness."},
    {"lock", kStage,
     "A worker waits for a lock that all workers share, "
     "such as the HDF5 library's. Billed by the loader."},
    {"h2d", kStage,
     "Copying the batch from host to device where that holds the host, with its wait for what its "
     "stream does before. Not recorded on a CPU. Billed by the harness, "
     "and by trainer timed on a CPU."},
    {"forward", kStage, "The forward pass of the step. Billed by the trainer."},
    {"backward", kStage, "The backward pass of the step. Billed by the trainer."},
    {"optimizer", kStage, "The optimizer's update of the parameters. Billed by the trainer."},
    {"d2h", kStage,
     "Copying results from device to host. Not recorded on a CPU. Billed by the trainer."},
    {"enqueue", kStage,
     "The host submits copies and kernels to the device, and waits where the device's queue is "
     "full. Billed by the trainer and the harness."},
    {"sync_blocked", kStage,
     "The host waits for the device: for a free buffer (trainer.in_flight), for a copy from pinned "
     "memory without trainer.non_blocking, or before the loss is read back. "
     "Billed by the harness."},
    {"copy_exposed", kDevicePart,
     "The device has no work because the copy of the next batch is under way, or with "
     "loader.residency: device the gathering of its rows."},
    {"idle_for_data", kDevicePart,
     "The device has no work because the host waits for a batch. Less than exposed_wait where work "
     "of earlier steps hides the wait."},
    {"idle_other", kDevicePart,
     "The device has no work for any other reason: kernels not launched yet, copies not called "
     "yet, the loss being read back."},
    {"postprocess", kStage,
     "What the trainer's thread does with results after a step (trainer.postprocess). "
     "Billed by the harness."},
    {"checkpoint", kStage,
     "Writing a checkpoint after a step (trainer.checkpoint). Billed by the harness."},

    {"loader", kSide,
     "A faster loader would shorten the step by more than a faster trainer would."},
    {"trainer", kSide,
     "A faster trainer would shorten the step by more than a faster loader would: "
     "more workers do not help."},
    {"balanced", kSide,
     "Neither side costs 2 % of the step (10 % in fewer than 5 rounds): a faster loader alone, or "
     "a faster trainer alone, gains almost nothing."},
    {"contention", kSide,
     "The pipeline is slower than either side alone and than the cores allow, or the trainer's "
     "thread is ready to run and has no core while its batch is there: loader and trainer hinder "
     "each other."},
    {"not measured", kSide,
     "One of L, T and F has no usable trial, so no side can be named. Not measured is not 0."},
    {"unclear", kSide,
     "L, T and F were measured, but rounds, or the steps of one, differ too much to name a side. "
     "More rounds, longer windows, or a quieter machine, would decide."},

    {"minor", kSeverity, "2 to 5 % of the step."},
    {"moderate", kSeverity, "5 to 10 % of the step."},
    {"high", kSeverity, "10 to 20 % of the step."},
    {"critical", kSeverity, "More than 20 % of the step."},

    {"loader", kMode,
     "The loader as written, with a trainer that discards each batch at once. "
     "Gives the loader rate L."},
    {"trainer", kMode,
     "The trainer as written, with one repeated batch of the scenario's loader. "
     "Gives the trainer rate T."},
    {"pipeline", kMode,
     "Loader and trainer, both as written. Gives the pipeline rate F, the rate of the job."},

    {"free", kExtra,
     "free:COMPONENT: the pipeline with one component removed, for example with the bytes already "
     "in memory (run --substitute)."},
    {"batch:4", kExtra,
     "The pipeline with four times the batch size: "
     "the fixed cost of a batch counts for a quarter (run --substitute)."},
    {"workers:1", kExtra,
     "The loader with one worker: W workers that are not W times as fast share a "
     "lock (run --substitute)."},
    {"beside", kExtra,
     "The trainer alone while the loader runs in the background, its batches discarded (run "
     "--interference)."},
    {"on_device", kExtra,
     "The trainer alone with a batch that is on its device already: none is copied."},

    {"get_blocked", kStall, "The stalled step waited for its batch."},
    {"step", kStall, "The step itself took long."},
    {"postprocess", kStall, "The work after the step took long, not counting checkpoints."},
    {"checkpoint", kStall, "A checkpoint was written after the step."},
    {"core_wait", kStall,
     "The step's batch was there, and the trainer's thread had no core or was being woken."},

    {"steady", kSteps, "Step times vary, but do not drift, wander or repeat."},
    {"periodic", kSteps,
     "Every k-th step deviates by at least a tenth of the usual step, or a short cycle explains "
     "half of the variance."},
    {"slope", kSteps,
     "Step times drift over the window by more than the limit: 5 % of their mean, 10 % if storage "
     "is read. NOISY by R06."},
    {"unsteady", kSteps,
     "Step times wander or change level by more than the limit without a "
     "steady drift. NOISY by R06."},

    {"as_is", kCache,
     "The page cache was left as it was, or its state could not be verified; "
     "the reason is printed."},
    {"warm", kCache, "The data were in the page cache when the window began."},
    {"cold(data)", kCache,
     "Each file's data were evicted from the page cache, and this was verified. Inodes and "
     "directories stay cached, which favours one file per sample."},
    {"cold(data+metadata)", kCache,
     "Data, inodes and directories were evicted: all caches dropped, or a fresh mount."},

    {"measured", kProbe, "The probe was read throughout the window."},
    {"not available", kProbe,
     "This machine does not have the counter, or does not allow reading it; "
     "the reason is printed."},
    {"lost", kProbe,
     "The counter exists, but readings failed within the window. "
     "More than 5 % of them make the trial NOISY (R13)."},

    {"decode_error", kFault, "The sample's bytes could not be decoded."},
    {"truncated", kFault, "The sample's bytes end too early."},
    {"warning", kFault, "The decoder returned pixels and a warning."},
    {"short_read", kFault, "Storage returned fewer bytes than requested."},
    {"content", kFault, "The stored bytes do not match the digest in the manifest (R02)."},
    {"label", kFault, "The row's label is not the sample's."},

    {"one_at_a_time", kSweep,
     "Each axis is varied alone, the others stay at the base point: as many points as values."},
    {"grid", kSweep, "Every combination of the axes' values is a point."},
    {"zip", kSweep,
     "All axes advance together: their first values make a point, then their second ones."},

    {"binds", kLine,
     "Which side sets the pace, and what share of each step that costs: with the base's settings "
     "where it names no others."},
    {"use", kLine,
     "The settings to use: the cheapest (fewest workers, then least memory) within 2 % of the "
     "fastest that is shown to be faster than the base, or of the base where none is. Of those no "
     "more than 0.5 % apart the one with fewer settings to change, then with fewer batches held."},
    {"next", kLine, "The next single thing to try, with the settings to use."},
    {"depth", kLine,
     "What other values of prefetch_factor and in_order would give, "
     "foretold from the times that batches took."},
    {"copies", kLine,
     "The trainer alone with a batch that is on its device already, against one with a copy for "
     "each: what copies cost it."},

    {"axes", kLine,
     "What each swept setting gave that the line `use` does not change: no difference, no faster "
     "value, or values that could not be tried."},

    {"SLOWER", kJudgement,
     "B is worse than A by at least 3 % (of stored runs also by --spread), and chance is ruled "
     "out. "
     "Of times and memory SLOWER is more."},
    {"FASTER", kJudgement,
     "B is better than A by at least 3 % (of stored runs also by --spread), and chance is ruled "
     "out. Of times and memory FASTER is less."},
    {"SAME", kJudgement, "B is neither SLOWER nor FASTER: the 95 % interval is within 3 %."},
    {"UNSURE", kJudgement,
     "The rounds show neither a change nor that there is none. The report counts the reasons below "
     "its table: too few rounds, NOISY ones, a spread between sessions that is not known."},
    {"change", kJudgement,
     "B / A - 1, with its 95 % interval. Of exposed_wait it is (B - A) / A's step, so that a wait "
     "of 2 us instead of 1 us changes next to nothing."},
    {"detectable", kJudgement,
     "The change that would have been called SLOWER or FASTER in 8 of 10 such comparisons: a "
     "smaller one may be there and not show."},

    {"base", kWord,
     "The scenario as written, with defaults filled in, before any axis is varied. Other points "
     "are compared with it."},
    {"round", kWord,
     "One repetition of all trials, in random order. Intervals are computed over the n rounds."},
    {"trial", kWord,
     "One mode of one point, run once per round. Points that need the same trial share it."},
    {"noise", kWord,
     "How much identical trials of one round differed here, today: what two settings differ by "
     "less than that is not shown. From three rounds on it is the difference that 95 of 100 such "
     "pairs stay under (aa_floor), of fewer the largest seen. --detail has both."},
    {"not run", kWord, "The run ended before the point's first trial. `run --resume` runs it."},
    {"partial", kWord,
     "The run ended before every mode of the point had a trial. `run --resume` runs the others."},
    {"window", kWord,
     "The measured time of a trial, after warm-up. The first and the last step are not counted."},
    {"anchor", kWord,
     "The base point's shared trial, run at the start, middle and end of each round: its variation "
     "is the A/A noise floor."},
    {"indicative", kWord,
     "Based on fewer than 5 rounds: a side is named from 10 % of the step, not from 2 %. A wrapped "
     "script has as many rounds as its side takes, mostly one or two; its side is indicative where "
     "they leave it open."},
    {"tie", kWord,
     "The intervals of the two components that recover most overlap: "
     "either may be the binding one."},
    {"#1", kWord,
     "A value listed several times on its axis is measured separately each time: #1, #2, #3 differ "
     "only by chance (an A/A test)."},
    {"stall", kWord, "A step of more than three times the median, and outside the usual spread."},
    {"mock", kWord,
     "A part that takes a given time without real work: `synthetic`, `timed`. "
     "Its results do not hold for real parts."},
    {"simulated", kWord,
     "Run in virtual time (--clock simulated): no waiting, exact times, mocks only."},
    {"samples/s", kWord,
     "Samples delivered over the window's wall time; never steps x nominal batch size."},
    {"per step", kWord, "Averaged over the steps of the window."},
    {"findings", kWord,
     "What costs most in your own loader, with the change and its place in your code. Named from 2 "
     "% of the step on, clear of 0 over the rounds."},
    {"exact", kWord, "No spread: every round gave the same figure, as under the simulated clock."},

    {"self-timed", kWay,
     "The loader runs in your Python process, which drops each batch; "
     "only times cross to benchbench."},
    {"hand-over", kWay,
     "Batches cross between your Python process and benchbench through shared "
     "memory, with one copy each."},
    {"all in Python", kWay,
     "Loader and training step both run in your Python process; only times cross to benchbench."},
    {"replayed", kWay,
     "The training step runs in your Python process, on batches of your own loader that were "
     "fetched and copied beforehand."},

    {"workers without data", kFinding,
     "Some workers of the DataLoader delivered no batch. Cost per step: step x (1 - active / "
     "num_workers), at most the wait for batches and what the cores leave free."},
    {"copy-on-write", kFinding,
     "Pages that forked workers shared became private because their objects were touched. Cost: "
     "growth of private memory that is not growth of resident memory, "
     "from 2 MiB per worker and window."},
    {"start-up each epoch", kFinding,
     "Workers are started again in every epoch. Cost per step: the time of that, worker_init_fn "
     "included, over the batches of an epoch."},
    {"epoch gap", kFinding,
     "Between two epochs more time passes than between two batches. Cost per step: the gap without "
     "the start-up of workers and an ordinary wait, over the batches of an epoch."},
    {"oversubscribed threads", kFinding,
     "More threads run or wait than there are cores, and workers, or a step on the CPU, compute "
     "with "
     "several threads each. Cost per step: the time spent waiting for a core, of workers divided "
     "by "
     "their number. Of a step's threads at most what fewer of them are sure to gain: where its "
     "time "
     "without a loader, times the threads there are over those that the workers leave a core, is "
     "shorter than what it takes now."},
    {"CPU limit misread", kFinding,
     "More workers or threads than the cores that affinity and cgroup quota allow, where "
     "os.cpu_count() is higher. Cost per step: the time spent waiting for a core, or throttled."},
    {"tensors in memory", kFinding,
     "The data set is tensors in memory. Cost per step: the wait for a batch, less the time to "
     "index the same batch directly."},
    {"same augmentation", kFinding,
     "Several workers, or every epoch, draw the same random numbers, "
     "so that augmentations repeat. It costs no time."},
    {"uneven samples", kFinding,
     "Some batches take a worker longer than others, and those behind them wait, as the DataLoader "
     "delivers them in order. Cost per step: what in_order=False would save, of the times that the "
     "workers' batches took."},
    {"snapshots each batch", kFinding,
     "Of a wrapped script: a StatefulDataLoader asks the data set for its state with each batch. "
     "Cost per step: the time of that, divided by the workers, at most the wait."},
    {"fork after threads", kFinding,
     "Of a wrapped script: workers were forked while another thread of its own code held a "
     "lock, which stays locked in a worker. It costs no time, but may hang."},
    {"workers that stay", kFinding,
     "Of a wrapped script: workers of a loader that feeds no training step, such as a "
     "validation's, stay meanwhile, although starting them for each pass would cost less than 2 % "
     "of the job. Cost: the memory that they hold, from a tenth of the machine's memory."},
    {"device tensors in workers", kFinding,
     "Of a wrapped script: batches are on a device as they come from the workers. "
     "What that costs is not measured."},
    {"device values read", kFinding,
     "Of a wrapped script: the step reads values of a device on the CPU, as .item() and .cpu() do, "
     "and waits there until the device has done all that was queued. Cost per step: the time in "
     "those calls, at most the rest of the step, which could overlap with it."},
    {"pinning held up", kFinding,
     "Of a wrapped script: the thread that pins batches waits longer while the script trains than "
     "with the loader alone, as where the training loop keeps Python's lock. Cost per step, at "
     "most: the difference, and the wait."},

    {"time outside the steps", kFinding,
     "Of a wrapped script: a fifth of the job's time or more passes outside of its training steps, "
     "as in validations, in saves, in starting workers of another loader. Cost per step: all of "
     "it, "
     "divided by the steps; the beginnings of the training's own epochs are not in it, nor what "
     "came "
     "once alone, unless all of the job was seen."},
    {"iterator each step", kFinding,
     "Of a wrapped script: each step makes an iterator of its loader, as next(iter(loader)) does. "
     "Cost per step, at most: making it, its first batch, and the end of its workers."},
    {"batches without a fetch", kFinding,
     "Of a wrapped script: steps go on with batches that itertools.cycle or a list keeps, and the "
     "loader is not asked any more. Cost: the memory of the batches, where it is known."},
    {"lock held at fork", kFinding,
     "Of a wrapped script that hung: a worker waits for a lock that a thread of the main process "
     "held when the worker was forked. Cost: none but the hang."},

    {"external", kField,
     "Loaders and steps in your Python: how each mode used it, what was seen at each point, and "
     "findings with their cost. Null if no trial used it."},
    {"schema", kField,
     "benchbench.report/1. Fields may be added; a change of meaning changes the number. "
     "`benchbench describe report.schema.json` prints the JSON Schema."},
    {"run_folder", kField, "The folder of the run: journal, series and results.h5."},
    {"best_point", kField, "The name of the point with the highest pipeline rate, or null."},
    {"conclusion", kField, "The last paragraph of the report as text."},
    {"points", kField,
     "One object per point: labels, settings, statuses, every estimate and every number."},
    {"mode_status", kField,
     "The status of the point in each mode; null if the mode was not requested."},
    {"no_limit", kField,
     "The modes whose side takes too little time to be resolved: measuring would be over 3 % of "
     "it. "
     "The rate is then a lower bound."},
    {"reasons", kField,
     "Why a trial or point is not VALID: the rule, `invalid` (true: it makes the trial INVALID; "
     "false: NOISY), and what was observed."},
    {"labels", kField, "The point's value on each swept axis."},
    {"settings", kField, "Every setting of the point, resolved, as YAML text."},
    {"side", kField,
     "loader, trainer, balanced, contention, unclear or not measured: what holds the point back."},
    {"open", kField,
     "The part of the answer on a wrapped script that could be another one with more rounds: side, "
     "settings, first advice, or none."},
    {"settled", kField,
     "Whether the rounds of a wrapped script settle its side, so that measuring could end; null "
     "where no round was complete."},
    {"within", kField,
     "The share within which L and T of a wrapped script are known to agree, where they are "
     "balanced; else null."},
    {"cache_degree", kField,
     "State of the page cache when the window began, "
     "with the reason if it is not the requested one."},
    {"steadiness", kField,
     "The shape of the least steady round's window: steady, periodic, slope or unsteady."},
    {"stalls", kField,
     "Unusually long steps: their count, share of the time, the longest, "
     "the cause and the period."},
    {"step_identity", kField,
     "The step of one point's pipeline as parts that add up to it; the last part is `other`."},
    {"substitutions", kField,
     "How much shorter the base point's step would be without each component (run --substitute)."},
    {"timelines", kField,
     "The trainer's thread and the device, per step, as parts that add up, with the remainder."},
    {"loader_work", kField,
     "What all workers together did per step: work and waits, which may overlap the step."},
    {"interference", kField,
     "The trainer's rate while the loader runs in the background, relative to its rate alone (run "
     "--interference)."},
    {"trainer_rate_device", kField,
     "The trainer's rate with a batch that is on its device already, also relative to its rate "
     "with a copy for each (docs/device.md)."},
    {"gpu", kField,
     "The GPU that the base point's steps ran on, also those of your Python: what it did, and "
     "which "
     "of its faults NVML can tell (docs/device.md)."},
    {"probes", kField,
     "The counters read during the base point's windows, with the state of each."},
    {"ceilings", kField,
     "Of the base point, mode by mode: the rate of bytes that comes nearest to a ceiling of "
     "machine.yaml, and its share of it."},
    {"overhead_share", kField,
     "overhead of the worst trial: time spent measuring, as a share of the window."},
    {"trials", kField, "How many trials have each status, and how many have no record."},
    {"records", kField, "One object per trial and round: what was run, its status and its sums."},
    {"warnings", kField, "What a reader must know in addition to the figures, one text each."},
    {"problems", kField, "What was not VALID or did not run, and why, one text each."},
    {"faulty_samples", kField, "How many samples were faulty, and the first of them by name."},
    {"environment", kField, "The machine, the build and the calibration."},
};

}  // namespace

std::span<const Term> terms() {
  static const auto all = [] {
    std::vector<Term> made;
    for (const PointColumn& c : point_columns())
      made.push_back({c.title, kColumnTopic, c.definition});
    made.insert(made.end(), std::begin(kTerms), std::end(kTerms));
    return made;
  }();
  return all;
}

}  // namespace benchbench
