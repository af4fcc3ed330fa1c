#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// Runs programs as a person would, for tests.
namespace lightmetal::testing {

struct ProcessResult {
  int exit_code = -1;  // 128 + N when signal N ended the process
  std::string output;  // standard output
  std::string errors;  // standard error
  uint64_t peak_resident_bytes = 0;
};

struct ProcessOptions {
  std::string folder = {};                              // working folder; the caller's when empty
  std::map<std::string, std::string> environment = {};  // added to the caller's, or all there is
  bool empty_environment = false;
};

// Starts `arguments[0]`, a path, and waits for the end of the process.
ProcessResult run_process(const std::vector<std::string>& arguments,
                          const ProcessOptions& options = {});

// Starts `arguments[0]`, a path, without output, and kills it with SIGKILL when its first thread
// makes its system call `last`, counted from 0. Returns how many system calls it has made: fewer
// than `last` if it ends before.
uint64_t run_until_system_call(const std::vector<std::string>& arguments, uint64_t last,
                               const ProcessOptions& options = {});

// The processes of this machine that have `text` among their arguments.
std::vector<pid_t> processes_with(const std::string& text);

// Gives `file` what `program --capture` captures. The program runs once in this process: all of its
// tests have copies of one file.
void capture_once(const std::string& program, const std::string& file);

// A new empty folder below the system's temporary folder. It is removed at the end of the object's
// life, with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const {
    return name.empty() ? path_ : path_ + "/" + name;
  }

 private:
  std::string path_;
};

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& content);

}  // namespace lightmetal::testing
