/** The engine, in a worker of its own: a long evaluation never keeps the page waiting. */
import { operatorNames } from "../../../lib/condition/mod.ts";
import {
  type InputOutcome,
  type InputSummary,
  noTexts,
  type Simulation,
  simulation,
  type SimulationTexts,
  summaryOf,
} from "../../../lib/simulation/mod.ts";
import { evaluateExpression } from "./expressions.ts";
import { testFolder } from "./test_folder.ts";
import { functionNotes, schemas } from "./language.ts";
import { toYaml } from "../../../lib/yaml/mod.ts";
import type { Answer, EngineRequest, FailurePosition, OutcomeYaml } from "./protocol.ts";

/** Milliseconds of work after which a run looks whether it is still wanted. */
const slice = 40;

let current: Simulation = simulation(noTexts);
let currentTexts: SimulationTexts = noTexts;
let latestRun = -1;

addEventListener("message", ({ data }: MessageEvent<EngineRequest>) => void answer(data));

send({ kind: "ready", number: 0 });

function send(answer: Answer): void {
  (postMessage as (message: Answer) => void)(answer);
}

async function answer(request: EngineRequest): Promise<void> {
  const { kind, number } = request;
  switch (kind) {
    case "run":
      latestRun = number;
      return await run(request);
    case "outcome": {
      const { index } = request;
      if (index >= current.inputs.length) return;
      const outcome = await current.outcome(index);
      return send({
        kind,
        number,
        index,
        outcome,
        failures: failuresOf(outcome, index),
        yaml: yamlOf(outcome),
      });
    }
    case "expression":
      return send({ kind, number, result: evaluateExpression(request.task) });
    case "folder":
      return send({ kind, number, files: await testFolder(current, currentTexts) });
    case "language":
      return send({
        kind,
        number,
        schemas: schemas(),
        functions: functionNotes(),
        operators: operatorNames(),
      });
  }
}

async function run({ number, texts, options }: EngineRequest & { readonly kind: "run" }): Promise<void> {
  send({ kind: "begun", number });
  const begin = performance.now();
  const milliseconds = (): number => performance.now() - begin;
  [current, currentTexts] = [simulation(texts, options), texts];
  const { diagnostics, policyCount, inputs, outcome } = current;
  send({
    kind: "loaded",
    number,
    diagnostics,
    policyCount,
    inputCount: inputs.length,
    milliseconds: milliseconds(),
  });
  let summaries: InputSummary[] = [];
  let sent = performance.now();
  for (const index of inputs.keys()) {
    summaries.push(summaryOf(await outcome(index), index));
    if (performance.now() - sent < slice) continue;
    send({ kind: "summaries", number, summaries, isLast: false, milliseconds: milliseconds() });
    summaries = [];
    await othersTurn();
    if (latestRun !== number) return;
    sent = performance.now();
  }
  send({ kind: "summaries", number, summaries, isLast: true, milliseconds: milliseconds() });
}

/** Lets messages that wait be read. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function yamlOf({ object, mutated, generated, targets }: InputOutcome): OutcomeYaml {
  return {
    object: toYaml(object),
    mutated: toYaml(mutated),
    generated: generated.map(toYaml),
    targets: targets.map(({ before, after }) => ({
      before: before === undefined ? "" : toYaml(before),
      after: toYaml(after),
    })),
  };
}

/** Where in the resources patterns fail. */
function failuresOf({ rules }: InputOutcome, index: number): FailurePosition[] {
  return rules.flatMap(({ steps, results }, rule) => {
    const message = results.find(({ result }) => result === "fail")?.message;
    if (message === undefined) return [];
    return steps.flatMap((step): FailurePosition[] => {
      if (step.kind !== "pattern" || step.pattern.status !== "fail") return [];
      const position = current.positionOf(index, step.pattern.steps);
      return position === undefined ? [] : [{ rule, position, message }];
    });
  });
}
