// What a step's time may be lost to: the words a verdict uses, and what substitution makes free one
// at a time. A part takes part in that by what its description lists under `substitutions`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/words.h"

namespace benchbench {

// Things that are at work in every run, then what only a fault brings. Where two cost alike, the
// earlier is told first.
enum class Component : std::uint8_t {
  storage,  // bytes from the disk or the network
  parse,
  decode,
  transform,
  collate,
  order,    // hand-over in order, the queue
  copy,     // pinning, host to device
  compute,  // the trainer's device work
  launch,   // enqueueing it
  sync,     // waiting for it
  postprocess,
  checkpoint,
  rank_skew,
  contention,  // both sides on the same cores
  tiny_batch,  // the fixed cost of a batch
  lock,        // a serial section in the loader
  straggler,   // one slow worker
  tail,        // a few slow samples
};
// As records and reports have it.
template <>
inline constexpr auto kWordsOf<Component> = std::to_array<std::string_view>(
    {"storage", "parse", "decode", "transform", "collate", "order", "copy", "compute_bound",
     "launch_bound", "sync_bound", "postprocess", "checkpoint", "rank_skew", "contention",
     "tiny_batch", "lock", "straggler", "tail"});
inline constexpr std::size_t kComponents = kWordsOf<Component>.size();

// In plain words, one sentence.
constexpr std::string_view meaning_of(Component c) noexcept {
  constexpr std::string_view words[kComponents] = {
      "Getting the stored bytes from the disk or the network.",
      "Finding a sample's parts in its stored bytes.",
      "Turning stored bytes into pixels.",
      "Cropping, resizing, flipping, normalising.",
      "Assembling samples into a batch.",
      "Delivering batches in the order they were requested.",
      "Copying a batch to the device, including pinning.",
      "The trainer's own work on the device.",
      "The host enqueues device work too slowly to keep the device busy.",
      "The host waits for the device when it does not have to.",
      "What the trainer's thread does with the results of a step.",
      "Writing checkpoints.",
      "Ranks wait for the slowest one.",
      "Loader and trainer compete for the same cores.",
      "The fixed cost of a batch, whatever its size: batches are too small.",
      "Workers do part of their work one at a time.",
      "One worker is slower than the others, and in-order delivery makes all wait for it.",
      "A few samples take much longer than the others."};
  return words[static_cast<int>(c)];
}

// One parameter as it must be for a component to cost nothing: a key of the part's own, or of the
// harness's for parts of its kind, without "loader." or "trainer."; its value as YAML text ("0s",
// "host"), allowed for that parameter. "none" takes it away, unless it is one of the parameter's
// choices.
struct Change {
  std::string_view key;
  std::string_view value;
};

// How a part is run with one of its components free: with all of `changes` on top of the scenario's
// settings. Only what the part can do truthfully is listed: batches still come, every row written,
// and the other components cost what they did. What is not listed is "not measured". Each component
// at most once. The array lives as long as the description.
struct Substitution {
  Component component;
  std::span<const Change> changes;
};

}  // namespace benchbench
