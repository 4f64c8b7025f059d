import { join } from "node:path";
import { compile } from "../../../lib/engine/mod.ts";
import { field, type JsonObject } from "../../../lib/json/mod.ts";
import { createApp, Metrics } from "../../../lib/server/mod.ts";
import { parseDocuments } from "../../../lib/yaml/mod.ts";
import { RecordedRegistry } from "../recorded_registry.ts";
import type { ConformanceSet, Row } from "../set.ts";
import { type AdmissionCase, compareResponse } from "./admission.ts";
import { checkCase } from "./engine.ts";

/** Which rows a set has: those of `verifyImages` and `validate.manifests`, or those of ImageValidatingPolicy. */
type Kinds = "classic" | "ivpol";

/** Images that are verified with a registry on this machine: with the command line's code, and at admission. */
export const verifyImagesSets: readonly ConformanceSet[] = (["classic", "ivpol"] as const).flatMap((
  kinds,
) => [
  {
    name: `verify-images/engine/${kinds}`,
    goals: { result: kinds === "classic" ? 0.99 : 0.978, message: 0.98, refused: 1 },
    rows: (corpus: string) => engineRows(join(corpus, "verify-images"), kinds),
  },
  {
    name: `verify-images/admission/${kinds}`,
    // Objects with an image that cannot be read, which Postern refuses, are three of 150 rows.
    goals: { allowed: 0.98, message: 0.97, warnings: 0.98, patched: 0.995 },
    rows: (corpus: string) => admissionRows(join(corpus, "verify-images"), kinds),
  },
]);

async function* engineRows(root: string, kinds: Kinds): AsyncGenerator<Row> {
  const registry = await RecordedRegistry.open(root);
  try {
    for (const id of foldersOf(join(root, "engine"), kinds)) {
      yield {
        id,
        input: id,
        check: async () => {
          const opened: { close(): Promise<void> }[] = [];
          const checks = await checkCase(join(root, "engine", id), {
            text: (path) => registry.text(path),
            reports: "all",
            absent: ["configMap", "globalReference", "downstream", "parameters"],
            ports: (objects) => {
              const ports = registry.ports(objects, "verbatim");
              opened.push(ports);
              return ports;
            },
          });
          for (const ports of opened) await ports.close();
          return checks;
        },
      };
    }
  } finally {
    await registry.close();
  }
}

async function* admissionRows(root: string, kinds: Kinds): AsyncGenerator<Row> {
  const registry = await RecordedRegistry.open(root);
  try {
    for (const set of foldersOf(join(root, "admission"), kinds)) {
      yield* setRows(join(root, "admission"), set, registry);
    }
  } finally {
    await registry.close();
  }
}

/** The rows of one set, in the order of the recording. */
async function* setRows(root: string, set: string, registry: RecordedRegistry): AsyncGenerator<Row> {
  const read = (path: string) => parseDocuments(registry.text(join(root, path)), path).documents;
  const cluster = read(`${set}/cluster.yaml`);
  const exceptions = cluster.filter(({ value }) => field(value, "kind") === "PolicyException");
  const snapshot = compile([...read(`${set}/policies.yaml`), ...exceptions], { dialect: "current" });
  const objects = [...namespaces, ...cluster.map(({ value }) => value)];
  const ports = registry.ports(objects);
  const app = createApp({
    snapshot: () => snapshot,
    ports,
    log: { write: () => {} },
    metrics: new Metrics(),
  });
  const lines = registry.text(join(root, set, "cases.jsonl")).split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const row = JSON.parse(line) as AdmissionCase;
    yield {
      id: `${set}/${index + 1}`,
      input: `${row.path} ${JSON.stringify(row.request["request"])}`,
      check: async () => {
        const answer = await app.request(pathOf(row.path, snapshot.policies), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(row.request),
        });
        return compareResponse(row, (await answer.json() as JsonObject)["response"] ?? null);
      },
    };
  }
  await ports.close();
}

const namespaces: readonly JsonObject[] = ["default", "kyverno", "team", "prod"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { team: name } },
}));

interface Served {
  readonly policy: { readonly key: string; readonly name: string; readonly failurePolicy: string };
}

/** Kyverno has addresses of its own for image policies in CEL; here each is asked alone by its key. */
function pathOf(path: string, policies: readonly Served[]): string {
  const match = /^\/n?ivpol\/(mutate|validate)\/(.+)$/.exec(path);
  if (match === null) return path;
  const [, phase, name] = match;
  const served = policies.find(({ policy }) => policy.name === name!.split("/").at(-1));
  if (served === undefined) return path;
  const { key, failurePolicy } = served.policy;
  return `/${phase}/${failurePolicy.toLowerCase()}/finegrained/${key}`;
}

function foldersOf(root: string, kinds: Kinds): string[] {
  const folders = [...Deno.readDirSync(root)].filter(({ isDirectory }) => isDirectory).map(({ name }) =>
    name
  );
  return folders.filter((name) => name.includes("ivpol") === (kinds === "ivpol")).sort();
}
