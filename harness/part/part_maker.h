// The maker of a part that is an object of one class.
#pragma once
#include <concepts>
#include <memory>

#include "harness/part/catalog.h"

namespace benchbench {

// A new P of its context; of nothing where it takes none.
template <class P, class Base, class Context>
std::unique_ptr<Base> make_part(const Context& context) {
  if constexpr (std::constructible_from<P, const Context&>)
    return std::make_unique<P>(context);
  else
    return std::make_unique<P>();
}

// P derives from Loader, Trainer, Sampler or Synthesis, and throws from its constructor what it
// refuses.
template <class P>
PartMaker part_maker() {
  PartMaker maker;
  if constexpr (std::derived_from<P, Loader>)
    maker.loader = make_part<P, Loader, LoaderContext>;
  else if constexpr (std::derived_from<P, Trainer>)
    maker.trainer = make_part<P, Trainer, TrainerContext>;
  else if constexpr (std::derived_from<P, Sampler>)
    maker.sampler = make_part<P, Sampler, SamplerContext>;
  else
    maker.synthesis = make_part<P, Synthesis, Settings>;
  return maker;
}

}  // namespace benchbench
