// The next single thing to change against a component, as a value: a setting that the point's parts
// have, that changes something there and is not so already, or else what to do where no setting
// does it. report/advice_words has the words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/words.h"
#include "harness/part/catalog.h"
#include "harness/part/component.h"
#include "harness/record/value.h"

namespace benchbench {

// What the change does about the component.
enum class Remedy : std::uint8_t {
  // By a setting:
  whole_files,       // many samples in a file instead of a file each
  reads_ahead,       // reads in flight ahead of the workers
  keep_in_memory,    // the stored bytes are read once
  uncompressed,      // a format that stores samples as they are
  smaller_pictures,  // resized once, ahead of time
  more_workers,
  fewer_workers,
  on_device,      // normalise there: fewer bytes and less work for the worker
  out_of_order,   // whichever batch is ready first
  deeper,         // more batches ahead, for those that come in bursts
  past_the_lock,  // read by place in the file, not through the library
  pinned,
  second_buffer,  // of the device: its step overlaps with the next batch's way there
  own_stream,     // copies run at the same time as steps
  not_blocking,   // a copy from pinned memory does not hold the host
  fewer_threads,  // of the step
  rarer,          // less often
  larger_batch,
  mock_setting,  // what a mock was set to cost: the change that the measurement made
  // In the user's own code, against an ExternalFault:
  divided_data,  // over all workers
  one_array,     // in place of many Python objects
  persistent_workers,
  kept_loader,  // one for all epochs, whose workers can stay
  cheaper_epoch_start,
  longer_epochs,
  worker_threads,   // one in each worker
  direct_indexing,  // of tensors in memory, without a DataLoader
  seeded_workers,
  even_batches,  // samples that take about as long in a batch, where no batch may overtake
  rarer_snapshots,
  later_threads,  // started after the workers, or workers that are not forked
  ended_workers,  // after each pass
  batches_on_cpu,
  rarer_reads,     // of a device's values
  less_python,     // in the loop, or no pinning
  kept_iterator,   // for all steps
  iterated_again,  // in place of batches that are kept
  // By settings that were compared:
  tried_settings,
  // Without one:
  by_hand,
};
// The ids of changes in reports for programs: they stay as they are.
template <>
inline constexpr auto kWordsOf<Remedy> = std::to_array<std::string_view>(
    {// By a setting:
     "whole_files", "reads_ahead", "keep_in_memory", "uncompressed", "smaller_pictures",
     "more_workers", "fewer_workers", "on_device", "out_of_order", "deeper", "past_the_lock",
     "pinned", "second_buffer", "own_stream", "not_blocking", "fewer_threads", "rarer",
     "larger_batch", "mock_setting",
     // Without one:
     "divided_data", "one_array", "persistent_workers", "kept_loader", "cheaper_epoch_start",
     "longer_epochs", "worker_threads", "direct_indexing", "seeded_workers", "even_batches",
     "rarer_snapshots", "later_threads", "ended_workers", "batches_on_cpu", "rarer_reads",
     "less_python", "kept_iterator", "iterated_again", "tried_settings", "by_hand"});

struct Advice {
  Component component = Component::storage;
  Remedy remedy = Remedy::by_hand;
  std::string key;       // dotted, "loader.io"; empty where no setting does it
  std::string from, to;  // as YAML has them; "none": not set
  bool in_code = false;  // of the user's own loader or step: set in their code, not in a scenario
  bool operator==(const Advice&) const = default;
};

// What a change is looked up in. `cores` available; 0: not known, and then nothing is advised that
// needs a free one.
struct AdviceScene {
  const SettingsMap& settings;  // of the point
  const Catalog& catalog;
  double cores = 0;
  bool own_workers = false;  // the loader is an iterable of the user's, which is taken as it is
  bool no_torch = false;     // the step is the user's and has no torch
};

// The first that applies, by_hand where none does. `locked`: a lock holds the workers back, so that
// more of them are not advised.
Advice advise(Component component, const AdviceScene& scene, bool locked = false);

// The change of one setting, whatever it is to help; nullopt where the point's parts have no such
// key or no such value, where it is so already, or where it would change nothing there.
std::optional<Advice> change_of(Component component, Remedy remedy, std::string_view key,
                                std::string_view to, const AdviceScene& scene);

}  // namespace benchbench
