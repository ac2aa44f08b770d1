// SPDX-License-Identifier: Apache-2.0
// The functions of fmt's library, which Debian has as a shared one only. Compiled with
// -fkeep-inline-functions, so that each of them is in the object.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <locale>

// Formatting a time needs it; nothing above does.
template std::locale fmt::detail::locale_ref::get<std::locale>() const;
