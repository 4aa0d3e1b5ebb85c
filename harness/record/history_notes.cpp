#include "harness/record/history_notes.h"

namespace benchbench {

const AcceptedChange* HistoryNotes::accepting(const std::string& series,
                                              const std::string& night) const {
  for (const AcceptedChange& a : accepted)
    if (a.night == night && (series == a.point || series.starts_with(a.point + "/"))) return &a;
  return nullptr;
}

}  // namespace benchbench
