import type { CompiledPolicy, CompiledRule, Snapshot } from "../../engine/mod.ts";
import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { parseApiVersion, pluralOf } from "../../kube/mod.ts";
import { type Access, accessOf, hasVariables } from "./api_path.ts";
import { webhookTargets } from "./webhook_rule.ts";

/** What policies ask of the world, as far as their text tells. */
export interface LookUps {
  readonly access: readonly Access[];
  /** `host:port` of services that are called; `undefined` when only a request tells which, or registries are asked. */
  readonly hosts: readonly string[] | undefined;
  /** What could not be told, for whoever makes manifests. */
  readonly remarks: readonly string[];
}

/** Works out what policies look up in the cluster and elsewhere, so that they get the rights for that and no others. */
export function lookUps({ policies, others }: Pick<Snapshot, "policies" | "others">): LookUps {
  const found = new Found();
  for (const policy of policies) policyLookUps(policy, found);
  for (const { kind, document } of others) {
    if (kind === "GlobalContextEntry") globalEntry(document, found);
  }
  for (const [group, resource] of watched) {
    const isListed = found.access.some((each) =>
      "group" in each && each.group === group && each.resource === resource && each.verb === "list"
    );
    if (isListed) found.kept(group, resource);
  }
  return found;
}

/** What the server watches where it may list it, so as not to ask again for each request. */
const watched = [
  ["", "namespaces"],
  ["rbac.authorization.k8s.io", "rolebindings"],
  ["rbac.authorization.k8s.io", "clusterrolebindings"],
] as const;

class Found implements LookUps {
  readonly access: Access[] = [];
  readonly remarks: string[] = [];
  hosts: string[] | undefined = [];

  /** The host of a service, where the policy names it. */
  service(url: string): void {
    const origin = /^https?:\/\/[^/?#]+/.exec(url)?.[0] ?? "";
    if (hasVariables(origin) || !URL.canParse(origin)) this.hosts = undefined;
    else {
      const { hostname, port, protocol } = new URL(origin);
      this.hosts?.push(`${hostname}:${port === "" ? protocol === "https:" ? 443 : 80 : port}`);
    }
  }

  /** What the server keeps at hand by watching it. */
  kept(group: string, resource: string): void {
    for (const verb of ["get", "list", "watch"]) this.access.push({ group, resource, verb });
  }

  /** Any host, for images can be anywhere. */
  registries(): void {
    this.hosts = undefined;
  }
}

function policyLookUps({ policy, rules }: CompiledPolicy, found: Found): void {
  for (const rule of rules) {
    if (rule.needsNamespaceLabels) found.kept("", "namespaces");
    if (rule.needsRoles) {
      for (const resource of ["rolebindings", "clusterrolebindings"]) {
        found.kept("rbac.authorization.k8s.io", resource);
      }
    }
    if (rule.type === "verifyImages") found.registries();
    const { validate, mutate, generate, context } = rule.rule;
    const loops = [validate, mutate, generate].flatMap((body) => entriesOf(body));
    for (const entry of [...context, ...loops]) contextEntry(entry, `${policy.key}/${rule.rule.name}`, found);
    if (generate !== undefined) generated(generate, found);
    for (const target of asList(field(mutate, "targets"))) targeted(target, found);
    if (rule.type === "generate" || rule.type === "mutateExisting") triggers(rule, policy.key, found);
  }
}

/** Context entries of loops, at any depth, and of the targets of a mutation. */
function entriesOf(body: JsonObject | undefined): JsonObject[] {
  return [...asList(field(body, "foreach")), ...asList(field(body, "targets"))].filter(isObject).flatMap((
    each,
  ) => [
    ...asList(field(each, "context")).filter(isObject),
    ...entriesOf(each),
  ]);
}

function contextEntry(entry: JsonObject, rule: string, found: Found): void {
  const configMap = asObject(field(entry, "configMap"));
  const apiCall = asObject(field(entry, "apiCall"));
  if (configMap !== undefined) {
    const name = asString(configMap["name"]) ?? "";
    found.access.push({
      group: "",
      resource: "configmaps",
      verb: "get",
      ...(name !== "" && !hasVariables(name) && { name }),
    });
  }
  if (apiCall !== undefined) call(apiCall, `${rule}: context entry ${asString(entry["name"]) ?? ""}`, found);
  if (isObject(field(entry, "imageRegistry"))) found.registries();
}

function call(spec: JsonObject, place: string, found: Found): void {
  const url = asString(dig(spec, "service", "url"));
  if (url !== undefined) return found.service(url);
  const path = asString(spec["urlPath"]) ?? "";
  const access = accessOf(path, spec["method"] === "POST" ? "POST" : "GET");
  if (access !== undefined) found.access.push(access);
  else {found.remarks.push(
      `${place}: which rights ${path} needs is only known at run time; add them yourself`,
    );}
}

function globalEntry(document: JsonObject, found: Found): void {
  const spec = asObject(field(document, "spec")) ?? {};
  const watched = asObject(spec["kubernetesResource"]);
  const apiCall = asObject(spec["apiCall"]);
  for (const verb of ["get", "list"]) {
    found.access.push({ group: "kyverno.io", resource: "globalcontextentries", verb });
  }
  if (watched !== undefined) {
    const group = asString(watched["group"]) ?? "", resource = asString(watched["resource"]) ?? "";
    if (resource !== "") found.access.push({ group, resource, verb: "list" });
  }
  const name = asString(dig(document, "metadata", "name")) ?? "";
  if (apiCall !== undefined) call(apiCall, `GlobalContextEntry ${name}`, found);
}

/** What a generate rule makes, keeps and takes away, and what it copies. */
function generated(generate: JsonObject, found: Found): void {
  for (const each of [generate, ...asList(generate["foreach"])]) {
    everything(each, ["create", "delete", "get", "list", "patch", "update"], found);
    for (const kind of asList(dig(each, "cloneList", "kinds"))) {
      const parts = (asString(kind) ?? "").split("/");
      const apiVersion = parts.slice(0, -1).join("/");
      const verbs = ["create", "delete", "get", "list", "patch", "update"];
      everything({ apiVersion, kind: parts.at(-1) ?? "" }, verbs, found);
    }
  }
}

/** What sets off changes of other objects is read again before they are made; some rules look for it themselves. */
function triggers(rule: CompiledRule, policy: string, found: Found): void {
  const { resources, wide } = triggerResources(rule);
  for (const { group, resource } of resources) {
    for (const verb of ["get", "list"]) found.access.push({ group, resource, verb });
  }
  if (wide) {
    found.remarks.push(
      `${policy}/${rule.rule.name}: which objects set it off is only known at run time; ` +
        "add rights to get and list them yourself",
    );
  }
}

/** The kinds that a rule is about, as resources; wide when that is any kind. */
function triggerResources(
  rule: CompiledRule,
): { readonly resources: readonly { group: string; resource: string }[]; readonly wide: boolean } {
  const targets = webhookTargets(rule, () => {}).flatMap(({ group, resource }) =>
    readResources(resource).map((read) => ({ group, resource: read }))
  );
  const isWide = ({ group, resource }: { group: string; resource: string }): boolean =>
    `${group}${resource}`.includes("*");
  return { resources: targets.filter((target) => !isWide(target)), wide: targets.some(isWide) };
}

/**
 * What is read again for a resource. Of subresources those that are stored with their object; to read others is to use
 * them: the right to get `pods/exec` is the right to run commands.
 */
function readResources(resource: string): string[] {
  const [whole = "", part] = resource.split("/");
  return part === "status" || part === "scale" ? [whole, resource] : [whole];
}

function targeted(target: Json, found: Found): void {
  everything(target, ["get", "list", "patch", "update"], found);
}

function everything(typed: Json, verbs: readonly string[], found: Found): void {
  const kind = asString(field(typed, "kind")) ?? "", apiVersion = asString(field(typed, "apiVersion")) ?? "";
  if (kind === "" || hasVariables(kind + apiVersion)) return;
  for (const verb of verbs) {
    found.access.push({ group: parseApiVersion(apiVersion).group, resource: pluralOf(kind), verb });
  }
}
