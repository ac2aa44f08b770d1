// qb sets product: CQS for a general matrix product (supplement F), through BLAS and verified.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/base/csv.h"
#include "harness/base/numbers.h"
#include "harness/base/status.h"
#include "harness/base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/sets_verbs.h"
#include "harness/execute/matrix_product.h"
#include "interest_sets/product.h"

namespace qb {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kRowsToVerify = 64;

struct ProductWords {
  int workers = 7;
  int row_groups = 0;
  std::int64_t rows = 2048;
  std::int64_t columns = 2048;
  std::int64_t depth = 512;
  Distillation distillation = Distillation::published;
  bool csv = false;
};

ExitCode play(ProductWords words) {
  if (words.row_groups == 0) words.row_groups = words.workers / 2;
  if (words.depth < 1) throw UsageError("--depth must be at least 1");
  const InterestSet set = default_interest_set(words.workers);
  const ProductPlan plan =
      product_plan(set, words.row_groups, words.rows, words.columns, words.distillation);
  if (!covers_exactly_once(plan)) throw CaseError(Status::error, "the plan is no exact cover");
  ProductMatrices matrices(words.rows, words.columns, words.depth, heap_allocator());
  const ProductPlan one = whole_product(words.rows, words.columns);
  matrices.fill(kSeed, 1);
  (void)multiply_blocks(one, 0, matrices);  // warms up
  const double whole = multiply_blocks(one, 0, matrices);
  matrices.fill(kSeed, 1);
  TextTable table({"worker", "blocks", "share of C", "time (ms)"});
  CsvTable csv({"worker", "blocks", "elements", "time_s"});
  double slowest = 0.0;
  for (std::size_t worker = 0; worker < plan.workers.size(); ++worker) {
    const double time = multiply_blocks(plan, worker, matrices);
    slowest = std::max(slowest, time);
    const double share = static_cast<double>(plan.elements(worker)) /
                         static_cast<double>(words.rows * words.columns);
    table.add({fmt::to_string(worker), fmt::to_string(plan.workers[worker].size()),
               fmt::format("{:.4f}", share), fmt::format("{:.3f}", time * 1e3)});
    csv.append({fmt::to_string(worker), fmt::to_string(plan.workers[worker].size()),
                to_text(plan.elements(worker)), to_text(time)});
  }
  const Verification verification =
      verify_product(matrices, product_rows_to_verify(plan, kRowsToVerify, kSeed), 1);
  const std::string summary = fmt::format(
      "W = {} ({} + {} groups): {} idle; greatest possible speed-up {:.3f}, measured {:.3f} (whole "
      "product {:.3f} ms, slowest worker {:.3f} ms, each alone on one core); {} rows against "
      "float64: "
      "{}.\n",
      words.workers, words.row_groups, words.workers - words.row_groups, plan.idle_workers(),
      plan.ratio(), whole / slowest, whole * 1e3, slowest * 1e3, verification.rows,
      verification.correct ? "correct" : "INCORRECT, " + verification.message);
  fmt::print("{}", words.csv ? csv.to_string() : table.terminal() + "\n");
  fmt::print(words.csv ? stderr : stdout, "{}", summary);
  return verification.correct ? ExitCode::ok : ExitCode::case_failed;
}

}  // namespace

void add_sets_product(Verb sets) {
  Verb verb = sets.add_verb(
      "product", "CQS for a general matrix product: rows and columns in W1 + W2 = W groups");
  const auto words = std::make_shared<ProductWords>();
  add_integer(verb, "--workers", words->workers, "W (default 7)");
  add_integer(verb, "--row-groups", words->row_groups, "W1 (default W/2)");
  add_integer(verb, "--rows", words->rows, "of A and C (default 2048)");
  add_integer(verb, "--columns", words->columns, "of B and C (default 2048)");
  add_integer(verb, "--depth", words->depth, "columns of A, rows of B (default 512)");
  add_word(verb, "--distillation", words->distillation, "default published");
  verb.flag("--csv", words->csv, "a row a worker as CSV");
  verb.footer(
      "Each worker's blocks of C = A B go through BLAS, one worker after the other; C is held\n"
      "against float64. Exit code 1 where it is wrong.\n\n"
      "Examples:\n"
      "  qb sets product --workers 7 --row-groups 3\n"
      "  qb sets product --workers 31 --rows 4096 --columns 8192 --depth 256");
  verb.runs([words] { return play(*words); });
}

}  // namespace qb
