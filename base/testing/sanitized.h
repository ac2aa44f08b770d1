// SPDX-License-Identifier: Apache-2.0
// Says whether a test is built with a sanitizer. Sanitizers slow code five times and look for
// errors of memory and of threads, which fewer problems show as well.
#pragma once

namespace qb::testing_support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace qb::testing_support
