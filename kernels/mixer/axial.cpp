// SPDX-License-Identifier: Apache-2.0
#include "kernels/mixer/mix_parts.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/status.h"
#include "kernels/attention_backward.h"
#include "kernels/merge.h"

namespace qb {
namespace cpu {
namespace {

// So many lines of `length` tokens: token j of line i is i * line_step + j * step.
struct Lines {
  std::int64_t count;
  std::int64_t length;
  std::int64_t line_step;
  std::int64_t step;

  // The lines of one sequence of a batch, as a batch.
  [[nodiscard]] TensorView of(const TensorView& view, std::int64_t b) const {
    return {view.row(b, 0, 0),
            view.dtype,
            {count, view.extent.heads, length, view.extent.head_dim},
            line_step * view.token_stride,
            view.head_stride,
            step * view.token_stride};
  }
  [[nodiscard]] TileSchedule all_pairs(std::int64_t head_dim) const {
    return build_schedule(length, length, {{0, length, {0, length}}},
                          kernel_tiles(Kernel::flash, head_dim).query_tile);
  }
};

Lines rows_of(const MixerOptions& options, std::int64_t n_tokens) {
  const std::int64_t columns = n_tokens / options.rows;
  return {options.rows, columns, columns, 1};
}
Lines columns_of(const MixerOptions& options, std::int64_t n_tokens) {
  const std::int64_t columns = n_tokens / options.rows;
  return {columns, options.rows, 1, columns};
}

// What a kernel of `bytes` does to an allocator that counts.
void take_for_a_moment(std::int64_t bytes, const KernelContext& context) {
  const Buffer taken(context.workspace, static_cast<std::size_t>(bytes), "workspace",
                     context.worker);
}

// LSE are two numbers (kernels/lse.h), since scores of Y with itself are large.
Tensor numbers_of_rows(const TensorView& out, std::int64_t numbers, const KernelContext& context) {
  const Extent& of = out.extent;
  return {context.workspace,
          DType::f32,
          {of.batch, of.heads, of.length, numbers},
          "axial",
          context.worker};
}

void attend(const Lines& lines, const MixerArguments& a, const TensorView& lse,
            const KernelContext& context) {
  // Lines with a bias have no backward pass, which alone would need their LSE.
  if (a.pair_bias.data != nullptr) return attend_biased_lines(a, lines.length, context);
  const TileSchedule all = lines.all_pairs(a.q.extent.head_dim);
  for (std::int64_t b = 0; b < a.q.extent.batch; ++b)
    attend_flash({lines.of(a.q, b), lines.of(a.k, b), lines.of(a.v, b), &all, a.scale,
                  lines.of(a.out, b), lines.of(lse, b)},
                 context);
}

// Returns Y, in the type of the inputs. Uses a.out for its float32 values where that is another.
Tensor attend_rows(const MixerOptions& options, const MixerArguments& a, const TensorView& lse,
                   const KernelContext& context) {
  Tensor y(context.workspace, a.v.dtype, a.out.extent, "axial", context.worker);
  MixerArguments to = a;
  if (a.v.dtype == DType::f32) to.out = y.view();
  attend(rows_of(options, a.v.extent.length), to, lse, context);
  if (a.v.dtype != DType::f32 && context.computes) copy_rows(a.out, y.view(), context.threads);
  return y;
}

void attend_flash_backward(const BackwardArguments& a, const KernelContext& context) {
  if (context.computes) return attention_backward(Kernel::flash, a, context);
  take_for_a_moment(backward_workspace_bytes(Kernel::flash, a.q.extent, a.k.extent, a.q.dtype,
                                             context.threads, a.v.extent.head_dim),
                    context);
}

// The gradients of one pass, written whole. g.d_out has the type of the inputs.
void attend_backward(const Lines& lines, const MixerArguments& a, const MixerGradients& g,
                     const TensorView& lse, const KernelContext& context) {
  const Tensor delta = numbers_of_rows(a.out, 1, context);
  if (context.computes) {
    compute_delta(a.out, g.d_out, delta.view(), context.threads);
    for (const TensorView& sum : {g.d_q, g.d_k, g.d_v}) clear_rows(sum);
  }
  const TileSchedule all = lines.all_pairs(a.q.extent.head_dim);
  for (std::int64_t b = 0; b < a.q.extent.batch; ++b)
    attend_flash_backward({lines.of(a.q, b), lines.of(a.k, b), lines.of(a.v, b),
                           lines.of(g.d_out, b), lines.of(lse, b), lines.of(delta.view(), b), &all,
                           a.scale, lines.of(g.d_q, b), lines.of(g.d_k, b), lines.of(g.d_v, b)},
                          context);
}

Lines lines_of_tokens(std::string_view who, const TensorView& v, std::int64_t length) {
  const std::int64_t n = v.extent.length;
  if (length < 1 || n % length != 0)
    throw std::invalid_argument(
        fmt::format("{}: {} tokens do not make lines of {}", who, n, length));
  return {n / length, length, length, 1};
}

}  // namespace

void attend_flash(const AttentionArguments& a, const KernelContext& context) {
  if (context.computes) return attention(Kernel::flash, a, context);
  take_for_a_moment(kernel_workspace_bytes(Kernel::flash, a.q.extent, a.k.extent, a.q.dtype,
                                           context.threads, a.v.extent.head_dim),
                    context);
}

void mix_axial(const MixerOptions& options, const MixerArguments& a, const KernelContext& context) {
  const Tensor lse = numbers_of_rows(a.out, 2, context);
  const Tensor y = attend_rows(options, a, lse.view(), context);
  attend(columns_of(options, a.v.extent.length),
         {.q = y.view(), .k = y.view(), .v = y.view(), .scale = a.scale, .out = a.out}, lse.view(),
         context);
}

void axial_backward(const MixerOptions& options, const MixerArguments& a, const MixerGradients& g,
                    const KernelContext& context) {
  const auto like_out = [&](DType dtype) {
    return Tensor(context.workspace, dtype, g.d_out.extent, "axial", context.worker);
  };
  const Tensor out = like_out(DType::f32);
  const Tensor of_rows = numbers_of_rows(out.view(), 2, context);
  const Tensor of_columns = numbers_of_rows(out.view(), 2, context);
  MixerArguments rows = a;
  rows.out = out.view();
  const Tensor y = attend_rows(options, rows, of_rows.view(), context);
  const Lines columns = columns_of(options, a.v.extent.length);
  const MixerArguments second{
      .q = y.view(), .k = y.view(), .v = y.view(), .scale = a.scale, .out = out.view()};
  attend(columns, second, of_columns.view(), context);

  const Tensor d_out = like_out(a.v.dtype);
  if (context.computes) copy_rows(g.d_out, d_out.view(), context.threads);
  const Tensor d_y = like_out(DType::f32);
  const Tensor d_keys = like_out(DType::f32);
  const Tensor d_values = like_out(DType::f32);
  attend_backward(columns, second, {d_out.view(), d_y.view(), d_keys.view(), d_values.view()},
                  of_columns.view(), context);
  if (context.computes) {
    add_rows(d_y.view(), d_keys.view());
    add_rows(d_y.view(), d_values.view());
    copy_rows(d_y.view(), d_out.view(), context.threads);
  }
  rows.out = y.view();
  attend_backward(rows_of(options, a.v.extent.length), rows, {d_out.view(), g.d_q, g.d_k, g.d_v},
                  of_rows.view(), context);
}

}  // namespace cpu

void attend_lines(const MixerArguments& a, std::int64_t length, const KernelContext& context,
                  const TensorView& lse) {
  const cpu::Lines lines = cpu::lines_of_tokens("attend_lines", a.v, length);
  if (a.pair_bias.data != nullptr) {
    const MixerOptions options{.kind = Mixer::axial, .rows = lines.count};
    check_mixer("attend_lines", options, a, context.threads);
    check_output("attend_lines", options, a);
    if (lse.data != nullptr)
      throw Unsupported("attend_lines: the LSE of lines with a pair bias is not made");
  }
  if (lse.data != nullptr) return cpu::attend(lines, a, lse, context);
  const Tensor own = cpu::numbers_of_rows(a.out, 2, context);
  cpu::attend(lines, a, own.view(), context);
}

void attend_lines_backward(const MixerArguments& a, const TensorView& lse, const MixerGradients& g,
                           std::int64_t length, const KernelContext& context) {
  const cpu::Lines lines = cpu::lines_of_tokens("attend_lines_backward", a.v, length);
  if (a.pair_bias.data != nullptr)
    throw Unsupported("attend_lines_backward: lines with a pair bias have no backward pass");
  cpu::attend_backward(lines, a, g, lse, context);
}

}  // namespace qb
