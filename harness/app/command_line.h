// argv -> a command and its Arguments.
#pragma once

namespace benchbench {

// Runs the command that argv names; prints help where asked. Returns its exit code. Throws
// UsageError naming what was wrong and the nearest spelling.
int run_command_line(int argc, char** argv);

}  // namespace benchbench
