// placeholder
#include "harness/app/command.h"
namespace benchbench {
namespace { int run_doctor(const Arguments&) { return 0; } }
constinit const Command doctor_command{"doctor", "check", "this machine: CPUs, memory, disk, torch", "", 0, 0, {}, "  a\n  b\n  c\n", run_doctor};
}
