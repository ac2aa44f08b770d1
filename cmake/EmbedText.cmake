# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a C++ file that holds the bytes of INPUT as qb::embedded::SYMBOL.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT}
"// Made from ${name}.
#include <string_view>
namespace qb::embedded {
static const char bytes[] = {${bytes}'\\0'};
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}(bytes, sizeof(bytes) - 1);
}  // namespace qb::embedded
")
