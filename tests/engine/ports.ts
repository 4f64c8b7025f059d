import { compile, type CompileOptions, type PolicyRequest, type Snapshot } from "../../lib/engine/mod.ts";
import { asString, dig, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

/** Compiles policies from YAML text. */
export function policies(text: string, options: CompileOptions = {}): Snapshot {
  return compile(parseDocuments(text, "policies.yaml").documents, options);
}

/** A request about an object, as the API server would make it. */
export function request(object: JsonObject, change: Partial<PolicyRequest> = {}): PolicyRequest {
  const operation = change.operation ?? "CREATE";
  const namespace = asString(dig(object, "metadata", "namespace")) ?? "";
  const name = asString(dig(object, "metadata", "name")) ?? "";
  const [group, version] = String(object["apiVersion"]).includes("/")
    ? String(object["apiVersion"]).split("/") as [string, string]
    : ["", String(object["apiVersion"])];
  const { oldObject } = change;
  return {
    uid: "u",
    operation,
    group,
    version,
    kind: String(object["kind"]),
    subresource: "",
    namespace,
    name,
    object: operation === "DELETE" ? undefined : object,
    oldObject: operation === "DELETE" ? object : undefined,
    requester: { username: "bob", groups: ["dev"] },
    dryRun: false,
    variable: {
      uid: "u",
      operation,
      namespace,
      name,
      object: operation === "DELETE" ? null : object,
      oldObject: oldObject ?? (operation === "DELETE" ? object : null),
      userInfo: { username: "bob", groups: ["dev"] },
    },
    ...change,
  };
}

/** A Pod in namespace `default`. */
export function pod(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec,
  };
}

/** Ports whose API server answers from a table of paths; everything else answers "not found". */
export function ports(
  answers: Readonly<Record<string, JsonObject>> = {},
): Ports & { readonly calls: string[] } {
  const calls: string[] = [];
  const refuse = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "not here" });
  return {
    calls,
    cluster: {
      call: ({ path }) => {
        calls.push(path);
        const body = answers[path];
        const failed: Answer = { ok: false, status: 404, message: "not found" };
        return Promise.resolve(body === undefined ? failed : { ok: true, status: 200, body });
      },
      resource: () => Promise.resolve(undefined),
    },
    http: { call: refuse },
    registry: { image: refuse },
    globals: { entry: refuse },
    clock: { now: () => Date.UTC(2026, 0, 1) },
    entropy: { next: () => 0.5 },
  };
}
