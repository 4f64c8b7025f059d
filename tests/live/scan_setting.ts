/** A cluster with Pods, and scans of it, in which calls can fail. */
import type { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { asList, field, type Json } from "../../lib/json/mod.ts";
import { policyReports, ReportStore, Scanner } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { clusterPorts } from "../conformance/ports.ts";

export const snapshot = compile(
  parseDocuments(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  background: true
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
`,
    "p.yaml",
  ).documents,
  { dialect: "current" },
);

export const pods: ServedResource = {
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  verbs: ["list", "watch"],
  subresources: [],
  preferred: true,
};

/** More than two pages. */
export const count = 600;

export const objects: readonly Json[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  ...["PolicyReport", "ClusterPolicyReport"].map((kind) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.toLowerCase()}s.wgpolicyk8s.io` },
    spec: {
      group: "wgpolicyk8s.io",
      scope: kind === "PolicyReport" ? "Namespaced" : "Cluster",
      names: { kind, plural: `${kind.toLowerCase()}s` },
      versions: [{ name: "v1alpha2", served: true }],
    },
  })),
  ...Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${index}`, namespace: "shop", uid: `u-${index}` },
  })),
];

export const reports = "/apis/wgpolicyk8s.io/v1alpha2";

export async function storedReports(cluster: EmbeddedCluster): Promise<number> {
  const list = await cluster.call({ method: "GET", path: `${reports}/policyreports` });
  return asList(list.ok ? field(list.body, "items") : undefined).length;
}

/** Scans of a cluster whose policies the test changes. */
export class Scans {
  readonly lists: string[] = [];
  readonly finished: number[] = [];
  readonly scanner: Scanner;
  readonly store: ReportStore;
  deletions = 0;

  /** `call` answers before the cluster does. */
  constructor(cluster: EmbeddedCluster, called: (made: ApiCall) => Promise<Answer | undefined> | undefined) {
    const call = async (made: ApiCall): Promise<Answer> => {
      if (made.method === "DELETE") this.deletions++;
      if (made.path.includes("/pods?limit") && !made.path.includes("continue")) this.lists.push(made.path);
      return await called(made) ?? await cluster.call(made);
    };
    const reached = { call, resource: (...type: [string, string]) => cluster.resource(...type) };
    const follow = (_path: string, signal: AbortSignal) =>
      Promise.resolve({ ok: true, lines: silence(signal) } as const);
    const collections = new LiveCollections({
      cluster: { ...reached, follow },
      clock: systemClock(),
      entropy: countingEntropy(),
    });
    const log = {
      write: (_level: string, message: string, fields?: { readonly [name: string]: unknown }) => {
        if (message === "background scan finished") this.finished.push(fields?.["objects"] as number);
      },
    };
    const shared = { cluster: reached, collections, log };
    this.store = new ReportStore({
      ...shared,
      kind: policyReports,
      results: new Set(["pass", "fail"]),
      isLasting: () => false,
      missed: () => {},
    });
    this.scanner = new Scanner({
      ...shared,
      ports: { ...clusterPorts([]), cluster: reached },
      discovery: { resources: () => Promise.resolve({ ok: true, resources: [pods] }) },
      store: this.store,
      resourceFilters: () => "",
      leads: () => true,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await this.scanner.close();
  }
}

/** A watch on which nothing happens. */
// deno-lint-ignore require-yield -- nothing happens
async function* silence(signal: AbortSignal): AsyncGenerator<string> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
}

const rule = (message: string, kind = "Pod"): string => `
  - name: team
    match: {any: [{resources: {kinds: [${kind}]}}]}
    validate: {message: "${message}", pattern: {metadata: {labels: {team: "?*"}}}}`;

const noAutogen = "{pod-policies.kyverno.io/autogen-controllers: none}";

/** The Policy of a tenant, about a kind. */
export const tenantsText = (version: number, kind?: string): string => `
apiVersion: kyverno.io/v1
kind: Policy
metadata: {name: tenants, namespace: tenant, annotations: ${noAutogen}}
spec:
  background: true
  rules:${rule(`tenant ${version}`, kind)}
`;

export function compiled(text: string): Snapshot {
  return compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
}

/** The policy of all tests, in another version, with a Policy of a tenant in another version. */
export function policiesOf(versions: { readonly cluster?: number; readonly tenant?: number }): Snapshot {
  return compiled(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, annotations: ${noAutogen}}
spec:
  background: true
  rules:${rule(`cluster ${versions.cluster ?? 0}`)}
---${tenantsText(versions.tenant ?? 0)}`);
}
