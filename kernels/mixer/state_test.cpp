// SPDX-License-Identifier: Apache-2.0
// Tests what workers rely on: sums over shards with a state passed between them, states that are
// appended, parts of nystrom and linformer, and counts of FLOP and words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "kernels/merge.h"
#include "kernels/mixer/testing/mixer_support.h"

namespace qb {
namespace {

using testing_support::MixerCall;
using testing_support::MixerCase;
using testing_support::TestState;
using testing_support::values;

// The call over some of its tokens.
MixerArguments shard(const MixerCall& call, std::int64_t begin, std::int64_t end) {
  MixerArguments a = call.a;
  a.first_token = begin;
  a.all_tokens = call.shape.n_tokens;
  if (call.options.kind == Mixer::linformer)
    for (TensorView* const columns : {&a.projection, &a.value_projection}) {
      if (columns->data == nullptr) continue;
      columns->data = static_cast<float*>(columns->data) + begin;
      columns->extent.head_dim = end - begin;
    }
  for (TensorView* const view : {&a.q, &a.k, &a.v, &a.decay, &a.beta, &a.delta, &a.out})
    if (view->data != nullptr) *view = view->tokens(begin, end - begin);
  return a;
}

// Documents that begin in the shard, whose arguments refer to them.
std::vector<std::int64_t> begins_in(MixerArguments& a) {
  std::vector<std::int64_t> own;
  for (const std::int64_t token : a.begins)
    if (a.first_token <= token && token < a.first_token + a.v.extent.length)
      own.push_back(token - a.first_token);
  return own;
}

std::vector<std::int64_t> random_cuts(std::int64_t n, std::int64_t least, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::int64_t> cuts = {0, n};
  for (std::uint64_t workers = 1 + engine() % 7; workers > 1; --workers)
    cuts.push_back(static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n + 1)));
  std::ranges::sort(cuts);
  std::vector<std::int64_t> kept = {0};  // shards have so many tokens
  for (const std::int64_t cut : cuts)
    if (cut > kept.back() && (cut == n || (cut - kept.back() >= least && n - cut >= least)))
      kept.push_back(cut);
  return kept;
}

class MixerStates : public ::testing::TestWithParam<Mixer> {};

TEST_P(MixerStates, ShardsWithAStatePassedAreTheWhole) {
  for (std::uint64_t seed = 1; seed <= (testing_support::kSanitized ? 8 : 25); ++seed) {
    MixerCase c = testing_support::random_case(GetParam(), seed);
    c.options.causal = true;
    SCOPED_TRACE(testing_support::text(c));
    const bool convolves = GetParam() == Mixer::short_convolution;
    const std::int64_t least = convolves ? c.options.rank - 1 : 1;
    if (convolves) c.shape.n_tokens = std::max(c.shape.n_tokens, least);
    const MixerCall call(c);
    const std::vector<std::int64_t> cuts = random_cuts(c.shape.n_tokens, least, seed);
    TestState passed(c.options, c.shape);    // from mix() to mix()
    TestState appended(c.options, c.shape);  // of mix_state() of each shard
    clear_state(c.options, appended.view());
    testing_support::fill(call.a.out, std::nan(""));
    const KernelContext context{testing_support::poisoned_allocator(), 2, 0};
    for (std::size_t w = 0; w + 1 < cuts.size(); ++w) {
      MixerArguments part = shard(call, cuts[w], cuts[w + 1]);
      const std::vector<std::int64_t> begins = begins_in(part);
      part.begins = begins;
      const MixerState before = appended.view();
      TestState after(c.options, c.shape);
      const MixerState given = passed.view();
      const MixerState made = after.view();
      mix(c.options, part, context, w % 2 == 0 ? (w == 0 ? nullptr : &before) : &given, &made);
      TestState own(c.options, c.shape);
      mix_state(c.options, part, context, own.view());
      append_state(c.options, appended.view(), own.view(), call.a.a);
      std::swap(passed, after);
    }
    const std::vector<double> naive = mix_naive(call.options, call.a, call.rows(), 2);
    testing_support::expect_near(values(call.a.out), call.reference(), naive);
    // Both ways give the same state, up to rounding and to what has decayed to nothing.
    const std::vector<double> one = values(passed.matrix.view());
    const std::vector<double> other = values(appended.matrix.view());
    EXPECT_LE(testing_support::max_difference(one, other),
              1e-4 * (1e-3 + testing_support::largest_magnitude(one)));
  }
}

TEST_P(MixerStates, AppendingIsAssociativeAndHasAnIdentity) {
  MixerCase c = testing_support::random_case(GetParam(), 5);
  c.shape.n_tokens = 90;
  if (GetParam() == Mixer::short_convolution) c.options.rank = 5;
  c.options.causal = true;
  c.strange = false;
  c.outlier_every = 0;
  const MixerCall call(c);
  const KernelContext context{heap_allocator(), 1, 0};
  const auto state_of = [&](std::int64_t begin, std::int64_t end) {
    TestState state(c.options, c.shape);
    if (begin == end)
      clear_state(c.options, state.view());
    else
      mix_state(c.options, shard(call, begin, end), context, state.view());
    return state;
  };
  const auto append = [&](TestState first, const TestState& second) {
    append_state(c.options, first.view(), second.view(), call.a.a);
    return first;
  };
  const auto expect_equal = [&](const TestState& a, const TestState& b) {
    EXPECT_LE(testing_support::max_difference(values(a.matrix.view()), values(b.matrix.view())),
              1e-5 * testing_support::largest_magnitude(values(a.matrix.view())));
    EXPECT_LE(testing_support::max_difference(values(a.vector.view()), values(b.vector.view())),
              1e-5 * testing_support::largest_magnitude(values(a.vector.view())));
  };
  const auto left = [&] {
    return append(append(state_of(0, 20), state_of(20, 71)), state_of(71, 90));
  };
  expect_equal(left(), append(state_of(0, 20), append(state_of(20, 71), state_of(71, 90))));
  expect_equal(left(), state_of(0, 90));
  // What comes next has all the tokens that a convolution sees.
  if (GetParam() != Mixer::short_convolution)
    expect_equal(append(state_of(0, 90), state_of(90, 90)), state_of(0, 90));
  expect_equal(append(state_of(0, 0), state_of(0, 90)), state_of(0, 90));
}

INSTANTIATE_TEST_SUITE_P(All, MixerStates,
                         ::testing::Values(Mixer::linear, Mixer::performer, Mixer::ssd,
                                           Mixer::gated_delta, Mixer::selective_scan,
                                           Mixer::short_convolution),
                         [](const auto& kind) { return std::string(word(kind.param)); });

// Workers hold random shards, and states of shards are joined in a random order.
TEST(MixerState, OfAllTokensGivesTheWholeWhereItIsNotCausal) {
  const KernelContext context{testing_support::poisoned_allocator(), 3, 0};
  for (const Mixer kind :
       {Mixer::linear, Mixer::performer, Mixer::nystrom, Mixer::linformer, Mixer::perceiver})
    for (std::uint64_t seed = 1; seed <= (testing_support::kSanitized ? 8 : 25); ++seed) {
      MixerCase c = testing_support::random_case(kind, seed);
      c.options.causal = false;
      SCOPED_TRACE(testing_support::text(c));
      const MixerCall call(c);
      const std::vector<std::int64_t> cuts = random_cuts(c.shape.n_tokens, 1, seed);
      std::vector<MixerArguments> shards;
      for (std::size_t w = 0; w + 1 < cuts.size(); ++w)
        shards.push_back(shard(call, cuts[w], cuts[w + 1]));
      std::mt19937_64 engine(seed);
      std::ranges::shuffle(shards, engine);
      std::vector<TestState> joined;
      for (int e = 0; e < mixer_exchanges(kind); ++e) {
        c.options.exchange = e;
        joined.emplace_back(c.options, c.shape);
        clear_state(c.options, joined.back().view());
        for (MixerArguments& a : shards) {
          if (e > 0) a.q_landmarks = joined.front().matrix.view();
          if (e > 0) a.k_landmarks = joined.front().vector.view();
          const TestState own(c.options, c.shape);
          mix_state(c.options, a, context, own.view());
          append_state(c.options, joined.back().view(), own.view());
        }
      }
      testing_support::fill(call.a.out, std::nan(""));
      for (const MixerArguments& a : shards) {
        const TestState all(c.options, c.shape);
        copy_rows(joined.back().matrix.view(), all.matrix.view());
        copy_rows(joined.back().vector.view(), all.vector.view());
        attend_state(c.options, a, context, all.view());
      }
      testing_support::expect_near(values(call.a.out), call.reference(),
                                   mix_naive(call.options, call.a, call.rows(), 2));
    }
}

// A state that hardly decays is multiplied by thousands of factors near 1.
TEST(MixerState, LastsForAWholeSequence) {
  constexpr std::int64_t kTokens = 60'000;
  using Form = std::pair<Mixer, bool>;
  for (const auto& [kind, of_channels] :
       {Form{Mixer::ssd, false}, Form{Mixer::gated_delta, false}, Form{Mixer::gated_delta, true},
        Form{Mixer::selective_scan, false}}) {
    MixerCase c;
    c.options = {kind, true, 0, 4};
    c.shape = {1, 1, 1, kTokens, of_channels ? 2 : 1, 1};
    c.of_channels = of_channels;
    MixerCall call(c);
    call.a.scale = 1.0 / static_cast<double>(c.shape.key_dim);
    for (const TensorView& view : {call.a.q, call.a.k, call.a.v}) testing_support::fill(view, 0.0);
    testing_support::fill(call.a.q, 1.0);
    testing_support::fill(call.a.k.tokens(0, 1), 1.0);
    testing_support::fill(call.a.v.tokens(0, 1), 1.0);
    if (kind == Mixer::gated_delta) testing_support::fill(call.a.beta, 1.0);
    if (kind != Mixer::selective_scan) {
      testing_support::fill(call.a.decay, -0x1p-20);
    } else {
      testing_support::fill(call.a.delta, 1.0);
      testing_support::fill(call.a.a, -0x1p-20);
    }
    const double found = call.run(1).back();
    // Errors of 1e-7 to one side would add up to 1.5e-3 and more.
    EXPECT_NEAR(found, std::exp(-0x1p-20 * (kTokens - 1)), 2e-4) << word(kind);
  }
}

// Rounding the sum after each token would round to the same side each time.
TEST(MixerState, AddsUpManyTokensWithoutLosingSmallOnes) {
  MixerCase c;
  c.options = {.kind = Mixer::linear};
  c.shape = {1, 1, 1, 200'000, 16, 1};
  const MixerCall call(c);
  testing_support::fill(call.a.k, 0.1);
  *call.a.k.row_as<float>(0, 0, 0) = 1e6f;
  TestState state(c.options, c.shape);
  mix_state(c.options, call.a, {testing_support::poisoned_allocator(), 1, 0}, state.view());
  const double sum = 1e6 + 1.0 + 199'999.0 * 1.1;
  EXPECT_NEAR(values(state.vector.view())[0], sum, 1e-4 * sum);  // one after the other: 4e-3
}

TEST(MixerParts, ShardsOfLinformerAndNystromMakeTheWhole) {
  const Extent extent{2, 2, 75, 24};
  const Tensor x = testing_support::random_tensor(DType::bf16, extent, 1);
  const Tensor weights = testing_support::random_tensor(DType::f32, {1, 1, 19, 75}, 2);
  const auto project = [&](std::int64_t begin, std::int64_t end) {
    TensorView columns = weights.view();
    columns.data = static_cast<float*>(columns.data) + begin;
    columns.extent.head_dim = end - begin;
    Tensor out(testing_support::poisoned_allocator(), DType::f32, {2, 2, 19, 24}, "out");
    project_tokens(columns, x.view().tokens(begin, end - begin), out.view(),
                   {testing_support::poisoned_allocator(), 3, 0});
    return out;
  };
  const Tensor sum = project(0, 40);
  add_rows(sum.view(), project(40, 75).view());
  EXPECT_LE(testing_support::max_difference(values(sum.view()), values(project(0, 75).view())),
            1e-5);
  const Tensor means(heap_allocator(), DType::f32, {2, 4, 7, 24}, "means");
  segment_means(x.view(), means.view());
  double mean = 0.0;  // of segment 2, tokens [2 75 / 7, 3 75 / 7)
  for (std::int64_t j = 21; j < 32; ++j) mean += testing_support::at(x.view(), 1, 1, j, 5) / 11.0;
  EXPECT_NEAR(testing_support::at(means.view(), 1, 3, 2, 5), mean, 1e-6);
  // The cut lies within that segment.
  const Tensor parts[] = {Tensor(heap_allocator(), DType::f32, {2, 4, 7, 24}, "means"),
                          Tensor(heap_allocator(), DType::f32, {2, 4, 7, 24}, "means")};
  segment_means(x.view().tokens(0, 25), parts[0].view(), 0, 75);
  segment_means(x.view().tokens(25, 50), parts[1].view(), 25, 75);
  add_rows(parts[0].view(), parts[1].view());
  EXPECT_LE(testing_support::max_difference(values(parts[0].view()), values(means.view())), 1e-6);
}

TEST(OrthogonalFeatures, AreOrthogonalWithinABlockAndRepeatable) {
  const Tensor omega(heap_allocator(), DType::f32, {1, 1, 40, 16}, "omega");
  fill_orthogonal(omega.view(), 3);
  const std::vector<double> first = values(omega.view());
  double squares = 0.0;
  for (std::int64_t a = 0; a < 40; ++a)
    for (std::int64_t b = 0; b < a; ++b) {
      double product = 0.0;
      for (std::int64_t x = 0; x < 16; ++x)
        product += first[static_cast<std::size_t>(a * 16 + x)] *
                   first[static_cast<std::size_t>(b * 16 + x)];
      if (a / 16 == b / 16) {
        EXPECT_NEAR(product, 0.0, 1e-5) << a << " " << b;
      }
      squares += product * product;
    }
  EXPECT_GT(squares, 1.0);  // rows of different blocks are not
  double lengths = 0.0;
  for (const double x : first) lengths += x * x;
  EXPECT_NEAR(lengths / 40.0, 16.0, 4.0);  // as those of normal vectors
  fill_orthogonal(omega.view(), 3);
  EXPECT_EQ(values(omega.view()), first);
  fill_orthogonal(omega.view(), 4);
  EXPECT_NE(values(omega.view()), first);
}

// Counts the FLOP of the products that the formulas ask for, pair by pair.
double counted_flop(const MixerOptions& o, const MixerShape& s) {
  double flop = 0.0;
  const auto add = [&](std::int64_t rows, std::int64_t depth, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows * columns; ++i) flop += 2.0 * static_cast<double>(depth);
  };
  const std::int64_t n = s.n_tokens;
  const std::int64_t d = s.key_dim;
  const std::int64_t p = s.value_dim;
  const bool features = o.kind == Mixer::performer;
  const std::int64_t f = features ? o.rank : d;
  const auto of_state_head = [&] { add(f, n, p); };
  const auto of_query_head = [&] {
    add(n, f, p);
    for (std::int64_t i = 0; i < n && o.causal; ++i)
      for (std::int64_t j = i / o.chunk * o.chunk; j <= i; ++j) {
        add(1, f, 1);
        add(1, 1, p);
      }
  };
  const bool ranked = o.kind == Mixer::linformer || o.kind == Mixer::perceiver;
  for (std::int64_t h = 0; h < s.batch * s.kv_heads; ++h) {
    if (features) add(n, d, o.rank);
    if (o.kind == Mixer::linear || features) of_state_head();
    if (ranked) {
      add(o.rank, n, d);
      add(o.rank, n, p);
    }
    for (std::int64_t i = 0; i < o.depth; ++i) {
      add(o.rank, p, o.rank);
      add(o.rank, o.rank, p);
    }
  }
  for (std::int64_t h = 0; h < s.batch * s.q_heads; ++h) {
    if (features) add(n, d, o.rank);
    if (o.kind == Mixer::short_convolution)
      for (std::int64_t x = 0; x < p; ++x) add(n, o.rank, 1);
    const bool delta = o.kind == Mixer::gated_delta;
    if (o.kind == Mixer::ssd || delta) of_state_head();
    if (o.kind == Mixer::linear || features || o.kind == Mixer::ssd || delta) of_query_head();
    if (delta) {
      add(n, f, p);
      for (std::int64_t i = 0; i < n; ++i) add(1, d + p, i % o.chunk);
    }
    if (ranked) {
      add(n, d, o.rank);
      add(n, o.rank, p);
    }
    if (o.kind == Mixer::axial)
      for (std::int64_t i = 0; i < n; ++i) {
        add(1, d, n / o.rows);
        add(1, n / o.rows, p);
        add(1, p, o.rows);
        add(1, o.rows, p);
      }
    if (o.kind == Mixer::nystrom) {
      for (int side = 0; side < 2; ++side) {
        add(n, d, o.rank);
        add(n, o.rank, p);
      }
      for (int product = 0; product < 6 * 4; ++product) add(o.rank, o.rank, o.rank);
      add(o.rank, d, o.rank);
      add(o.rank, o.rank, p);
    }
    if (o.kind == Mixer::selective_scan)
      for (std::int64_t i = 0; i < n * p; ++i) flop += 1.0 + 7.0 * static_cast<double>(d);
  }
  return flop;
}

TEST(MixerFlop, IsWhatTheFormulasMultiply) {
  for (const Mixer kind : testing_support::kMixers)
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const MixerCase c = testing_support::random_case(kind, seed);
      SCOPED_TRACE(testing_support::text(c));
      EXPECT_EQ(mixer_flop(c.options, c.shape), counted_flop(c.options, c.shape));
    }
}

// 10 tokens in chunks of 4 make 23 pairs, and in two rows 50 pairs of rows and 20 of columns.
TEST(MixerFlop, OfABackwardPassIsThatOfItsProducts) {
  const MixerShape shape{1, 4, 2, 10, 3, 5};
  const auto flop = [&](Mixer kind, bool causal) {
    return mixer_backward_flop({kind, causal, 0, 4, 0, 2}, shape);
  };
  EXPECT_EQ(flop(Mixer::linear, false), 2 * 10 * 3 * 5 * (2 + 5 * 4));
  EXPECT_EQ(flop(Mixer::linear, true), 2 * 10 * 3 * 5 * (2 + 5 * 4) + 23 * 6 * (3 + 5) * 4);
  EXPECT_EQ(flop(Mixer::gated_delta, true),
            (18 * 10 * 3 * 5 + 23 * (14 * 3 + 12 * 5) - 8 * 10 * (3 + 5)) * 4);
  EXPECT_EQ(flop(Mixer::ssd, true), (10 * 10 * 3 * 5 + 23 * (6 * 3 + 4 * 5)) * 4);
  EXPECT_EQ(mixer_backward_flop({Mixer::short_convolution, true, 4}, {1, 4, 4, 10, 5, 5}),
            3 * 2 * 10 * 4 * 5 * 4);  // sums, and gradients of tokens and of weights
  const int forward = (50 * 2 * (3 + 5) + 20 * 4 * 5) * 4;
  EXPECT_EQ(flop(Mixer::axial, false), forward + (50 * (6 * 3 + 4 * 5) + 20 * 10 * 5) * 4);
}

TEST(MixerStateWords, AreThoseOfBothTensors) {
  const MixerShape shape{2, 6, 3, 100, 16, 24};
  const auto words_of = [&](const MixerOptions& options) {
    const MixerStateExtents extents = mixer_state_extents(options, shape);
    return extents.matrix.elements() + extents.vector.elements();
  };
  const auto words = [&](Mixer kind) { return words_of({kind, true, 40, 64}); };
  EXPECT_EQ(words(Mixer::linear), 2 * 3 * 16 * (24 + 1));
  EXPECT_EQ(words(Mixer::performer), 2 * 3 * 40 * (24 + 1));
  EXPECT_EQ(words(Mixer::ssd), 2 * 6 * (16 * 24 + 1));
  EXPECT_EQ(words(Mixer::gated_delta), 2 * 6 * 16 * (24 + 16));
  EXPECT_EQ(words(Mixer::selective_scan), 2 * 6 * 24 * (16 + 1));
  EXPECT_EQ(words(Mixer::nystrom), 2 * (6 + 3) * 40 * 16);
  EXPECT_EQ(words_of({Mixer::nystrom, false, 40, 64, 0, 0, 1}), 2 * 6 * 40 * (24 + 1));
  EXPECT_EQ(words(Mixer::linformer), 2 * 3 * 40 * (24 + 16));
  EXPECT_EQ(words(Mixer::perceiver), 2 * 3 * 40 * (24 + 1));
}

}  // namespace
}  // namespace qb
