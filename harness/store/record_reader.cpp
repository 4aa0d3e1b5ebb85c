#include "harness/store/record_reader.h"

namespace benchbench {
namespace {

// The text within the braces of a member, as to_json() writes it: its name begins it and the next
// member's name ends it, which no text within can be, since quotes in it are escaped.
std::string_view find_inside(std::string_view json, std::string_view begin, std::string_view next) {
  const std::size_t from = json.find(begin), to = json.find(next, from);
  if (from == json.npos || to == json.npos) return "";
  return json.substr(from + begin.size(), to - from - begin.size());
}

// A member of a line that is read as an empty one if its text is known.
template <class T>
struct Member {
  std::string_view text;
  const T* known = nullptr;

  Member(std::string_view inside, const std::map<std::string, T, std::less<>>& all) : text(inside) {
    if (const auto at = all.find(text); !text.empty() && at != all.end()) known = &at->second;
  }
  void cut(std::string& json) const {
    if (known) json.erase(json.find(text), text.size());
  }
  void settle(T& value, std::map<std::string, T, std::less<>>& all) const {
    if (known)
      value = *known;
    else if (!text.empty())
      all.emplace(text, value);
  }
};

}  // namespace

TrialRecord RecordReader::read(std::string_view json) {
  const Member trial(find_inside(json, R"("trial":{)", R"(},"planned":)"), trials_);
  const Member environment(find_inside(json, R"("environment":{)", R"(},"facts":)"), environments_);
  std::string rest(json);
  trial.cut(rest);
  environment.cut(rest);
  TrialRecord record = record_from_json(rest);
  trial.settle(record.trial, trials_);
  environment.settle(record.environment, environments_);
  return record;
}

}  // namespace benchbench
