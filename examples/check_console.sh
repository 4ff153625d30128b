#!/usr/bin/env bash
# check_console.sh TREE BIN: the shell examples of the documents print what the documents say. Runs each line `$ …` of
# the ```console blocks in README.md, docs/*.md and docs/internals/*.md, in TREE and with BIN first on the PATH, and compares what follows
# with what was printed, errors included. Times and sizes of memory are not compared. Commands that ask the tunnel of
# examples/tunnel find one.
set -uo pipefail
cd "$1" || exit 1
bin=$(realpath "$2")
PATH=$bin:$PATH
count=0 wrong=0

without_figures() { sed -E 's/"(ms|ownMs|durationMs|memoryBytes)":[0-9.]+/"\1":0/g; s/[0-9.]+ (ms|µs|MiB)/0 \1/g'; }

finish() {
  [ -n "$command" ] || return
  count=$((count + 1))
  local printed
  # The documents name the build that a newcomer has; this one may be another.
  command=${command//build\/release\//"${bin%/bin}/"}
  printed=$(bash -c "${command//"$shown_url"/"$url"}" 2>&1 </dev/null)
  if ! diff -u --label "$place" --label "$command" <(without_figures <<<"$expected") <(without_figures <<<"$printed"); then
    wrong=1
  fi
  command=''
}

# The tunnel of the documents, on a port of its own.
shown_url=http://127.0.0.1:7070/__runner
export TUNNEL_TOKEN=secret
exec {lines}< <(exec cordon serve --config examples/tunnel/cordon.json --listen 127.0.0.1:0 2>/dev/null)
server=$!
trap 'kill "$server"' EXIT
read -r -t 20 url <&"$lines" || { echo "the tunnel of the documents does not start" >&2; exit 1; }

for file in README.md docs/*.md docs/internals/*.md; do
  number=0 inside='' command='' place='' expected=''
  while IFS= read -r line; do
    number=$((number + 1))
    case $inside$line in
      '```console') inside=yes ;;
      'yes```')
        finish
        inside=''
        ;;
      'yes$ '*)
        finish
        command=${line#\$ } place=$file:$number expected=''
        ;;
      yes*) expected=${expected:+$expected$'\n'}$line ;;
    esac
  done <"$file"
done
echo "$count commands"
[ $count -gt 0 ] && [ $wrong = 0 ]
