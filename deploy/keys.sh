#!/bin/sh
# Makes the API keys that the parts of compose.yaml use, a file each. One that still counts is kept: start it as often as you like.
set -eu

folder=${1:-/keys}
known=$(millrace keys list)

# A key is mill_<id>_<secret>_<checksum>, and the list has a line "<id>  <name>  <scopes>  made <day>  …" while it counts.
counts() {
  [ -s "$folder/$1" ] && printf '%s\n' "$known" | grep -q "^$(cut -d _ -f 2 "$folder/$1")  $1  .*  made "
}

make_key() {
  name=$1
  shift
  if counts "$name"; then
    echo "The key $name is there."
    return
  fi
  # Its last word is the key. The file appears whole or not at all, and others than its owner read it, such as Prometheus.
  made=$(millrace keys create "$name" --scope "$@")
  printf '%s\n' "${made##*[[:space:]]}" >"$folder/$name.new"
  chmod 644 "$folder/$name.new"
  mv "$folder/$name.new" "$folder/$name"
  echo "The key $name is made; it may do: $*."
}

make_key prometheus metrics:read
make_key worker jobs:work
make_key load jobs:write jobs:read
