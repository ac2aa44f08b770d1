// SPDX-License-Identifier: Apache-2.0
// Forecasts a forward pass through all layers of a decoder on several hosts: context parallelism
// over W ranks (tokens), tensor parallelism over the T devices of each rank (heads and columns).
// These are closed forms over rates that the caller states; nothing is measured.
//
// N new and P cached tokens, D hidden width, L layers; h heads of d elements and weights are those
// of one device's share (tensor_share.h). A layer takes, one part after another:
//   products    2 FLOP for each weight and each of N/W tokens
//   attention   W steps of 4 d h N (P + (N + 1) / 2) / W^2 FLOP, the causal pairs dealt evenly; the
//               next step's keys or queries arrive meanwhile: max(step, hop). pass-Q returns its
//               partial outputs afterwards.
//   all-reduce  twice, of B = 2 D N/W bytes over n hosts of g devices: a ring in the host, and one
//               over the network for each of its g parts:
//               2 (g-1)/g B / host + 2 (n-1)/n (B/g) / network
// A decode step of one token reads the weights and the cache of its device once.
//
// Left out: the vocabulary in a prefill (it is for the last token alone), norms and activations
// between products, launches, and how the rate of a product falls with few tokens.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/plan/theory/selector.h"

namespace qb {

// Elements have two bytes, but for the weights of the feed-forward, which is gated: three matrices.
struct Decoder {
  std::string_view name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t feed_forward_dim = 0;
  std::int64_t feed_forward_weight_bytes = 2;  // of an element
  std::int64_t vocabulary = 0;
};
// Throws UsageError with the nearest name.
[[nodiscard]] const Decoder& decoder_named(std::string_view name);

// A host has eight devices: a rank is a part of a host, or some whole hosts, and no two ranks share
// one.
inline constexpr std::int64_t kDevicesOfHost = 8;
struct DecoderSplit {
  std::int64_t context = 1;  // W
  std::int64_t tensor = 1;   // T
};

struct PrefillRates {
  double product_flop_per_s = 0.0;
  double attention_flop_per_s = 0.0;
  double host_byte_per_s = 0.0;     // that a device sends to another one of its host
  double network_byte_per_s = 0.0;  // and to one of another host
};

struct DecodeRates {
  double memory_byte_per_s = 0.0;
  double layer_rest_s = 0.0;       // of a layer on one host: launches, all-reduces, norms
  double hop_s = 0.0;              // of one query from rank to rank
  double all_to_all_s = 0.0;       // of its partial outputs
  double network_latency_s = 0.0;  // of one step of an all-reduce between hosts
};

// Seconds of all layers.
struct DecoderTime {
  double products_s = 0.0;    // decoding: until the weights are read
  double attention_s = 0.0;   // with what is exposed of its messages
  double all_reduce_s = 0.0;  // decoding: what hosts add to those of one host
  double rest_s = 0.0;        // decoding only
  [[nodiscard]] double total_s() const { return products_s + attention_s + all_reduce_s + rest_s; }
};

// These throw Unsupported as tensor_share() does, and where T fills no whole hosts; UsageError for
// counts out of range and rates that are not above 0.
[[nodiscard]] DecoderTime prefill_time(const Decoder& decoder, const DecoderSplit& split,
                                       RingVariant variant, std::int64_t new_tokens,
                                       std::int64_t cached_tokens, const PrefillRates& rates);
// tokens: those in the cache, of one sequence.
[[nodiscard]] DecoderTime decode_time(const Decoder& decoder, const DecoderSplit& split,
                                      std::int64_t tokens, const DecodeRates& rates);
// The weights of one device, both tables of the vocabulary included, and its keys and values.
[[nodiscard]] double decoder_device_bytes(const Decoder& decoder, const DecoderSplit& split,
                                          std::int64_t tokens);

}  // namespace qb
