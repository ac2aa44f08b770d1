// SPDX-License-Identifier: Apache-2.0
// Plants the field's mistakes in an attention of its own, as another program would make them, and
// asks for their names.
#include "harness/verify/diagnosis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>
#include <numeric>

#include "base/integers.h"
#include "harness/plan/builder.h"
#include "harness/run/testing/execute_fixtures.h"
#include "harness/run/testing/gradient_trial.h"

namespace qb {
namespace {

using Token = std::int64_t;

std::size_t at(Token i) { return static_cast<std::size_t>(i); }

// Attention in float32, written down plainly, and every way in which it may go wrong.
struct Program {
  std::function<bool(Token, Token)> sees;
  double scale = 1.0;
  double softcap = 0.0;
  bool caps_masked = false;
  bool interleaves = false;
  bool means = false;
  bool drops_delta = false;
  double last_scale = 1.0;                    // of dQ and dK
  std::function<double(Token, Token)> times;  // of a pair
  std::vector<Token> order;                   // whose row stands in each
  std::vector<Token> keys;                    // whose K stands at each
  std::vector<Token> values;
  std::vector<std::vector<char>> partials;  // rounded to `sums` each; empty: one
  DType sums = DType::f32;
  std::function<double(std::int64_t head)> of_heads;  // of a query head, in dK and dV
};

struct Outputs {
  Tensor out, lse, d_q, d_k, d_v;
};

float rounded(double value, DType type) {
  float one = static_cast<float>(value);
  std::array<std::byte, 8> bytes{};
  store_element(bytes.data(), type, static_cast<double>(one));
  return static_cast<float>(load_element(bytes.data(), type));
}

double element(const TensorView& view, std::int64_t b, std::int64_t h, Token n, Token x) {
  return load_element(view.row(b, h, n) + x * size_of(view.dtype), view.dtype);
}

Outputs compute(const Program& program, const Problem& problem, const Inputs& inputs,
                const TensorView& d_out, DType type) {
  const Shape& s = problem.shape;
  Outputs outputs{Tensor(heap_allocator(), DType::f32, s.out(), "out"),
                  Tensor(heap_allocator(), DType::f32, s.lse(), "lse"),
                  Tensor(heap_allocator(), DType::f32, s.q(), "dq"),
                  Tensor(heap_allocator(), DType::f32, s.k(), "dk"),
                  Tensor(heap_allocator(), DType::f32, s.v(), "dv")};
  for (const Tensor* one : {&outputs.d_q, &outputs.d_k, &outputs.d_v})
    std::fill_n(static_cast<float*>(one->view().data), one->view().extent.elements(), 0.0f);
  const auto tile = [](Token i, const std::vector<Token>& order) {
    return order.empty() ? i : order[at(i)];
  };
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t h = 0; h < s.q_heads; ++h) {
      const std::int64_t g = program.interleaves ? h % s.kv_heads : h / (s.q_heads / s.kv_heads);
      for (Token place = 0; place < s.q_len; ++place) {
        const Token row = tile(place, program.order);
        std::vector<double> score(at(s.kv_len), -INFINITY);
        double largest = -INFINITY;
        for (Token j = 0; j < s.kv_len; ++j) {
          const bool sees = program.sees(row, j);
          if (!sees && !program.caps_masked) continue;
          double sum = 0.0;
          for (Token x = 0; x < s.head_dim; ++x)
            sum += element(inputs.q.view(), b, h, row, x) *
                   element(inputs.k.view(), b, g, tile(j, program.keys), x);
          sum *= program.scale;
          if (program.softcap > 0.0) sum = program.softcap * std::tanh(sum / program.softcap);
          score[at(j)] = sees ? sum : -program.softcap;
          largest = std::max(largest, score[at(j)]);
        }
        std::vector<double> weight(at(s.kv_len));
        double total = 0.0;
        for (Token j = 0; j < s.kv_len; ++j) {
          if (std::isinf(score[at(j)])) continue;
          weight[at(j)] = std::exp(score[at(j)] - largest);
          total += weight[at(j)] * (program.times ? program.times(row, j) : 1.0);
        }
        double plain = std::accumulate(weight.begin(), weight.end(), 0.0);
        auto* const out = outputs.out.view().row_as<float>(b, h, place);
        *outputs.lse.view().row_as<float>(b, h, place) =
            static_cast<float>(total > 0.0 ? largest + std::log(total) : -INFINITY);
        std::vector<std::vector<char>> partials = program.partials;
        if (partials.empty()) partials.emplace_back(at(s.kv_len), 1);
        std::vector<double> exact(at(s.value_dim));
        for (const std::vector<char>& partial : partials) {
          double of_partial = 0.0;
          std::vector<double> sums(at(s.value_dim));
          for (Token j = 0; j < s.kv_len; ++j) {
            if (partial[at(j)] == 0) continue;
            double w = weight[at(j)] * (program.times ? program.times(row, j) : 1.0);
            if (total == 0.0 && program.means) w = 1.0;
            of_partial += w;
            for (Token x = 0; x < s.value_dim; ++x)
              sums[at(x)] += w * element(inputs.v.view(), b, g, tile(j, program.values), x);
          }
          if (of_partial == 0.0) continue;
          const double all = total > 0.0 ? total : static_cast<double>(s.kv_len);
          for (Token x = 0; x < s.value_dim; ++x)
            exact[at(x)] += static_cast<double>(rounded(sums[at(x)] / of_partial, program.sums)) *
                            of_partial / all;
        }
        for (Token x = 0; x < s.value_dim; ++x) out[x] = rounded(exact[at(x)], type);
        if (d_out.data == nullptr || plain == 0.0) continue;
        std::vector<double> d_p(at(s.kv_len));
        double delta = 0.0;
        for (Token j = 0; j < s.kv_len; ++j) {
          for (Token x = 0; x < s.value_dim; ++x)
            d_p[at(j)] += element(d_out, b, h, row, x) * element(inputs.v.view(), b, g, j, x);
          delta += weight[at(j)] / plain * d_p[at(j)];
        }
        for (Token j = 0; j < s.kv_len; ++j) {
          const double p = weight[at(j)] / plain * (program.times ? program.times(row, j) : 1.0);
          const double d_s = p * (d_p[at(j)] - (program.drops_delta ? 0.0 : delta)) *
                             program.scale * program.last_scale;
          const double of_head = program.of_heads ? program.of_heads(h) : 1.0;
          for (Token x = 0; x < s.head_dim; ++x) {
            outputs.d_q.view().row_as<float>(b, h, place)[x] +=
                static_cast<float>(d_s * element(inputs.k.view(), b, g, j, x));
            outputs.d_k.view().row_as<float>(b, g, j)[x] +=
                static_cast<float>(of_head * d_s * element(inputs.q.view(), b, h, row, x));
          }
          for (Token x = 0; x < s.value_dim; ++x)
            outputs.d_v.view().row_as<float>(b, g, j)[x] +=
                static_cast<float>(of_head * p * element(d_out, b, h, row, x));
        }
      }
    }
  return outputs;
}

Program right(const Problem& problem) {
  Program program;
  program.sees = [mask = problem.mask](Token q, Token k) { return mask.allows(q, k); };
  program.scale = problem.scale;
  return program;
}

struct Answer {
  Verification found;
  std::vector<Diagnosis> diagnoses;
};

Answer ask(const Plan& plan, const Inputs& inputs, const TensorView& d_out, const Outputs& outputs,
           const OtherProgram& other) {
  ExecutionArguments of;
  of.q = inputs.q.view();
  of.k = inputs.k.view();
  of.v = inputs.v.view();
  of.out = outputs.out.view();
  of.lse = outputs.lse.view();
  of.d_out = d_out;
  if (d_out.data != nullptr) {
    of.d_q = outputs.d_q.view();
    of.d_k = outputs.d_k.view();
    of.d_v = outputs.d_v.view();
  }
  Answer answer{verify_tensors(plan, of, other, 64), {}};
  answer.diagnoses = diagnose(plan, of, other, answer.found);
  return answer;
}

// How many mistakes changed a tensor by more than its tolerance, and how many of those were named.
struct Tally {
  int planted = 0;
  int named = 0;
  std::map<std::string, int> wrong;

  void count(const std::string& mistake, const Answer& answer, std::string_view tensor) {
    if (answer.found.correct) return;
    for (const Diagnosis& one : answer.diagnoses) {
      if (one.tensor != tensor) continue;
      ++planted;
      const bool is_named = one.mistake.find(mistake) != std::string::npos;
      if (is_named)
        ++named;
      else
        ++wrong[fmt::format("{}: '{}' named '{}'", tensor, mistake, one.mistake)];
      return;
    }
    ++planted;
    ++wrong[fmt::format("{}: '{}' not found wrong: {}", tensor, mistake, answer.found.message)];
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [what, times] : wrong) all += fmt::format("\n{} times {}", times, what);
    return all;
  }
};

std::vector<Token> shifted(const Plan& plan, Token by) {
  std::vector<Token> tokens(at(plan.problem.shape.kv_len));
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto& groups = plan.kv_groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const TokenGroup& other = groups[(g + at(by)) % groups.size()];
    for (Token i = 0; i < groups[g].count; ++i)
      tokens[at(groups[g].token(i))] = other.token(std::min(i, other.count - 1));
  }
  return tokens;
}

constexpr Token kBlock = 12;
constexpr std::size_t kBlocks = 4;  // the place of the mask of blocks

std::vector<MaskSpec> masks() {
  const auto window = [](Token left, Token right) {
    return PatternNode{
        "sliding_window", {{"left", {left}, {}, false}, {"right", {right}, {}, false}}, {}};
  };
  const PatternNode causal{"causal", {}, {}};
  const PatternNode blocks{"block_local", {{"block", {kBlock}, {}, false}}, {}};
  const PatternNode global{"global", {{"tokens", {3}, {}, false}}, {}};
  return {MaskKind::full,
          MaskKind::causal,
          MaskSpec(window(6, 0)),
          MaskSpec(window(5, 5)),
          MaskSpec(PatternNode{"all_of", {}, {causal, blocks}}),
          MaskSpec(PatternNode{"any_of", {}, {global, window(4, 4)}})};
}

Problem some_problem(Random& random, const MaskSpec& mask) {
  Shape shape;
  shape.batch = between(random, 1, 2);
  shape.kv_heads = between(random, 1, 2);
  shape.q_heads = shape.kv_heads * between(random, 1, 3);
  shape.q_len = between(random, 24, 60);
  shape.kv_len = random() % 3 == 0 ? between(random, 20, 70) : shape.q_len;
  shape.head_dim = shape.value_dim = 8 * between(random, 1, 3);
  const DType dtypes[] = {DType::f16, DType::bf16, DType::f32};
  return make_problem(shape, mask, dtypes[random() % 3], random());
}

// O and LSE of a program that counts the sink of each head so often.
TEST(Diagnosis, NamesASinkThatCountsInEachPartialOrNotAtAll) {
  Problem problem = make_problem({1, 4, 2, 48, 48, 16, 16}, MaskKind::causal, DType::bf16, 3);
  problem.sinks = {0.5F, -1.0F, 2.0F, 0.0F};
  const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
  for (const auto& [algorithm, workers, times, name] :
       {std::tuple{"ring", 4, 4.0, "the sink counts in each of 4 partials"},
        {"dense", 1, 3.0, "the sink counts in each of 3 partials"},
        {"ring", 4, 0.0, "the sink is missing"},
        {"ring", 4, 1.0, ""}}) {
    SCOPED_TRACE(name);
    const Outputs outputs = compute(right(problem), problem, inputs, {}, DType::f32);
    for (std::int64_t h = 0; h < 4; ++h)
      for (Token i = 0; i < 48; ++i) {
        float& lse = *outputs.lse.view().row_as<float>(0, h, i);
        const double sink = times * std::exp(static_cast<double>(problem.sinks[at(h)]) - lse);
        for (Token x = 0; x < 16; ++x)
          outputs.out.view().row_as<float>(0, h, i)[x] /= static_cast<float>(1.0 + sink);
        lse += static_cast<float>(std::log1p(sink));
      }
    const Answer answer =
        ask(make_plan(algorithm, problem, {.workers = workers}), inputs, {}, outputs, {});
    EXPECT_EQ(answer.found.correct, times == 1.0) << answer.found.message;
    // LSE then agrees with the mistake of O.
    ASSERT_EQ(answer.diagnoses.size(), times == 1.0 ? 0u : 1u);
    for (const Diagnosis& one : answer.diagnoses)
      EXPECT_NE(one.mistake.find(name), std::string::npos) << one.tensor << ": " << one.mistake;
  }
}

TEST(Diagnosis, NamesTheFieldsMistakesInEveryScheme) {
  Random random(11);
  Tally tally;
  for (const Strategy& strategy : strategies())
    for (int round = 0; round < 4; ++round) {
      const std::size_t of_mask = random() % masks().size();
      const Problem problem = some_problem(random, masks()[of_mask]);
      const Shape& s = problem.shape;
      std::optional<Plan> plan;
      try {
        plan =
            make_plan(strategy.name, problem, {.workers = static_cast<int>(between(random, 2, 5))});
      } catch (const CaseError&) {
        continue;
      }
      const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
      OtherProgram other;
      const DType type = random() % 2 == 0 ? DType::f32 : problem.dtype;
      const auto plant = [&](const char* name, const auto& change) {
        Program program = right(problem);
        program.softcap = other.softcap;
        change(program);
        const Outputs outputs = compute(program, problem, inputs, {}, type);
        tally.count(name, ask(*plan, inputs, {}, outputs, other), "O");
      };
      const auto sees = right(problem).sees;
      const Token offset = s.kv_len - s.q_len;
      plant("scale is missing", [](Program& p) { p.scale = 1.0; });
      plant("scale is applied twice", [](Program& p) { p.scale *= p.scale; });
      plant("base 2", [](Program& p) { p.scale *= std::log(2.0); });
      if (s.kv_heads > 1 && s.q_heads > s.kv_heads)
        plant("interleaved", [](Program& p) { p.interleaves = true; });
      if (problem.mask.kind != MaskKind::full) {
        plant("mask", [](Program& p) { p.sees = [](Token, Token) { return true; }; });
        if (offset != 0)
          plant("top-left", [&](Program& p) {
            p.sees = [&](Token q, Token k) { return sees(q - offset, k); };
          });
        plant("mean of V", [](Program& p) { p.means = true; });
        if (problem.mask.kind == MaskKind::pattern && problem.mask.pattern->looks_back_only())
          plant("the pattern is missing", [&](Program& p) {  // documents, or a window
            p.sees = [&](Token q, Token k) { return k <= q + offset; };
          });
      }
      if (of_mask == kBlocks)
        for (const Token by : {-1, 1})
          plant("one token off", [&](Program& p) {
            p.sees = [&](Token q, Token k) {
              const auto block = [&](Token i) { return (i + by) / kBlock; };
              return k <= q + offset && block(q + offset) == block(k);
            };
          });
      if (problem.mask.kind == MaskKind::causal)
        plant("own position", [&](Program& p) {
          p.sees = [&](Token q, Token k) { return sees(q, k) && k != q + offset; };
        });
      const auto worker =
          at(between(random, 0, std::ssize(std::vector<int>(plan->workers.size())) - 1));
      const Worker one = plan->workers[worker];
      if (!one.steps.empty() && plan->kv_groups.size() > 1) {
        const Step& step = one.steps[random() % one.steps.size()];
        if (!step.tasks.empty()) {
          const PairTask& task = step.tasks[random() % step.tasks.size()];
          const auto in = [](const TokenGroup& group, Token token) {
            const Token i = token - group.first;
            return i >= 0 && i % group.stride == 0 && i / group.stride < group.count;
          };
          const TokenGroup& q_group = group_at(plan->q_groups, task.q_group);
          const TokenGroup& kv_group = group_at(plan->kv_groups, task.kv_group);
          for (const auto& [name, times] : {std::pair{"is left out", 0.0}, {"counts twice", 2.0}})
            plant(name, [&](Program& p) {
              p.times = [&](Token q, Token k) {
                return in(q_group, q) && in(kv_group, k) ? times : 1.0;
              };
            });
        }
      }
      if (plan->kv_groups.size() > 1 && !one.kv_groups.empty() && one.kv_groups.size() == 1 &&
          plan->workers.size() == plan->kv_groups.size())
        for (const bool keys_too : {false, true})
          plant("shard in place", [&](Program& p) {
            p.values = shifted(*plan, 1);
            if (keys_too) p.keys = p.values;
          });
      // One shard alone, which all workers then have so.
      if (plan->kv_groups.size() > 1 && plan->workers.size() == plan->kv_groups.size() &&
          std::ranges::all_of(integers_below(plan->kv_groups.size()), [&](int w) {
            return plan->workers.share(at(w)).kv_groups.size() == 1;
          })) {
        const std::vector<Token> all = shifted(*plan, 1);
        const TokenGroup& group = plan->kv_groups[random() % plan->kv_groups.size()];
        plant("in place of shard", [&](Program& p) {
          p.values.resize(all.size());
          std::iota(p.values.begin(), p.values.end(), 0);
          for (Token i = 0; i < group.count; ++i)
            p.values[at(group.token(i))] = all[at(group.token(i))];
        });
      }
      if (problem.dtype == DType::f32 && type == DType::f32 && plan->kv_groups.size() > 1)
        plant("partials in", [&](Program& p) {
          p.sums = random() % 2 == 0 ? DType::bf16 : DType::f16;
          for (const TokenGroup& group : plan->kv_groups) {
            p.partials.emplace_back(at(s.kv_len));
            for (Token i = 0; i < group.count; ++i) p.partials.back()[at(group.token(i))] = 1;
          }
        });
      for (const char* const layout : {"zigzag", "striped"}) {
        Plan dealt;
        dealt.problem = problem;
        const Shards shards = deal_called(layout)(dealt, static_cast<int>(plan->workers.size()));
        std::vector<Token> order;
        for (const std::vector<int>& groups : shards.q)
          for (const int group : groups)
            for (Token i = 0; i < group_at(dealt.q_groups, group).count; ++i)
              order.push_back(group_at(dealt.q_groups, group).token(i));
        plant(layout, [&](Program& p) { p.order = order; });
        if (s.q_len == s.kv_len && problem.mask.kind != MaskKind::full)
          plant(layout, [&](Program& p) {
            p.sees = [&, order](Token q, Token k) { return sees(order[at(q)], order[at(k)]); };
          });
      }
      other.softcap = 0.7;
      plant("softcap is missing", [](Program& p) { p.softcap = 0.0; });
      if (problem.mask.kind != MaskKind::full)
        plant("after the mask", [](Program& p) { p.caps_masked = true; });
    }
  EXPECT_GT(tally.planted, 500);
  EXPECT_GE(tally.named, tally.planted * 95 / 100) << tally.text();
}

// The program has the mistake in both passes.
TEST(Diagnosis, NamesThemInGradients) {
  Random random(12);
  Tally tally;
  for (const char* const algorithm : {"dense", "ring", "zigzag", "cqs", "ulysses"})
    for (int round = 0; round < 6; ++round) {
      Problem problem = some_problem(random, masks()[random() % 5]);
      std::optional<Plan> plan;
      try {
        plan =
            make_plan(algorithm, problem, {.workers = algorithm == std::string("dense") ? 1 : 4});
      } catch (const CaseError&) {
        continue;
      }
      const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
      const Tensor d_out(heap_allocator(), problem.dtype, problem.shape.out(), "do");
      for (std::int64_t i = 0; i < problem.shape.out().elements(); ++i)
        store_element(static_cast<std::byte*>(d_out.view().data) + i * size_of(problem.dtype),
                      problem.dtype, static_cast<double>(random() % 2001) / 1000.0 - 1.0);
      const auto plant = [&](const char* name, const std::vector<std::string_view>& tensors,
                             const auto& change) {
        Program program = right(problem);
        change(program);
        const Outputs outputs = compute(program, problem, inputs, d_out.view(), DType::f32);
        const Answer answer = ask(*plan, inputs, d_out.view(), outputs, {});
        for (const std::string_view tensor : tensors) tally.count(name, answer, tensor);
      };
      const auto all = std::vector<std::string_view>{"dQ", "dK", "dV"};
      plant("scale is missing", all, [](Program& p) { p.scale = 1.0; });
      plant("missing in the last product", {"dQ", "dK"},
            [&](Program& p) { p.last_scale = 1.0 / problem.scale; });
      plant("twice in the last product", {"dQ", "dK"},
            [&](Program& p) { p.last_scale = problem.scale; });
      plant("not subtracted", {"dQ", "dK"}, [](Program& p) { p.drops_delta = true; });
      if (problem.mask.kind != MaskKind::full)
        plant("mask", all, [](Program& p) { p.sees = [](Token, Token) { return true; }; });
      const std::int64_t shared = problem.shape.q_heads / problem.shape.kv_heads;
      if (shared > 1) {
        plant("not their sum", {"dK", "dV"}, [&](Program& p) {
          p.of_heads = [=](std::int64_t h) { return h % shared == 0 ? 1.0 : 0.0; };
        });
        plant("the mean of the query heads", {"dK", "dV"}, [&](Program& p) {
          p.of_heads = [=](std::int64_t) { return 1.0 / static_cast<double>(shared); };
        });
        if (problem.shape.kv_heads > 1)
          plant("interleaved", all, [](Program& p) { p.interleaves = true; });
      }
      if (plan->q_groups.size() > 1 && algorithm != std::string("ulysses")) {
        const TokenGroup q_group = plan->q_groups[random() % plan->q_groups.size()];
        const TokenGroup kv_group = plan->kv_groups[random() % plan->kv_groups.size()];
        const auto in = [](const TokenGroup& group, Token token) {
          const Token i = token - group.first;
          return i >= 0 && i % group.stride == 0 && i / group.stride < group.count;
        };
        plant("is left out", {"dQ", "dK", "dV"}, [&](Program& p) {
          p.times = [=](Token q, Token k) { return in(q_group, q) && in(kv_group, k) ? 0.0 : 1.0; };
        });
      }
    }
  EXPECT_GT(tally.planted, 150);
  EXPECT_GE(tally.named, tally.planted * 95 / 100) << tally.text();
}

TEST(Diagnosis, NamesWhatIsWrongWithLse) {
  Random random(13);
  Tally tally;
  for (int round = 0; round < 12; ++round) {
    const Problem problem = some_problem(random, masks()[random() % 6]);
    const Plan plan = dense_plan(problem);
    const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
    const auto plant = [&](const char* name, const auto& change) {
      const Outputs outputs = compute(right(problem), problem, inputs, {}, DType::f32);
      const TensorView lse = outputs.lse.view();
      for (std::int64_t i = 0; i < lse.extent.elements(); ++i)
        change(static_cast<float*>(lse.data)[i]);
      tally.count(name, ask(plan, inputs, {}, outputs, {}), "LSE");
    };
    plant("base 2", [](float& lse) { lse *= 1.44269504f; });
    plant("have 0", [](float& lse) { lse = std::isinf(lse) ? 0.0f : lse; });
    plant("not its logarithm", [](float& lse) { lse = std::exp(lse); });
  }
  EXPECT_GT(tally.planted, 20);
  EXPECT_EQ(tally.named, tally.planted) << tally.text();
}

// A mask's numbers are off by one.
TEST(Diagnosis, NamesTheNumberThatIsOff) {
  Random random(14);
  Tally tally;
  const auto window = [](Token left, Token right) {
    return MaskSpec(PatternNode{
        "sliding_window", {{"left", {left}, {}, false}, {"right", {right}, {}, false}}, {}});
  };
  for (int round = 0; round < 8; ++round) {
    const Token left = between(random, 2, 9);
    const Token right_side = random() % 2 == 0 ? 0 : between(random, 2, 9);
    const Problem problem = some_problem(random, window(left, right_side));
    const Mask other = window(left + 1, right_side).mask(problem.shape.q_len, problem.shape.kv_len);
    const Inputs inputs = make_inputs(problem, heap_allocator(), 1);
    Program program = right(problem);
    program.sees = [other](Token q, Token k) { return other.allows(q, k); };
    const Outputs outputs = compute(program, problem, inputs, {}, problem.dtype);
    tally.count(fmt::format("left {} in place of {}", left + 1, left),
                ask(dense_plan(problem), inputs, {}, outputs, {}), "O");
  }
  EXPECT_GT(tally.planted, 6);
  EXPECT_EQ(tally.named, tally.planted) << tally.text();
}

void round_to(const TensorView& view, DType type) {
  for (std::int64_t i = 0; i < view.extent.elements(); ++i) {
    float& value = static_cast<float*>(view.data)[i];
    value = rounded(static_cast<double>(value), type);
  }
}

// Writes what a plain program in the inputs' type computes; eager: which keeps its scores in it.
void compute_plainly(const Trial& trial, bool eager) {
  const Problem& problem = trial.plan.problem;
  const std::vector<std::int64_t> every = integers_below(problem.shape.q_len);
  const ReferenceRows rows =
      naive_rows(trial.inputs.q.view(), trial.inputs.k.view(), trial.inputs.v.view(), problem.mask,
                 problem.scale, every, 1, eager);
  std::ranges::transform(rows.out, static_cast<float*>(trial.out.view().data),
                         [](double value) { return static_cast<float>(value); });
  std::ranges::transform(rows.lse, static_cast<float*>(trial.lse.view().data),
                         [](double value) { return static_cast<float>(value); });
}

// A plain program in the inputs' type, one that keeps its scores in it too, and every kernel of
// this one, forward and backward, rounded to any type: what is honest is never called wrong.
// QB_HONEST: how many.
TEST(VerifyTensors, AccusesNoHonestOutput) {
  Random random(15);
  const char* const asked = std::getenv("QB_HONEST");
  const int rounds = asked == nullptr ? 250 : std::atoi(asked);
  int accused = 0;
  std::string last;
  const std::vector<MaskSpec> some = masks();
  constexpr Kernel kernels[] = {Kernel::flash, Kernel::materialized, Kernel::reference};
  for (int round = 0; round < rounds; ++round) {
    const Problem problem = some_problem(random, some[random() % some.size()]);
    const DType types[] = {problem.dtype, DType::f32, DType::f16, DType::bf16};
    const DType type = types[random() % 4];
    const Kernel kernel = kernels[random() % 3];
    const std::size_t program = random() % 6;  // a kernel in the last four
    Trial trial(dense_plan(problem), heap_allocator());
    if (program > 1)
      (void)trial.run(Ranks::serial, kernel, 1, heap_allocator());
    else
      compute_plainly(trial, program == 1);
    round_to(trial.out.view(), type);
    ExecutionArguments of = trial.with_tensors({});
    std::optional<GradientTrial> gradients;
    if (program > 3 && kernel != Kernel::reference) {
      gradients.emplace(make_plan("dense", problem, {.pass = Pass::backward}));
      (void)gradients->run(Ranks::serial, kernel, 1, heap_allocator());
      of = gradients->with_tensors({});
      of.out = of.lse = {};
      for (const TensorView& view : {of.d_q, of.d_k, of.d_v}) round_to(view, type);
    }
    const Verification found = verify_tensors(trial.plan, of, {0.0, type}, 64);
    if (found.correct) continue;
    ++accused;
    last = fmt::format("program {}, kernel {}, {}, outputs {}: {}", program, word(kernel),
                       word(problem.dtype), word(type), found.message);
  }
  EXPECT_EQ(accused, 0) << "of " << rounds << ", the last: " << last;
}

}  // namespace
}  // namespace qb
