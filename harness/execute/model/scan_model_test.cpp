// SPDX-License-Identifier: Apache-2.0
#include "harness/execute/model/scan_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace qb {
namespace {

TEST(ScanModel, HasTheClosedFormOfEachKind) {
  constexpr double kBytes = 720'720;  // every number of blocks divides it
  constexpr double kBandwidth = 2e9;
  constexpr double kState_s = kBytes / kBandwidth;
  for (const double latency_s : {0.0, 1e-4, 1.0})
    for (int workers = 2; workers <= 16; ++workers)
      for (const int blocks : {1, 2, 6}) {
        SCOPED_TRACE(testing::Message() << latency_s << ' ' << workers << ' ' << blocks);
        const auto expect = [&](ScanKind kind, double wanted_s) {
          const ScanPlan plan = plan_scan(kind, workers, blocks, kind != ScanKind::all_reduce);
          const std::int64_t bytes = std::llround(kBytes) / plan.blocks;
          EXPECT_NEAR(scan_time_s(plan, {{kBandwidth, latency_s}, {}}, [&](int) { return bytes; }),
                      wanted_s, 1e-12 + 1e-9 * wanted_s)
              << word(kind);
        };
        const double hops = workers - 1;
        expect(ScanKind::chain, hops * (kState_s + latency_s));
        expect(ScanKind::all_gather, hops * kState_s + latency_s);
        // With another number some workers are ready before their round.
        if (std::has_single_bit(static_cast<unsigned>(workers)))
          expect(ScanKind::tree, std::log2(workers) * (kState_s + latency_s));
        expect(ScanKind::all_reduce, 2.0 * (hops / workers * kState_s + latency_s));
        expect(ScanKind::all_scan, kState_s * (1.0 + (hops - 1.0) / blocks) + hops * latency_s);
      }
}

}  // namespace
}  // namespace qb
