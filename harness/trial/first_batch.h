// What is noted of the very first batch that a trial's trainer gets.
#pragma once
#include <string>

#include "harness/core/digest.h"
#include "harness/part/batch.h"

namespace benchbench {

struct FirstBatch {
  TimePoint got{};
  std::string digest;  // of its tensors' bytes; empty: none was got

  void note(const BatchLease& batch, TimePoint now) {
    got = now;
    Digester digester;
    for (const TensorView& tensor : batch.tensors()) digester.add({tensor.data, tensor.bytes()});
    digest = digester.finish().text();
  }
};

}  // namespace benchbench
