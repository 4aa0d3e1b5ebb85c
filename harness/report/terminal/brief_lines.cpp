#include "harness/report/terminal/brief_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "harness/core/printed_by_code.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/display_text.h"
#include "harness/report/words/beside_lines.h"
#include "harness/report/words/order_words.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

constexpr std::size_t kDetails = 12, kLeastDetails = 4;  // lines of a traceback
constexpr std::size_t kReasons = 3;                      // have a line, however few lines there are
constexpr std::size_t kRulesNamed = 2;                   // of those that have none

std::size_t lines_in(const std::string& text) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// "2 of 4 CPUs, kvm".
std::string machine_in_brief(const Environment& e) {
  const bool whole = e.virtualization.empty() || e.virtualization == "none";
  return cpus_text(e) + (whole ? "" : ", " + e.virtualization);
}

std::string differences_in_brief(const Findings& f) {
  if (!f.aa_floor) return "not measured: no trial ran twice in one round";
  const std::string where = f.simulated || f.environment.cpus_online == 0
                                ? ""
                                : fmt::format(" here ({})", machine_in_brief(f.environment));
  if (!(f.aa_floor->value > 0)) return fmt::format("none between identical trials{}", where);
  if (f.rounds < kNoiseRounds)
    return fmt::format(
        "{}{} seen between identical trials{}, in {} of {}: more rounds may show more",
        is_told_as_bound(f.aa_floor->high) ? "" : "up to ", difference_text(f.aa_floor->high),
        where, counted(f.aa_floor->n, "pair"), counted(f.rounds, "round"));
  return fmt::format("{}{} between two identical trials{}",
                     is_told_as_bound(f.aa_floor->value) ? "" : "up to ",
                     difference_text(f.aa_floor->value), where);
}

// In virtual time measuring takes none.
std::string noise_in_brief(const Findings& f) {
  return differences_in_brief(f) + (f.simulated ? "" : cost_of_measuring(f));
}

bool only_marks(const std::string& line) {
  return line.find_first_not_of(" ^~") == std::string::npos;
}

// The last line that the user's code printed, as one of the report's; empty where it printed none.
std::string last_printed(const std::vector<std::string>& all) {
  const auto heading = std::ranges::find(all, kLastPrinted);
  if (heading == all.end() || heading + 1 == all.end()) return "";
  return fmt::format(
      "{} {}", kLastPrinted,
      all.back().substr(std::min(all.back().find_first_not_of(' '), all.back().size())));
}

// Of a traceback in at most `most` lines (3 at least) its end, the line that raised among it: what
// was printed goes first, but for its last line where there is room, then marks below code, then
// the outer frames.
std::vector<std::string> brief_traceback(const std::vector<std::string>& all, std::size_t most) {
  if (all.size() <= most) return all;
  most = std::max<std::size_t>(3, most) - 1;  // and a line that says how many are left out
  std::vector<std::string> lines(all.begin(), std::ranges::find(all, kLastPrinted));
  const std::string printed = most > kLeastDetails ? last_printed(all) : "";
  if (!printed.empty()) --most;
  if (lines.size() > most) std::erase_if(lines, only_marks);
  bool cut = lines.empty();
  // The lines with what was printed, and how much of it all is left out, above or below.
  const auto whole = [&] {
    const std::size_t shown = lines.size() + (printed.empty() ? 0 : 1);
    if (!printed.empty()) lines.push_back(printed);
    lines.insert(cut ? lines.begin() : lines.end(),
                 fmt::format("... {}: --detail ...", counted(all.size() - shown, "more line")));
    return lines;
  };
  if (lines.size() <= most) return whole();
  // A frame of a group is indented, with a bar before it.
  const auto is_frame = [](const std::string& line) {
    return line.find("File \"") != std::string::npos &&
           line.find_first_not_of(" |") == line.find("File \"");
  };
  // The last frame, which raised.
  const auto frame = std::ranges::find_if(lines.rbegin(), lines.rend(), is_frame);
  const auto longest = static_cast<std::ptrdiff_t>(lines.size() - most);
  const auto first = frame == lines.rend()
                         ? longest
                         : std::min(longest, static_cast<std::ptrdiff_t>(lines.size()) -
                                                 (frame - lines.rbegin()) - 1);
  lines.erase(lines.begin(), lines.begin() + first);
  cut = first > 0;
  if (lines.size() > most) lines.resize(most);  // of an exception of many lines
  return whole();
}

Note in_one_line(Note n, std::size_t width) {
  n.text = cut_to_width(wrapped(n.brief.empty() ? n.text : n.brief, SIZE_MAX), width);
  n.details.clear();
  return n;
}

// Trials that FAILED or are INVALID come first, then why others are NOISY.
int rank_note(const Note& n) { return n.bad ? 0 : n.rule.empty() ? 2 : 1; }

// "5 more notes: --detail". Rules among them are named: a status in the table is by one of those.
Note count_left_out(std::span<const Note> notes) {
  std::vector<std::string> rules;
  for (const Note& n : notes)
    if (!n.rule.empty() && std::ranges::find(rules, n.rule) == rules.end()) rules.push_back(n.rule);
  std::string text = counted(notes.size(), "more note");
  for (std::size_t i = 0; i < std::min(rules.size(), kRulesNamed); ++i)
    text += (i > 0 ? ", " : ", also of ") + rules[i];
  if (rules.size() > kRulesNamed) text += fmt::format(" and {} more", rules.size() - kRulesNamed);
  const bool bad = std::ranges::any_of(notes, [](const Note& n) { return n.bad; });
  return {bad, text + ": --detail", {}};
}

// The notes in at most `most` lines, but for reasons; the last says how many are left out.
std::vector<Note> without_least(std::vector<Note> cut, std::size_t most) {
  const auto reasons = static_cast<std::size_t>(
      std::ranges::count_if(cut, [](const Note& n) { return rank_note(n) < 2; }));
  const std::size_t kept =
      std::max(std::max<std::size_t>(most, 2) - 1, std::min(kReasons, reasons));
  // A line that counts one note would take that note's place.
  if (cut.size() <= std::max(most, kept + 1)) return cut;
  std::ranges::stable_sort(cut, {}, rank_note);
  const Note rest = count_left_out(std::span(cut).subspan(kept));
  cut.resize(kept);
  cut.push_back(rest);
  return cut;
}

}  // namespace

std::string with_details(const Note& n, std::size_t width, std::size_t most) {
  constexpr std::size_t indent = 4;
  std::string text = wrapped(n.text, width, 2);
  const bool traceback =
      std::any_of(n.details.begin(), std::ranges::find(n.details, kLastPrinted), begins_traceback);
  for (const std::string& line :
       traceback ? brief_traceback(n.details, most) : without_middle(n.details, most))
    for (const std::string& part : split_lines(fitted(line, width - indent)))
      text += '\n' + std::string(indent, ' ') + part;
  return text;
}

std::vector<Note> brief_notes(const Findings& findings, const Plan& plan, std::size_t width,
                              std::size_t most) {
  std::vector<Note> all = notes_of(findings, plan, false);
  std::erase_if(all, [](const Note& n) { return n.only_detail; });
  std::vector<Note> whole, cut;
  std::size_t lines = 0;
  for (const Note& n : all) {
    whole.push_back({n.bad, with_details(n, width, kDetails), {}});
    cut.push_back(in_one_line(n, width));
    lines += lines_in(whole.back().text);
  }
  const bool one_bad = all.size() == 1 && all.front().bad;  // the reason for all that is missing
  if (lines <= most || one_bad) return whole;
  // The first cause that has a traceback keeps its end, whatever room there is.
  const auto traced =
      std::ranges::find_if(all, [](const Note& n) { return n.bad && !n.details.empty(); });
  if (traced != all.end()) {
    const std::size_t room = most > cut.size() ? most - cut.size() : 0;
    Note& kept = cut[static_cast<std::size_t>(traced - all.begin())];
    kept.text = with_details({traced->bad, kept.text, traced->details}, width,
                             std::clamp(room, kLeastDetails, kDetails));
  }
  return without_least(std::move(cut), most);
}

std::vector<std::pair<std::string, std::string>> brief_surroundings(const Findings& f,
                                                                    const Plan& plan,
                                                                    const std::string& run_folder) {
  std::vector<std::pair<std::string, std::string>> lines;
  const bool ran = f.count(Status::valid) + f.count(Status::noisy) + f.count(Status::invalid) > 0;
  if (ran && f.interference)  // asked for
    std::ranges::copy_if(beside_lines(f), std::back_inserter(lines),
                         [](const auto& line) { return line.first == "beside"; });
  if (std::string orders = orders_line(f, plan); ran && !orders.empty())
    lines.emplace_back("shuffle", std::move(orders));
  // A wrapped script's stretches are not repeated within a round.
  if (ran && !wraps_script(plan)) lines.emplace_back("noise", noise_in_brief(f));
  if (!run_folder.empty())
    lines.emplace_back("results", run_folder + " (--detail: all that was measured)");
  return lines;
}

}  // namespace benchbench
