// What people wrote beside a history: changes that are accepted, words about nights.
#pragma once
#include <string>
#include <vector>

namespace benchbench {

struct AcceptedChange {
  std::string point;  // KeptSeries::name() or its beginning up to a slash: "quickstart/base"
  std::string night;  // the first changed night
  std::string note;
};
struct NightRemark {
  std::string night;
  std::string text;
};

struct HistoryNotes {
  std::vector<AcceptedChange> accepted;
  std::vector<NightRemark> remarks;
  // The first entry that accepts a change of this series in that night; nullptr: none does.
  const AcceptedChange* accepting(const std::string& series, const std::string& night) const {
    for (const AcceptedChange& a : accepted)
      if (a.night == night && (series == a.point || series.starts_with(a.point + "/"))) return &a;
    return nullptr;
  }
};

}  // namespace benchbench
