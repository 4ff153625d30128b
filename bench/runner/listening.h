#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace cordon::bench {

// A process that listens, and all that it starts.
class Server {
 public:
  Server(std::vector<std::string> command, std::string path);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::string& path() const { return path_; }
  // The memory of the process and of those that it started.
  double pss() const;

 private:
  static double pss_of(pid_t process);

  std::string path_;
  pid_t process_ = -1;
};

}  // namespace cordon::bench
