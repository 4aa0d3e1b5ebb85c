#include "harness/app/tell.h"

#include <cstdio>

namespace benchbench {

void tell(const std::string& text) { std::fputs(text.c_str(), stderr); }

}  // namespace benchbench
