#include "harness/core/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/characters.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

constexpr std::size_t kLeastLetters = 3;  // of a word that is looked for in others
constexpr std::size_t kLeastPart = 5;     // of a part of a word that may stand for the whole

// "batchsize" of "Batch-size".
std::string letters_of(std::string_view word) {
  std::string letters;
  for (const char c : word)
    if (is_letter_or_digit(c)) letters += lower(c);
  return letters;
}

// "num", "worker" of "num_workers": without the plural, since `worker` and `workers` are the same
// mistake.
std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : word) {
    if (is_letter_or_digit(c))
      parts.back() += lower(c);
    else if (!parts.back().empty())
      parts.emplace_back();
  }
  if (parts.back().empty()) parts.pop_back();
  for (std::string& part : parts)
    if (part.size() > kLeastLetters && part.ends_with('s')) part.pop_back();
  return parts;
}

using Parts = std::vector<std::string>;

bool all_in(const Parts& parts, const Parts& in) {
  return std::ranges::all_of(parts, [&](const std::string& p) { return contains(in, p); });
}

// `num_workers_max` begins with num_workers; a single part at the end (`learning_rate`) is too
// little.
bool begins_or_ends_with(const Parts& word, const Parts& candidate) {
  if (candidate.size() >= word.size()) return false;
  return std::equal(candidate.begin(), candidate.end(), word.begin()) ||
         (candidate.size() > 1 && std::equal(candidate.rbegin(), candidate.rend(), word.rbegin()));
}

bool has_part_near(const Parts& candidate, const std::string& word) {
  return word.size() >= kLeastPart && std::ranges::any_of(candidate, [&](const std::string& p) {
           return p.size() >= kLeastPart && spelling_distance(p, word) <= 1;
         });
}

bool share_a_part(const Parts& a, const Parts& b) {
  return std::ranges::any_of(
      a, [&](const std::string& p) { return p.size() >= kLeastPart && contains(b, p); });
}

// The nearer the smaller; of equally near words the one of the nearest length is meant.
struct Likeness {
  enum Kind : std::size_t {
    letters,
    beginning,
    parts,
    within,
    longer,
    edits,
    part_edits,
    shared_part,
    letters_elsewhere,
    none
  } kind = none;
  std::size_t off = 0;
};

std::size_t gap(std::string_view a, std::string_view b) {
  return a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
}

// The section of a dotted key, taken off: that both have the same one is no likeness (`loader.abc`,
// `loader.use`).
std::string_view take_section(std::string_view& key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view section = key.substr(0, dot);
  key.remove_prefix(dot + 1);
  return section;
}

// Compares words that are not the same, in the same section.
Likeness compare_parts(std::string_view word, std::string_view candidate) {
  const std::string w = letters_of(word), c = letters_of(candidate);
  const std::size_t off = gap(w, c);
  const Parts of_word = parts_of(word), of_candidate = parts_of(candidate);
  if (all_in(of_word, of_candidate)) return {Likeness::parts, off};
  if (w.size() > kLeastLetters && c.find(w) != std::string::npos) return {Likeness::within, off};
  if (c.size() > kLeastLetters && begins_or_ends_with(of_word, of_candidate))
    return {Likeness::longer, off};
  const std::size_t limit = std::clamp<std::size_t>(w.size() / 3, 1, 3);
  const std::size_t edits = off > limit ? limit + 1 : spelling_distance(w, c);
  if (edits <= limit) return {Likeness::edits, edits};
  if (has_part_near(of_candidate, of_word.size() == 1 ? of_word.front() : w))
    return {Likeness::part_edits, off};
  return share_a_part(of_word, of_candidate) ? Likeness{Likeness::shared_part, 0} : Likeness{};
}

Likeness likeness_of(std::string_view word, std::string_view candidate) {
  const bool dotted =
      word.find('.') != std::string_view::npos && candidate.find('.') != std::string_view::npos;
  const bool elsewhere = dotted && take_section(word) != take_section(candidate);
  const std::string w = letters_of(word), c = letters_of(candidate);
  if (w.empty()) return {};
  if (w == c) return {elsewhere ? Likeness::letters_elsewhere : Likeness::letters, gap(w, c)};
  if (elsewhere || w.size() < kLeastLetters) return {};
  if (c.starts_with(w)) return {Likeness::beginning, gap(w, c)};
  return compare_parts(word, candidate);
}

class Nearest {
 public:
  void offer(std::string_view candidate, const Likeness& likeness) {
    if (likeness.kind == Likeness::none) return;
    const bool nearer =
        likeness.kind < best_.kind || (likeness.kind == best_.kind && likeness.off < best_.off);
    // One part alone says which word is meant only where no other word has it too.
    ambiguous_ = !nearer && (ambiguous_ || (likeness.kind == Likeness::shared_part &&
                                            best_.kind == Likeness::shared_part));
    if (!nearer) return;
    best_ = likeness;
    word_ = candidate;
  }
  std::string_view word() const { return ambiguous_ ? std::string_view{} : word_; }

 private:
  Likeness best_;
  std::string_view word_;
  bool ambiguous_ = false;
};

bool in_word(char c) { return c == '_' || is_letter_or_digit(c); }

}  // namespace

std::size_t spelling_distance(std::string_view a, std::string_view b) {
  // Three rows of the table: the one being filled, the one before (replace, insert, delete) and the
  // one before that (swap of neighbours).
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest_spelling(std::string_view word, std::span<const std::string> allowed) {
  Nearest best;
  for (const std::string& candidate : allowed) best.offer(candidate, likeness_of(word, candidate));
  return std::string(best.word());
}

std::string did_you_mean(std::string_view word, std::span<const std::string> allowed,
                         std::string_view quotes) {
  const std::string near = nearest_spelling(word, allowed);
  return suggest(near.empty() ? near : fmt::format("{0}{1}{0}", quotes, near));
}

std::string listed(std::span<const std::string> words, std::size_t max) {
  const std::size_t shown = std::min(words.size(), max);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text.append(i ? ", " : "").append(words[i]);
  if (shown < words.size())
    text += fmt::format("{}... ({} more)", shown ? ", " : "", words.size() - shown);
  return text;
}

std::string suggest(std::string_view near, std::string_view otherwise) {
  return near.empty() ? std::string(otherwise) : "; " + ask_whether(near);
}

std::string ask_whether(std::string_view near, std::string_view otherwise) {
  return near.empty() ? std::string(otherwise) : fmt::format("did you mean {}?", near);
}

std::string suggest_allowed(std::string_view word, std::span<const std::string> allowed) {
  return fmt::format("{} Allowed: {}", suggest(nearest_spelling(word, allowed), "."),
                     listed(allowed));
}

bool is_listed(std::string_view list, std::string_view word) {
  return fmt::format(",{},", list).find(fmt::format(",{},", word)) != std::string::npos;
}

bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); !word.empty() && at != text.npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end])))
      return true;
  }
  return false;
}

}  // namespace benchbench
