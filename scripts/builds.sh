# The builds that scripts/check and scripts/check_long share. Sourced in the root of the tree.

# Compiles in half the time of a release build. Tests have the kernels that the release build's tests have compiled, as all of them
# have one rebase pass.
quick=(-DCMAKE_BUILD_TYPE=None -DLIGHTMETAL_WERROR=ON -DLIGHTMETAL_TEST_PROGRAMS_WHOLE=ON
       "-DLIGHTMETAL_TEST_CACHE_DIR=$PWD/build/kernel_cache"
       "-DLIGHTMETAL_REBASE_PASS=$PWD/build/device/lightmetal_rebase_pass.so")
sanitized=("${quick[@]}" "-DCMAKE_CXX_FLAGS=-O0 -g1" -DLIGHTMETAL_HOT_FLAGS=-O1)  # with line numbers
# build_quick FOLDER OPTIONS...
build_quick() {
  scripts/build build -- lightmetal_rebase_pass
  scripts/build "$@"
}
# With GCC, which most people build with: the other builds use clang.
build_no_capture() { CXX=g++ build_quick build/no_capture "${quick[@]}" -DCMAKE_CXX_FLAGS=-O0 -DLIGHTMETAL_ENABLE_CAPTURE=OFF; }
build_asan() { build_quick build/asan "${sanitized[@]}" -DLIGHTMETAL_SANITIZE=address,undefined -DLIGHTMETAL_FUZZ=ON; }
build_tsan() { build_quick build/tsan "${sanitized[@]}" -DLIGHTMETAL_SANITIZE=thread; }
