#include "harness/config/history_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "harness/config/yaml_tree.h"
#include "harness/core/contains.h"
#include "harness/core/files/whole_file.h"
#include "harness/core/spelling.h"

namespace benchbench {
namespace {

using config::Diagnostics;
using config::Source;
using config::YamlMember;
using config::YamlNode;

class EntryReader {
 public:
  EntryReader(Diagnostics& diagnostics, HistoryNotes& notes)
      : diagnostics_(diagnostics), notes_(notes) {}

  void read(const YamlNode& entry) {
    if (!entry.map() || entry.members.empty())
      return diagnostics_.add(entry.at,
                              "expected an entry: accept and night, or annotate and text");
    const std::string& kind = entry.members.front().key;
    if (kind == "accept")
      accept(entry);
    else if (kind == "annotate")
      annotate(entry);
    else
      diagnostics_.add(entry.members.front().at,
                       "an entry begins with accept or annotate, not with '{}'", kind);
  }

 private:
  void accept(const YamlNode& entry) {
    const std::string allowed[] = {"accept", "night", "note"};
    check_keys(entry, allowed);
    notes_.accepted.push_back(
        {text(entry, "accept", true), text(entry, "night", true), text(entry, "note", false)});
  }
  void annotate(const YamlNode& entry) {
    const std::string allowed[] = {"annotate", "text"};
    check_keys(entry, allowed);
    notes_.remarks.push_back({text(entry, "annotate", true), text(entry, "text", true)});
  }
  void check_keys(const YamlNode& entry, std::span<const std::string> allowed) {
    for (const YamlMember& m : entry.members) {
      if (contains(allowed, m.key)) continue;
      diagnostics_.add(m.at, "unknown key '{}': expected {}{}", m.key, listed(allowed),
                       did_you_mean(m.key, allowed));
    }
  }
  std::string text(const YamlNode& entry, std::string_view key, bool needed) {
    const YamlMember* member = entry.find(key);
    if (!member && needed) diagnostics_.add(entry.at, "the entry has no '{}'", key);
    if (!member) return {};
    if (!member->value.scalar() || (needed && member->value.text.empty()))
      diagnostics_.add(member->at, "'{}' takes a text", key);
    return member->value.text;
  }

  Diagnostics& diagnostics_;
  HistoryNotes& notes_;
};

std::string yaml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

HistoryNotes read_history_notes(const std::string& path) {
  HistoryNotes notes;
  if (!is_there(path)) return notes;
  Diagnostics diagnostics;
  const Source source(path, read_whole(path, kMostOfASmallFile));
  const auto tree = config::parse_yaml(source, diagnostics);
  if (tree && tree->kind != YamlNode::Kind::none && !tree->list())
    diagnostics.add(tree->at,
                    "expected a list of entries that begin with '- accept:' or '- annotate:'");
  EntryReader reader(diagnostics, notes);
  if (tree)
    for (const YamlNode& entry : tree->items) reader.read(entry);
  diagnostics.throw_if_any();
  return notes;
}

std::string history_entry(const AcceptedChange& a) {
  std::string out =
      fmt::format("- accept: {}\n  night: {}\n", yaml_quoted(a.point), yaml_quoted(a.night));
  if (!a.note.empty()) out += fmt::format("  note: {}\n", yaml_quoted(a.note));
  return out;
}

std::string history_entry(const NightRemark& r) {
  return fmt::format("- annotate: {}\n  text: {}\n", yaml_quoted(r.night), yaml_quoted(r.text));
}

}  // namespace benchbench
