// The members of an alarm that `report` and `compare` have alike.
#pragma once
#include <optional>
#include <string_view>

#include "harness/analysis/alarms/alarm.h"

namespace benchbench {

void visit_alarm(const Alarm& a, auto&& visit) {
  visit("alarm", a.kind);
  visit("state", a.state);
  visit("value", a.worst ? std::optional(a.worst->value) : std::nullopt,
        "The worst that was seen, a share or a share a minute; null: not measured, or no case of "
        "it.");
  visit("limit", a.limit);
}

}  // namespace benchbench
