// qb sets product: CQS for a general matrix product (supplement F), through BLAS and verified.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "harness/base/csv.h"
#include "harness/base/numbers.h"
#include "harness/base/status.h"
#include "harness/base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/sets_verbs.h"
#include "interest_sets/product.h"
#include "kernels/cpu/gemm.h"

namespace qb {
namespace {

struct ProductWords {
  int workers = 7;
  int row_groups = 0;
  std::int64_t rows = 2048;
  std::int64_t columns = 2048;
  std::int64_t depth = 512;
  Distillation distillation = Distillation::published;
  bool csv = false;
};

struct Operands {
  std::vector<float> a;  // rows x depth
  std::vector<float> b;  // depth x columns
};

Operands random_operands(const ProductWords& words) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  Operands operands;
  operands.a.resize(static_cast<std::size_t>(words.rows * words.depth));
  operands.b.resize(static_cast<std::size_t>(words.depth * words.columns));
  for (auto* matrix : {&operands.a, &operands.b})
    for (float& value : *matrix) value = normal(random);
  return operands;
}

double multiply(const ProductWords& words, const Operands& operands, const ProductBlock& block,
                std::vector<float>& c) {
  const auto begin = std::chrono::steady_clock::now();
  cpu::gemm(block.row_end - block.row_begin, block.column_end - block.column_begin, words.depth,
            {operands.a.data() + block.row_begin * words.depth, words.depth, false},
            {operands.b.data() + block.column_begin, words.columns, false},
            c.data() + block.row_begin * words.columns + block.column_begin, words.columns);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Largest error of 4096 elements of C against float64, over what float32 sums of so many terms may
// be off by. NaN, which the outputs are filled with, counts as infinitely wrong.
double worst_error(const ProductWords& words, const Operands& operands,
                   const std::vector<float>& c) {
  std::mt19937_64 random(2);
  double worst = 0.0;
  for (int sample = 0; sample < 4096; ++sample) {
    const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(words.rows));
    const auto column =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(words.columns));
    double exact = 0.0;
    double size = 0.0;
    for (std::int64_t k = 0; k < words.depth; ++k) {
      const double term =
          static_cast<double>(operands.a[static_cast<std::size_t>(row * words.depth + k)]) *
          static_cast<double>(operands.b[static_cast<std::size_t>(k * words.columns + column)]);
      exact += term;
      size += std::abs(term);
    }
    const double error = std::abs(
        static_cast<double>(c[static_cast<std::size_t>(row * words.columns + column)]) - exact);
    const double allowed = size * std::sqrt(static_cast<double>(words.depth)) *
                           static_cast<double>(std::numeric_limits<float>::epsilon());
    if (!(error <= allowed * worst))
      worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : error / allowed;
  }
  return worst;
}

ExitCode play(ProductWords words) {
  if (words.row_groups == 0) words.row_groups = words.workers / 2;
  if (words.depth < 1) throw UsageError("--depth must be at least 1");
  const InterestSet set = default_interest_set(words.workers);
  const ProductPlan plan =
      product_plan(set, words.row_groups, words.rows, words.columns, words.distillation);
  if (!covers_exactly_once(plan)) throw CaseError(Status::error, "the plan is no exact cover");
  const Operands operands = random_operands(words);
  std::vector<float> c(static_cast<std::size_t>(words.rows * words.columns),
                       std::numeric_limits<float>::quiet_NaN());
  const double whole = [&] {
    std::vector<float> warm = c;
    (void)multiply(words, operands, {0, words.rows, 0, words.columns}, warm);
    return multiply(words, operands, {0, words.rows, 0, words.columns}, warm);
  }();
  TextTable table({"worker", "blocks", "share of C", "time (ms)"});
  CsvTable csv({"worker", "blocks", "elements", "time_s"});
  double slowest = 0.0;
  for (std::size_t worker = 0; worker < plan.workers.size(); ++worker) {
    double time = 0.0;
    for (const ProductBlock& block : plan.workers[worker])
      time += multiply(words, operands, block, c);
    slowest = std::max(slowest, time);
    const double share = static_cast<double>(plan.elements(worker)) /
                         static_cast<double>(words.rows * words.columns);
    table.add({fmt::to_string(worker), fmt::to_string(plan.workers[worker].size()),
               fmt::format("{:.4f}", share), fmt::format("{:.3f}", time * 1e3)});
    csv.append({fmt::to_string(worker), fmt::to_string(plan.workers[worker].size()),
                to_text(plan.elements(worker)), to_text(time)});
  }
  const double error = worst_error(words, operands, c);
  const std::string summary = fmt::format(
      "W = {} ({} + {} groups): {} idle; greatest possible speed-up {:.3f}, measured {:.3f} (whole "
      "product {:.3f} ms, slowest worker {:.3f} ms, each alone on one core); 4096 elements against "
      "float64: {:.2g} of the tolerance, {}.\n",
      words.workers, words.row_groups, words.workers - words.row_groups, plan.idle_workers(),
      plan.ratio(), whole / slowest, whole * 1e3, slowest * 1e3, error,
      error <= 1.0 ? "correct" : "INCORRECT");
  fmt::print("{}", words.csv ? csv.to_string() : table.terminal() + "\n");
  fmt::print(words.csv ? stderr : stdout, "{}", summary);
  return error <= 1.0 ? ExitCode::ok : ExitCode::case_failed;
}

}  // namespace

void add_sets_product(CLI::App& sets, Action& action) {
  CLI::App* verb = sets.add_subcommand(
      "product", "CQS for a general matrix product: rows and columns in W1 + W2 = W groups");
  const auto words = std::make_shared<ProductWords>();
  add_integer(*verb, "--workers", words->workers, "W (default 7)");
  add_integer(*verb, "--row-groups", words->row_groups, "W1 (default W/2)");
  add_integer(*verb, "--rows", words->rows, "of A and C (default 2048)");
  add_integer(*verb, "--columns", words->columns, "of B and C (default 2048)");
  add_integer(*verb, "--depth", words->depth, "columns of A, rows of B (default 512)");
  add_word(*verb, "--distillation", words->distillation, "default published");
  verb->add_flag("--csv", words->csv, "a row a worker as CSV");
  verb->footer(
      "Each worker's blocks of C = A B go through BLAS, one worker after the other; C is held\n"
      "against float64. Exit code 1 where it is wrong.\n\n"
      "Examples:\n"
      "  qb sets product --workers 7 --row-groups 3\n"
      "  qb sets product --workers 31 --rows 4096 --columns 8192 --depth 256");
  verb->callback([&action, words] { action = [words] { return play(*words); }; });
}

}  // namespace qb
