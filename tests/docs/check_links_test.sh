#!/usr/bin/env bash
# The check itself: it names each link that leads nowhere and each figure that is not in its row.
#
# The backticks are Markdown's:
# shellcheck disable=SC2016
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/docs"

printf '%s\n' '# Figures' '## What `it` takes' '| <a id="start"></a>start | 17.2 µs | 10000 |' >"$tree/docs/page.md"
printf '%s\n' '[17.2 µs](docs/page.md#start) and [10,000](docs/page.md#start), [why](docs/page.md#what-it-takes)' \
  >"$tree/README.md"
diff -u <(echo '2 figures') <("$here/check_links.py" "$tree")

printf '%s\n' '[17.3 µs](docs/page.md#start) [all](docs/page.md#gone) <img src="docs/gone.svg">' >"$tree/README.md"
if found=$("$here/check_links.py" "$tree"); then
  echo "the check passed links that lead nowhere" >&2
  exit 1
fi
diff -u - <(echo "$found") <<'END'
README.md: no picture docs/gone.svg
README.md: 17.3 of [17.3 µs] is not in the row #start of docs/page.md
README.md: docs/page.md has no part #gone
1 figures
END
