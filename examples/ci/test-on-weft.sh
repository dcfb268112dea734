#!/bin/sh
# Builds a CMake project and runs its tests on Weft. All workflow files beside this one call it.
# test-on-weft.sh [PROJECT]     without a project: Weft is built, and that is all
#
#   DRIVER_REPOSITORY  where Weft comes from
#   DRIVER_VERSION     a tag or the full hash of a commit; default: the newest. A Weft in DRIVER_DIR that is another one is
#                      brought to it, unless neither variable is set
#   DRIVER_DIR         where Weft is built; default: weft. Keep it between jobs: a build takes some minutes
#   OPENCL_VENDORS     a folder with weft.icd. If it is set, that Weft is used and none is built
#
# The project must take -DOPENCL_VENDORS, as examples/cmake-project does. Debian and Ubuntu; root, or sudo.
set -eu
project=${1:-}
[ -z "$project" ] || [ -f "$project/CMakeLists.txt" ] || { echo "test-on-weft.sh: $project has no CMakeLists.txt" >&2; exit 2; }
weft=${DRIVER_DIR:-weft}

step() { echo "== $*"; }

install_packages() {
    missing=
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get -q update
    # shellcheck disable=SC2086 # a list
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $missing
}

step "packages"
install_packages gcc libc6-dev make cmake ocl-icd-opencl-dev opencl-c-headers ca-certificates
if [ -n "${OPENCL_VENDORS:-}" ]; then
    install_packages libhwloc15 zlib1g libzstd1 # what a built Weft needs
else
    install_packages git
    if [ ! -d "$weft/.git" ]; then
        step "Weft: clone"
        git clone --depth 1 "${DRIVER_REPOSITORY:?is not set: where is Weft cloned from?}" "$weft"
    fi
    # One that was kept may be another one. What hasn't changed isn't built again.
    if [ -n "${DRIVER_REPOSITORY:-}${DRIVER_VERSION:-}" ]; then
        git -C "$weft" fetch -q --depth 1 "${DRIVER_REPOSITORY:-origin}" "${DRIVER_VERSION:-HEAD}" || {
            echo "test-on-weft.sh: ${DRIVER_VERSION:-HEAD} can't be fetched. A version is a tag or the full hash of a commit" >&2
            exit 1
        }
        git -C "$weft" checkout -q --detach FETCH_HEAD
    fi
    step "Weft: $(git -C "$weft" rev-parse HEAD)"
    step "Weft: build"
    "$weft/scripts/build" release demo
    OPENCL_VENDORS=$weft/build/release/vendors
fi
[ -n "$project" ] || exit 0
OPENCL_VENDORS=$(cd "$OPENCL_VENDORS" && pwd)

# What the tests of every project should have: docs/ci.md explains them.
export WEFT_LOG=warn WEFT_KERNEL_TIMEOUT=60

step "project: build"
build=${BUILD_DIR:-$project/build}
cmake -S "$project" -B "$build" -DOPENCL_VENDORS="$OPENCL_VENDORS"
cmake --build "$build"

step "project: test"
ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit results.xml
