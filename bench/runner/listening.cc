#include "runner/listening.h"

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "engine/process.h"

namespace cordon::bench {

Server::Server(std::vector<std::string> command, std::string path) : path_(std::move(path)) {
  unlink(path_.c_str());
  int out[2];
  if (pipe(out) != 0) throw std::runtime_error("pipe");
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    dup2(out[1], STDOUT_FILENO);
    close(out[0]);
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(out[1]);
  char byte = 0;
  const bool is_ready = read(out[0], &byte, 1) == 1;
  close(out[0]);
  if (!is_ready) throw std::runtime_error("it did not start: " + command.front());
}

Server::~Server() {
  kill(-process_, SIGKILL);
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  unlink(path_.c_str());
}

double Server::pss() const {
  double sum = pss_of(process_);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    if (process != process_ && getpgid(process) == process_) sum += pss_of(process);
  }
  return sum;
}

double Server::pss_of(pid_t process) {
  const std::string text = file_text("/proc/" + std::to_string(process) + "/smaps_rollup");
  const std::size_t at = text.find("\nPss:");
  return at == std::string::npos ? 0 : std::stod(text.substr(at + 5)) * 1024;
}

}  // namespace cordon::bench
