// A server that data come from, asked by plain HTTP.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/app/doctor/path_speed.h"

namespace benchbench {

struct Endpoint {
  std::string host, port, path;
  bool tls = false;  // https: connections alone are measured
};

// Returns what "http://HOST[:PORT][/PATH]" names, https likewise. nullopt where the text is none.
std::optional<Endpoint> parse_endpoint(const std::string& text);

// True where the text is to be a URL: "s3://bucket/key" too.
bool looks_like_url(const std::string& text);

struct EndpointSpeed : PathSpeed {
  Nanoseconds connect{0};
  bool loopback = false;  // the server is this machine: no network is on the path
};

// GETs the object again and again, with one connection and then with kReaders, for about a second
// each. Nothing is thrown.
EndpointSpeed measure_endpoint(const Endpoint& endpoint, Runtime& runtime);

}  // namespace benchbench
