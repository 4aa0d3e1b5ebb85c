// What syntheses have in common: a number of samples, a seed, and labels.
#pragma once
#include <algorithm>
#include <string>

#include "harness/core/error.h"
#include "harness/part/sample_format.h"

namespace benchbench::synthesis {

// Classes lie one after the other, so that a folder's sorted order is the order of the ids; at most
// one a sample.
class NumberedSet : public Synthesis {
 public:
  std::uint64_t samples() const noexcept final { return samples_; }
  std::uint32_t classes() const noexcept final { return classes_; }
  std::int64_t label(SampleId id) const noexcept final {
    return static_cast<std::int64_t>(static_cast<unsigned __int128>(id) * classes_ / samples_);
  }

 protected:
  NumberedSet(const Settings& settings, std::int64_t classes)
      : samples_(static_cast<std::uint64_t>(settings.integer("samples"))),
        seed_(static_cast<std::uint64_t>(settings.integer("seed"))),
        classes_(static_cast<std::uint32_t>(std::min(classes, settings.integer("samples")))) {}
  void require(SampleId id, const char* name) const {
    if (id >= samples_)
      throw PartError("synthesis " + std::string(name) +
                      ": a sample beyond the last was requested");
  }
  // The mean of `of(id)` over up to 4096 samples spread over the data set.
  template <class Of>
  double mean(Of of) const {
    const std::uint64_t asked = std::min<std::uint64_t>(samples_, 4096);
    double sum = 0;
    for (std::uint64_t i = 0; i < asked; ++i) sum += of(i * (samples_ / asked));
    return sum / static_cast<double>(asked);
  }

  std::uint64_t samples_, seed_;

 private:
  std::uint32_t classes_;
};

}  // namespace benchbench::synthesis
