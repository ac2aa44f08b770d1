// SPDX-License-Identifier: Apache-2.0
// A call of quorumbench.attend(): the caller's arrays as tensors of a job
// (harness/workload/attend.h), the job's memory, and its outputs as arrays. Python holds it as long
// as an output is in use.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/schema/row.h"
#include "harness/run/memory/memory_ledger.h"
#include "harness/workload/attend.h"

namespace qb::python {

namespace nb = nanobind;

using Texts = std::map<std::string, std::string>;

// What is asked. `arrays` has q, k and v, with gradients dO too: objects with __dlpack__, of the
// host's memory. `parameters` are texts by the key or the column of a parameter of a spec.
struct Question {
  std::map<std::string, nb::object> arrays;
  bool bits_are_bf16 = false;  // arrays of 16-bit integers hold bf16
  Texts parameters;
  std::string layout = "auto";
  bool exact = false;           // the outputs are to be float64
  double softcap = 0.0;         // of another program, for check()
  std::vector<double> sinks{};  // of each query head; empty: none
};

// What check() or errors() found, by tensor; mistakes of those that are wrong.
struct Check {
  bool correct = false;
  std::map<std::string, double> errors;
  std::map<std::string, double> tolerances;
  Texts mistakes;
  std::string message;
};

class Attended {
 public:
  // Throws UsageError for arrays that do not fit. forward: whose O and LSE are taken in place of
  // computing them; it must outlive run(). own: the plan of each pass, in place of the algorithm's.
  Attended(const Question& question, const Attended* forward, PlanSource own);
  ~Attended();
  Attended(const Attended&) = delete;
  Attended& operator=(const Attended&) = delete;

  // Plans and computes. Throws as plan_attend() does, and CaseError with Status::incorrect for an
  // output that is not finite. It needs no lock of Python's interpreter.
  void run();

  // Whether run() takes so short that nobody could interrupt it: some milliseconds.
  [[nodiscard]] bool is_short() const;

  // Compares arrays of another program (o, lse, dq, dk, dv) with float64, and names its mistakes.
  [[nodiscard]] Check check();

  // `o`, `lse`, `dq`, `dk` or `dv`, as it lies in memory: f32 unless `dtype` rounds it, LSE as a
  // natural logarithm. `dsinks` is a sum over the batch.
  struct Output {
    void* data = nullptr;
    std::vector<std::size_t> shape;
    std::vector<std::int64_t> strides;
  };
  [[nodiscard]] Output output(const std::string& name, DType dtype);

  // The predicted columns of such a case's row, and its measured times, by name.
  [[nodiscard]] Texts columns() const;
  // Compares up to `rows` rows a head of each output with float64.
  [[nodiscard]] Check errors(std::int64_t rows) const;
  [[nodiscard]] const MemoryLedger& ledger() const { return *ledger_; }
  // The arrays that had to be copied, since a kernel cannot read them in place.
  [[nodiscard]] const std::vector<std::string>& copied() const { return copied_; }

 private:
  struct Given;
  void plan();
  void take_sinks(const Question& question);
  void take(const Given& given);
  [[nodiscard]] Output sink_gradients(DType dtype);
  [[nodiscard]] TensorView rounded(const std::string& name, TensorView view, DType dtype);

  std::vector<nb::ndarray<nb::ro>> arrays_;  // keep the caller's memory
  std::vector<Given> given_;
  const Attended* forward_;
  std::string form_;                        // what the plan depends on; empty: it is not kept
  std::shared_ptr<const AttendJob> known_;  // of an earlier question of this form
  AttendTask task_;                         // unless the job is known
  double softcap_;
  std::unique_ptr<MemoryLedger> ledger_;
  AxisOrder order_;
  std::size_t axes_ = 4;
  std::vector<Tensor> copies_;
  std::vector<std::string> copied_;
  std::map<std::pair<std::string, DType>, Buffer> rounded_;
  AttendJob job_;
  AttendRun run_;
  std::optional<ExactOutputs> exact_;
};

// Forgets the plans that are kept for the next short questions of the same form.
void forget_plans();

// Sets a parameter by its key in a spec or by its column. Throws UsageError for a name that is not
// in `known`, and for a value that it cannot have.
void set_parameter(Case& c, const std::string& name, const std::string& text,
                   std::span<const std::string_view> known);

// Adds the values of a row by the names of their columns.
void add_values(const RowValues& row, Texts& texts);

}  // namespace qb::python
