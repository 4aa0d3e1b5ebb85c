// `benchbench datagen --convert`: samples from one format to another.
#pragma once
#include "harness/app/command.h"

namespace benchbench {

int run_convert(const Arguments& arguments);

}  // namespace benchbench
