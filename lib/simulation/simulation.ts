import type { Diagnostic } from "../diagnostics/mod.ts";
import { compile } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { parseDocuments } from "../yaml/mod.ts";
import { readContext } from "./given_context.ts";
import { ObjectClusters } from "./object_clusters.ts";
import type { InputOutcome } from "./outcome.ts";
import { type Setting, simulate } from "./simulate.ts";
import { type InputName, inputsOf, nameOfInput, type PositionOf } from "./input.ts";
import type { SimulationOptions, SimulationTexts } from "./texts.ts";

/** Policies, compiled once, and the objects that they are evaluated for. */
export interface Simulation {
  /** The problems of the texts. A position's file is the name of the text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly inputs: readonly InputName[];
  /** The number of policies that can be evaluated. */
  readonly policyCount: number;
  /** Evaluates the policies for the input at an index, and explains each result. */
  outcome(index: number): Promise<InputOutcome>;
  /** The position of a part of the input at an index, in the text of the resources. */
  positionOf(index: number, path: Parameters<PositionOf>[0]): ReturnType<PositionOf> | undefined;
}

/**
 * Reads and compiles the texts of a simulation. It never throws: mistakes in the texts become diagnostics, and
 * readable documents are simulated.
 */
export function simulation(texts: SimulationTexts, { dialect }: SimulationOptions = {}): Simulation {
  const policies = parseDocuments(texts.policies, "policies");
  const exceptions = parseDocuments(texts.exceptions, "exceptions");
  const resources = parseDocuments(texts.resources, "resources");
  const { context, diagnostics } = readContext(texts);
  const snapshot = compile([...policies.documents, ...exceptions.documents], {
    ...(dialect !== undefined && { dialect }),
    admissionPolicies: "served",
  });
  const { inputs, diagnostics: unusable } = inputsOf(resources.documents);
  const objects = inputs.flatMap((input): JsonObject[] => input.kind === "object" ? [input.value] : []);
  const clusters = {
    context: new ObjectClusters(context.objects),
    all: new ObjectClusters([...context.objects, ...objects]),
  };
  const setting: Setting = { snapshot, context, objects, clusters };
  return {
    diagnostics: [
      ...policies.diagnostics,
      ...exceptions.diagnostics,
      ...snapshot.diagnostics,
      ...resources.diagnostics,
      ...unusable,
      ...diagnostics,
    ],
    inputs: inputs.map(nameOfInput),
    policyCount: snapshot.policies.length + snapshot.jsonPolicies.length,
    outcome: async (index) => await simulate(inputs[index]!, index, setting),
    positionOf: (index, path) => inputs[index]?.positionOf(path),
  };
}
