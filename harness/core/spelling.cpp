#include "harness/core/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace benchbench {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: the one being filled, the one before (replace, insert, delete) and the one
  // before that (swap of neighbours).
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest_spelling(std::string_view word, std::span<const std::string> allowed) {
  std::size_t best_distance = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
  std::string_view best;
  for (const std::string& candidate : allowed) {
    const std::size_t gap =
        candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
    if (gap >= best_distance) continue;
    const std::size_t distance = spelling_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return std::string(best);
}

std::string listed(std::span<const std::string> words, std::size_t max) {
  const std::size_t shown = std::min(words.size(), max);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text.append(i ? ", " : "").append(words[i]);
  if (shown < words.size()) text += fmt::format("{}... ({} more)", shown ? ", " : "", words.size() - shown);
  return text;
}

}  // namespace benchbench
