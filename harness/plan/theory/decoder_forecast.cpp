// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/theory/decoder_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/integers.h"
#include "base/status.h"
#include "base/words.h"
#include "harness/plan/tensor_share.h"

namespace qb {
namespace {

constexpr double kElementBytes = 2.0;
constexpr double kAllReducesOfLayer = 2.0;

// Llama 3 405B as the paper of context parallelism (arXiv 2411.01783) serves it: the weights of its
// feed-forward in FP8.
constexpr Decoder kDecoders[] = {{.name = "llama3_405b_fp8",
                                  .layers = 126,
                                  .hidden = 16384,
                                  .q_heads = 128,
                                  .kv_heads = 8,
                                  .head_dim = 128,
                                  .feed_forward_dim = 53248,
                                  .feed_forward_weight_bytes = 1,
                                  .vocabulary = 128256}};

double real(std::int64_t count) { return static_cast<double>(count); }

void require_rate(double rate, std::string_view what) {
  if (!(rate > 0.0)) throw UsageError(fmt::format("{} is {}; it must be above 0", what, rate));
}

void require_counts(const DecoderSplit& split, std::int64_t tokens) {
  if (split.context < 1 || split.tensor < 1 || tokens < 0)
    throw UsageError(
        fmt::format("{} ranks of {} devices and {} tokens are not a split of a decoder",
                    split.context, split.tensor, tokens));
  if (split.tensor > kDevicesOfHost && split.tensor % kDevicesOfHost != 0)
    throw Unsupported(fmt::format("{} devices of a rank are not whole hosts of {}", split.tensor,
                                  kDevicesOfHost));
}

// What one device has of a layer.
struct DeviceLayerShare {
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  double attention_weights = 0.0;
  double feed_forward_weights = 0.0;
};

DeviceLayerShare device_share(const Decoder& decoder, const DecoderSplit& split) {
  const TensorShare share =
      tensor_share({decoder.q_heads, decoder.kv_heads, decoder.feed_forward_dim}, split.tensor);
  return {.q_heads = share.q_heads,
          .kv_heads = share.kv_heads,
          .attention_weights =
              real(2 * decoder.hidden * decoder.head_dim * (share.q_heads + share.kv_heads)),
          .feed_forward_weights = real(3 * decoder.hidden * share.feed_forward_dim)};
}

std::int64_t hosts_of_rank(const DecoderSplit& split) {
  return std::max<std::int64_t>(split.tensor / kDevicesOfHost, 1);
}

double ring_all_reduce_s(const DecoderSplit& split, double bytes, const PrefillRates& rates) {
  const double devices = real(std::min(split.tensor, kDevicesOfHost));
  const double hosts = real(hosts_of_rank(split));
  const double in_host_s = 2.0 * (devices - 1.0) / devices * bytes / rates.host_byte_per_s;
  return in_host_s + 2.0 * (hosts - 1.0) / hosts * bytes / devices / rates.network_byte_per_s;
}

// One layer's attention on one device. sent_bytes.h has the same bytes with partials in float32, as
// this program's plans send them.
double ring_attention_s(const Decoder& decoder, const DecoderSplit& split, RingVariant variant,
                        std::int64_t new_tokens, std::int64_t cached_tokens,
                        const PrefillRates& rates) {
  const DeviceLayerShare share = device_share(decoder, split);
  const double ranks = real(split.context);
  const double pairs = real(new_tokens) * (real(cached_tokens) + 0.5 * (real(new_tokens) + 1.0));
  const double step_s = 4.0 * real(decoder.head_dim * share.q_heads) * pairs / (ranks * ranks) /
                        rates.attention_flop_per_s;
  const auto passing_s = [&](std::int64_t elements) {
    return kElementBytes * real(elements) / rates.network_byte_per_s;
  };
  const std::int64_t queries = ceil_div(new_tokens, split.context);
  const std::int64_t keys = queries + ceil_div(cached_tokens, split.context);
  const bool passes_keys = variant == RingVariant::pass_kv;
  const double hop_s = passing_s(
      decoder.head_dim * (passes_keys ? 2 * keys * share.kv_heads : queries * share.q_heads));
  // Partial outputs go back to the ranks of their queries.
  const std::int64_t returned = passes_keys ? 0 : (split.context - 1) * queries * share.q_heads;
  return step_s + (ranks - 1.0) * std::max(step_s, hop_s) +
         passing_s(returned * (decoder.head_dim + 1));
}

double weight_bytes(const Decoder& decoder, const DeviceLayerShare& share) {
  return kElementBytes * share.attention_weights +
         real(decoder.feed_forward_weight_bytes) * share.feed_forward_weights;
}

// A table from the vocabulary to the hidden width, or back.
double vocabulary_bytes(const Decoder& decoder, const DecoderSplit& split) {
  return kElementBytes * real(decoder.vocabulary * decoder.hidden) / real(split.tensor);
}

// The keys and values of one layer and token.
double token_bytes(const Decoder& decoder, const DeviceLayerShare& share) {
  return 2.0 * kElementBytes * real(share.kv_heads * decoder.head_dim);
}

}  // namespace

const Decoder& decoder_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Decoder& decoder : kDecoders) {
    if (decoder.name == name) return decoder;
    names.push_back(decoder.name);
  }
  throw UsageError(unknown_word("decoder", name, names));
}

DecoderTime prefill_time(const Decoder& decoder, const DecoderSplit& split, RingVariant variant,
                         std::int64_t new_tokens, std::int64_t cached_tokens,
                         const PrefillRates& rates) {
  require_counts(split, cached_tokens);
  if (new_tokens < 1)
    throw UsageError(fmt::format("a prefill of {} tokens; it has one or more", new_tokens));
  require_rate(rates.product_flop_per_s, "the rate of products");
  require_rate(rates.attention_flop_per_s, "the rate of attention");
  require_rate(rates.host_byte_per_s, "the bandwidth in a host");
  require_rate(rates.network_byte_per_s, "the bandwidth between hosts");
  const DeviceLayerShare share = device_share(decoder, split);
  const double layers = real(decoder.layers);
  const double tokens = real(new_tokens) / real(split.context);
  const double flop = 2.0 * (share.attention_weights + share.feed_forward_weights) * tokens;
  const double reduced_bytes = kElementBytes * real(decoder.hidden) * tokens;
  return {
      .products_s = layers * flop / rates.product_flop_per_s,
      .attention_s =
          layers * ring_attention_s(decoder, split, variant, new_tokens, cached_tokens, rates),
      .all_reduce_s = layers * kAllReducesOfLayer * ring_all_reduce_s(split, reduced_bytes, rates)};
}

DecoderTime decode_time(const Decoder& decoder, const DecoderSplit& split, std::int64_t tokens,
                        const DecodeRates& rates) {
  require_counts(split, tokens);
  require_rate(rates.memory_byte_per_s, "the bandwidth of memory");
  const DeviceLayerShare share = device_share(decoder, split);
  const double layers = real(decoder.layers);
  const double ranks = real(split.context);
  const double read_bytes =
      layers * weight_bytes(decoder, share) + vocabulary_bytes(decoder, split);
  // One query is padded to one of each rank, so that in every step of the ring each rank reads its
  // part of the cache.
  const double cache_s = token_bytes(decoder, share) * real(tokens) / rates.memory_byte_per_s;
  const double messages_s =
      split.context == 1 ? 0.0 : (ranks - 1.0) * rates.hop_s + rates.all_to_all_s;
  const double steps = 2.0 * (real(hosts_of_rank(split)) - 1.0);
  return {.products_s = read_bytes / rates.memory_byte_per_s,
          .attention_s = layers * (cache_s + messages_s),
          .all_reduce_s = layers * kAllReducesOfLayer * steps * rates.network_latency_s,
          .rest_s = layers * rates.layer_rest_s};
}

double decoder_device_bytes(const Decoder& decoder, const DecoderSplit& split,
                            std::int64_t tokens) {
  require_counts(split, tokens);
  const DeviceLayerShare share = device_share(decoder, split);
  const double cached = token_bytes(decoder, share) * real(tokens) / real(split.context);
  return real(decoder.layers) * (weight_bytes(decoder, share) + cached) +
         2.0 * vocabulary_bytes(decoder, split);
}

}  // namespace qb
