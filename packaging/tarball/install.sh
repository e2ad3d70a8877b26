#!/bin/sh
# Installs Weightlab for this user: the program in ~/.local/bin; menu entry, icons, file type, man pages and completions in
# ~/.local/share. Removes exactly that again.
# usage: ./install.sh --user | --uninstall
set -eu
here="$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)"
bin="$HOME/.local/bin"
data="${XDG_DATA_HOME:-$HOME/.local/share}"
program="$bin/weightlab"
list="$data/weightlab/tarball.txt" # the folders that were made for it

made=""
# Makes a folder and what is missing above it.
make_folder() {
  [ ! -d "$1" ] || return 0
  make_folder "$(dirname -- "$1")"
  mkdir -- "$1"
  made="$made$1
"
}

# Removes the folders that were made, the innermost first; those with files of others stay.
remove_folders() {
  printf '%s\n' "$made" | sed '1!G;h;$!d' | while IFS= read -r folder; do
    [ -z "$folder" ] || rmdir -- "$folder" 2>/dev/null || true
  done
}

install_it() {
  if [ ! -f "$list" ] && { [ -e "$program" ] || [ -L "$program" ]; }; then
    echo "error: $program is there already, and not from this script (from pip?). Remove it first." >&2
    exit 2
  fi
  make_folder "$bin"
  make_folder "$data"
  cp -- "$here/weightlab" "$bin/.weightlab.new"
  chmod 755 "$bin/.weightlab.new"
  mv -f -- "$bin/.weightlab.new" "$program" # a program that runs goes on
  if ! "$program" install --user; then
    if [ ! -f "$list" ]; then
      # Nothing stays of a first installation: the next try would take the program for that of another.
      "$program" uninstall --user >/dev/null 2>&1 || true
      rm -- "$program"
      remove_folders
    fi
    exit 2
  fi
  printf '%s' "$made" >>"$list"
  echo "wrote $program"
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "Add $bin to your PATH to start it by its name." ;;
  esac
}

uninstall_it() {
  if [ ! -f "$list" ]; then
    echo "nothing is installed by this script: there is no $list" >&2
    exit 0
  fi
  made="$(cat -- "$list")"
  if [ -x "$program" ]; then
    rm -- "$list"
    if ! "$program" uninstall --user; then
      printf '%s\n' "$made" >"$list"
      exit 2
    fi
    rm -- "$program"
    echo "removed $program"
  else
    echo "error: $program is gone: run ./install.sh --user, then --uninstall" >&2
    exit 2
  fi
  remove_folders
}

case "${1:-}" in
  --user) install_it ;;
  --uninstall) uninstall_it ;;
  *)
    echo "usage: ./install.sh --user | --uninstall" >&2
    exit 2
    ;;
esac
