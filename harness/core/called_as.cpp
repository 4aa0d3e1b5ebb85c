#include "harness/core/called_as.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "harness/core/characters.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr std::string_view kName = "benchbench ";
constexpr const char* kVariable = "BENCHBENCH_CALLED_AS";

std::string called;  // as a shell takes it; empty: as we call ourselves
std::vector<std::string_view> command_names;

bool is_word(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }

// "benchbench" as a word of its own, not the end of a path, with a command after it.
bool is_call(std::string_view text, std::size_t at) {
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '/' || text[at - 1] == '.')) return false;
  const std::string_view rest = text.substr(at + kName.size());
  const std::string_view word =
      rest.substr(0, std::ranges::find_if_not(rest, is_word) - rest.begin());
  return word == "COMMAND" || contains(command_names, word);
}

}  // namespace

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "_-./+,:@%=~";
  const auto safe = [&](char c) { return (is_word(c) || plain.find(c) != std::string_view::npos); };
  if (!text.empty() && std::ranges::all_of(text, safe)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void note_call(const char* argv0, std::vector<std::string_view> commands) {
  command_names = std::move(commands);
  const char* given = std::getenv(kVariable);
  const std::string_view path = given && *given ? given : argv0 ? argv0 : "";
  called = path.empty() || path == "benchbench" ? std::string{} : shell_word(path);
  if (!path.empty()) ::setenv(kVariable, std::string(path).c_str(), 1);
}

std::string as_called(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = called.empty() ? std::string_view::npos : text.find(kName, at);
    if (next == std::string_view::npos) return out.append(text.substr(at));
    out.append(text.substr(at, next - at));
    out.append(is_call(text, next) ? called : std::string(kName.substr(0, kName.size() - 1)))
        .append(" ");
    at = next + kName.size();
  }
  return out;
}

}  // namespace benchbench
