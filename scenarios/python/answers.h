// What the Python process answers, as python/PROTOCOL.md has it, in the harness's terms. PartError
// where it makes no sense.
#pragma once
#include "harness/part/external.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

// Of a DataLoader's own settings.
std::map<std::string, ExternalValue> values_from(const Json& members);
// Of `loaded`: what is known before anything runs.
void note_loaded(const Message& loaded, ExternalFacts& facts);
// Reads from `result` and `served` which device the steps used, and what their times are. Series of
// the host hold the times of handing work over where a device was used.
void note_device(const Json& body, ExternalFacts& facts);
// Of `checked`.
ExternalCheck check_from(const Message& checked);
// Of `result` and `served`; `facts` are what is known already.
ExternalResult result_from(const Message& result, ExternalFacts facts);
// Of `progress` and `window`.
void tell_progress(const Message& progress, ExternalListener& listener);
enum class Edge : std::uint8_t { begin, end };
Edge tell_edge(const Message& window, ExternalListener& listener);

}  // namespace benchbench::python_part
