// A library that is opened at run time, and its functions by name.
#pragma once
#include <dlfcn.h>

#include <cstring>
#include <span>
#include <string>

namespace benchbench::cuda {

// Where one function's address goes. `older` is tried where there is no `name`; nullptr: it is
// needed under that name.
struct WantedSymbol {
  const char* name;
  const char* older;
  void* slot;  // of a pointer to a function
};

template <class Call>
WantedSymbol wanted(const char* name, Call*& slot, const char* older = nullptr) noexcept {
  return {name, older, static_cast<void*>(&slot)};
}

// Never closed: drivers keep threads and handlers at exit.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string refusal;  // of the loader, where handle is null
};

inline OpenedLibrary open_library(const std::string& file) {
  OpenedLibrary opened{dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), {}};
  if (opened.handle) return opened;
  const char* const said = dlerror();
  opened.refusal = said ? said : "the loader gave no reason";
  return opened;
}

// Fills all slots. The first name that is missing, "" where none is.
inline std::string find_symbols(void* library, std::span<const WantedSymbol> symbols) {
  for (const WantedSymbol& symbol : symbols) {
    void* address = dlsym(library, symbol.name);
    if (!address && symbol.older) address = dlsym(library, symbol.older);
    if (!address) return symbol.name;
    std::memcpy(symbol.slot, &address, sizeof address);
  }
  return {};
}

}  // namespace benchbench::cuda
