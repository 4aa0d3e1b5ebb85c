// What is noted of a trial's very first request, batch and step, as they come.
#pragma once
#include <optional>
#include <string>

#include "harness/core/digest.h"
#include "harness/part/batch.h"

namespace benchbench {

struct FirstBatch {
  TimePoint requested{};       // the supply was started
  std::int64_t ns = 0;         // from then until it was got
  TimePoint stepped{};         // the end of its step
  std::string digest;          // of its tensors' bytes; empty: none was got
  std::uint64_t bytes = 0;     // of its tensors
  std::optional<double> loss;  // of its step

  void note(const BatchLease& batch, TimePoint now) {
    ns = (now - requested).count();
    Digester digester;
    bytes = 0;
    for (const TensorView& tensor : batch.tensors())
      digester.add({tensor.data, tensor.bytes()}), bytes += tensor.bytes();
    digest = digester.finish().text();
  }
};

}  // namespace benchbench
