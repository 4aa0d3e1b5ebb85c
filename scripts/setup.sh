# Set-up shared by scripts/benchbench and scripts/test: sourced, never run. Quiet when there is nothing to do; every
# word goes to stderr, so that stdout stays the program's.
# shellcheck shell=bash

: "${root:?the folder of the checkout, set by the script that sources this one}"
# shellcheck source=scripts/downloads.sh
source "$root/scripts/downloads.sh"

clear_line=""
[[ -t 2 ]] && clear_line=$'\r\033[K'
say() { printf '%sbenchbench: %s\n' "$clear_line" "$*" >&2; }
give_up() { say "$1"; exit "${2:-6}"; }

# packages_of GROUP...: the names in scripts/packages.txt.
packages_of() {
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group {print $2}' "$root/scripts/packages.txt"
  done
}

# missing_packages GROUP...: those that are not installed, one a line.
missing_packages() {
  local wanted
  mapfile -t wanted < <(packages_of "$@")
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | awk '$1 == "installed" {print $2}' | sort)
}

# need_packages GROUP...: installs what is missing, where we may.
need_packages() {
  command -v dpkg-query >/dev/null || return 0 # not a Debian: configure says what it lacks
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    say "packages are missing that only root can install. Run once:"
    give_up "  sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=600 "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    give_up "apt-get could not install them (see its output above)"
  fi
  rm -f "$log"
}

# At most one compiler a core, and one a GB of memory.
build_jobs() {
  local cores free
  cores=$(nproc)
  free=$(awk '/^MemAvailable:/ {print int($2 / 1000000)}' /proc/meminfo)
  ((free < 1)) && free=1
  echo $((cores < free ? cores : free))
}

# build_folder PRESET: the program has a folder for each choice of what is left out, so that to go without torch once and with
# it again builds nothing anew. The tests have one.
build_folder() {
  local folder=$root/build/$1
  if [[ $1 == release ]]; then
    [[ $torch_state == off ]] && folder+=-no-torch
    [[ $arrow_state == off ]] && folder+=-no-arrow
  fi
  echo "$folder"
}

# build PRESET [TARGET...]: configures where nothing is configured or torch, Arrow or nvcc came or went, then builds what is out of date.
build() {
  local preset=$1 folder
  folder=$(build_folder "$1")
  mkdir -p "$folder"
  exec 8>"$folder/.lock"
  flock 8
  if [[ ! -e $folder/build.ninja || $(cat "$folder/.found" 2>/dev/null) != "$torch_state, $arrow_state, $nvcc_state" ]]; then
    configure "$preset" "$folder"
  fi
  compile "$folder" "${@:2}"
  exec 8>&-
}

configure() {
  local preset=$1 folder=$2 log=$2/configure.log
  say "configuring build/${folder##*/}"
  rm -f "$folder/.found"
  if ! (cd "$root" && cmake --preset "$preset" -B "$folder" "-DBENCHBENCH_TORCH=${BENCHBENCH_TORCH:-AUTO}" "-DBENCHBENCH_TORCH_DIR=" \
    "-DBENCHBENCH_ARROW=${BENCHBENCH_ARROW:-AUTO}" "-DBENCHBENCH_ARROW_DIR=") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    give_up "configuring failed; the full output is in build/${folder##*/}/configure.log"
  fi
  printf '%s' "$torch_state, $arrow_state, $nvcc_state" >"$folder/.found"
}

# Silent where nothing is out of date. ninja cannot say that beforehand: its dry run always wants to look for new files.
compile() {
  local folder=$1 begin=$SECONDS line started="" tenth=0 status=0
  while IFS= read -r line; do
    case $line in
      "exit status "*) status=${line##* } ;;
      "ninja: Entering"* | "ninja: no work"* | *"Re-checking globbed"* | *"Re-running CMake"* | "-- "*) ;;
      "["[0-9]*/[0-9]*"] "*)
        [[ -n $started ]] || say "building build/${folder##*/} (the first time takes several minutes)"
        started=yes
        show_progress "$line"
        ;;
      *) printf '%s%s\n' "$clear_line" "$line" >&2 ;; # the compiler's words
    esac
  done < <(ninja -C "$folder" -j "$(build_jobs)" "${@:2}" 2>&1 && echo "exit status 0" || echo "exit status $?")
  ((status == 0)) || give_up "building failed; see the compiler's output above"
  [[ -z $started ]] || say "built in $((SECONDS - begin)) s"
}

# show_progress "[12/300] Building ...": one line that changes on a terminal, a line each tenth elsewhere.
show_progress() {
  local count=${1%%]*}
  count=${count#[}
  if [[ -n $clear_line ]]; then
    printf '%s%.100s' "$clear_line" "$1" >&2
  elif ((10 * ${count%/*} / ${count#*/} > tenth)); then
    tenth=$((10 * ${count%/*} / ${count#*/}))
    say "${count%/*} of ${count#*/} steps"
  fi
}
