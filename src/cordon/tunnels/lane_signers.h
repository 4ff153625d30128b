#pragma once

// Signs the calls of lanes, for servers of Runner 6 and `cordon serve` (protocol/tunnel/lane.h).

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/protocol/tunnel/lane.h"
#include "cordon/result.h"
#include "cordon/tunnel_client.h"

namespace cordon::tunnels {

// It does not change, and any thread may use it.
class LaneSigners {
 public:
  // Fails if a key is not one that can sign; the message begins with the lane.
  static Result<LaneSigners> create(const std::vector<TunnelLane>& lanes);

  // The header with the token. Nothing if no lane has the task or event; the first one that has it
  // counts.
  Result<std::optional<TunnelHeader>> sign(const TunnelRequest& request,
                                           tunnel::LaneTime now) const;

 private:
  struct Lane {
    std::string name;
    std::vector<std::string> tasks;
    std::vector<std::string> events;
    tunnel::LaneSigner signer;
  };
  std::vector<Lane> lanes_ = {};
};

}  // namespace cordon::tunnels
