#pragma once

// What a tunnel says to a guest, without what only we and that tunnel know: its URL, the token and
// the headers that it gets from us. A server could repeat them, by mistake or to tell the guest.

#include <string>
#include <string_view>
#include <vector>

#include "cordon/config/configuration.h"
#include "cordon/providers/remote_tunnel.h"

namespace cordon::server {

// Any thread may use it.
class Redaction {
 public:
  explicit Redaction(const config::TunnelTarget& target);

  // A secret in the words or in the id becomes "…". Data with a secret are left out, and so is all
  // of an answer that has a token too short to be told from parts of words.
  void hide_in(providers::RemoteFailure& failure) const;

 private:
  void hide_url(std::string_view url);
  void hide(std::string_view text);
  std::string shown(std::string text) const;
  bool has_short_token(std::string_view text) const;
  bool has_secret(std::string_view text) const;
  bool has_secret(ValueView data) const;

  std::vector<std::string> hidden_;  // the longest first; all of them in lower case
  std::string short_token_;          // empty if there is none
};

}  // namespace cordon::server
