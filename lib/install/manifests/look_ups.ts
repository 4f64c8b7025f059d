import type { CompiledPolicy, CompiledRule, Snapshot } from "../../engine/mod.ts";
import { asObject, asString, dig, field, type JsonObject } from "../../json/mod.ts";
import { parseApiVersion, pluralOf } from "../../kube/mod.ts";
import {
  type ApiCallSpec,
  entriesWithin,
  type EntrySpec,
  type GenerateBody,
  parseApiCall,
  type TargetSpec,
} from "../../policy/mod.ts";
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
    const { body, context } = rule.rule;
    const place = `${policy.key}/${rule.rule.name}`;
    for (const entry of [...context, ...entriesWithin(body)]) contextEntry(entry, place, found);
    if (body.kind === "generate") generated(body, found);
    if (body.kind === "mutateExisting") { for (const target of body.targets) targeted(target, found); }
    if (rule.type === "generate" || rule.type === "mutateExisting") triggers(rule, policy.key, found);
  }
}

function contextEntry(entry: EntrySpec, rule: string, found: Found): void {
  if (entry.kind === "configMap") {
    const { name } = entry.configMap;
    found.access.push({
      group: "",
      resource: "configmaps",
      verb: "get",
      ...(name !== "" && !hasVariables(name) && { name }),
    });
  }
  if (entry.kind === "apiCall") call(entry.call, `${rule}: context entry ${entry.name}`, found);
  if (entry.kind === "imageRegistry") found.registries();
}

function call({ service, urlPath: path, method }: ApiCallSpec, place: string, found: Found): void {
  if (service !== undefined) return found.service(service.url);
  const access = accessOf(path, method);
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
  if (apiCall !== undefined) call(parseApiCall(apiCall), `GlobalContextEntry ${name}`, found);
}

/** What a generate rule makes, keeps and takes away, and what it copies. */
function generated({ patterns }: GenerateBody, found: Found): void {
  for (const { pattern } of patterns) {
    everything(pattern, ["create", "delete", "get", "list", "patch", "update"], found);
    for (const kind of pattern.cloneList?.kinds ?? []) {
      const parts = kind.split("/");
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

function targeted(target: TargetSpec, found: Found): void {
  everything(target, ["get", "list", "patch", "update"], found);
}

function everything(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  verbs: readonly string[],
  found: Found,
): void {
  if (kind === "" || hasVariables(kind + apiVersion)) return;
  for (const verb of verbs) {
    found.access.push({ group: parseApiVersion(apiVersion).group, resource: pluralOf(kind), verb });
  }
}
