#include "running_server.h"

#include <stdexcept>

namespace cordon::tunnel_test {

RunningServer::RunningServer(ServerOptions options, const std::function<void(Server&)>& set_up)
    : server_([&] {
        options.listen = {"127.0.0.1:0"};
        options.threads = 2;
        return std::move(options);
      }()) {
  set_up(server_);
  const Result<> opened = server_.open();
  if (!opened) throw std::runtime_error(to_string(opened.error()));
  const std::string url = server_.urls().front();
  port_ = static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1)));
  thread_ = std::jthread([this] { (void)server_.run(); });
}

RunningServer::~RunningServer() {
  server_.stop();
  thread_.join();
}

Response RunningServer::ask(std::string_view method, std::string_view target, std::string_view head,
                            std::string_view body) const {
  HttpPeer peer(port_);
  std::string request(method);
  request += ' ';
  request += target;
  request += " HTTP/1.1\r\nhost: localhost\r\n";
  request += head;
  if (!body.empty()) request += "content-length: " + std::to_string(body.size()) + "\r\n";
  request += "\r\n";
  request += body;
  peer.send(request);
  return peer.receive(method == "HEAD" ? HttpPeer::Body::none : HttpPeer::Body::expected);
}

Response RunningServer::post(std::string_view target, std::string_view body,
                             std::string_view head) const {
  return ask("POST", target, std::string(token) + std::string(head), body);
}

}  // namespace cordon::tunnel_test
