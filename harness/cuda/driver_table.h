// The driver's library, opened at run time.
#pragma once
#include <string>

#include "harness/cuda/driver_api.h"

namespace benchbench::cuda {

inline constexpr const char* kDriverLibrary = "libcuda.so.1";
// 11.0: primary contexts, events and copies as used here
inline constexpr int kLeastDriver = 11000;

// What was loaded. A value; its library stays open to the program's end.
struct Driver {
  DriverTable call{};
  int version = 0;  // of the interface: 12040 is 12.4
};

// Opens `library`, starts the driver and asks for its version. DeviceError where the library or one
// of its functions is missing, where the driver does not start, and where it is older than `least`.
Driver load_driver(const std::string& library = kDriverLibrary, int least = kLeastDriver);

// How many devices this process may use.
int device_count(const Driver& driver);

// Its number; DeviceError where there is no such device.
DeviceId find_device(const Driver& driver, int ordinal);

// "12.4" of 12040.
std::string version_text(int version);

}  // namespace benchbench::cuda
