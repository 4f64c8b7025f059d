import type { CompiledPolicy, CompiledRule, Snapshot } from "../../engine/mod.ts";
import { asObject, asString, dig, field, type JsonObject } from "../../json/mod.ts";
import { isAddressHost } from "../../kube/mod.ts";
import { type Need, parseApiCall } from "../../context/mod.ts";
import { type Access, accessOf } from "../../live/mod.ts";
import { changesOthers } from "../../rules/mod.ts";
import { hasVariables } from "../../template/mod.ts";
import { webhookTargets } from "./webhook_targets.ts";

/** The rights and hosts that the external calls of policies need, as far as the text of the policies shows them. */
export interface PolicyRights {
  readonly access: readonly Access[];
  /**
   * The hosts of the services that policies call, as Deno's permission has them; `undefined` when only a request or an
   * external call determines one.
   */
  readonly hosts: readonly string[] | undefined;
  /** Needs that only a request determines: the author of the manifests must add the rights. */
  readonly remarks: readonly string[];
}

/** Collects the rights and hosts that policies need, so that the installation gets exactly these. */
export function policyRights(snapshot: Pick<Snapshot, "policies" | "others">): PolicyRights {
  const { policies, others } = snapshot;
  const collector = new RightsCollector(snapshot);
  for (const policy of policies) addPolicy(policy, collector);
  for (const { kind, document } of others) {
    if (kind === "GlobalContextEntry") addGlobalEntry(document, collector);
  }
  for (const [group, resource] of watched) {
    const isListed = collector.access.some((each) =>
      "group" in each && each.group === group && each.resource === resource && each.verb === "list"
    );
    if (isListed) collector.addWatch(group, resource);
  }
  return collector;
}

/** The kinds that the server watches where it may list them, so that requests need no call for them. */
const watched = [
  ["", "namespaces"],
  ["rbac.authorization.k8s.io", "rolebindings"],
  ["rbac.authorization.k8s.io", "clusterrolebindings"],
] as const;

/** Collects rights and hosts need by need. */
class RightsCollector implements PolicyRights {
  readonly access: Access[] = [];
  readonly remarks: string[] = [];
  hosts: string[] | undefined = [];
  readonly #hasEntries: boolean;

  constructor({ others }: Pick<Snapshot, "others">) {
    this.#hasEntries = others.some(({ kind }) => kind === "GlobalContextEntry");
  }

  /** Adds the rights and hosts of one need. Remarks name the `owner` (rule or policy) of the need. */
  add(need: Need, owner: string): void {
    switch (need.kind) {
      case "resource": {
        const { group, resource, verbs, name } = need;
        for (const verb of verbs) {
          this.access.push({ group, resource, verb, ...(name !== undefined && { name }) });
        }
        return;
      }
      case "path":
        return this.#path(need, owner);
      case "unknown":
        return this.#remark(owner, `${need.what} depends on the request`);
      case "service":
        return this.#service(need.url);
      case "registry":
        // Images can be in any registry.
        this.hosts = undefined;
        return;
      case "accessReview":
        this.access.push({ group: "authorization.k8s.io", resource: "subjectaccessreviews", verb: "create" });
        return;
      case "namespace":
      case "namespaceLabels":
        return this.addWatch("", "namespaces");
      case "roles":
        this.addWatch("rbac.authorization.k8s.io", "rolebindings");
        return this.addWatch("rbac.authorization.k8s.io", "clusterrolebindings");
      case "globalEntry":
        this.addGlobalEntries();
        if (this.#hasEntries) return;
        return this.#remark(owner, "these policies do not show which rights its GlobalContextEntry needs");
    }
  }

  #path({ path, method, caller }: Extract<Need, { kind: "path" }>, owner: string): void {
    const access = accessOf(path, method);
    if (access !== undefined) {
      this.access.push(access);
      return;
    }
    const where = [owner, caller].filter(Boolean).join(": ");
    this.#remark(where, `which rights ${path} needs depends on the request`);
  }

  #remark(owner: string, cause: string): void {
    const remark = `${owner}: ${cause}; add them yourself`;
    if (!this.remarks.includes(remark)) this.remarks.push(remark);
  }

  /**
   * Adds the host of a service, if the policy names it in full. Deno looks a name up only where the permission has it
   * without a port, and over plain HTTP Postern calls the address, which nobody can write down here.
   */
  #service(url: string): void {
    const origin = /^https?:\/\/[^/?#]+(?=[/?#])|^https?:\/\/[^/?#]+$/.exec(url)?.[0] ?? "";
    if (hasVariables(origin) || !URL.canParse(origin)) this.hosts = undefined;
    else {
      const parsed = new URL(origin), { hostname, port, protocol } = parsed;
      if (isAddressHost(parsed)) {
        this.hosts?.push(`${hostname}:${port === "" ? protocol === "https:" ? 443 : 80 : port}`);
      } else if (protocol === "https:") this.hosts?.push(hostname);
      else this.hosts = undefined;
    }
  }

  /** Adds the right to read global context entries. */
  addGlobalEntries(): void {
    for (const verb of ["get", "list"]) {
      this.access.push({ group: "kyverno.io", resource: "globalcontextentries", verb });
    }
  }

  /** Adds the rights to watch a resource that the server caches. */
  addWatch(group: string, resource: string): void {
    for (const verb of ["get", "list", "watch"]) this.access.push({ group, resource, verb });
  }
}

function addPolicy({ policy, rules, needs }: CompiledPolicy, collector: RightsCollector): void {
  for (const need of needs) collector.add(need, policy.key);
  for (const rule of rules) {
    const owner = `${policy.key}/${rule.rule.name}`;
    for (const need of rule.needs) collector.add(need, owner);
    if (changesOthers(rule.type)) addTriggers(rule, owner, collector);
  }
}

function addGlobalEntry(document: JsonObject, collector: RightsCollector): void {
  const spec = asObject(field(document, "spec")) ?? {};
  const watched = asObject(spec["kubernetesResource"]);
  const apiCall = asObject(spec["apiCall"]);
  collector.addGlobalEntries();
  if (watched !== undefined) {
    const group = asString(watched["group"]) ?? "", resource = asString(watched["resource"]) ?? "";
    if (resource !== "") collector.access.push({ group, resource, verb: "list" });
  }
  const name = asString(dig(document, "metadata", "name")) ?? "";
  if (apiCall !== undefined) {
    const { service, urlPath: path, method } = parseApiCall(apiCall);
    const caller = `GlobalContextEntry ${name}`;
    collector.add(
      service ? { kind: "service", url: service.url } : { kind: "path", path, method, caller },
      "",
    );
  }
}

/**
 * Adds the right to read the triggers of a rule that changes other objects. The server reads the trigger again before
 * it carries out the effects; some rules also list triggers.
 */
function addTriggers(rule: CompiledRule, owner: string, collector: RightsCollector): void {
  const { resources, matchesOthers } = triggerResources(rule);
  for (const { group, resource } of resources) {
    for (const verb of ["get", "list"]) collector.access.push({ group, resource, verb });
  }
  if (matchesOthers) {
    collector.remarks.push(
      `${owner}: which objects trigger it depends on the request; ` +
        "add rights to get and list them yourself",
    );
  }
}

/** The resources of a rule's kinds without wildcards, and whether it matches further kinds. */
function triggerResources(
  rule: CompiledRule,
): { readonly resources: readonly { group: string; resource: string }[]; readonly matchesOthers: boolean } {
  const targets = webhookTargets(rule, { namespaced: false, guessed: () => {} })
    .flatMap(({ group, resource }) => readResources(resource).map((read) => ({ group, resource: read })));
  const hasWildcards = ({ group, resource }: { group: string; resource: string }): boolean =>
    `${group}${resource}`.includes("*");
  return {
    resources: targets.filter((target) => !hasWildcards(target)),
    matchesOthers: targets.some(hasWildcards),
  };
}

/**
 * The resources to read for a trigger's resource. Only the subresources `status` and `scale` are read, because they
 * are stored with their object. The others are actions: the right to `get pods/exec` is the right to run commands.
 */
function readResources(resource: string): string[] {
  const [whole = "", part] = resource.split("/");
  return part === "status" || part === "scale" ? [whole, resource] : [whole];
}
