#include "plots/published/published_context_parallel.h"

namespace qb {

namespace embedded {
extern const std::string_view context_parallel_table_4_pass_kv_vs_pass_q;
extern const std::string_view context_parallel_table_5_time_breakdown;
extern const std::string_view context_parallel_table_8_decode_attention;
}  // namespace embedded

const CsvTable& published_pass_kv_vs_pass_q() {
  static const CsvTable table =
      CsvTable::parse(embedded::context_parallel_table_4_pass_kv_vs_pass_q,
                      "context_parallel_table_4_pass_kv_vs_pass_q.csv");
  return table;
}

const CsvTable& published_time_breakdown() {
  static const CsvTable table = CsvTable::parse(embedded::context_parallel_table_5_time_breakdown,
                                                "context_parallel_table_5_time_breakdown.csv");
  return table;
}

const CsvTable& published_decode_attention() {
  static const CsvTable table = CsvTable::parse(embedded::context_parallel_table_8_decode_attention,
                                                "context_parallel_table_8_decode_attention.csv");
  return table;
}

}  // namespace qb
