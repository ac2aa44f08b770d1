// SPDX-License-Identifier: Apache-2.0
// The parameters of a case that describe the links of its workers.
#pragma once

#include "base/schema/field.h"

namespace qb::fields {

inline constexpr ParameterNeed kHasLinks =
    need("ranks", "threads mpi model")
        .because("serial workers send nothing, and nccl has the links of the machine");

inline constexpr ParameterNeed kIsFlat =
    need("cluster", "none")
        .because("a cluster has links of its own, cluster.inside and cluster.between");

inline constexpr Field kLinkBandwidth = parameter(
    real, link, "link_bandwidth_byte_per_s", key("link.bandwidth"), unit("byte/s"), nullable,
    label("{}B/s"),
    meaning("bytes/s that a worker can send: `50e9`, `50GB/s` or `400Gb/s`. `threads` hold "
            "messages back, `model` simulates it, and with `mpi` it is what you say of the "
            "network"),
    standard_meaning("none: no limit"), needs(kHasLinks, kIsFlat));

inline constexpr Field kLinkLatency = parameter(
    real, link, "link_latency_s", key("link.latency"), unit("s"), nullable, label("{} latency"),
    meaning("the latency of a message, above 0: `5e-6` or `5us`; used as `link.bandwidth` is"),
    standard_meaning("none"), needs(kHasLinks, kIsFlat));

inline constexpr Field kLinkMode =
    parameter(word, link, "link_mode", key("link.mode"), standard("overlap"), label("{} link"),
              quiet_standard,
              meaning("`overlap` (messages move while workers compute), "
                      "`blocking`, `nocomm` (messages take no time)"),
              needs(need("ranks", "model"),
                    need("link_bandwidth_byte_per_s")
                        .or_if("link_latency_s cluster", "")
                        .because("without a limit messages take no time"),
                    need("mixer_operator", "softmax").because("workers wait for states"),
                    need("workload", "attention sequence_mixer")
                        .because("messages between stages overlap with computing")));

inline constexpr Field kClusterFields[] = {
    parameter(
        file, link, "cluster", standard("none"), label("on {}"), quiet_standard,
        meaning("the hosts of the workers: `2x8`, hosts x workers of each, or a file such "
                "as `dgx_h100:2`, two hosts of `data/clusters/`; see [Clusters]"
                "(README.md#clusters). Where `workers` is left out, there is one for each place"),
        standard_meaning("`none`: all links are alike"),
        needs(kHasLinks, need("workload",
                              "attention sequence_mixer pipeline relayout stack chunked_prefill"))),
    parameter(
        link_limit, link, "cluster_inside", key("cluster.inside"), nullable, label("{} inside"),
        meaning("the link of a worker inside of its host, each way: a name, or `\"450e9,2us\"`, "
                "bytes/s and latency. Names are `nvlink` (of `model.device`), `nvlink4`, "
                "`infiniband`, `hdr`, `ndr`, `ethernet`; `\"400Gb/s,5us\"` is written too"),
        standard_meaning("of the file"), needs(kHasLinks, need("cluster"))),
    parameter(link_limit, link, "cluster_between", key("cluster.between"), nullable,
              label("{} between hosts"),
              meaning("the link of a NIC to other hosts, written as `cluster.inside` is"),
              standard_meaning("of the file"), needs(kHasLinks, need("cluster"))),
    parameter(integer, link, "cluster_nics", key("cluster.nics"), standard("0"), at_most(4096),
              label("{} NICs a host"), quiet_standard,
              meaning("the NICs of a host, each of which an even part of its workers share, "
                      "{range}; 0: those of the file, or one a worker"),
              needs(kHasLinks, need("cluster"))),
    parameter(word, link, "cluster_order", key("cluster.order"), standard("hrc"), label("{} order"),
              quiet_standard,
              meaning("how a grid fills the hosts: {words}. The first of heads, rows and columns "
                      "varies fastest from worker to worker"),
              needs(kHasLinks, need("cluster"), need("algorithm", "grid usp mesh"),
                    need("workload", "attention sequence_mixer")
                        .because("the grids of a pipeline's stages fill the hosts as hrc says"))),
};

}  // namespace qb::fields
