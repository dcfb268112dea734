#!/bin/sh
# Builds a project of CMake or Meson and runs its tests on Weft. All workflow files beside this one call it.
# test-on-weft.sh [PROJECT]     without a project: Weft is built, and that is all
#
#   DRIVER_REPOSITORY  where Weft comes from
#   DRIVER_VERSION     a tag or the full hash of a commit; default: the newest. A Weft in DRIVER_DIR that is another one is
#                      brought to it, unless neither variable is set
#   DRIVER_DIR         where Weft is built; default: weft. Keep it between jobs: a build takes some minutes
#   OPENCL_VENDORS     a folder with weft.icd. If it is set, that Weft is used and none is built
#   BUILD_DIR          where the project is built, and results.xml is; default: build in the project
#
# The project must take -DOPENCL_VENDORS, as examples/cmake-project does, or with Meson -Dopencl_vendors, as
# examples/meson-project does. Debian and Ubuntu; root, or sudo.
set -eu
project=${1:-}
refuse() {
    echo "test-on-weft.sh: $*" >&2
    exit 2
}
[ -z "$project" ] || [ -f "$project/CMakeLists.txt" ] || [ -f "$project/meson.build" ] ||
    refuse "$project has neither CMakeLists.txt nor meson.build"
if [ -n "${OPENCL_VENDORS:-}" ]; then
    [ -n "$project" ] || refuse "OPENCL_VENDORS is set, so no Weft is built, and no project is named: there is nothing to do"
    ls "$OPENCL_VENDORS"/*.icd >/dev/null 2>&1 || refuse "OPENCL_VENDORS: there is no *.icd in $OPENCL_VENDORS"
fi
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
[ -f "$project/CMakeLists.txt" ] || install_packages meson pkg-config
OPENCL_VENDORS=$(cd "$OPENCL_VENDORS" && pwd)

# What the tests of every project should have: docs/ci.md explains them.
export WEFT_LOG=warn WEFT_KERNEL_TIMEOUT=60

step "project: build"
build=${BUILD_DIR:-$project/build}
if [ -f "$project/CMakeLists.txt" ]; then
    cmake -S "$project" -B "$build" -DOPENCL_VENDORS="$OPENCL_VENDORS"
    cmake --build "$build"

    step "project: test"
    ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit results.xml
else
    again=
    [ ! -f "$build/build.ninja" ] || again=--reconfigure
    meson setup $again "$build" "$project" -Dopencl_vendors="$OPENCL_VENDORS"
    meson compile -C "$build"

    step "project: test"
    rm -f "$build/meson-logs/testlog.junit.xml"
    status=0
    meson test -C "$build" --print-errorlogs || status=$?
    if [ ! -f "$build/meson-logs/testlog.junit.xml" ]; then # for Meson, no test is a success
        echo "test-on-weft.sh: $project has no tests" >&2
        exit 1
    fi
    cp "$build/meson-logs/testlog.junit.xml" "$build/results.xml"
    exit $status
fi
