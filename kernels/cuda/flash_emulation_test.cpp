// The kernels themselves, run on the CPU over emulated instructions, against float64.
#include <gtest/gtest.h>

#include "kernels/cuda/emulator.h"
#include "kernels/cuda/flash_work.h"
#include "kernels/test_support.h"

// The CUDA compiler knows no such warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#include "kernels/cuda/flash_sm80.cuh"
#include "kernels/cuda/flash_sm90.cuh"
#pragma GCC diagnostic pop

namespace qb::cuda {
namespace {

TensorAddress address(const TensorView& view) {
  return {view.data, view.batch_stride, view.head_stride, view.token_stride};
}

struct Emulated {
  GroupedCall call;
  FlashPath path = FlashPath::sm80;
  int n_sms = 1;
  unsigned seed = 0;
};

template <class C>
void run_sm80(const FlashParameters& p, int n_items, unsigned seed) {
  emulator::launch(n_items, C::kThreads, C::kSharedBytes, seed,
                   [&p] { Sm80Block<C>(p, ptx::shared_base()).run(); });
}

// As the host encodes it: (columns, residue, index, head, batch), see flash_maps.h.
ptx::TensorMap map_of(const TensorView& view, std::int64_t stride, int rows) {
  return {view.data,
          {view.extent.head_dim, stride, view.extent.length / stride, view.extent.heads,
           view.extent.batch},
          {1, view.token_stride, view.token_stride * stride, view.head_stride, view.batch_stride},
          {kPanelColumns, 1, rows, 1, 1}};
}

template <class C>
void run_sm90(const GroupedCall& call, const FlashParameters& p, int n_blocks, unsigned seed) {
  const TensorMaps maps{map_of(call.q, p.q_map_stride, C::kRows),
                        map_of(call.k, p.k_map_stride, C::kKeys),
                        map_of(call.v, p.k_map_stride, C::kKeys)};
  emulator::launch(n_blocks, C::kThreads, C::kSharedBytes, seed,
                   [&] { Sm90Block<C>(p, maps, ptx::shared_base()).run(); });
}

template <bool kBf16>
void run_hopper(const GroupedCall& call, const WorkLists& lists, const FlashParameters& p,
                int n_blocks, unsigned seed) {
  if (lists.shape.padded_dim == 64)
    run_sm90<Sm90<kBf16, 64>>(call, p, n_blocks, seed);
  else
    run_sm90<Sm90<kBf16, 128>>(call, p, n_blocks, seed);
}

template <bool kBf16>
void run_variant(const WorkLists& lists, const FlashParameters& p, unsigned seed) {
  const int n = p.n_tiles * p.n_heads;
  const bool thin = lists.shape.variant == FlashVariant::thin;
  const auto same = [&](auto config) {
    using C = decltype(config);
    EXPECT_EQ(lists.shape.tile_rows, C::kRows);
    EXPECT_EQ(lists.shape.key_block, C::kKeys);
    run_sm80<C>(p, n, seed);
  };
  if (lists.shape.padded_dim == 64)
    thin ? same(Sm80<kBf16, 64, true>{}) : same(Sm80<kBf16, 64, false>{});
  else if (lists.shape.padded_dim == 128)
    thin ? same(Sm80<kBf16, 128, true>{}) : same(Sm80<kBf16, 128, false>{});
  else
    thin ? same(Sm80<kBf16, 256, true>{}) : same(Sm80<kBf16, 256, false>{});
}

void run_emulated(const Emulated& e) {
  const GroupedCall& call = e.call;
  const WorkLists lists = lower(call, e.path, e.n_sms);
  FlashParameters p;
  p.q = address(call.q);
  p.k = address(call.k);
  p.v = address(call.v);
  p.out[0] = address(call.out);
  p.lse[0] = address(call.lse);
  const Extent& q = call.q.extent;
  const std::int64_t e_dim = call.v.extent.head_dim;
  const Tensor partial(heap_allocator(), DType::f32,
                       {q.batch, q.heads, lists.n_partial_rows, e_dim}, "out_partial");
  const Tensor partial_lse(heap_allocator(), DType::f32,
                           {q.batch, q.heads, lists.n_partial_rows, 1}, "lse_partial");
  testing::fill(partial.view(), std::nan(""));
  testing::fill(partial_lse.view(), std::nan(""));
  p.out[1] = address(partial.view());
  p.lse[1] = address(partial_lse.view());
  p.tiles = lists.tiles.data();
  p.masked = lists.masked.data();
  p.runs = lists.runs.data();
  p.bits = lists.bits.data();
  p.n_tiles = static_cast<int>(lists.tiles.size());
  p.pack = lists.pack;
  p.n_heads = static_cast<int>(q.batch * q.heads / lists.pack);
  p.heads_per_kv = static_cast<int>(q.heads / call.k.extent.heads);
  p.heads_at_once = 2;
  p.q_heads = static_cast<int>(q.heads);
  p.head_dim = static_cast<int>(q.head_dim);
  p.value_dim = static_cast<int>(e_dim);
  p.scale_log2 = static_cast<float>(call.scale * 1.4426950408889634);
  p.q_map_stride = lists.q_map_stride;
  p.k_map_stride = lists.k_map_stride;
  if (lists.shape.variant == FlashVariant::hopper) {
    call.q.dtype == DType::bf16 ? run_hopper<true>(call, lists, p, e.n_sms, e.seed)
                                : run_hopper<false>(call, lists, p, e.n_sms, e.seed);
    return;
  }
  call.q.dtype == DType::bf16 ? run_variant<true>(lists, p, e.seed)
                              : run_variant<false>(lists, p, e.seed);
}

TEST(FlashEmulation, First) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (const FlashPath path : {FlashPath::sm80, FlashPath::sm90})
      for (const std::int64_t d : {64, 128}) {
        const std::int64_t n = 400;
        testing::Call call(testing::random_tensor(dtype, {1, 2, n, d}, 1),
                           testing::random_tensor(dtype, {1, 1, n, d}, 2),
                           testing::random_tensor(dtype, {1, 1, n, d}, 3),
                           build_schedule(n, n, {{0, n, {0, n, SpanKind::causal, 0}}}, 128));
        testing::fill(call.out.view(), std::nan(""));
        testing::fill(call.lse.view(), std::nan(""));
        Emulated e;
        e.call = {call.q.view(),
                  call.k.view(),
                  call.v.view(),
                  call.scale,
                  {{0, {{0, n, 1}}, {{0, n, 1}}, &call.schedule, 0, 0}},
                  call.out.view(),
                  call.lse.view(),
                  false};
        e.path = path;
        run_emulated(e);
        const auto expected =
            testing::brute_force<double>(call.q.view(), call.k.view(), call.v.view(), call.scale,
                                         [](auto i, auto j) { return j <= i; });
        printf("%d %g %g\n", (int)d,
               testing::max_difference(testing::values(call.out.view()), expected.out),
               testing::max_difference(testing::values(call.lse.view()), expected.lse));
      }
}

}  // namespace
}  // namespace qb::cuda
