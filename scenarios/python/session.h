// The user's Python as an external session, and the look at it before a run: part/external.h.
#pragma once
#include "harness/part/external.h"
#include "scenarios/python/torch_look.h"

namespace benchbench::python_part {

std::unique_ptr<ExternalSession> make_session(const ExternalOrder& order);
ExternalCheck check_code(const ExternalCheckOrder& order);
void end_idle(IdleProcesses which);

inline constexpr ExternalMaker kExternalMaker{
    .session = make_session, .check = check_code, .cuda = look_for_cuda, .end_idle = end_idle};

}  // namespace benchbench::python_part
