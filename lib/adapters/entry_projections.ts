import {
  asList,
  type Fault,
  field,
  isFault,
  type Json,
  sharedHeapSize,
  type StepBudget,
  textField,
} from "../json/mod.ts";
import type { Answer } from "../ports.ts";

/** Compiles a projection's JMESPath, because adapters evaluate no expressions themselves. */
export type CompileProjection = (
  expression: string,
) => ((value: Json, steps: StepBudget) => Json | Fault) | Fault;

/** Whether the data of an entry are the objects of a `kubernetesResource`, or the answer to an `apiCall`. */
type Source = "objects" | "answer";

/** The values of a GlobalContextEntry. */
export interface EntryValues {
  readonly source: Source;
  /** Its data under the empty name, and its projections by name. A projection of objects may have failed. */
  readonly byName: ReadonlyMap<string, Json | Fault>;
}

interface Projection {
  readonly name: string;
  readonly apply: (value: Json, steps: StepBudget) => Json | Fault;
}

/** The steps that all projections of an entry may take together, as many as a rule. */
const mostSteps = 4_000_000;

/** The projections of an entry, compiled. */
export class EntryProjections {
  readonly #source: Source;
  readonly #compiled: readonly Projection[] | Fault;

  /** @param spec The `spec` of the GlobalContextEntry. */
  constructor(spec: Json, source: Source, compile: CompileProjection) {
    this.#source = source;
    this.#compiled = compiledOf(spec, compile);
  }

  /**
   * Computes the projections of data. A projection that fails makes the whole entry an error. Kyverno parity: one of
   * objects does not; it keeps its former result, if it has one. Pinned by "watched entries: a projection of objects
   * that fails keeps its former result".
   */
  values(value: Json, former?: EntryValues | Fault): EntryValues | Fault {
    if (isFault(this.#compiled)) return this.#compiled;
    const byName = new Map<string, Json | Fault>([["", value]]);
    const steps = { left: mostSteps };
    for (const { name, apply } of this.#compiled) {
      const result = apply(value, steps);
      if (isFault(result) && this.#source === "answer") return result;
      const isKept = isFault(result) && former !== undefined && !isFault(former);
      byName.set(name, isKept ? former.byName.get(name) ?? result : result);
    }
    return { source: this.#source, byName };
  }
}

function compiledOf(spec: Json, compile: CompileProjection): readonly Projection[] | Fault {
  const compiled: Projection[] = [];
  for (const projection of asList(field(spec, "projections"))) {
    const apply = compile(textField(projection, "jmesPath"));
    if (isFault(apply)) return apply;
    compiled.push({ name: textField(projection, "name"), apply });
  }
  return compiled;
}

/**
 * The bytes of heap that an entry's data and projections take, or the projections alone, by an estimate. It counts
 * again what a projection shares with the data.
 */
export function sizeOf({ byName }: EntryValues, parts: "all" | "projections" = "all"): number {
  let bytes = 0;
  for (const [name, value] of byName) {
    if (name === "" && parts === "projections") continue;
    bytes += isFault(value) ? value.message.length : sharedHeapSize(value);
  }
  return bytes;
}

/**
 * Returns one value of an entry. Kyverno parity: a projection of an answer that is null reads as no data, and one of
 * objects as null. Pinned by tests/adapters/global_entries_test.ts.
 */
export function projectionOf(values: EntryValues | Fault, projection: string): Answer {
  // Only the fault of an entry that does not exist has `missing`.
  if (isFault(values)) {
    return { ok: false, status: values.missing === undefined ? undefined : 404, message: values.message };
  }
  const value = values.byName.get(projection), isOfObjects = values.source === "objects";
  if (isFault(value)) {
    return { ok: false, status: undefined, message: `projection "${projection}": ${value.message}` };
  }
  if (value === undefined && isOfObjects) {
    return { ok: false, status: undefined, message: `projection "${projection}" not found` };
  }
  if (value === undefined || value === null && !isOfObjects) {
    return { ok: false, status: undefined, message: "no data available" };
  }
  return { ok: true, status: 200, body: value };
}
