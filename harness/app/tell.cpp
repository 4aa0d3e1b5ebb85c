#include "harness/app/tell.h"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "harness/core/called_as.h"
#include "harness/core/visible_text.h"

namespace benchbench {

void tell(const std::string& text) { std::fputs(visible_lines(text).c_str(), stderr); }

void tell_once(const std::string& text, const std::string& key) {
  static std::set<std::string> told;
  if (told.insert(key.empty() ? text : key).second) tell(text);
}

void tell_error(const Error& error) {
  tell(fmt::format("error: {}\n", error.what()));
  if (!error.hint().empty()) tell(fmt::format("hint: {}\n", as_called(error.hint())));
}

}  // namespace benchbench
