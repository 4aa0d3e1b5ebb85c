// What the Python process is asked, as python/PROTOCOL.md has it, from the harness's settings.
#pragma once
#include <string>

#include "harness/part/external.h"
#include "scenarios/python/message.h"

namespace benchbench::python_part {

// Returns null where the key is not given.
Json text_or_null(const Settings& settings, std::string_view key);

// "train.py:make_data": for people.
std::string call_of(const Settings& part);

// `kind`: "load" or "check". Either part may be null. `rests`: a "rest" is to come.
Json load_request(std::string_view kind, const Settings* loader, const Settings* trainer,
                  std::string_view root, std::string_view device, bool rests = false);

// The loader's settings by their names in PyTorch; what is not given is absent.
Json settings_of(const ExternalLoaderKeys& keys, const Settings* loader);

Json run_request(const ExternalOrder& order);

}  // namespace benchbench::python_part
