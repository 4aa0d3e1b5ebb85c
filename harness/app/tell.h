// What is said to whoever watches: on standard error, as far as it can be said.
#pragma once
#include <fmt/format.h>

#include <string>
#include <utility>

#include "harness/core/error.h"

namespace benchbench {

// Never throws for the stream: a full disk behind it, a closed terminal or a reader that is gone
// ends nothing. (fmt::print throws, which has ended sweeps after their first trial.) Control
// characters of names are shown as visible_lines() shows them.
void tell(const std::string& text);
template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  tell(fmt::format(format, std::forward<Values>(values)...));
}
// Tells it once in this process for each key, for each text where none is given.
void tell_once(const std::string& text, const std::string& key = {});
// "error: ...", and its hint where it has one.
void tell_error(const Error& error);

}  // namespace benchbench
