// What a process of the script says, as python/WRAP.md has it, in the harness's terms. PartError
// where it makes no sense.
#pragma once
#include "harness/part/wrapped.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

Json plan_message(const WrapOrder& order);

WrapHello hello_from(const Message& hello);
WrapPlanned planned_from(const Message& planned);
// `of` is the loader that is measured.
WrapStretch stretch_from(const Message& stretch, const WrapHello& process, const WrapPlanned& of);
// Of `next`: its round, and what was refused.
struct WrapAsked {
  std::uint32_t round = 0;
  std::vector<std::string> refused;
};
WrapAsked asked_in(const Message& next);
// The answer; nullopt: enough.
Json next_message(const std::optional<WrapNext>& next);

// Of `progress`; nullopt where nothing is measured yet.
std::optional<WrapKind> kind_in(const Json& body);
WrapEnd end_from(const Message& end);
WrapStacks stacks_from(const Message& stacks);

}  // namespace benchbench::python_part
