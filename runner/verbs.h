#pragma once

// The verbs of lightmetal_runner, which docs/runner.md describes. Each takes its own arguments,
// argv[0] being the verb, prints its results and errors, and returns an exit code: all is well, an
// output differs from its golden, or anything else. Wrong arguments are thrown as cxxopts'
// exceptions.
namespace lightmetal::runner {

inline constexpr int kSuccess = 0;
inline constexpr int kDifference = 1;
inline constexpr int kFailure = 2;

int run(int argc, const char* const* argv);
int bench(int argc, const char* const* argv);
int bind(int argc, const char* const* argv);
int info(int argc, const char* const* argv);
int dump(int argc, const char* const* argv);
int convert(int argc, const char* const* argv);
int diff(int argc, const char* const* argv);
int extract(int argc, const char* const* argv);
int optimize(int argc, const char* const* argv);
int redact(int argc, const char* const* argv);
int keygen(int argc, const char* const* argv);
int report(int argc, const char* const* argv);
int relocate(int argc, const char* const* argv);
int repair(int argc, const char* const* argv);
int trim(int argc, const char* const* argv);
int reduce(int argc, const char* const* argv);
int set(int argc, const char* const* argv);
int sign(int argc, const char* const* argv);
int verify(int argc, const char* const* argv);
int check(int argc, const char* const* argv);

}  // namespace lightmetal::runner
