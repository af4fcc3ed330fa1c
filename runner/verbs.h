#pragma once

// The verbs of lightmetal_runner. Each takes its own arguments, argv[0] being the verb, and returns
// an exit code: 0 all well, 1 an output differs from its golden, 2 anything else. Wrong arguments
// are thrown as cxxopts' exceptions.
namespace lightmetal::runner {

int run(int argc, const char* const* argv);
int info(int argc, const char* const* argv);
int dump(int argc, const char* const* argv);
int redact(int argc, const char* const* argv);
int keygen(int argc, const char* const* argv);
int repair(int argc, const char* const* argv);
int trim(int argc, const char* const* argv);
int sign(int argc, const char* const* argv);
int verify(int argc, const char* const* argv);

}  // namespace lightmetal::runner
