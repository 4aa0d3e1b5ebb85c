# Downloads of the scripts from PyPI into the user's cache folder: torch, CUDA's libraries for it, Arrow, nvcc, the readers that
# tests/golden/foreign compares with, what drives a browser for tests/golden/browser, what scripts/format runs, and those that
# scripts/python_cases runs with. Sourced by scripts/setup.sh, never run.
# shellcheck shell=bash disable=SC2034 # set for the scripts

: "${root:?the folder of the checkout}"
torch_state="" torch_cuda_state="" arrow_state="" nvcc_state="" foreign_state="" browser_state="" cases_state="" # where each was found
torch_version=2.11.0
# The wheel's CPU library asks for these two besides itself; the full set of CUDA packages is four times the size.
torch_packages=("torch==$torch_version" nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
# Those which libtorch_cuda.so asks for and a CUDA toolkit with cuDNN and NCCL lacks.
torch_cuda_packages=(nvidia-cufile==1.15.1.6 nvidia-cusparselt-cu13==0.8.0 nvidia-nvshmem-cu13==3.4.5)
arrow_version=26.0.1
nvcc_version=13.0.88
nvcc_packages=("nvidia-cuda-nvcc==$nvcc_version" "nvidia-nvvm==$nvcc_version" "nvidia-cuda-crt==$nvcc_version" nvidia-cuda-runtime==13.0.96)
cache_folder=${XDG_CACHE_HOME:-$HOME/.cache}/benchbench

# Sets torch_state: what configure will find.
set_up_torch() {
  find_or_fetch torch_state "${BENCHBENCH_TORCH:-AUTO}" "${BENCHBENCH_TORCH_DIR:-}" \
    torch torch/version.py "__version__ = '(\d+)\.(\d+)" 2.7 \
    "$cache_folder/torch-$torch_version" 3000 install_torch \
    "torch $torch_version for the training steps, once: about 550 MB, 1.3 GB on disk" \
    "the torch parts will be listed as missing"
}

# Sets torch_cuda_state, and BENCHBENCH_TORCH_CUDA_LIBRARIES for tests/unit/torch: folders in which the loader finds what
# libtorch_cuda.so needs. Nothing is fetched where no toolkit has the rest, which is another 1.5 GB.
set_up_torch_cuda() {
  local toolkit folder=$cache_folder/torch-cuda-$torch_version
  torch_cuda_state="none"
  toolkit=$(whole_toolkit) || return 0
  find_or_fetch torch_cuda_state "${BENCHBENCH_TORCH_CUDA:-AUTO}" "" \
    "CUDA's libraries for torch" nvidia/nvshmem/lib/libnvshmem_host.so.3 "" "" \
    "$folder" 400 install_torch_cuda \
    "what torch $torch_version asks for on CUDA and a toolkit lacks, once: about 230 MB, 310 MB on disk" \
    "a test of unit.torch will be skipped"
  [[ $torch_cuda_state == cache* ]] || return 0
  export BENCHBENCH_TORCH_CUDA_LIBRARIES=$folder/nvidia/cu13/lib:$folder/nvidia/cusparselt/lib:$folder/nvidia/nvshmem/lib:$toolkit
}

# The folder of the libraries of a toolkit that has all which torch needs and torch_cuda_packages lacks.
whole_toolkit() {
  local nvcc library
  nvcc=$(installed_nvcc) || return
  for library in libcublas.so.13 libcudnn.so.9 libcufft.so.12 libcurand.so.10 libcusparse.so.12 libnccl.so.2; do
    [[ -e ${nvcc%/bin/nvcc}/lib64/$library ]] || return
  done
  echo "${nvcc%/bin/nvcc}/lib64"
}

# Sets arrow_state, likewise. Debian has no package; pyarrow brings headers and libraries.
set_up_arrow() {
  find_or_fetch arrow_state "${BENCHBENCH_ARROW:-AUTO}" "${BENCHBENCH_ARROW_DIR:-}" \
    Arrow pyarrow/include/arrow/util/config.h 'ARROW_VERSION_STRING "(\d+)\.(\d+)' 15.0 \
    "$cache_folder/arrow-$arrow_version" 500 install_arrow \
    "Arrow $arrow_version for the format parquet, once: about 55 MB, 170 MB on disk" \
    "the format parquet will be listed as missing"
}

# Sets nvcc_state: for the kernels of CUDA devices, where no toolkit is installed.
set_up_nvcc() {
  local installed
  if installed=$(installed_nvcc); then
    nvcc_state="installed $installed"
    return
  fi
  find_or_fetch nvcc_state "${BENCHBENCH_NVCC:-AUTO}" "" \
    nvcc nvidia/cu13/bin/nvcc "" "" \
    "$cache_folder/nvcc-$nvcc_version" 400 install_nvcc \
    "nvcc $nvcc_version for the kernels of CUDA devices, once: about 100 MB, 250 MB on disk" \
    "mock trainers will have no steps on CUDA devices"
}

# Where configure looks before it looks into the cache folder.
installed_nvcc() {
  local nvcc
  for nvcc in "${CUDA_HOME:-}/bin/nvcc" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    [[ -n $nvcc && -x $nvcc ]] || continue
    echo "$nvcc"
    return
  done
  return 1
}

# Whether kernels could run here. Containers may have the device and no driver's folder, or the other way round.
has_nvidia_gpu() { [[ -e /dev/nvidiactl || -e /proc/driver/nvidia/version || -e /dev/dxg ]] || command -v nvidia-smi >/dev/null; }

# Sets foreign_state, and BENCHBENCH_FOREIGN_PYTHON for tests/golden/foreign/run.py. After set_up_arrow, whose pyarrow it shares.
set_up_foreign() {
  local wanted=$root/tests/golden/foreign/requirements.txt folder
  folder=$cache_folder/foreign-$(sha256sum "$wanted" | cut -c 1-12)
  find_or_fetch foreign_state "${BENCHBENCH_FOREIGN:-AUTO}" "${BENCHBENCH_FOREIGN_PYTHON:-}" \
    "the foreign readers" bin/python "" "" "$folder" 600 install_foreign \
    "the packages that tests/golden/foreign compares with, once: about 55 MB, 180 MB on disk" \
    "the tests golden.foreign_* will be skipped"
  if [[ $foreign_state == cache* ]]; then export BENCHBENCH_FOREIGN_PYTHON=$folder/bin/python; fi
}

# Sets browser_state, and BENCHBENCH_BROWSER_PYTHON for tests/golden/browser/run.py. The browser itself is Debian's.
set_up_browser() {
  local wanted=$root/tests/golden/browser/requirements.txt folder
  folder=$cache_folder/browser-$(sha256sum "$wanted" | cut -c 1-12)
  find_or_fetch browser_state "${BENCHBENCH_BROWSER:-AUTO}" "${BENCHBENCH_BROWSER_PYTHON:-}" \
    "Playwright" bin/python "" "" "$folder" 300 install_browser \
    "what tests/golden/browser drives Chromium with, once: about 55 MB, 150 MB on disk" \
    "the tests golden.browser will be skipped"
  if [[ $browser_state == cache* ]]; then export BENCHBENCH_BROWSER_PYTHON=$folder/bin/python; fi
}

# Sets format_tools, the folder of clang-format, ruff and shellcheck: nothing where they cannot be fetched.
set_up_format() {
  local wanted=$root/scripts/format_requirements.txt folder format_state
  folder=$cache_folder/format-$(sha256sum "$wanted" | cut -c 1-12)
  find_or_fetch format_state AUTO "${BENCHBENCH_FORMAT_TOOLS:-}" \
    "clang-format, ruff and shellcheck" bin/clang-format "" "" "$folder" 200 install_format \
    "clang-format, ruff and shellcheck for scripts/format, once: about 17 MB, 45 MB on disk" \
    "nothing to format or to check the format with"
  format_tools=""
  [[ $format_state == none ]] || format_tools=${BENCHBENCH_FORMAT_TOOLS:-$folder/bin}
}

# Sets cases_state, and cases_python for scripts/python_cases: the python named BENCHBENCH_CASES_PYTHON, else one with the packages of
# PyPI; "" where these cannot be fetched.
set_up_cases() {
  local wanted=$root/tests/golden/python/requirements.txt folder
  folder=$cache_folder/cases-$(sha256sum "$wanted" | cut -c 1-12)
  find_or_fetch cases_state AUTO "${BENCHBENCH_CASES_PYTHON:-}" \
    "torch for Python" bin/python "" "" "$folder" 6500 install_cases \
    "PyPI's torch, torchvision and frameworks of training loops, with all that they need, once: about 3.1 GB, 6 GB on disk" \
    "nothing to run the cases with"
  cases_python=""
  [[ $cases_state == none ]] || cases_python=${BENCHBENCH_CASES_PYTHON:-$folder/bin/python}
}

# find_or_fetch STATE SETTING NAMED  NAME MARK VERSION LEAST  FOLDER DISK_MB INSTALL WHAT WITHOUT: sets STATE to where NAME, whose
# file is MARK, was found: NAMED, FOLDER, the active python3's packages (of version LEAST), or FOLDER once INSTALL filled it. See
# prefers_python.
find_or_fetch() {
  local -n state=$1
  local in_python
  if [[ $2 == OFF ]]; then
    state="off"
  elif [[ -n $3 ]]; then
    state="named $3"
  elif prefers_python "$1" && in_python=$(package_of_python "$5" "$6" "$7") && [[ -n $in_python ]]; then
    state="python $in_python"
  elif [[ -e $8/$5 ]]; then
    state="cache $8"
  elif [[ -n $6 ]] && in_python=$(package_of_python "$5" "$6" "$7") && [[ -n $in_python ]]; then
    state="python $in_python"
  elif fetch "$4" "$8" "$5" "$9" "${10}" "${11}" "${12}"; then
    state="cache $8"
  else
    state="none"
  fi
}

# True where the active python's comes before the cache folder's: a GPU box has a whole torch, the download lacks CUDA's libraries.
prefers_python() { [[ $1 == torch_state ]] && has_nvidia_gpu; }

# package_of_python MARK VERSION LEAST: the folder among the active python3's that holds the file MARK, if what the regular
# expression VERSION finds there is new enough. Nothing is imported.
package_of_python() {
  command -v python3 >/dev/null || return 0
  python3 - "$@" <<'PYTHON' 2>/dev/null || true
import os, re, sys
mark, version, least = sys.argv[1], sys.argv[2], tuple(int(n) for n in sys.argv[3].split("."))
for folder in sys.path:
    file = os.path.join(folder, mark)
    if folder and os.path.exists(file):
        found = re.search(version, open(file).read())
        if found and tuple(map(int, found.groups())) >= least:
            print(os.path.join(folder, mark.split("/")[0]))
        break
PYTHON
}

# fetch NAME FOLDER MARK DISK_MB INSTALL WHAT WITHOUT: one at a time; FOLDER appears whole or not at all. A failure is remembered
# for a day, so that a machine without a network does not try again at each call.
fetch() {
  local name=$1 folder=$2 mark=$3 disk=$4 install=$5 what=$6 without=$7 failed=$2.failed log status=0
  if [[ -n $(find "$failed" -mmin -1440 2>/dev/null) ]]; then
    say "continuing without $name: its download failed on $(date -r "$failed" '+%F %R') (to retry: rm $failed)"
    return 1
  fi
  mkdir -p "$cache_folder"
  log=$(mktemp)
  (
    flock 9
    [[ -e $folder/$mark ]] && exit 0 # another call fetched it meanwhile
    rm -rf "$folder".partial
    enough_disk "$name" "$disk" || exit 1
    python=$(python_with_pip) || need_packages pip
    say "fetching $what in $folder"
    trap 'rm -rf "$folder".partial' EXIT
    "$install" "${python:-/usr/bin/python3}" "$folder".partial >"$log" 2>&1 || { tail -n 5 "$log" >&2; exit 1; }
    sync -f "$folder".partial
    rm -rf "$folder" # without its mark it was of no use
    mv -T "$folder".partial "$folder"
  ) 9>"$cache_folder/lock" || status=$?
  rm -f "$log"
  if ((status == 130 || status == 143)); then exit "$status"; fi
  if ((status)); then
    date >"$failed"
    say "continuing without $name: $without"
    return 1
  fi
  rm -f "$failed"
}

enough_disk() {
  local free
  free=$(df --output=avail -k "$cache_folder" | tail -n 1)
  ((free > 1000 * $2)) && return 0
  say "unpacking $1 needs $2 MB in $cache_folder, but only $((free / 1000)) MB are free"
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

# pip_install PYTHON FOLDER PACKAGE...: a --target folder, since Debian's own pip refuses to touch the system's packages.
pip_install() {
  local python=$1 folder=$2
  shift 2
  "$python" -m pip install --quiet --no-cache-dir --no-compile --no-input --disable-pip-version-check \
    --root-user-action=ignore --no-deps --target "$folder" "$@"
}

install_torch() { pip_install "$1" "$2" "${torch_packages[@]}"; }
install_torch_cuda() { pip_install "$1" "$2" --only-binary=:all: "${torch_cuda_packages[@]}"; }
install_nvcc() { pip_install "$1" "$2" --only-binary=:all: "${nvcc_packages[@]}"; }
install_arrow() { pip_install "$1" "$2" --only-binary=:all: "pyarrow==$arrow_version"; }

# clang-format's own program, since the package's script would look for the package in its python.
install_format() {
  pip_install "$1" "$2" --only-binary=:all: --requirement "$root/scripts/format_requirements.txt" || return
  ln -sf ../clang_format/data/bin/clang-format "$2/bin/clang-format"
}

install_cases() {
  "$1" -m venv --without-pip "$2" || return
  "$1" -m pip --python "$2/bin/python" install --quiet --no-cache-dir --no-compile --no-input --disable-pip-version-check \
    --root-user-action=ignore --only-binary=:all: --requirement "$root/tests/golden/python/requirements.txt" || return
  # Compiled once: each import would take 12 s where bytecode is not written.
  PYTHONDONTWRITEBYTECODE="" "$2/bin/python" -c 'import torchvision, h5py, webdataset, accelerate, lightning, torchdata, transformers'
}

install_browser() {
  local wanted=$root/tests/golden/browser/requirements.txt site packages
  "$1" -m venv --without-pip "$2" || return
  site=$("$2/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || return
  mapfile -t packages < <(grep -vE '^(#|$)' "$wanted")
  pip_install "$1" "$site" --only-binary=:all: "${packages[@]}" || return
  "$2/bin/python" -c 'import playwright.sync_api, axe_playwright_python.sync_playwright'
}

# A python of its own. pyarrow, the largest of all, comes from the folder that set_up_arrow filled, if the same python filled it.
install_foreign() {
  local wanted=$root/tests/golden/foreign/requirements.txt site packages
  "$1" -m venv --without-pip "$2" || return
  site=$("$2/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') || return
  mapfile -t packages < <(grep -vE '^(#|$|pyarrow)' "$wanted")
  pip_install "$1" "$site" --only-binary=:all: --no-binary=tfrecord "${packages[@]}" || return
  echo "$cache_folder/arrow-$arrow_version" >"$site/arrow.pth"
  "$2/bin/python" -c 'import pyarrow.parquet' || {
    rm "$site/arrow.pth"
    pip_install "$1" "$site" --only-binary=:all: "$(grep '^pyarrow' "$wanted")"
  }
}
