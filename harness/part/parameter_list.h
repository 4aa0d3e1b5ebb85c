// Mocks share whole lists of parameters; a part's own list is made of them.
#pragma once
#include <array>

#include "harness/part/description.h"

namespace benchbench {

template <std::size_t A, std::size_t B>
constexpr std::array<Parameter, A + B> joined(const std::array<Parameter, A>& a,
                                              const std::array<Parameter, B>& b) {
  std::array<Parameter, A + B> all{};
  for (std::size_t i = 0; i < A; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) all[A + i] = b[i];
  return all;
}

}  // namespace benchbench
