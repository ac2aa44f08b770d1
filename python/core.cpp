// SPDX-License-Identifier: Apache-2.0
// The module quorumbench._core: attention on arrays, and plans of algorithms that are written in
// Python. Everything else of the package starts the qb binary (quorumbench/_qb.py).
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <thread>

#include "base/interruption.h"
#include "harness/experiment/process/run_case.h"
#include "harness/experiment/schema/columns.h"
#include "harness/experiment/schema/parameters.h"
#include "harness/experiment/spec/spec.h"
#include "harness/experiment/sweep/sweep_runner.h"
#include "harness/plan/check/check.h"
#include "harness/plan/picture.h"
#include "harness/plan/recipe.h"
#include "harness/run/memory/system_memory.h"
#include "harness/run/memory/timeline.h"
#include "harness/workload/needs.h"
#include "harness/workload/prediction.h"
#include "interest_sets/sets/interest_set.h"
#include "python/attended.h"

namespace qb::python {
namespace {

// Returns what `compute` does, which needs no lock of the interpreter. It runs in a thread of its
// own, so that Ctrl-C is seen at once; the thread then ends at its next look at the flag.
template <class Compute>
auto interruptibly(const Compute& compute) {
  std::atomic<bool> given_up{false};
  std::packaged_task<decltype(compute())()> task([&] {
    interrupt_flag = &given_up;
    return compute();
  });
  auto done = task.get_future();
  {
    std::jthread thread(std::move(task));
    while (true) {
      {
        const nb::gil_scoped_release release;
        if (done.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) break;
      }
      if (PyErr_CheckSignals() == 0) continue;
      given_up = true;
      const nb::gil_scoped_release release;
      thread.join();
      break;
    }
  }
  if (given_up) throw nb::python_error();
  return done.get();
}

// The plans of an algorithm that is written in Python. Throws UsageError where one is not exact.
PlanSource plans_of(const Recipe& recipe) {
  return [recipe](const Case& c, Pass pass) {
    const DType gradients = pass == Pass::backward ? c.gradient_dtype : DType::f32;
    Plan plan = make_plan(recipe, problem_of(c),
                          {.workers = c.workers, .pass = pass, .gradients = gradients});
    if (const auto fault = check(plan))
      throw UsageError(fmt::format("{} is not exact with {} workers, {} pass: {}", recipe.name,
                                   c.workers, word(pass), *fault));
    return plan;
  };
}

std::shared_ptr<Attended> attend(std::map<std::string, nb::object> arrays, Texts parameters,
                                 const std::string& layout, bool bits_are_bf16,
                                 const std::shared_ptr<Attended>& forward,
                                 const std::optional<Recipe>& recipe, bool exact,
                                 std::vector<double> sinks) {
  const Question question{
      std::move(arrays), bits_are_bf16, std::move(parameters), layout, exact, 0.0,
      std::move(sinks)};
  auto job = std::make_shared<Attended>(question, forward.get(),
                                        recipe ? plans_of(*recipe) : PlanSource());
  if (!job->is_short()) {
    interruptibly([&] { job->run(); });
    return job;
  }
  const nb::gil_scoped_release release;
  job->run();
  return job;
}

nb::dict dict_of(const Check& found) {
  nb::dict said;
  said["correct"] = found.correct;
  said["errors"] = nb::cast(found.errors);
  said["tolerances"] = nb::cast(found.tolerances);
  said["mistakes"] = nb::cast(found.mistakes);
  said["message"] = found.message.c_str();
  return said;
}

// Compares what another program computed with float64 (quorumbench.verify).
nb::dict check_arrays(std::map<std::string, nb::object> arrays, Texts parameters,
                      const std::string& layout, bool bits_are_bf16, double softcap,
                      std::vector<double> sinks) {
  const Question question{std::move(arrays), bits_are_bf16,   std::move(parameters), layout, false,
                          softcap,           std::move(sinks)};
  Attended job(question, nullptr, {});
  return dict_of(interruptibly([&] { return job.check(); }));
}

// kind: `numpy` (bf16 as its bits), or anything else for an object with __dlpack__.
nb::object output_array(const nb::handle& self, const std::string& name, const std::string& type,
                        const std::string& kind) {
  using Code = nb::dlpack::dtype_code;
  const DType dtype = parse_word<DType>(type).value();
  const Attended::Output of = nb::cast<Attended&>(self).output(name, dtype);
  if (of.data == nullptr) return nb::none();
  const auto bits = static_cast<std::uint8_t>(8 * size_of(dtype));
  const auto describe = [&](Code code, auto framework) {
    using Array = nb::ndarray<decltype(framework)>;
    const nb::dlpack::dtype element{static_cast<std::uint8_t>(code), bits, 1};
    return nb::cast(Array(of.data, of.shape.size(), of.shape.data(), self, of.strides.data(),
                          element, nb::device::cpu::value));
  };
  if (kind == "numpy")
    return describe(dtype == DType::bf16 ? Code::UInt : Code::Float, nb::numpy());
  return describe(dtype == DType::bf16 ? Code::Bfloat : Code::Float, nb::array_api());
}

std::vector<Texts> timeline(const Attended& job) {
  return interruptibly([&] {
    std::vector<Texts> rows;
    for (const RowValues& row : timeline_rows(job.ledger().events())) {
      poll_interrupt();
      add_values(row, rows.emplace_back());
    }
    return rows;
  });
}

// What is known of a case before it runs.
struct PlanView {
  Texts columns;                    // predicted
  std::optional<std::string> flaw;  // what check() finds
  std::vector<std::int64_t> pairs;  // by worker, per head
  std::vector<std::int64_t> sent;   // bytes by worker
  std::vector<std::int64_t> peak;   // bytes by worker
};

Case case_of(const Texts& values) {
  Case c;
  c.shape = {1, 1, 0, 0, 0, 64, 64};
  for (const auto& [name, text] : values) set_parameter(c, name, text, parameter_keys());
  if (c.shape.q_len == 0 && c.sequences.empty())
    throw UsageError("n_tokens is missing, the length of the whole sequence");
  if (c.shape.kv_len == 0) c.shape.kv_len = c.shape.q_len;
  if (c.shape.kv_heads == 0) c.shape.kv_heads = c.shape.q_heads;
  c.shape.value_dim = c.shape.head_dim;
  c.device = Device::cpu;
  require_needs(c);
  return c;
}

PlanSource source_of(const std::optional<Recipe>& recipe) {
  if (recipe) return plans_of(*recipe);
  return [](const Case& c, Pass pass) { return plan_of(c, pass); };
}

// The rectangles of pairs that each worker computes, as CSV (harness/plan/picture.h).
std::string partition(const Texts& values, const std::optional<Recipe>& recipe) {
  const Case c = resolve_case(case_of(values));
  const Pass pass = c.pass == Passes::backward ? Pass::backward : Pass::forward;
  return partition_rectangles(source_of(recipe)(c, pass)).to_string();
}

PlanView plan(const Texts& values, const std::optional<Recipe>& recipe) {
  const Case c = resolve_case(case_of(values));
  const PlanSource plans = source_of(recipe);
  PlannedCase planned;
  planned.plan = plans(c, Pass::forward);
  planned.flaw = check(planned.plan);
  planned.times_forward = c.pass != Passes::backward;
  if (c.pass != Passes::forward) {
    planned.backward = plans(c, Pass::backward);
    if (!planned.flaw) planned.flaw = check(*planned.backward);
  }
  add_work(c, planned);
  PlanView view{{}, planned.flaw, {}, {}, planned.memory.worker_peak_bytes};
  add_values(prediction_columns(c, planned), view.columns);
  for (const WorkerWork& worker : planned.work.workers) {
    view.pairs.push_back(worker.unmasked_pairs);
    view.sent.push_back(worker.bytes_out);
  }
  return view;
}

Texts parameters_of(const Case& c) {
  Texts texts;
  for (const auto& [column, text] : case_parameters(c)) texts[column] = text;
  return texts;
}

// The parameters of each case of a spec, whose files need not be there.
std::vector<Texts> cases_of(const std::string& yaml, const std::string& name) {
  std::vector<Texts> cases;
  for (const Case& c : resolved_cases(parse_spec(yaml, name, {}).cases))
    cases.push_back(parameters_of(c));
  return cases;
}

// A row of each case of a spec: its parameters, its predicted columns, or why there are none.
std::pair<std::vector<Texts>, std::string> predict_spec(const std::string& yaml,
                                                        const std::string& name,
                                                        const std::vector<std::string>& set) {
  const Spec spec = parse_spec(yaml, name, {.set = set});
  std::vector<Texts> rows;
  for (const Case& c : resolved_cases(spec.cases)) {
    poll_interrupt();
    Texts& row = rows.emplace_back(parameters_of(c));
    row["case_id"] = case_id(c);
    try {
      add_values(predicted_values(c), row);
    } catch (const CaseError& error) {
      row["status"] = word(error.status());
      row["message"] = error.what();
    }
  }
  return {rows, spec.resolved_yaml};
}

// The same function, run interruptibly.
template <auto kFunction>
struct Interruptible;
template <class Result, class... Arguments, Result (*kFunction)(Arguments...)>
struct Interruptible<kFunction> {
  static Result call(Arguments... arguments) {
    return interruptibly([&] { return kFunction(arguments...); });
  }
};
template <auto kFunction>
constexpr auto interruptible = &Interruptible<kFunction>::call;

void raise(const char* name, const char* sentence, std::string_view status = {}) {
  const nb::object type = nb::module_::import_("quorumbench.errors").attr(name);
  const nb::object error = type(sentence);
  if (!status.empty()) error.attr("status") = nb::str(status.data(), status.size());
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    raise("UsageError", error.what());
  } catch (const ExitError& error) {
    raise("EnvironmentError", error.what());
  } catch (const Unsupported& error) {
    raise("UsageError", error.what());
  } catch (const CaseError& error) {
    raise("CaseError", error.what(), word(error.status()));
  }
}

}  // namespace
}  // namespace qb::python

NB_MODULE(_core, m) {
  using namespace qb;
  using namespace qb::python;
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // a graph of PyTorch at module level outlives this module
  nb::class_<Attended>(m, "Attended")
      .def("output", output_array, nb::arg("name"), nb::arg("dtype"), nb::arg("kind"))
      .def("columns",
           [](const Attended& job) { return interruptibly([&] { return job.columns(); }); })
      .def(
          "errors",
          [](const Attended& job, std::int64_t rows) {
            return dict_of(interruptibly([&] { return job.errors(rows); }));
          },
          nb::arg("rows"))
      .def("timeline", timeline)
      .def("trace", [](const Attended& job) { return perfetto_trace(job.ledger().events(), "qb"); })
      .def("snapshot",
           [](const Attended& job) {
             const std::string bytes = pytorch_snapshot(job.ledger().events());
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_prop_ro("copied", &Attended::copied);
  nb::class_<Recipe>(m, "Recipe")
      .def(nb::init<>())
      .def_rw("name", &Recipe::name)
      .def_rw("deal", &Recipe::deal)
      .def_rw("forward", &Recipe::forward)
      .def_rw("backward", &Recipe::backward);
  m.def("attend", attend, nb::arg("arrays"), nb::arg("parameters"), nb::arg("layout"),
        nb::arg("bits_are_bf16"), nb::arg("forward").none(), nb::arg("recipe").none(),
        nb::arg("exact"), nb::arg("sinks"));
  m.def("check", check_arrays, nb::arg("arrays"), nb::arg("parameters"), nb::arg("layout"),
        nb::arg("bits_are_bf16"), nb::arg("softcap"), nb::arg("sinks"));
  nb::class_<PlanView>(m, "PlanView")
      .def_ro("columns", &PlanView::columns)
      .def_ro("flaw", &PlanView::flaw)
      .def_ro("pairs", &PlanView::pairs)
      .def_ro("sent", &PlanView::sent)
      .def_ro("peak", &PlanView::peak);
  m.def("plan", interruptible<plan>, nb::arg("values"), nb::arg("recipe").none());
  m.def("partition", interruptible<partition>, nb::arg("values"), nb::arg("recipe").none());
  m.def("predict_spec", interruptible<predict_spec>, nb::arg("yaml"), nb::arg("name"),
        nb::arg("set"));
  m.def("cases", interruptible<cases_of>, nb::arg("yaml"), nb::arg("name"));
  m.def("schema", schema_json);
  m.def("clear_cache", [] {
    release_kept_memory();
    forget_plans();
  });
  m.def("interest_set", [](int workers) { return default_interest_set(workers).residues; });
}
