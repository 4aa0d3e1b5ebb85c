// The way to the data: which file systems are a network, what a server gives, what is said of it.
#include "harness/app/doctor/data_path.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/descriptor.h"
#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench {
namespace data_path_tests {

namespace fs = std::filesystem;

struct Folder {
  Folder() : path(test::make_scratch_folder("data_path")) {}
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name, const std::string& text) const {
    const std::string at = path + "/" + name;
    std::ofstream(at) << text;
    return at;
  }
  const std::string path;
};

// Answers every request on 127.0.0.1 with the same words, until it is destroyed.
class Server final : public Job {
 public:
  explicit Server(std::string answer) : answer_(std::move(answer)) {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof here;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&here), length);
    ::listen(listener_.get(), 64);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&here), &length);
    port_ = ntohs(here.sin_port);
    task_ = runtime_->spawn("server", *this);
  }
  ~Server() override {
    over_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
    task_->join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  std::string url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  void run() override {
    while (!over_) {
      const Descriptor d(::accept(listener_.get(), nullptr, nullptr));
      char request[4096];
      if (!d || ::recv(d.get(), request, sizeof request, 0) <= 0) continue;
      ::send(d.get(), answer_.data(), answer_.size(), MSG_NOSIGNAL);
    }
  }

 private:
  const std::string answer_;
  Descriptor listener_;
  int port_ = 0;
  std::atomic<bool> over_{false};
  std::unique_ptr<Runtime> runtime_ = make_real_runtime();
  std::unique_ptr<Task> task_;
};

EndpointSpeed measured(const Server& server, const std::string& path) {
  return measure_endpoint(parse_endpoint(server.url(path)).value(), *make_real_runtime());
}

const std::string kHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";

Mount nfs() { return {"nfs4", "server:/export", true}; }
PathSpeed fast() {
  PathSpeed speed;
  speed.one = 100 << 20, speed.many = 400 << 20, speed.first_byte = std::chrono::microseconds{900};
  return speed;
}

TEST_CASE("data path: a network file system is known by its type", "[unit][app]") {
  for (const char* type : {"nfs4", "cifs", "lustre", "fuse.sshfs", "fuse.mountpoint-s3"})
    CHECK(is_over_network(type));
  for (const char* type : {"", "fuseblk", "fuse.lxcfs", "ext4"}) CHECK_FALSE(is_over_network(type));
}

TEST_CASE("data path: the longest mount point above the data is theirs", "[unit][app]") {
  const Folder folder;
  const std::string data = folder.path + "/my data/images", root = fs::canonical(folder.path);
  fs::create_directories(data);
  const std::string table = folder.file("mountinfo",
                                        "1 0 8:1 / / rw - ext4 /dev/vda rw\n"
                                        "2 1 0:5 / " +
                                            root +
                                            "/my\\040data rw shared:3 - nfs4 "
                                            "server:/export rw\n"
                                            "3 1 0:6 / " +
                                            root + "/my\\040dat rw - xfs /dev/vdb rw\n");
  const Mount mount = find_mount(data, table);
  CHECK(mount.type == "nfs4");
  CHECK(mount.source == "server:/export");
  CHECK(mount.network);
  CHECK(find_mount(root, table).type == "ext4");
  CHECK(find_mount(data, folder.path + "/none").type.empty());
}

TEST_CASE("data path: files are read in whole, or why not is said", "[unit][app]") {
  const Folder folder;
  const auto runtime = make_real_runtime();
  CHECK_THAT(measure_files(folder.path, *runtime).problem, Catch::Contains("no file with bytes"));
  folder.file("a", std::string(5 << 20, 'a')), folder.file("b", "b");
  const PathSpeed speed = measure_files(folder.path, *runtime);
  CHECK(speed.problem.empty());
  CHECK(speed.bytes == 2 * ((5 << 20) + 1));
  CHECK(speed.one > 0);
  CHECK(speed.many > 0);
  CHECK(speed.first_byte.count() > 0);
}

TEST_CASE("data path: URLs that can be asked, and others", "[unit][app]") {
  const auto full = parse_endpoint("http://store.local:9000/bucket/key?x=1");
  REQUIRE(full);
  CHECK(full->host == "store.local");
  CHECK(full->port == "9000");
  CHECK(full->path == "/bucket/key?x=1");
  CHECK(parse_endpoint("https://store")->port == "443");
  CHECK(parse_endpoint("https://store")->tls);
  CHECK(parse_endpoint("http://[::1]:80")->host == "::1");
  for (const char* const bad : {"s3://bucket/key", "http://", "http://host:port/", "http://[::1",
                                "http://a b/", "/data", ""})
    CHECK_FALSE(parse_endpoint(bad));
  CHECK_THROWS_AS(refuse_bad_data("s3://bucket/key"), UsageError);
  CHECK_THROWS_AS(refuse_bad_data("/no/such/folder"), UsageError);
  CHECK_NOTHROW(refuse_bad_data("/"));
}

TEST_CASE("data path: a server's bytes are counted without their head", "[unit][app]") {
  const Server server(kHead + std::string(100'000, 'x'));
  const EndpointSpeed speed = measured(server, "/data");
  CHECK(speed.problem.empty());
  CHECK(speed.loopback);
  CHECK(speed.connect.count() > 0);
  CHECK(speed.first_byte >= speed.connect / 10);
  CHECK(speed.one > 0);
  CHECK(speed.many > 0);
  const DataPath path = judge_endpoint("http://127.0.0.1/data", speed);
  CHECK(path.network == 0);  // its rate is no ceiling of a network
  CHECK_THAT(path.checks.at(0).value, Catch::Contains("over no network"));
}

TEST_CASE("data path: a server that gives nothing is told", "[unit][app]") {
  CHECK_THAT(measured(Server("HTTP/1.1 404 Not Found\r\n\r\n"), "/nothing").problem,
             Catch::Contains("answers 404 for /nothing"));
  CHECK_THAT(measured(Server(kHead), "/empty").problem, Catch::Contains("/empty is empty"));
  CHECK_THAT(measured(Server("SSH-2.0\r\n\r\n"), "/").problem,
             Catch::Contains("no answer in HTTP"));
  Endpoint secure = parse_endpoint(Server(kHead).url("/")).value();
  CHECK_THAT(measure_endpoint(secure, *make_real_runtime()).problem,
             Catch::Contains("no connection"));  // that server has ended
}

TEST_CASE("data path: what comes over a network is a ceiling; what did not is none",
          "[unit][app]") {
  PathSpeed speed = fast();
  speed.received_share = 1.02;
  const DataPath path = judge_mount("/data", nfs(), speed);
  CHECK(path.network == 400 << 20);
  CHECK(path.value == "400 MiB/s with 8 readers, 100 MiB/s with one, 900 us to the first byte");
  CHECK(path.checks.at(0).value == "/data on nfs4 (server:/export), over the network");
  speed.received_share = 0.1;
  const DataPath cached = judge_mount("/data", nfs(), speed);
  CHECK(cached.network == 0);
  CHECK(cached.checks.at(1).verdict == DoctorVerdict::note);
  CHECK_THAT(cached.checks.at(1).value, Catch::Contains("10 % of what was read"));
  const DataPath local = judge_mount("/data", {"ext4", "/dev/vda", false}, {});
  CHECK(local.network == 0);
  CHECK_THAT(local.checks.at(0).value, Catch::Contains("no network file system"));
}

}  // namespace data_path_tests
}  // namespace benchbench
