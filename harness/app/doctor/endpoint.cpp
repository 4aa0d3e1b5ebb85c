#include "harness/app/doctor/endpoint.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "harness/core/descriptor.h"

namespace benchbench {
namespace {

constexpr int kConnections = 5;
constexpr timeval kAnswerWithin{3, 0};
constexpr std::size_t kMostOfAHead = 64 << 10;

struct FreeAddresses {
  void operator()(addrinfo* all) const noexcept { ::freeaddrinfo(all); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses resolve_addresses(const Endpoint& endpoint, std::string& problem) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* all = nullptr;
  const int failed = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &wanted, &all);
  if (failed != 0) problem = fmt::format("{}: {}", endpoint.host, ::gai_strerror(failed));
  return Addresses(failed == 0 ? all : nullptr);
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    memcpy(&v4, &address, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 v6{};
  memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

// SO_SNDTIMEO holds for connect(), too.
Descriptor connect_to(const addrinfo& all) {
  for (const addrinfo* a = &all; a; a = a->ai_next) {
    Descriptor d(::socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol));
    if (!d) continue;
    ::setsockopt(d.get(), SOL_SOCKET, SO_SNDTIMEO, &kAnswerWithin, sizeof kAnswerWithin);
    ::setsockopt(d.get(), SOL_SOCKET, SO_RCVTIMEO, &kAnswerWithin, sizeof kAnswerWithin);
    if (::connect(d.get(), a->ai_addr, a->ai_addrlen) == 0) return d;
  }
  return Descriptor();
}

// One GET on a connection of its own.
class Get {
 public:
  Get(const addrinfo& server, const Endpoint& endpoint) : socket_(connect_to(server)) {
    const std::string request = fmt::format(
        "GET {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: benchbench\r\nAccept: */*\r\nConnection: "
        "close\r\n\r\n",
        endpoint.path, endpoint.host);
    if (socket_ && ::send(socket_.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
                       static_cast<ssize_t>(request.size()))
      read_head();
  }
  // "200"; "" where the server did not answer.
  const std::string& status() const noexcept { return status_; }
  // Bytes of the body that came with the head.
  std::uint64_t begun() const noexcept { return begun_; }
  // 0 at its end, or where it fails.
  std::uint64_t more(std::vector<char>& into) {
    const ssize_t n = ::recv(socket_.get(), into.data(), into.size(), 0);
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
  }

 private:
  void read_head() {
    std::string head;
    char piece[4096];
    while (head.size() < kMostOfAHead) {
      const ssize_t n = ::recv(socket_.get(), piece, sizeof piece, 0);
      if (n <= 0) return;
      head.append(piece, static_cast<std::size_t>(n));
      const std::size_t end = head.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::size_t space = head.find(' ');
      if (head.starts_with("HTTP/") && space < end) status_ = head.substr(space + 1, 3);
      begun_ = head.size() - end - 4;
      return;
    }
  }
  Descriptor socket_;
  std::string status_;
  std::uint64_t begun_ = 0;
};

bool is_good(const std::string& status) { return status.starts_with("2"); }

// GETs until the time is over; of an object that ends, again.
std::uint64_t get_until(const addrinfo& server, const Endpoint& endpoint, const Runtime& runtime,
                        TimePoint end) {
  std::vector<char> into(1 << 20);
  std::uint64_t done = 0;
  while (runtime.now() < end) {
    Get get(server, endpoint);
    if (!is_good(get.status())) break;
    const std::uint64_t before = done;
    std::uint64_t n = get.begun();
    do {
      done += n;
      n = runtime.now() < end ? get.more(into) : 0;
    } while (n > 0);
    if (done == before) break;
  }
  return done;
}

void measure_connections(const addrinfo& server, const Runtime& runtime, EndpointSpeed& out) {
  std::vector<Nanoseconds> times;
  for (int i = 0; i < kConnections; ++i) {
    const TimePoint start = runtime.now();
    if (const Descriptor d = connect_to(server)) times.push_back(runtime.now() - start);
  }
  out.connect = median_time(times);
  if (times.empty()) out.problem = fmt::format("no connection: {}", strerrordesc_np(errno));
}

void measure_answers(const addrinfo& server, const Endpoint& endpoint, Runtime& runtime,
                     EndpointSpeed& out) {
  const TimePoint start = runtime.now();
  const std::string status = Get(server, endpoint).status();
  out.first_byte = runtime.now() - start;
  if (!is_good(status)) {
    out.problem = status.empty()
                      ? std::string("the server gave no answer in HTTP")
                      : fmt::format("the server answers {} for {}", status, endpoint.path);
    return;
  }
  const ReadUntil read = [&](TimePoint end) { return get_until(server, endpoint, runtime, end); };
  out.one = read_together(runtime, 1, read);
  out.many = read_together(runtime, kReaders, read);
  if (!(out.many > 0)) out.problem = fmt::format("{} is empty", endpoint.path);
}

// Reads "host", "host:8080" or "[::1]:8080"; false of anything else.
bool take_server(const std::string& server, Endpoint& out) {
  const bool v6 = server.starts_with("[");
  const std::size_t behind = v6 ? server.find(']') : 0;
  if (behind == std::string::npos) return false;
  const std::size_t colon = server.find(':', behind);
  out.host = v6 ? server.substr(1, behind - 1) : server.substr(0, colon);
  out.port = colon == std::string::npos ? (out.tls ? "443" : "80") : server.substr(colon + 1);
  return !out.host.empty() && !out.port.empty() &&
         std::ranges::all_of(out.port, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool looks_like_url(const std::string& text) { return text.find("://") != std::string::npos; }

std::optional<Endpoint> parse_endpoint(const std::string& text) {
  Endpoint out;
  out.tls = text.starts_with("https://");
  if (!out.tls && !text.starts_with("http://")) return std::nullopt;
  if (text.find_first_of(" \r\n") != std::string::npos) return std::nullopt;
  const std::size_t from = text.find("://") + 3,
                    slash = std::min(text.find('/', from), text.size());
  out.path = slash == text.size() ? "/" : text.substr(slash);
  return take_server(text.substr(from, slash - from), out) ? std::optional(out) : std::nullopt;
}

EndpointSpeed measure_endpoint(const Endpoint& endpoint, Runtime& runtime) {
  EndpointSpeed out;
  const Addresses server = resolve_addresses(endpoint, out.problem);
  if (!server) return out;
  out.loopback = is_loopback(*server->ai_addr);
  measure_connections(*server, runtime, out);
  if (!out.problem.empty()) return out;
  if (endpoint.tls)
    out.problem = "bytes are not measured over https; give an http address of the same server";
  else
    measure_answers(*server, endpoint, runtime, out);
  return out;
}

}  // namespace benchbench
