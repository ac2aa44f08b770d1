// SPDX-License-Identifier: Apache-2.0
// qb calibrate: measures this machine as a device for the model executor.
#include <fmt/format.h>

#include "base/files.h"
#include "base/numbers.h"
#include "base/print.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/forecast/device_model.h"

namespace qb {
namespace {

struct CalibrateWords {
  std::string out;
  std::string name = "this machine";
  Case c;
};

void calibrate(const CalibrateWords& words) {
  if (!words.out.empty()) require_writable(words.out);
  DeviceModel device =
      calibrate_here(words.c.kernel, words.c.dtype, words.c.shape.head_dim, 8192, 10.0);
  device.name = words.name;
  TextTable table({"queries x keys", "rate"});
  for (const RatePoint& point : device.rates)
    table.add({fmt::format("{} x {}", point.queries, point.keys),
               format_si(point.flop_per_s) + "FLOP/s"});
  print_answer(
      "{}\nThese are the rates of one thread. A call costs {}; it merges {}B/s and copies {}B/s.\n",
      table.terminal(), format_seconds(device.call_overhead_s.value),
      format_si(device.merge_byte_per_s.value), format_si(device.copy_byte_per_s.value));
  if (const double share = device.backward_share_of_forward.value; share > 0.0)
    print_answer("The backward pass computes at {:.2f} of these rates.\n", share);
  if (words.out.empty()) return;
  write_file_atomically(words.out, device_model_csv(device));
  print_answer("{}\n", words.out);
}

}  // namespace

void add_calibrate(Verb app) {
  auto [verb, words] = add_verb<CalibrateWords>(
      app, "calibrate", "Measures this machine as a device for ranks: model.", calibrate,
      R"(It takes about 15 s; the machine should do nothing else meanwhile.
Example:
  qb calibrate --out my.csv && qb run experiments/schemes.yaml --set model.device=my.csv)");
  verb.add_option("-o,--out", words.out,
                  "Writes this device file, CSV (by default it only prints).");
  verb.add_option("--name", words.name, "Sets the name of the device in the file.").show_default();
  words.c.shape.head_dim = 64;
  add_parameters(verb, words.c, {"kernel", "dtype", "head_dim"});
}

}  // namespace qb
