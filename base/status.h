#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the function with the status when `expression` is not OK.
#define LM_RETURN_IF_ERROR(expression)                                            \
  do {                                                                            \
    if (absl::Status lm_status = (expression); !lm_status.ok()) return lm_status; \
  } while (false)

// Declares `variable` as the value of the StatusOr `expression`, or leaves the function with its
// status. REQUIRES: `variable` is a plain name, not yet used with the suffix _or in this scope.
#define LM_ASSIGN_OR_RETURN(variable, expression)         \
  auto variable##_or = (expression);                      \
  if (!variable##_or.ok()) return variable##_or.status(); \
  auto variable = *std::move(variable##_or)
