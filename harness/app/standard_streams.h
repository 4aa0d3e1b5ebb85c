// Descriptors 0 to 2, whatever the caller did with them.
#pragma once

namespace benchbench {

// The very first thing in main(): a file that is opened while one of them is closed gets its
// number, and what is printed then lands in the file. Closed input reads as empty, closed error
// output swallows what it is given; closed output refuses it, so that a report that cannot be
// delivered is noticed. Where `nothing` cannot be opened, as in a bare container, what needs no
// file stands in for it.
void reserve_standard_streams(const char* nothing = "/dev/null") noexcept;

}  // namespace benchbench
