# What the scripts of packaging share. They source it in the checkout's folder.

tools="${XDG_CACHE_HOME:-$HOME/.cache}/weightlab-tools"
target="${CARGO_TARGET_DIR:-target}"
[[ "$target" = /* ]] || target="$PWD/$target"
export CARGO_TARGET_DIR="$target" # not relative: the wheel is built in another folder
version="$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)"

fail() {
  echo "error: $1" >&2
  exit 1
}

# has_tool NAME VERSION: whether a cargo tool is there in this version.
has_tool() {
  [ "$("$tools/bin/$1" --version 2>/dev/null | grep -o '[0-9][0-9.]*' | head -n 1)" = "$2" ]
}

# install_tool NAME VERSION: builds it in the cache folder if it is missing; without optimisation, which only takes longer.
install_tool() {
  ! has_tool "$1" "$2" || return 0
  echo "building $1 $2 once, in $tools"
  CARGO_TARGET_DIR="$tools/target" cargo install "$1" --version "$2" --locked --debug --root "$tools" --quiet || return
  rm -rf "$tools/target"
}

# use_program FOLDER NAME COMMAND...: starts the program by COMMAND, without a display, with an experiment in FOLDER, which
# COMMAND knows by NAME.
use_program() {
  local folder="$1" file="$2/tiny.ron" printed
  shift 2
  cat >"$folder/tiny.ron" <<'END'
Experiment(data: Iris(), net: Mlp(hidden: [4]), seeds: [1], arms: [
    (name: "dense", plan: [Train("2ep"), Test]),
])
END
  printed="$(env -u DISPLAY -u WAYLAND_DISPLAY "$@" --version)"
  for line in "weightlab $version" 'devices: ' 'processor: '; do
    grep -qF "$line" <<<"$printed" || fail "--version does not say \"$line\": $printed"
  done
  env -u DISPLAY -u WAYLAND_DISPLAY "$@" check "$file" >/dev/null
  printed="$(env -u DISPLAY -u WAYLAND_DISPLAY "$@" run "$file" 2>/dev/null)"
  grep -q '^dense  *1/1 ' <<<"$printed" || fail "the tiny experiment gave: $printed"
  printed="$(env -u DISPLAY -u WAYLAND_DISPLAY "$@" licences)"
  grep -q '^eframe ' <<<"$printed" || fail "the licences lack eframe"
}

# check_share SHARE SCRATCH: whether a desktop, man and shells understand what lies in a share folder.
check_share() {
  local share="$1" folder="$2/desktop" page kind
  for page in "$share"/man/man1/weightlab*.1*; do
    kind="$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)"
    [ -z "$kind" ] || fail "man about $page: $kind"
    man -E UTF-8 -l "$page" 2>/dev/null | grep -q '^DESCRIPTION' || fail "$page does not render"
  done
  kind="$(bash -c 'source "$1"; COMP_WORDS=(weightlab ch); COMP_CWORD=1
    _weightlab weightlab ch weightlab; echo "${COMPREPLY[@]}"' - "$share/bash-completion/completions/weightlab")"
  [ "$kind" = check ] || fail "bash completes \"weightlab ch\" to \"$kind\""
  ! command -v zsh >/dev/null || zsh -n "$share"/zsh/*/_weightlab
  ! command -v fish >/dev/null || fish -n "$share/fish/vendor_completions.d/weightlab.fish"
  desktop-file-validate "$share/applications/weightlab.desktop"
  mkdir -p "$folder/mime/packages"
  cp /usr/share/mime/packages/freedesktop.org.xml "$share/mime/packages/weightlab.xml" "$folder/mime/packages"
  XDG_DATA_HOME="$folder" XDG_DATA_DIRS="$folder" update-mime-database "$folder/mime"
  echo 'Experiment(data: Iris())' >"$folder/plain.ron"
  for page in experiments/*.ron "$folder/plain.ron"; do
    kind="$(XDG_DATA_HOME="$folder" XDG_DATA_DIRS="$folder" gio info -a standard::content-type "$page")"
    grep -q 'application/x-weightlab+ron' <<<"$kind" || fail "$page is recognised as $kind"
  done
}

# installs what check_share needs, if that is possible.
get_checkers() {
  local needed=()
  command -v man >/dev/null || needed+=(man-db)
  command -v desktop-file-validate >/dev/null || needed+=(desktop-file-utils)
  command -v update-mime-database >/dev/null || needed+=(shared-mime-info)
  command -v gio >/dev/null || needed+=(libglib2.0-bin)
  [ "${#needed[@]}" -eq 0 ] && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}"; } \
    >/dev/null 2>&1
}
