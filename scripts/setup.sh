# Set-up shared by scripts/benchbench and scripts/test: sourced, never run. Quiet when there is nothing to do; every
# word goes to stderr, so that stdout stays the program's.
# shellcheck shell=bash

: "${root:?the folder of the checkout, set by the script that sources this one}"
torch_version=2.11.0
# The wheel's CPU library asks for these two besides itself; the full set of CUDA packages is four times the size.
torch_packages=("torch==$torch_version" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
torch_least=2.7
cache_folder=${XDG_CACHE_HOME:-$HOME/.cache}/benchbench

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
    say "packages are missing and only root can install them. Once:"
    give_up "  sudo apt-get install --no-install-recommends ${missing[*]}"
  fi
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=600 "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    give_up "apt-get could not install them (its last words are above)"
  fi
  rm -f "$log"
}

# The folder of the active python3's torch if that is new enough, without importing it.
torch_of_python() {
  command -v python3 >/dev/null || return 0
  python3 - "$torch_least" <<'PYTHON' 2>/dev/null || true
import os, re, sys
least = tuple(int(n) for n in sys.argv[1].split("."))
for folder in sys.path:
    file = os.path.join(folder, "torch", "version.py")
    if folder and os.path.exists(file):
        found = re.search(r"__version__ = '(\d+)\.(\d+)", open(file).read())
        if found and tuple(map(int, found.groups())) >= least:
            print(os.path.dirname(file))
        break
PYTHON
}

# Sets torch_state: what configure will find. Downloads torch once, if there is none.
set_up_torch() {
  local folder=$cache_folder/torch-$torch_version in_python
  if [[ ${BENCHBENCH_TORCH:-AUTO} == OFF ]]; then
    torch_state="off"
  elif [[ -n ${BENCHBENCH_TORCH_DIR:-} ]]; then
    torch_state="named $BENCHBENCH_TORCH_DIR"
  elif [[ -e $folder/torch/version.py ]]; then
    torch_state="cache $folder"
  elif in_python=$(torch_of_python) && [[ -n $in_python ]]; then
    torch_state="python $in_python"
  elif fetch_torch "$folder"; then
    torch_state="cache $folder"
  else
    torch_state="none"
  fi
}

# fetch_torch FOLDER: one at a time; FOLDER appears whole or not at all. A failure is remembered for a day, so that a
# machine without a network does not try again at each call.
fetch_torch() {
  local folder=$1 failed=$1.failed log status=0
  if [[ -n $(find "$failed" -mmin -1440 2>/dev/null) ]]; then
    say "going on without torch: its download failed on $(date -r "$failed" '+%F %R') (to try again: rm $failed)"
    return 1
  fi
  mkdir -p "$cache_folder"
  log=$(mktemp)
  (
    flock 9
    [[ -e $folder/torch/version.py ]] && exit 0 # another call fetched it meanwhile
    rm -rf "$folder".partial
    enough_disk || exit 1
    python=$(python_with_pip) || need_packages torch
    say "fetching torch $torch_version for the training steps, once: about 550 MB, 1.3 GB on disk in $folder"
    trap 'rm -rf "$folder".partial' EXIT
    pip_install "${python:-/usr/bin/python3}" "$folder".partial >"$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }
    sync -f "$folder".partial/torch/version.py
    mv -T "$folder".partial "$folder"
  ) 9>"$cache_folder/lock" || status=$?
  rm -f "$log"
  if ((status == 130 || status == 143)); then exit "$status"; fi
  if ((status)); then
    date >"$failed"
    say "going on without torch: the torch parts will be listed as missing"
    return 1
  fi
  rm -f "$failed"
}

enough_disk() {
  local free
  free=$(df --output=avail -k "$cache_folder" | tail -n 1)
  ((free > 3000000)) && return 0
  say "torch needs 3 GB in $cache_folder while it is unpacked, $((free / 1000)) MB are free"
  return 1
}

# The active python3, else the system's.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  return 1
}

# pip_install PYTHON FOLDER. A --target folder, since Debian's own pip refuses to touch the system's packages.
pip_install() {
  "$1" -m pip install --quiet --no-cache-dir --no-compile --no-input --disable-pip-version-check \
    --root-user-action=ignore --no-deps --target "$2" "${torch_packages[@]}"
}

# At most one compiler a core, and one a GB of memory.
build_jobs() {
  local cores free
  cores=$(nproc)
  free=$(awk '/^MemAvailable:/ {print int($2 / 1000000)}' /proc/meminfo)
  ((free < 1)) && free=1
  echo $((cores < free ? cores : free))
}

# build PRESET [TARGET]: configures where nothing is configured or torch came or went, then builds what is out of date.
build() {
  local preset=$1 folder=$root/build/$1
  mkdir -p "$folder"
  exec 8>"$folder/.lock"
  flock 8
  if [[ ! -e $folder/build.ninja || $(cat "$folder/.torch" 2>/dev/null) != "$torch_state" ]]; then
    configure "$preset" "$folder"
  fi
  compile "$preset" "$folder" "${2:-all}"
  exec 8>&-
}

configure() {
  local preset=$1 folder=$2 log=$2/configure.log
  say "configuring build/$preset"
  rm -f "$folder/.torch"
  if ! (cd "$root" && cmake --preset "$preset" "-DBENCHBENCH_TORCH=${BENCHBENCH_TORCH:-AUTO}" "-DBENCHBENCH_TORCH_DIR=") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    give_up "configuring failed; all of it is in build/$preset/configure.log"
  fi
  printf '%s' "$torch_state" >"$folder/.torch"
}

# Silent where nothing is out of date. ninja cannot say that beforehand: its dry run always wants to look for new files.
compile() {
  local preset=$1 folder=$2 begin=$SECONDS line started="" tenth=0 status=0
  while IFS= read -r line; do
    case $line in
      "exit status "*) status=${line##* } ;;
      "ninja: Entering"* | "ninja: no work"* | *"Re-checking globbed"* | *"Re-running CMake"* | "-- "*) ;;
      "["[0-9]*/[0-9]*"] "*)
        [[ -n $started ]] || say "building build/$preset (the first time takes some minutes)"
        started=yes
        show_progress "$line"
        ;;
      *) printf '%s%s\n' "$clear_line" "$line" >&2 ;; # the compiler's words
    esac
  done < <(ninja -C "$folder" -j "$(build_jobs)" "${3:-all}" 2>&1 && echo "exit status 0" || echo "exit status $?")
  ((status == 0)) || give_up "building failed; the compiler's words are above"
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
