// Finds the torch package that the torch module is loaded against. The module holds no path of one:
// the search is where the program runs, so that a program that was built elsewhere uses the torch
// that is there.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

// The places where a torch package may be, the preferred one first; "" where there is none. Each is
// the folder that holds lib/ and version.py.
struct TorchPlaces {
  std::string named;   // BENCHBENCH_TORCH_DIR: no other is looked at where this is set
  std::string python;  // the active python's; core/files/program_path.h says which that is
  std::string cache;   // what scripts/benchbench fetched
  std::string built;   // the one that configure found
};
// The places of this machine. Starts the active python (some 20 ms) unless a torch is named, or
// hand_over_torch() of a parent has found one.
TorchPlaces torch_places();

// A torch package of the version that the module was built with.
struct TorchFolder {
  std::string path;     // absolute, without links: libraries find their neighbours from there
  std::string version;  // "2.11.0+cu130"
  std::string place;    // "of the active python"
  bool cuda = false;    // it has libtorch_cuda.so

  // "2.11.0+cu130 with CUDA, of the active python": what records hold.
  std::string text() const;
};
// The first of the places with `version`; what follows a plus in theirs does not count. DeviceError
// with both versions where it is another, with the places where there is no torch.
TorchFolder find_torch(const TorchPlaces& places, std::string_view version);
// The one of this machine that the module fits. DeviceError as there.
TorchFolder find_torch();

// Looks for torch once, for this process and for those that it starts; nothing where there is none.
// Before threads are started, since it sets a variable of the environment.
void hand_over_torch();
// The text of the torch that was handed over; "" where none was.
std::string torch_handed_over();

}  // namespace benchbench
