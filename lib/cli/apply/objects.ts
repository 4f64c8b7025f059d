import { documentObjects, type GivenObject } from "../../apply/mod.ts";
import type { Snapshot } from "../../engine/mod.ts";
import type { Diagnostic } from "../../diagnostics/mod.ts";
import { isList, isObject } from "../../json/mod.ts";
import { clusterObjects, streamDocuments } from "../../sources/mod.ts";
import { isGlobalEntry } from "./global_entries.ts";
import type { ApplyInputArguments, ApplyInputs } from "./inputs.ts";

/** The options that select objects of a cluster. */
export interface ClusterArguments {
  readonly namespace?: string;
  readonly clusterWideResources: boolean;
  readonly concurrent: number;
  readonly batchSize: number;
}

/** The next item of the input: an object to check, a problem, or the number of bytes read so far. */
export type NextObject =
  | { readonly kind: "object"; readonly given: GivenObject; readonly payload?: "json" | "yaml" }
  | { readonly kind: "problem"; readonly diagnostic: Diagnostic }
  | { readonly kind: "progress"; readonly bytes: number; readonly of: number };

/** Yields the objects to check one by one: objects of files, then JSON payloads, then objects of the cluster. */
export async function* objectsToCheck(
  args: ApplyInputArguments & ClusterArguments,
  { snapshot, options, about }: ApplyInputs,
  cleanups: readonly Snapshot[] = [],
): AsyncGenerator<NextObject> {
  const { resource, json = [], namespace } = args;
  for await (const part of streamDocuments(resource)) {
    if (part.kind !== "document") {
      yield part;
      continue;
    }
    const { objects, diagnostics } = documentObjects(part.document);
    for (const diagnostic of diagnostics) yield { kind: "problem", diagnostic };
    for (const given of objects) {
      if (!isPassedOver(given, args)) yield { kind: "object", given };
    }
  }
  // Kyverno parity: payloads are read by other rules than objects. Pinned by "--json: on, yes and n of a payload in
  // YAML are texts".
  for await (const part of streamDocuments(json, { booleans: "1.2" })) {
    if (part.kind !== "document") yield part;
    else yield* payloads(part.document);
  }
  if (!args.cluster) return;
  const { cluster } = options.ports;
  const { clusterWideResources: clusterWide, concurrent, batchSize } = args;
  const snapshots = [snapshot, ...cleanups];
  const listing = { cluster, snapshots, namespace, clusterWide, concurrent, batchSize };
  for await (const found of clusterObjects(listing)) {
    if (found.kind === "object") yield { kind: "object", given: { object: found.object } };
    else {
      const message = `${about}: ${found.problem.message}`;
      yield { kind: "problem", diagnostic: { severity: "error", code: "unreadable-cluster", message } };
    }
  }
}

/**
 * Kyverno parity: Kyverno does not check exceptions and GlobalContextEntries among the resources. Pinned by
 * tests/cli/apply_exceptions_test.ts and "GlobalContextEntries among the objects give the global context".
 */
function isPassedOver({ object }: GivenObject, { exceptionsWithinResources }: ApplyInputArguments): boolean {
  return exceptionsWithinResources && object["kind"] === "PolicyException" || isGlobalEntry(object);
}

/** Yields the values of a payload: each item of a list is one. */
function* payloads(document: Parameters<typeof documentObjects>[0]): Generator<NextObject> {
  const { value, positionOf } = document;
  const isYaml = /\.ya?ml$/.test(document.file);
  const values = isList(value) ? value : [value];
  for (const [index, item] of values.entries()) {
    const path = isList(value) ? [index] : [];
    if (isObject(item)) {
      const given: GivenObject = { object: item, positionOf: (inner) => positionOf([...path, ...inner]) };
      yield { kind: "object", given, payload: isYaml ? "yaml" : "json" };
    } else {
      const message = "A JSON payload must be an object";
      yield {
        kind: "problem",
        diagnostic: { severity: "error", code: "no-object", message, position: positionOf(path) },
      };
    }
  }
}
