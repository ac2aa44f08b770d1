// SPDX-License-Identifier: Apache-2.0
// Operators that mix the tokens of a sequence without a softmax over all pairs. With q_i, k_j and
// v_j the rows of tokens, j <= i where the operator is causal, and c = scale:
//
//   linear          out_i = sum_j w_ij v_j / sum_j w_ij, w_ij = phi(q_i).phi(k_j), phi = elu + 1
//                   (Katharopoulos et al. 2020, "Transformers are RNNs")
//   performer       likewise with phi(x)_r = exp(omega_r.y - |y|^2 / 2) / sqrt(rank), y = sqrt(c) x
//                   (Choromanski et al. 2021, positive features of FAVOR+; c >= 0)
//   nystrom         out = A1 Z (A3 V), A1 = softmax(c Q K~^T), A2 = softmax(c Q~ K~^T), A3 =
//                   softmax(c Q~ K^T); Q~ and K~ are the means of `rank` segments of tokens,
//                   segment s being [s n / rank, (s + 1) n / rank); Z is what exactly six
//                   iterations make of A2: Z_0 = A2^T / (|A2|_1 |A2|_inf), Z := Z (13 I - A2 Z (15
//                   I - A2 Z (7 I - A2 Z))) / 4                              (Xiong et al. 2021,
//                   section 3.3)
//   linformer       out = softmax(c Q (E K)^T) (F V)         (Wang et al. 2020)
//   perceiver       X_0 = softmax(c L K^T) V of `rank` latents L, X_i = softmax(c X_(i-1)
//                   X_(i-1)^T) X_(i-1) for i = 1 to `depth`, out = softmax(c Q X^T) X with the
//                   last of them; p = d (the attention of Perceiver IO, Jaegle et al. 2021,
//                   without projections, norms and feed-forward layers)
//   axial           Y = softmax(c Q K^T + B) V within each of `rows` rows of C = n / rows
//                   consecutive tokens, then out = softmax(c Y Y^T) Y within each column, the
//                   tokens at one place of all rows; Y has the inputs' type (the row and the column
//                   attention of axial transformers, Ho et al. 2019, and of FastFold, Cheng et al.
//                   2022, where too the second makes its queries, keys and values from the output
//                   of the first; without projections, norms and residuals). B is 0, or the pair
//                   bias of a head, the same for all rows (row attention of the Evoformer, Jumper
//                   et al. 2021); -inf hides a pair if its V is finite
//   ssd             H_i = exp(decay_i) H_(i-1) + k_i v_i^T, out_i = H_i^T q_i
//                   (Mamba-2, Dao and Gu 2024: q is C, k is B, v is X)
//   gated_delta     S_i = (I - beta_i k_i k_i^T) Diag(exp(decay_i)) S_(i-1) + beta_i k_i v_i^T,
//                   out_i = c S_i^T q_i; the state decays first, then it is corrected. With one
//                   decay a head it is Gated DeltaNet (Yang et al. 2024, "Gated Delta Networks"),
//                   with one for each channel of the keys KDA (Kimi Linear, 2025). Keys should
//                   have length 1: with beta |k|^2 > 2 the state grows without a limit
//   selective_scan  h_i = exp(delta_i a) h_(i-1) + delta_i v_i k_i^T, out_i = h_i q_i, for each
//                   channel (Mamba-1, Gu and Dao 2023: q is C, k is B, v is x; without D x)
//   short_convolution  out_i = SiLU(sum_t w_t v_(i-t)) in each channel, t < rank, over the tokens
//                   of i's document; SiLU(x) = x / (1 + exp(-x)). It comes before Q, K and V of
//                   gated_delta, and before C, B and X of ssd (Gu and Dao 2023, section 3.4)
//
// A row whose sum of weights is 0 yields 0. Accumulators are float32 whatever the inputs are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/words.h"
#include "kernels/attention.h"

namespace qb {

enum class Mixer {
  linear,
  performer,
  nystrom,
  linformer,
  perceiver,
  axial,
  ssd,
  gated_delta,
  selective_scan,
  short_convolution
};

QB_WORDS(Mixer, "operator", linear, performer, nystrom, linformer, perceiver, axial, ssd,
         gated_delta, selective_scan, short_convolution);

struct MixerOptions {
  Mixer kind = Mixer::linear;
  bool causal = false;  // is_only_causal() ones must be; see has_causal_form()
  // performer: features; nystrom: landmarks; linformer: projected length; perceiver: latents;
  // short_convolution: taps, at least 2
  std::int64_t rank = 0;
  std::int64_t chunk = 64;  // linear and performer where causal, ssd, gated_delta: tokens
  std::int64_t depth = 0;   // perceiver
  std::int64_t rows = 0;    // axial; they divide the tokens
  int exchange = 0;         // nystrom: which of its two states is meant, see MixerState
};

// Tensors are [batch, heads, tokens, width]; q, k and v have one dtype (f16, bf16 or f32), and the
// others are f32 unless said otherwise. Query head i reads key-value head i / (h / g). A view with
// a head_stride of 0 shares one head among all.
struct MixerArguments {
  TensorView q;        // [b,h,n,d]; selective_scan: [b,1,n,d], d is the size of the state
  TensorView k;        // [b,g,n,d]; selective_scan: [b,1,n,d]
  TensorView v;        // [b,g,n,p]; selective_scan and short_convolution, which has no q and k:
                       // [b,h,n,p], p channels
  TensorView decay{};  // ssd, gated_delta: [b,h,n,1], logarithms of the factors, <= 0; -inf resets
                       // the state; gated_delta also [b,h,n,d], one for each channel of the keys
  TensorView beta{};   // gated_delta: [b,h,n,1], from 0 to 2
  TensorView delta{};  // selective_scan: [b,h,n,p], >= 0, with the type of v
  TensorView a{};      // selective_scan: [1,h,p,d], < 0
  // performer: omega [1,1,rank,d]; perceiver: L [1,1,rank,d]; linformer: E [1,1,rank,n];
  // short_convolution: w [1,h,rank,p]
  TensorView projection{};
  TensorView value_projection{};  // linformer: F [1,1,rank,n]; without data it is E
  TensorView pair_bias{};         // axial: B [1,h,C,C], of queries and keys; without data it is 0
  double scale = 1.0;             // performer, nystrom, linformer, perceiver, axial, gated_delta
  TensorView out{};               // [b,h,n,p]
  std::span<const std::int64_t> begins{};  // short_convolution: tokens that begin a document,
                                           // ascending; the first one need not
  // nystrom over a shard: its first token, and all tokens that the segments are of; 0: only these.
  std::int64_t first_token = 0;
  std::int64_t all_tokens = 0;
  // nystrom, in exchange 1: the matrix and the vector of its first state of all tokens.
  TensorView q_landmarks{};
  TensorView k_landmarks{};
};

// What shapes say of a call. Both numbers of heads of a selective_scan and of a short_convolution
// are those of v.
struct MixerShape {
  std::int64_t batch = 1;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t n_tokens = 0;
  std::int64_t key_dim = 1;    // d
  std::int64_t value_dim = 1;  // p
};
[[nodiscard]] MixerShape mixer_shape(const MixerOptions& options, const MixerArguments& arguments);

// All that tokens leave to others, in f32: a matrix and a vector for each head.
//                   matrix                                vector
//   linear          [b,g,d,p]     sum of phi(k) v^T       [b,g,d,1]     sum of phi(k)
//   performer       [b,g,rank,p]  sum of phi(k)_r v over  [b,g,rank,1]  log of the sum of
//                                 the sum of phi(k)_r                   sqrt(rank) phi(k)_r
//   linformer       [b,g,rank,p]  F V                     [b,g,rank,d]  E K
//   perceiver       [b,g,rank,p]  X_0                     [b,g,rank,1]  its LSE
//   nystrom         [b,h,rank,d]  Q~                      [b,g,rank,d]  K~
//     exchange 1    [b,h,rank,p]  A3 V                    [b,h,rank,1]  its LSE
//   ssd             [b,h,d,p]     H                       [b,h,1,1]     sum of decay
//   gated_delta     [b,h,d,p]     S                       [b,h,d,d]     M: of a state S' before
//                                                                       them M S' is left
//   selective_scan  [b,h,p,d]     h                       [b,h,p,1]     sum of delta
//   short_convolution  [b,h,rank-1,p]  the last tokens    [b,h,0,1]
// The vector of ssd, gated_delta and selective_scan matters only where a state is appended. Workers
// that share a nystrom exchange two states, one after the other: the second needs the first of all
// tokens. Tokens of a shard leave to Q~ and K~ their part of the means. axial has no state. That of
// a short_convolution, which has rank - 1 tokens or more, has zeros in place of other documents.
struct MixerState {
  TensorView matrix;
  TensorView vector;
};
struct MixerStateExtents {
  Extent matrix;
  Extent vector;
};
[[nodiscard]] bool has_causal_form(Mixer kind);
// It has no other form.
[[nodiscard]] bool is_only_causal(Mixer kind);
// How many states workers exchange.
[[nodiscard]] int mixer_exchanges(Mixer kind);
[[nodiscard]] MixerStateExtents mixer_state_extents(const MixerOptions& options,
                                                    const MixerShape& shape);
// Makes it the state of no tokens.
void clear_state(const MixerOptions& options, const MixerState& state);
// state := the state of its tokens and of those of `next` after them. Appending is associative, and
// where the operator is not causal the order matters by rounding only. `a` is that of a
// selective_scan. The state may be without its vector, which then is not made.
void append_state(const MixerOptions& options, const MixerState& state, const MixerState& next,
                  const TensorView& a = {});

// Computes out. Where the operator is causal: with `before`, the state of all earlier tokens, they
// are part of the sums, and with `after`, it is set to the state of `before` and these tokens; the
// two may not share memory. Throws std::invalid_argument for shapes or options that do not fit
// together, Unsupported for what no kernel computes, OutOfMemory from the workspace.
void mix(const MixerOptions& options, const MixerArguments& arguments, const KernelContext& context,
         const MixerState* before = nullptr, const MixerState* after = nullptr);

// state := the state of these tokens alone; out is not used, and only nystrom uses q, but q says
// the heads of an ssd and of a gated_delta.
void mix_state(const MixerOptions& options, const MixerArguments& arguments,
               const KernelContext& context, const MixerState& state);

// Computes out from the state of all tokens, of which these are some, where the operator is not
// causal; of nystrom from the state of exchange 1. The state is scratch memory then.
void attend_state(const MixerOptions& options, const MixerArguments& arguments,
                  const KernelContext& context, const MixerState& state);

// Gradients of a loss, f32 and written whole: d_q [b,h,n,d], d_k [b,g,n,d], d_v [b,g,n,p] and, of
// ssd and gated_delta, d_decay and d_beta, like decay and beta, from d_out [b,h,n,p] of the inputs'
// type or f32. short_convolution has d_v and, of each sequence of the batch, d_projection
// [b,h,rank,p].
struct MixerGradients {
  TensorView d_out;
  TensorView d_q{};
  TensorView d_k{};
  TensorView d_v{};
  TensorView d_decay{};
  TensorView d_beta{};
  TensorView d_projection{};
};
// axial, linear, ssd, gated_delta and short_convolution have one.
[[nodiscard]] bool has_backward(Mixer kind);
// Where the operator is causal: `before` as in mix(), and `later` is the gradient of the state
// after these tokens, of mix_state_backward(). Axial with a pair bias, and operators without a
// backward pass, throw Unsupported.
void mix_backward(const MixerOptions& options, const MixerArguments& arguments,
                  const MixerGradients& gradients, const KernelContext& context,
                  const MixerState* before = nullptr, const MixerState* later = nullptr);

// state := the gradient of the state before these tokens, as far as their own outputs give it, of a
// causal operator. append_state() appends it to that of the tokens after these; so its matrix is
// that gradient, and its vector what makes earlier ones of later ones: of ssd the sum of decay, of
// gated_delta M^T, of linear the gradient of the vector. `own` is mix_state() of these tokens.
void mix_state_backward(const MixerOptions& options, const MixerArguments& arguments,
                        const TensorView& d_out, const KernelContext& context,
                        const MixerState* before, const MixerState& own, const MixerState& state);

// A pass of axial, for workers that hold whole rows or columns: out := softmax(c Q K^T + B) V
// within each line of `length` consecutive tokens, which divides them; B is [1,h,length,length].
// lse [b,h,n,2] f32 := the LSE of the tokens (kernels/lse.h), if it has data, but not with a B.
void attend_lines(const MixerArguments& arguments, std::int64_t length,
                  const KernelContext& context, const TensorView& lse = {});
// The gradients of such a pass, from the out and the lse that it made.
void attend_lines_backward(const MixerArguments& arguments, const TensorView& lse,
                           const MixerGradients& gradients, std::int64_t length,
                           const KernelContext& context);

// The parts of linformer and nystrom.
// out [b,g,rank,x] f32 := weights [1,1,rank,n] f32 times x [b,g,n,x] of any type.
void project_tokens(const TensorView& weights, const TensorView& x, const TensorView& out,
                    const KernelContext& context);
// means [b,h,rank,d] f32 := the means of the segments of x [b,g,n,d], g dividing h; rank <= n.
// Where x has only the tokens from first_token on of all_tokens, it is their part of the means.
void segment_means(const TensorView& x, const TensorView& means, std::int64_t first_token = 0,
                   std::int64_t all_tokens = 0);
// out [b,h,rank,p] := Z values [b,h,rank,p], with Z that of softmax(scale queries keys^T); all are
// f32, and queries and keys [b,h,rank,d].
void apply_nystrom_inverse(const TensorView& queries, const TensorView& keys, double scale,
                           const TensorView& values, const TensorView& out,
                           const KernelContext& context);

// omega [1,1,rank,d] f32 := rows that are orthogonal within each block of d, in random directions
// and with the lengths of normal vectors, the same for a seed (FAVOR+, section 2.4).
void fill_orthogonal(const TensorView& omega, std::uint64_t seed);

// Returns out [b,h,rows,p] of the given tokens, in float64 and by the formulas above, of which the
// causal ones are sums over pairs except selective_scan and gated_delta, which are the recurrence.
// It shares nothing with the kernels. threads > 1 splits the heads.
[[nodiscard]] std::vector<double> mix_reference(const MixerOptions& options,
                                                const MixerArguments& arguments,
                                                std::span<const std::int64_t> rows,
                                                int threads = 1);
// Computes the same in float32, with features, landmarks and weights rounded to the inputs' type:
// tolerances are a factor times its error, as with naive_rows() (kernels/reference.h).
[[nodiscard]] std::vector<double> mix_naive(const MixerOptions& options,
                                            const MixerArguments& arguments,
                                            std::span<const std::int64_t> rows, int threads = 1);

// The gradients of operators that have a backward pass by the formulas, in float64 and as
// mix_naive(): of every token.
struct MixerGradientValues {
  std::vector<double> d_q;
  std::vector<double> d_k;
  std::vector<double> d_v;
  std::vector<double> d_decay;       // of ssd and gated_delta
  std::vector<double> d_beta;        // of gated_delta
  std::vector<double> d_projection;  // of short_convolution
};
[[nodiscard]] MixerGradientValues mix_backward_reference(const MixerOptions& options,
                                                         const MixerArguments& arguments,
                                                         const TensorView& d_out, int threads = 1);
[[nodiscard]] MixerGradientValues mix_backward_naive(const MixerOptions& options,
                                                     const MixerArguments& arguments,
                                                     const TensorView& d_out, int threads = 1);

// Returns the FLOP of the matrix products of all heads, two for each multiply-add, with only the
// unmasked pairs of a chunk; a selective_scan has 7 for each channel and element of its state
// (delta a, exp, two products and a sum for h, a product and a sum for out) and one for delta v.
//   linear, ssd   2 n d p (g + h), ssd 4 n d p h; causal: (2 d + 2 p) h pairs more, the pairs of
//                 tokens j <= i of one chunk                    (Mamba-2, section 6)
//   gated_delta   (6 n d p + (4 pairs - 2 n) (d + p)) h: besides those of ssd, what the state has
//                 of the keys, 2 n d p, and products of keys, which are of pairs j < i
//   performer     2 n rank (d + p) (g + h); causal: (2 rank + 2 p) h pairs more
//   linformer     2 n rank (d + p) (g + h)
//   short_convolution  2 n rank p h
//   nystrom       4 n rank (d + p) h + (48 rank^3 + 2 rank^2 (d + p)) h
//   perceiver     2 n rank (d + p) (g + h) + 4 depth rank^2 p g
//   axial         (2 n^2 / rows (d + p) + 4 n rows p) h
[[nodiscard]] double mixer_flop(const MixerOptions& options, const MixerShape& shape);
// The same of mix_backward(), which keeps nothing of a forward pass and makes it anew:
//   linear        2 n d p (g + 5 h); causal: 6 (d + p) h pairs more
//   ssd           (10 n d p + (6 d + 4 p) pairs) h
//   gated_delta   (18 n d p + (14 d + 12 p) pairs - 8 n (d + p)) h
//   short_convolution  6 n rank p h
//   axial         those of mixer_flop() and (n^2 / rows (6 d + 4 p) + 10 n rows p) h
[[nodiscard]] double mixer_backward_flop(const MixerOptions& options, const MixerShape& shape);

}  // namespace qb
