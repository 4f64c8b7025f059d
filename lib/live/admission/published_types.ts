import { type CelType, schemaType } from "../../cel/mod.ts";
import { dig, isList, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { type GroupVersionKind, versionPath } from "../../kube/mod.ts";
import type { Cluster } from "../../ports.ts";

/** Returns the type of a kind's objects; `undefined` when the API server publishes no schema for it. */
export type ReadKindType = (kind: GroupVersionKind) => Promise<CelType | undefined>;

/** The longest time for the documents of one check, in milliseconds: the API server waits 10 seconds for a review. */
const longestCheck = 3_000;

/** Reads the types of objects from the schemas that the API server publishes (OpenAPI v3). */
export class PublishedTypes {
  readonly #cluster: Cluster;
  #isChecking = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Runs a check that reads types, those of one group and version after the other: a document of the API server takes
   * some megabytes, and is kept as long as the check uses its types. `undefined` without running it while another
   * check reads: authors of policies choose how many reviews there are at once, and warnings can be left out.
   */
  async check<T>(run: (typeOf: ReadKindType) => Promise<T>): Promise<T | undefined> {
    if (this.#isChecking) return undefined;
    this.#isChecking = true;
    const signal = AbortSignal.timeout(longestCheck);
    let last: { readonly path: string; readonly schemas: Schemas } | undefined;
    try {
      return await run(async (kind) => {
        const path = `/openapi/v3${versionPath(kind)}`;
        if (last?.path !== path) {
          last = undefined;
          last = { path, schemas: await this.#read(path, signal) };
        }
        return typeIn(last.schemas, kind);
      });
    } finally {
      this.#isChecking = false;
    }
  }

  async #read(path: string, signal: AbortSignal): Promise<Schemas> {
    const answer = await this.#cluster.call({ method: "GET", path, signal });
    const found = answer.ok ? dig(answer.body, "components", "schemas") : undefined;
    return isObject(found) ? found : {};
  }
}

/** Schemas by their names. */
type Schemas = JsonObject;

function typeIn(schemas: Schemas, wanted: GroupVersionKind): CelType | undefined {
  const schema = Object.values(schemas).find((each) => describes(each, wanted));
  if (!isObject(schema)) return undefined;
  return schemaType(schema, {
    name: wanted.kind,
    referred: (reference) => {
      const name = reference.slice(reference.lastIndexOf("/") + 1);
      const found = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
      return isObject(found) ? found : undefined;
    },
  });
}

function describes(schema: Json, { group, version, kind }: GroupVersionKind): boolean {
  const kinds = dig(schema, "x-kubernetes-group-version-kind");
  return isList(kinds) &&
    kinds.some((each) =>
      dig(each, "group") === group && dig(each, "version") === version && dig(each, "kind") === kind
    );
}
