#!/usr/bin/env bash
# demo.sh PROGRAM: runs a program that calls the tasks of a server elsewhere: of the one in
# examples/tunnel, which is started for it on a socket. From the root of the checkout.
set -euo pipefail
folder=$(mktemp -d)
cordon serve --config examples/tunnel/cordon.json --listen "unix:$folder/server.sock" >"$folder/ready" 2>/dev/null &
server=$!
trap 'kill $server; wait $server 2>/dev/null; rm -r "$folder"' EXIT
cat >"$folder/cordon.json" <<END
{
  "tunnels": {
    "remote": {
      "url": "unix:$folder/server.sock:/__runner",
      "token": { "env": "REMOTE_TOKEN" },
      "allow": ["app.tasks.*"],
      "maxCalls": 100
    }
  }
}
END
until [ -s "$folder/ready" ]; do sleep 0.05; done
REMOTE_TOKEN=secret cordon run --config "$folder/cordon.json" -e "$1"
