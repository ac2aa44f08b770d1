// qb calibrate: measures this machine as a device for the model executor.
#include <fmt/format.h>

#include <memory>

#include "base/numbers.h"
#include "base/text_table.h"
#include "harness/cli/options.h"
#include "harness/cli/verb.h"
#include "harness/cli/views/output_file.h"
#include "harness/execute/model/device_model.h"

namespace qb {
namespace {

struct CalibrateWords {
  std::string out;
  std::string name = "this machine";
  Kernel kernel = Kernel::flash;
  DType dtype = DType::f32;
  std::int64_t head_dim = 64;
  std::int64_t max_tokens = 8192;
};

ExitCode calibrate(const CalibrateWords& words) {
  if (!words.out.empty()) require_writable(words.out);
  DeviceModel device = calibrate_here(words.kernel, words.dtype, words.head_dim,
                                      {.max_tokens = words.max_tokens, .budget_s = 10.0});
  device.name = words.name;
  TextTable table({"queries x keys", "rate"});
  for (const RatePoint& point : device.rates)
    table.add({fmt::format("{} x {}", point.queries, point.keys),
               format_si(point.flop_per_s) + "FLOP/s"});
  fmt::print("{}\none thread; a call costs {}; merging {}B/s, copying {}B/s\n", table.terminal(),
             format_seconds(device.call_overhead_s.value), format_si(device.merge_byte_per_s.value),
             format_si(device.copy_byte_per_s.value));
  if (words.out.empty()) return ExitCode::ok;
  store_device_model(device, words.out);
  fmt::print("{}\n", words.out);
  return ExitCode::ok;
}

}  // namespace

void add_calibrate(Verb app) {
  Verb verb = app.add_verb("calibrate", "Measure this machine as a device for ranks: model");
  const auto words = std::make_shared<CalibrateWords>();
  verb.option("--out", words->out, "device file to write, CSV (default: print only)");
  verb.option("--name", words->name, "of the device, in the file").show_default();
  add_word(verb, "--kernel", words->kernel, "default flash");
  add_word(verb, "--dtype", words->dtype, "default f32");
  add_integer(verb, "--head-dim", words->head_dim, "default 64");
  add_integer(verb, "--max-tokens", words->max_tokens, "of the largest call (default 8192)");
  verb.footer(
      "Takes about 15 s, on an otherwise idle machine.\n"
      "Example:\n"
      "  qb calibrate --out my.csv && qb run experiments/schemes.yaml --set model.device=my.csv");
  verb.runs([words] { return calibrate(*words); });
}

}  // namespace qb
