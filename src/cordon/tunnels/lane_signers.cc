#include "cordon/tunnels/lane_signers.h"

#include <algorithm>
#include <utility>

#include "cordon/protocol/tunnel/body_hash.h"
#include "cordon/providers/id_pattern.h"

namespace cordon::tunnels {
namespace {

Result<tunnel::LaneKey> key_of(const TunnelLane& lane) {
  if (lane.secret.empty() == lane.private_key.empty())
    return fail(ErrorCode::invalid_argument, "is either a secret or a private key");
  return lane.secret.empty() ? tunnel::LaneKey::of_private_pem(lane.private_key)
                             : tunnel::LaneKey::of_secret(lane.secret);
}

}  // namespace

Result<LaneSigners> LaneSigners::create(const std::vector<TunnelLane>& lanes) {
  LaneSigners signers;
  for (const TunnelLane& lane : lanes) {
    const Result<tunnel::LaneKey> key = key_of(lane);
    if (!key)
      return fail(key.error().code, "lanes." + lane.name + ": the key " + key.error().message);
    tunnel::LaneSigner::Options options{.header = lane.header};
    if (!lane.key_id.empty()) options.key_id = lane.key_id;
    signers.lanes_.push_back(
        {lane.name, lane.tasks, lane.events, tunnel::LaneSigner(*key, std::move(options))});
  }
  return signers;
}

Result<std::optional<TunnelHeader>> LaneSigners::sign(const TunnelRequest& request,
                                                      tunnel::LaneTime now) const {
  if (request.target == TunnelTarget::discovery) return std::optional<TunnelHeader>();
  const bool is_task = request.target == TunnelTarget::task;
  const auto lane = std::ranges::find_if(lanes_, [&](const Lane& one) {
    return providers::matches_any(is_task ? one.tasks : one.events, request.id);
  });
  if (lane == lanes_.end()) return std::optional<TunnelHeader>();
  tunnel::LaneCall call{.lane = lane->name,
                        .kind = is_task ? tunnel::LaneKind::task : tunnel::LaneKind::event,
                        .target = request.id,
                        .body_hash = {}};
  if (request.body) call.body_hash = tunnel::body_hash(*request.body);
  HttpHeader header = CORDON_TRY(lane->signer.sign(call, now));
  return std::optional(TunnelHeader{std::move(header.name), std::move(header.value)});
}

}  // namespace cordon::tunnels
