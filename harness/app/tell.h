// What is said to whoever watches: on standard error, as far as it can be said.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace benchbench {

// Never throws for the stream: a full disk behind it, a closed terminal or a reader that is gone ends nothing. (fmt::print
// throws, which has ended sweeps after their first trial.)
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

}  // namespace benchbench
