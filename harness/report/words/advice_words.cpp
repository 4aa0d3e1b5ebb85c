#include "harness/report/words/advice_words.h"

#include <fmt/format.h>

#include "harness/report/external/python_words.h"

namespace benchbench {
namespace {

// What the setting does, behind "set KEY to VALUE (now VALUE)".
std::string_view effect_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::whole_files:
      return ", which keeps many samples in one file";
    case Remedy::reads_ahead:
      return ", which reads ahead of the workers";
    case Remedy::keep_in_memory:
      return ", if the data fit in memory";
    case Remedy::uncompressed:
      return ", which stores samples uncompressed";
    case Remedy::smaller_pictures:
      return ", which makes the images smaller once, before training";
    case Remedy::more_workers:
      return ": cores are free";
    case Remedy::fewer_workers:
      return ", which leaves the trainer more of the cores";
    case Remedy::on_device:
      return ", which normalises in the training step and copies a quarter of the bytes";
    case Remedy::out_of_order:
      return ", so that a slow batch does not hold up the others";
    case Remedy::deeper:
      return ", which lets the workers run ahead of slow batches";
    case Remedy::past_the_lock:
      return ", which reads without the library and its lock; more workers do not help before that";
    case Remedy::pinned:
      return ", which makes copies to the device faster";
    case Remedy::second_buffer:
      return ", so that with trainer.copy_stream: own a batch can be on its way "
             "while the device is at work";
    case Remedy::own_stream:
      return ", so that copies overlap with steps; in PyTorch: copy on a torch.cuda.Stream() of "
             "your own with non_blocking=True, torch.cuda.current_stream().wait_stream() before "
             "the step, tensor.record_stream() for each tensor";
    case Remedy::not_blocking:
      return ", so that the host goes on while it is copied";
    case Remedy::fewer_threads:
      return ", which leaves the loader more of the cores";
    case Remedy::rarer:
      return ", a tenth as often";
    case Remedy::larger_batch:
      return ", if training allows it: the fixed cost of a batch is shared by more samples";
    case Remedy::mock_setting:
      return ", which is the configured cost of the mock";
    default:  // no setting does it
      return "";
  }
}

// The user changes their own code: a keyword of their DataLoader, a call before training.
std::string in_code_words(const Advice& a) {
  const std::string keyword = python_keyword(a.key, a.to);
  if (keyword.empty())
    return fmt::format("call torch.set_num_threads({}) (now {}){}", a.to, a.from,
                       effect_of(a.remedy));
  return fmt::format("use DataLoader({}) (now {}){}", keyword, python_value(a.from),
                     effect_of(a.remedy));
}

}  // namespace

std::string advice_words(const Advice& a) {
  if (a.key.empty()) return std::string(next_change(a.component));
  if (a.in_code) return in_code_words(a);
  if (a.to == "none")
    return fmt::format("leave out {} (now {}){}", a.key, a.from, effect_of(a.remedy));
  return fmt::format("set {} to {} ({}){}", a.key, a.to,
                     a.from == "none" ? "not set now" : "now " + a.from, effect_of(a.remedy));
}

std::string_view next_change(Component component) {
  constexpr std::string_view changes[kComponents] = {
      "keep the data on faster or closer storage",
      "store the samples in a format that needs less parsing",
      "store the samples smaller or already decoded",
      "make the transforms cheaper, or apply them once before training",
      "write samples directly into the batch",
      "make the batch times more even",
      "copy fewer bytes to the device",
      "use a faster device or a cheaper model",
      "enqueue fewer, larger operations",
      "read results back from the device less often",
      "post-process less often, or in another thread",
      "write checkpoints less often, or in another thread",
      "look at the slowest rank",
      "ask less of the cores, with fewer workers or threads, cheaper samples or a cheaper step",
      "use larger batches, if training allows it",
      "remove the lock, or shorten what is done while it is held; "
      "more workers do not help before that",
      "look at the slowest worker",
      "look at the slowest samples"};
  return changes[static_cast<std::size_t>(component)];
}

}  // namespace benchbench
