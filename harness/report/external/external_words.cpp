#include "harness/report/external/external_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/external/costliest_part.h"
#include "harness/report/external/job_words.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

// A fault as a sentence, and its remedy: the id for programs, and an infinitive with all that
// belongs to it. `alone`: the infinitive where the sentence is not before it; empty: the same.
struct Said {
  Remedy remedy;
  std::string what, change;
  const char* between = ": ";
  std::string alone = {};
  bool placed = false;  // the change names the line that it is made at
};

// " (train.py:31)"; "" where it is not known.
std::string in_place(const ExternalFinding& f) {
  return f.where.empty() ? "" : fmt::format(" ({})", f.where);
}

// "12 ms of each 25 ms step", "all of each 25 ms step".
std::string of_its_step(const ExternalFinding& f) {
  const std::string part = ms_text(f.ms->value), step = ms_text(f.step_ms->value);
  return f.ms->value >= f.step_ms->value || part == step
             ? fmt::format("all of each {} step", step)
             : fmt::format("{} of each {} step", part, step);
}

// A step's share of what an epoch pays once, outside of the windows.
std::string over_an_epoch(const ExternalFinding& f) {
  return fmt::format("{} a step on top of {}", ms_text(f.ms->value), ms_text(f.step_ms->value));
}

std::uint64_t usable_cores(const ExternalFinding& f) {
  return static_cast<std::uint64_t>(std::max(1.0, std::floor(f.cores)));
}

Said idle_text(const ExternalFinding& f, int brief) {
  const std::uint32_t active = f.workers - f.idle;
  const std::string head = fmt::format("{} of {} had no data, which costs {}", f.idle,
                                       counted(f.workers, "worker"), of_its_step(f));
  const std::string shards = brief > 0 ? "" : fmt::format(", in at least {} parts", f.workers);
  return {Remedy::divided_data, head,
          fmt::format("divide the data over all workers{}{} (num_workers={} is as fast as this)",
                      in_place(f), shards, active)};
}

Said memory_text(const ExternalFinding& f, int brief) {
  std::string text = fmt::format("the workers' memory grows by copy-on-write, {} in one window",
                                 human_bytes(f.bytes->value));
  if (f.bytes_an_epoch)
    text += fmt::format(" and {} by the end of an epoch{}", human_bytes(f.bytes_an_epoch->value),
                        f.all_copied ? " at most" : " at this pace");
  return {
      Remedy::one_array, text,
      fmt::format(
          "keep what the data set{} holds in one NumPy array or tensor{}", in_place(f),
          brief > 0 ? "" : ", not in many Python objects, whose counts every worker writes to")};
}

// " by forkserver, the default since Python 3.14": workers that import what they need when they
// start.
std::string started_by(const ExternalFinding& f) {
  if (f.started_by.empty()) return "";
  return fmt::format(" by {}{}", f.started_by,
                     f.default_start ? ", the default since Python 3.14," : "");
}

bool is_remade(const ExternalFinding& f) { return f.number("remade") > 0; }

// `loader`: "valid (train.py:36)".
std::string make_once(const ExternalFinding& f, const std::string& loader) {
  return fmt::format("make {} once, not in each epoch{}", loader,
                     f.number("kept") == 1 ? "" : ", and pass persistent_workers=True");
}

Said startup_text(const ExternalFinding& f, int brief) {
  const std::string each = f.first_epoch ? "cost" : "costs";
  const std::string rest = brief > 0 ? "" : ", which starts them once";
  const double whole = f.ms->value * f.batches_an_epoch;
  const std::string once = f.first_epoch
                               ? "in the first epoch, and as much in each if they all do: "
                               : "in each epoch: ";
  const std::string head = fmt::format(
      "starting {}{} {} {} {}{}", counted(f.workers, "worker"), started_by(f), each, ms_text(whole),
      brief > 0 ? (f.first_epoch ? "in the first epoch: " : "in each epoch: ") : once,
      over_an_epoch(f));
  if (is_remade(f))
    return {Remedy::kept_loader, head, make_once(f, "the loader" + in_place(f)), "; "};
  return {Remedy::persistent_workers, head,
          fmt::format("pass persistent_workers=True{}{}{}", in_place(f), rest,
                      f.started_by.empty() || brief > 0
                          ? ""
                          : ", and multiprocessing_context=\"fork\" where no threads run before, "
                            "which starts them sooner"),
          "; "};
}

Said gap_text(const ExternalFinding& f, int brief) {
  const std::string head = fmt::format("the beginning of each epoch costs {}, {}",
                                       ms_text(f.ms->value * f.batches_an_epoch), over_an_epoch(f));
  if (f.workers == 0)
    return {
        Remedy::cheaper_epoch_start, head,
        fmt::format("make cheaper what begins an epoch, the sampler or __iter__{}", in_place(f))};
  if (f.in_iter)
    return {Remedy::cheaper_epoch_start, head + ", most of it in iter()",
            fmt::format("make cheaper what begins an epoch, such as the sampler{}", in_place(f))};
  const std::string why = brief > 0 || !(f.persistent || f.forked)
                              ? ""
                              : ", since nothing is prefetched for the next one";
  return {Remedy::longer_epochs, head + why,
          fmt::format(
              "{}make epochs longer, with a sampler that passes over the data several times{}",
              f.persistent || f.forked ? "" : "pass persistent_workers=True and ", in_place(f))};
}

Said step_threads_text(const ExternalFinding& f, int brief) {
  const auto cores = usable_cores(f);
  const std::string now = brief > 0 ? "" : fmt::format(" (now {})", f.threads);
  return {Remedy::fewer_threads,
          fmt::format("the step's {} and {} run on {}, and at least {} is spent waiting for a core",
                      counted(f.threads, "thread"), counted(f.workers, "worker"),
                      counted(cores, "core"), of_its_step(f)),
          fmt::format("call torch.set_num_threads({}) in the training process{}",
                      cores > f.workers ? cores - f.workers : 1, now)};
}

// torch has one thread in a worker: the others are of libraries, as NumPy's, which have variables
// of their own that come first.
Said threads_text(const ExternalFinding& f, int brief) {
  if (f.of_step) return step_threads_text(f, brief);
  const std::string head = fmt::format(
      "{} with several threads each, of which {:.1f} run or wait on {}, and {} is spent waiting "
      "for "
      "a core",
      counted(f.workers, "worker") + (f.workers == 1 ? " computes" : " compute"), f.runnable,
      counted(usable_cores(f), "core"), of_its_step(f));
  const std::string why = brief > 0 ? ""
                                    : "; torch's own are one in a worker, unless "
                                      "worker_init_fn sets more";
  return {Remedy::worker_threads, head,
          fmt::format("set OPENBLAS_NUM_THREADS=1, MKL_NUM_THREADS=1 and OMP_NUM_THREADS=1 for the "
                      "workers{}, before numpy is imported{}",
                      in_place(f), why)};
}

Said limit_text_of(const ExternalFinding& f, int brief) {
  const auto cores = usable_cores(f);
  std::string head =
      fmt::format("os.cpu_count() says {}, but {} can be used, and {} is spent waiting for a core",
                  f.cpu_count, counted(cores, "core"), of_its_step(f));
  if (brief == 0 && f.throttled_ms > 0)
    head += fmt::format(" (throttled for {})", ms_text(f.throttled_ms));
  const bool workers = f.workers > cores, threads = f.threads > cores;
  std::string change;
  if (workers) change = fmt::format("pass num_workers={}{}", cores, in_place(f));
  if (threads)
    change += fmt::format("{}torch.set_num_threads({})", workers ? " and call " : "call ", cores);
  return {workers ? Remedy::fewer_workers : Remedy::fewer_threads, head, change};
}

Said in_memory_text(const ExternalFinding& f, int) {
  return {Remedy::direct_indexing,
          fmt::format("the data are tensors in memory, and the DataLoader{} costs {}", in_place(f),
                      of_its_step(f)),
          fmt::format("index them directly, data[indices], which takes {} a batch",
                      ms_text(f.direct_ms))};
}

Said draws_text(const ExternalFinding& f, int brief) {
  const ExternalSameDraws& d = f.draws.front();
  std::string text =
      d.workers > 1
          ? fmt::format("{} draw the same random numbers from {}{}", counted(d.workers, "worker"),
                        d.what, in_place(f))
          : fmt::format("every epoch draws the same random numbers from {}{}", d.what, in_place(f));
  if (d.workers > 1)
    text += fmt::format(", so that {} of {} augmentations repeat another worker's", d.workers - 1,
                        d.workers);
  if (d.workers > 1 && d.every_epoch) text += ", and every epoch repeats the last";
  if (brief == 0 && f.draws.size() > 1)
    text += fmt::format(" (and {})", counted(f.draws.size() - 1, "more generator"));
  return {Remedy::seeded_workers, text,
          "seed it in worker_init_fn from torch.initial_seed(), or draw with torch's own generator",
          ": ", fmt::format("seed {} in worker_init_fn from torch.initial_seed()", d.what)};
}

Said uneven_text(const ExternalFinding& f, int brief) {
  const std::string times = brief > 0 ? ""
                                      : fmt::format(" (half take up to {}, the slowest {})",
                                                    ms_text(f.median_ms), ms_text(f.slowest_ms));
  const std::string change =
      f.can_be_any_order
          ? fmt::format("pass in_order=False{}, if the order of batches does not matter",
                        in_place(f))
          : fmt::format(
                "put samples that take about as long into a batch, or pass in_order=False{}, which "
                "torch has from 2.7 on",
                in_place(f));
  return {f.can_be_any_order ? Remedy::out_of_order : Remedy::even_batches,
          fmt::format("some batches take longer than others{}, and those that are ready wait for a "
                      "slower one before them, which costs {}",
                      times, of_its_step(f)),
          change};
}

Said snapshots_text(const ExternalFinding& f, int brief) {
  return {Remedy::rarer_snapshots,
          fmt::format("with each batch {} tells its state, which costs at least {}", f.what,
                      of_its_step(f)),
          fmt::format(
              "pass snapshot_every_n_steps=100{}{}", in_place(f),
              brief > 0 ? "" : " to StatefulDataLoader, or as often as a checkpoint is written")};
}

Said forked_text(const ExternalFinding& f, int brief) {
  const std::string lock = brief > 0 ? "" : ": that stays locked in a worker, which hangs at it";
  return {Remedy::later_threads,
          fmt::format("workers were forked{} while {} held a lock ({}){}", in_place(f),
                      counted(f.count, "thread"), f.what, lock),
          fmt::format("start threads after the workers{}, or pass "
                      "multiprocessing_context=\"forkserver\"{}",
                      f.number("kept") == 1 ? "" : " (persistent_workers=True keeps these)",
                      f.number("guarded") == 1
                          ? ""
                          : ", for which the training has to stand under if __name__ == "
                            "\"__main__\""),
          "; "};
}

Said stay_text(const ExternalFinding& f, int) {
  return {
      Remedy::ended_workers,
      fmt::format("{} of {}{} {} while the script trains, and hold{} {}",
                  counted(f.count, "worker"), f.what.empty() ? "a loader" : f.what, in_place(f),
                  f.count == 1 ? "stays" : "stay", f.count == 1 ? "s" : "",
                  human_bytes(f.bytes->value)),
      "pass persistent_workers=False there, which ends them after each pass", "; ",
      fmt::format("pass persistent_workers=False to {}", f.what.empty() ? "the loader" : f.what)};
}

Said on_device_text(const ExternalFinding& f, int brief) {
  return {
      Remedy::batches_on_cpu,
      fmt::format("the workers{} make batches on {}{}", in_place(f), f.what,
                  brief > 0 ? "" : ", so that each of them uses the device and holds memory of it"),
      "make them on the CPU, and move them in the training process", ": ",
      "make batches on the CPU in the workers, and move them in the training process"};
}

// ".item()"; of an operator's what calls it.
std::string call_text(const std::string& method) {
  if (!method.starts_with("__")) return "." + method + "()";
  if (method == "__getitem__") return "a mask";
  return method == "__bool__" ? "a condition" : method.substr(2, method.size() - 4) + "()";
}

// The words for what the host does there, and for what would do as well.
struct HostWait {
  const char* does;
  const char* instead;
  const char* alone;  // the same without what does it before
};

HostWait host_wait(const std::string& method) {
  if (method == "synchronize")
    return {"synchronizes with the device", "wait for it once in 100 steps, or not at all",
            "wait for the device once in 100 steps, or not at all"};
  if (method == "__getitem__" || method == "nonzero" || method == "masked_select")
    return {"asks the device how many values there are",
            "multiply by the mask, or use torch.where(mask, a, b), whose size is known",
            "multiply by the mask, or use torch.where(mask, a, b), whose size is known"};
  return {"reads values of the device on the CPU",
          "read them once in 100 steps, or add them up on the device until then",
          "read values of the device once in 100 steps, or add them up there until then"};
}

Said host_copies_text(const ExternalFinding& f, int brief) {
  const std::string calls = f.count > 1 ? fmt::format("{} times, above all in", f.count) : "in";
  const std::string why = brief > 0 ? "" : ", which waits for all that the device has to do";
  const HostWait wait = host_wait(f.what);
  return {Remedy::rarer_reads,
          fmt::format("each step {}, {} {}{}{}, and takes up to {} longer for it", wait.does, calls,
                      call_text(f.what), in_place(f), why, ms_text(f.ms->value)),
          wait.instead, ": ", wait.alone};
}

Said pin_thread_text(const ExternalFinding& f, int brief) {
  const std::string lock =
      brief > 0 ? "" : ", as for Python's lock, which a loop that computes in Python keeps";
  return {
      Remedy::less_python,
      fmt::format("while the script trains, the thread that pins batches waits longer{}: up to {}",
                  lock, of_its_step(f)),
      fmt::format("do less in Python in the training loop, or compare pin_memory=False{}",
                  in_place(f)),
      "; "};
}

Said outside_text(const ExternalFinding& f, int brief) {
  const std::string share = fmt::format("{:.0f} % of the job's time", 100 * f.share);
  const auto restarted = find_started_workers(*f.job);
  if (!restarted)
    return {Remedy::rarer,
            fmt::format("{} passes outside of its training steps{}", share,
                        brief > 0 ? "" : ", " + part_words(largest_beside_epochs(*f.job))),
            "do that less often", "; ",
            fmt::format("do less often what passes outside of the training steps, {}",
                        part_words(largest_beside_epochs(*f.job)))};
  const std::string loader = restarted->loader.empty() ? "a loader" : restarted->loader;
  const std::string made = restarted->made.empty() ? "" : fmt::format(" ({})", restarted->made);
  return {
      is_remade(f) ? Remedy::kept_loader : Remedy::persistent_workers,
      fmt::format("{} passes outside of its training steps, {:.0f} % in starting, preparing and "
                  "ending {} of {}, {} times{}",
                  share, 100 * restarted->share, counted(restarted->workers, "worker"), loader,
                  restarted->count, in_place(f)),
      is_remade(f) ? make_once(f, loader + made)
                   : fmt::format("pass persistent_workers=True to {}{}{}", loader, made,
                                 brief > 0 ? "" : ", which starts them once"),
      "; ",
      {},
      !made.empty()};
}

// "starting 2 workers 28 ms, the first batch 20 ms, ending them 16 ms".
std::string iterator_parts(const ExternalFinding& f) {
  const auto ms = [&](std::string_view name) {
    return ms_text(1e-6 * static_cast<double>(f.number(name)));
  };
  if (f.workers == 0) return fmt::format("iter() {}", ms("iter_ns"));
  return fmt::format("starting {} {}, the first batch {}, ending them {}",
                     counted(f.workers, "worker"), ms("iter_ns"), ms("first_batch_ns"),
                     ms("shutdown_ns"));
}

Said iterator_text(const ExternalFinding& f, int brief) {
  const auto thrown = static_cast<std::uint64_t>(f.number("thrown_batches"));
  const std::string parts = brief > 1 ? "" : fmt::format(" ({})", iterator_parts(f));
  const std::string waste =
      brief > 0 || thrown == 0
          ? ""
          : fmt::format(", and {} that were asked for {} thrown away each time",
                        counted(thrown, "batch"), thrown == 1 ? "is" : "are");
  const std::string second =
      brief > 0 || f.workers == 0 || f.number("kept") == 1
          ? ""
          : "; persistent_workers=True alone leaves out the start, but not what is thrown away";
  return {Remedy::kept_iterator,
          fmt::format("each step makes an iterator of {}{}, which costs up to {}{}{}",
                      f.what.empty() ? "the loader" : f.what, in_place(f), of_its_step(f), parts,
                      waste),
          "keep the iterator, and make another one only where it ends" + second};
}

Said without_fetch_text(const ExternalFinding& f, int brief) {
  const auto steps = static_cast<std::uint64_t>(f.number("steps_since")),
             held = static_cast<std::uint64_t>(f.number("held_batches"));
  std::string keeps = held == 0 ? "" : fmt::format("{} keeps each batch{}", f.what, in_place(f));
  if (f.bytes && brief == 0)
    keeps += fmt::format(", {} so far, {}", counted(held, "batch"), human_bytes(f.bytes->value));
  const std::string since = steps == 0
                                ? ", and from its second pass on none is fetched"
                                : fmt::format("{}no fetch since step {}, {} since{}",
                                              held == 0 ? "" : ": ", f.number("last_fetch_step"),
                                              counted(steps, "step"), held == 0 ? in_place(f) : "");
  return {Remedy::iterated_again, keeps + since,
          fmt::format("iterate the loader again for each epoch{}",
                      brief > 0 ? "" : ", as `while True: yield from loader` does"),
          "; "};
}

Said lock_text(const ExternalFinding& f, int brief) {
  const std::string why =
      brief > 0 ? "" : ": a forked worker has no thread that would release its copy";
  return {Remedy::later_threads,
          fmt::format("the script hung: a worker{} waits for {} when it was forked{}", in_place(f),
                      f.what, why),
          "start workers before that thread, or pass multiprocessing_context=\"forkserver\"", "; "};
}

struct PartOfBatch {
  std::string_view name;
  const char* change;
};
constexpr PartOfBatch kPartsOfBatch[] = {
    {"getitem", "make __getitem__{} cheaper: it"},
    {"collate", "make the collate function cheaper: it"},
    {"handover", "make batches of fewer tensors or bytes: handing one to the main process"},
    {"pin", "make batches smaller, in bytes: pinning one"}};

Said say_finding(const ExternalFinding& f, int brief) {
  constexpr Said (*texts[])(const ExternalFinding&, int) = {
      idle_text,     memory_text,    startup_text,       gap_text,         threads_text,
      limit_text_of, in_memory_text, draws_text,         uneven_text,      snapshots_text,
      forked_text,   stay_text,      on_device_text,     host_copies_text, pin_thread_text,
      outside_text,  iterator_text,  without_fetch_text, lock_text};
  return texts[static_cast<std::size_t>(f.fault)](f, brief);
}

}  // namespace

std::string finding_words(const ExternalFinding& f, int brief, bool certain) {
  const Said said = say_finding(f, brief);
  std::string text = said.what + (certain ? said.between : "; it may help to ") + said.change;
  if (text.front() >= 'a' && text.front() <= 'z' && !text.starts_with("os.") &&
      !text.starts_with("itertools."))
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

std::string change_words_alone(const ExternalFinding& f) {
  const Said said = say_finding(f, 1);
  const std::string change = said.alone.empty() ? said.change : said.alone;
  // The place is the loader's, and such a change is not made there.
  const bool placed = said.placed || f.of_step || change.find(f.where) != std::string::npos;
  return change + (placed ? "" : in_place(f));
}

Remedy remedy_for(const ExternalFinding& f) { return say_finding(f, 0).remedy; }

std::string finding_cost(const ExternalFinding& f) {
  const auto with_interval = [](const Estimate& e, auto words) {
    const std::string value = words(e.value), low = words(std::max(0.0, e.low)),
                      high = words(e.high);
    return e.n < 2 || low == high ? value : fmt::format("{} ({} to {})", value, low, high);
  };
  if (f.ms) return with_interval(*f.ms, [](double ms) { return ms_text(ms); }) + " a step";
  if (f.bytes) return with_interval(*f.bytes, [](double bytes) { return human_bytes(bytes); });
  return "";
}

std::string own_code_words(const ExternalPoint& seen) {
  const auto most = find_costliest_part(seen);
  if (!most) return "";
  const std::string where =
      seen.facts.getitem_where.empty() ? "" : fmt::format(" ({})", seen.facts.getitem_where);
  const auto* part = std::ranges::find(kPartsOfBatch, most->name, &PartOfBatch::name);
  return fmt::format(
      "{} takes {} a batch{}{}", fmt::format(fmt::runtime(part->change), where), ms_text(most->ms),
      most->without_waits ? " without waits for a core" : "",
      seen.workers > 1 ? fmt::format(", over {}", counted(seen.workers, "worker")) : "");
}

}  // namespace benchbench
