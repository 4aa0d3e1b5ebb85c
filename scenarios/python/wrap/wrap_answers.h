// What a process of the script says, as python/WRAP.md has it, in the harness's terms. PartError
// where it makes no sense.
#pragma once
#include "harness/part/wrapped.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

Json plan_message(const WrapOrder& order);

WrapHello hello_from(const Message& hello);
WrapSteady steady_from(const Message& steady);
// `of` is the loader that is measured.
WrapStretch stretch_from(const Message& stretch, const WrapHello& process, const WrapSteady& of);
WrapState state_in(const Message& next);
// Returns `go` or `round`, with the stretches that come.
Json round_message(const char* type, const WrapNext& next);

// Of `progress`; nullopt where nothing is measured yet.
std::optional<WrapKind> kind_in(const Json& body);
// Returns the `ledger` of `progress` or `end`; nullopt where it has none.
std::optional<ExternalLedger> ledger_in(const Json& body);
// Returns the loaders of the member `name`; none where it has none.
std::vector<WrapLoader> loaders_in(const Json& body, const char* name);
WrapEnd end_from(const Message& end);
WrapStacks stacks_from(const Message& stacks);

}  // namespace benchbench::python_part
