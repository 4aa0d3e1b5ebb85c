// A part of one's own: a shared library that `use: ./libmine.so` names. It includes this header,
// links nothing of benchbench, and ends one of its sources with
//
//   BENCHBENCH_PARTS({&description, part_maker<MyLoader>()})
//
// docs/own_part.md has an example, and how to build, run and test it. What the headers declare and
// do not define (Catalog, Settings' owner, ...) is the program's: a library gets objects of it, and
// calls their virtual functions alone.
#pragma once
#include "harness/part/part_maker.h"

#if !defined(__GLIBCXX__) || !_GLIBCXX_USE_CXX11_ABI || defined(_GLIBCXX_DEBUG)
#error "build with libstdc++, its C++11 ABI and without _GLIBCXX_DEBUG, as the program is built"
#endif

namespace benchbench {

// Which interface a library was built for. Raised where this header, or one that it includes,
// changes in more than its comments: tests/architecture says when.
inline constexpr std::uint32_t kPartInterface = 1;

// One part of a library. The description's name is for people: the part is called by its
// library's path.
struct OwnPart {
  const PartDescription* description;
  PartMaker maker;
};
// A loader, a trainer, or one of each. Constant, and valid to the program's end, since no library
// is unloaded.
struct OwnParts {
  const OwnPart* parts;
  std::size_t count;
};

}  // namespace benchbench

// Defines what the program looks for in a library: the number, before any call, then the parts.
#define BENCHBENCH_PARTS(...)                                                          \
  extern "C" {                                                                         \
  [[gnu::visibility("default")]] extern const std::uint32_t benchbench_part_interface; \
  const std::uint32_t benchbench_part_interface = benchbench::kPartInterface;          \
  [[gnu::visibility("default")]] const benchbench::OwnParts* benchbench_parts() {      \
    static const benchbench::OwnPart parts[] = {__VA_ARGS__};                          \
    static const benchbench::OwnParts all{parts, sizeof parts / sizeof parts[0]};      \
    return &all;                                                                       \
  }                                                                                    \
  }                                                                                    \
  static_assert(true)
