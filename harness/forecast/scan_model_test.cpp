// SPDX-License-Identifier: Apache-2.0
#include "harness/forecast/scan_model.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "harness/plan/exchange/exchange_plan.h"

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
          const ExchangePlan plan = plan_scan(kind, owners_of(TokenLayout::contiguous, workers),
                                              blocks, kind != ScanKind::all_reduce);
          const std::int64_t bytes = std::llround(kBytes) / blocks_of(plan);
          std::vector<SizedMessage> messages;
          for (const ExchangeMessage& m : plan.messages)
            messages.push_back({m.round, m.from, m.to, bytes});
          EXPECT_NEAR(rounds_time_s(messages, workers, {{kBandwidth, latency_s}, {}}), wanted_s,
                      1e-12 + 1e-9 * wanted_s)
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

// Both transpositions of axial, each of (W - 1) / W of a W-th of the tensor.
TEST(ScanModel, HasTheClosedFormOfAnAllToAll) {
  constexpr double kBandwidth = 2e9;
  constexpr double kLatency_s = 1e-4;
  constexpr std::int64_t kLines = 720;  // all these W divide it
  for (int workers = 2; workers <= 6; ++workers) {
    const AxialTensor tensor = plan_axial(kLines, kLines, workers);
    std::vector<SizedMessage> messages;
    for (const int change : {0, 1})
      for (const ExchangeMessage& m : tensor.changes[change].messages)
        messages.push_back({change, m.from, m.to, 4 * m.part.count()});
    const double share = 4.0 * kLines * kLines / workers;
    EXPECT_NEAR(rounds_time_s(messages, workers, {{kBandwidth, kLatency_s}, {}}),
                2.0 * (share * (workers - 1) / workers / kBandwidth + kLatency_s), 1e-9)
        << workers;
  }
}

}  // namespace
}  // namespace qb
