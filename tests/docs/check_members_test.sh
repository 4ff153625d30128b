#!/usr/bin/env bash
# The check itself: it passes members that are there, and names those that are not.
#
# The backticks are Markdown's:
# shellcheck disable=SC2016
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/include/cordon" "$tree/src/cordon/host" "$tree/docs"

printf '%s\n' 'namespace cordon::host {' 'template <class T, class U>' 'class CORDON_API Engine {' '  void run();  // and walk' '};' \
  'struct alignas(64) Engine::State {' '  int count;' '};' '}' >"$tree/src/cordon/host/engine.h"
printf '%s\n' '`Engine::run`, `host::Engine::run()`, `State::count`, `std::optional`, `host::Engine`' >"$tree/docs/page.md"
diff -u <(echo '3 members') <("$here/check_members.py" "$tree")

printf '%s\n' '`Engine::walk`, `Motor::run`' >"$tree/docs/page.md"
if found=$("$here/check_members.py" "$tree"); then
  echo "the check passed members that are not there" >&2
  exit 1
fi
diff -u - <(echo "$found") <<'END'
docs/page.md: Engine has no walk (`Engine::walk`)
docs/page.md: no class Motor (`Motor::run`)
2 members
END
