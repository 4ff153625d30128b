#!/usr/bin/env bash
# tools/fuzz.sh --build | --list | NAME SECONDS
#
# Builds the fuzz targets in build/fuzz, lists their names, or fuzzes one of them. What libFuzzer
# learns on the way stays in build/fuzz; an input that fails is left in build/fuzz/findings/ and
# belongs in fuzz/crashes/NAME/ together with its fix.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case $1 in
  --build)
    [ -e build/fuzz/build.ninja ] || cmake --preset fuzz >&2
    cmake --build --preset fuzz
    exit
    ;;
  --list)
    find fuzz -maxdepth 1 -name '*_fuzz.cc' -printf '%f\n' | sed 's/_fuzz\.cc$//' | sort
    exit
    ;;
esac

name=$1 seconds=$2
learnt=build/fuzz/learnt/$name findings=build/fuzz/findings
mkdir -p "$learnt" "$findings"
folders=("$learnt")
for folder in "fuzz/corpus/$name" "fuzz/crashes/$name"; do
  if [ -d "$folder" ]; then folders+=("$folder"); fi
done
if ! "build/fuzz/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -malloc_limit_mb=512 -artifact_prefix="$findings/$name-" -print_final_stats=1 "${folders[@]}"; then
  echo "fuzz: $name failed; the input is in $findings/ and belongs in fuzz/crashes/$name/ with its fix" >&2
  exit 1
fi
