import { asList, asString, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import { uidOf } from "../kube/mod.ts";
import type { Answer, ApiCall, ApiResource, Cluster } from "../ports.ts";

/** A cluster as it would be after some of its objects were changed. It changes nothing. */
export class ChangedCluster implements Cluster {
  readonly #cluster: Cluster;
  readonly #objects: ReadonlyMap<string, JsonObject>;

  /** @param objects The changed objects, which keep their uid. */
  constructor(cluster: Cluster, objects: readonly JsonObject[]) {
    this.#cluster = cluster;
    this.#objects = new Map(objects.map((object) => [keyOf(object), object]));
  }

  /** The object as it would be. */
  changed(object: JsonObject): JsonObject {
    return this.#objects.get(keyOf(object)) ?? object;
  }

  async call(call: ApiCall): Promise<Answer> {
    const answer = await this.#cluster.call(call);
    return answer.ok && call.method === "GET" ? { ...answer, body: this.#changedIn(answer.body) } : answer;
  }

  resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    return this.#cluster.resource(apiVersion, kind);
  }

  #changedIn(body: Json): Json {
    if (!isObject(body)) return body;
    if (!Array.isArray(body["items"])) return this.changed(body);
    // Items of a list lack their kind.
    const kind = asString(body["kind"])?.replace(/List$/, "") ?? "";
    const items = asList(body["items"]).map((item) => {
      if (!isObject(item)) return item;
      const changed = this.#objects.get(keyOf({ kind, ...item }));
      return changed ?? item;
    });
    return { ...body, items };
  }
}

/** The uid and the kind: a subresource such as Scale has the uid of its object. */
function keyOf(object: JsonObject): string {
  return `${uidOf(object)} ${textField(object, "kind")}`;
}
