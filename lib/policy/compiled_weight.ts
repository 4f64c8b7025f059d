import { asList, asObject, dig, field, type Json } from "../json/mod.ts";
import { matchedKinds } from "./matched_kinds.ts";
import { isPod } from "./pod_controllers.ts";
import { weightOf } from "./policy_weight.ts";
import { compiledTextWeight, plainTextWeight } from "./text_weight.ts";

/** Rules for Pods are compiled three times: for Pods, for controllers and for CronJobs. */
const timesForPods = 3;

/** The weight of a value in CEL, compiled, in values of patterns and conditions. */
const timesInCel = 4;

/** The share of the weight of a text's parts in CEL, whose values weigh more. */
const shareInCel = 1 / 4;

function celTextWeight(text: string): number {
  const plain = plainTextWeight(text);
  return plain + (compiledTextWeight(text) - plain) * shareInCel;
}

/** The weights of documents when they are compiled, in values of patterns and conditions. Each is computed once. */
export class CompiledWeights {
  /** The most that all documents may weigh together. */
  readonly limit: number;
  readonly #weights = new WeakMap<object, number>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The weight of a document. */
  of(document: Json): number {
    const object = asObject(document);
    const { limit } = this;
    if (object === undefined) return weightOf(document, { limit });
    let weight = this.#weights.get(object);
    if (weight === undefined) {
      // Replicas have read different statuses, and must keep the same documents.
      const { status: _status, metadata, ...compiled } = object, inCel = hasCel(document);
      const text = inCel ? celTextWeight : compiledTextWeight;
      weight = (weightOf(metadata, { limit, text: plainTextWeight }) + weightOf(compiled, { limit, text })) *
        (inCel ? timesInCel : 1) * (matchedKinds(document).some(isPod) ? timesForPods : 1);
      this.#weights.set(object, weight);
    }
    return weight;
  }
}

/** Whether a document has rules in CEL: those of a policy kind in CEL, or `validate.cel` of a ClusterPolicy. */
function hasCel(document: Json): boolean {
  const spec = field(document, "spec");
  return field(spec, "matchConstraints") !== undefined ||
    asList(field(spec, "rules")).some((rule) => dig(rule, "validate", "cel") !== undefined);
}
