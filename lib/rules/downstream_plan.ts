import {
  asObject,
  asString,
  asTexts,
  dig,
  Fault,
  field,
  isFault,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { policyKey } from "../policy/mod.ts";
import {
  type ClusterObjects,
  describe,
  type KindReference,
  type ObjectReference,
} from "./cluster_objects.ts";
import { copyFor, isApplied, isInStep, renamed, replacing } from "./generated_manifest.ts";
import type { Effect } from "./outcome.ts";
import { cloneSourceLabel, labelled, type Owner, ownerLabels, sourceLabels } from "./owner_labels.ts";

/** The trigger and the cluster for which objects are planned, and how they are written. */
export interface DownstreamOptions {
  readonly owner: Owner;
  readonly clusterObjects: ClusterObjects;
  /** Whether existing objects are kept in step; otherwise only missing ones are created. */
  readonly existing: "synchronize" | "leave";
  /** Whether objects are written by server-side apply. */
  readonly writing: "apply" | "replace";
}

/** The planned effects, and why other effects could not be planned. */
export interface Plan {
  readonly effects: readonly Effect[];
  readonly failures: readonly string[];
}

/** Plans the objects of one rendered pattern. */
export class DownstreamPlanner {
  readonly #options: DownstreamOptions;
  /** The only namespace that a Policy reads from and writes into; `undefined` for a ClusterPolicy. */
  readonly #onlyNamespace: string | undefined;

  constructor(options: DownstreamOptions, onlyNamespace: string | undefined) {
    this.#options = options;
    this.#onlyNamespace = onlyNamespace;
  }

  plan(pattern: Json): Plan {
    const target: ObjectReference = {
      apiVersion: textField(pattern, "apiVersion"),
      kind: textField(pattern, "kind"),
      namespace: textField(pattern, "namespace"),
      name: textField(pattern, "name"),
    };
    if (this.#isOtherNamespace(target.namespace)) {
      return failed(otherNamespace("generate into", target.namespace));
    }
    const name = asString(dig(pattern, "clone", "name")) ?? "";
    if (name !== "") {
      const namespace = asString(dig(pattern, "clone", "namespace")) ?? "";
      return this.#clone({ ...target, namespace, name }, target);
    }
    const kinds = asTexts(dig(pattern, "cloneList", "kinds"));
    if (kinds.length > 0) return this.#cloneList(kinds, field(pattern, "cloneList")!, target.namespace);
    return this.#write(target, asObject(field(pattern, "data")) ?? {});
  }

  #cloneList(kinds: readonly string[], list: Json, into: string): Plan {
    const namespace = textField(list, "namespace");
    if (this.#isOtherNamespace(namespace)) return failed(otherNamespace("clone from", namespace));
    const selector = asObject(field(list, "selector"));
    return joined(kinds.map((written) => {
      const kind = kindOf(written);
      const sources = this.#options.clusterObjects.list({
        ...kind,
        namespace,
        ...(selector !== undefined && { selector }),
      });
      if (isFault(sources)) {
        const listed = `${kind.apiVersion} ${kind.kind} ${namespace}`;
        return failed(
          new Fault(`failed to list source resource for cloneList ${listed}: ${sources.message}`),
        );
      }
      return joined(
        sources.filter((source) => namespaceOf(source) !== into).map((source) => {
          const name = nameOf(source);
          return this.#copy(source, { ...kind, namespace: into, name });
        }),
      );
    }));
  }

  #clone(source: ObjectReference, target: ObjectReference): Plan {
    if (this.#isOtherNamespace(source.namespace)) {
      return failed(otherNamespace("clone from", source.namespace));
    }
    // A clone of an object with the same name and namespace is the object itself.
    if (source.namespace === target.namespace && source.name === target.name) return nothing;
    const lookup = this.#options.clusterObjects.get(source);
    if (isFault(lookup)) return failed(lookup);
    if ("object" in lookup) return this.#copy(lookup.object, target);
    const { apiVersion, kind, namespace, name } = source;
    return failed(
      new Fault(`source ${[apiVersion, kind, namespace, name].join("/")} not found: ${lookup.missing}`),
    );
  }

  #copy(source: JsonObject, target: ObjectReference): Plan {
    const marked = labelled(source, { [cloneSourceLabel]: "" });
    const written = this.#write(target, copyFor(target.namespace, labelled(marked, sourceLabels(source))));
    if (dig(source, "metadata", "labels", cloneSourceLabel) === "") return written;
    const reason = `${describe(source)} is cloned, and its changes are looked for by this label`;
    const mark: Effect = { ...this.#effect("update", marked, reason), dispensable: true };
    return { ...written, effects: [mark, ...written.effects] };
  }

  /** Plans to create the object, or to keep the existing one in step. */
  #write(target: ObjectReference, content: JsonObject): Plan {
    const { owner, clusterObjects, existing, writing } = this.#options;
    const wanted = labelled(renamed({ ...typed(content, target) }, target), ownerLabels(owner));
    const lookup = clusterObjects.get(target);
    if (isFault(lookup)) return failed(lookup);
    const why = `generated for ${describe(owner.trigger)}`;
    if ("missing" in lookup) return one(this.#effect(writing === "apply" ? "apply" : "create", wanted, why));
    if (existing === "leave") return nothing;
    const found = lookup.object;
    if (writing === "apply" ? isApplied(found, wanted) : isInStep(found, wanted)) return nothing;
    const differs = `${why}, and differs from what the rule says`;
    if (writing === "apply") return one(this.#effect("apply", wanted, differs));
    return one(this.#effect("update", replacing(found, wanted), differs));
  }

  #effect(verb: Effect["verb"], object: JsonObject, reason: string): Effect {
    const { policy, rule } = this.#options.owner;
    return { verb, object, policy: policyKey(policy), rule, reason };
  }

  #isOtherNamespace(namespace: string): boolean {
    return this.#onlyNamespace !== undefined && namespace !== this.#onlyNamespace;
  }
}

/** Joins several plans. */
export function joined(plans: readonly Plan[]): Plan {
  return {
    effects: plans.flatMap(({ effects }) => effects),
    failures: plans.flatMap(({ failures }) => failures),
  };
}

/** The plan for a failure. */
export function failed({ message }: Fault): Plan {
  return { effects: [], failures: [message] };
}

const nothing: Plan = { effects: [], failures: [] };

function one(effect: Effect): Plan {
  return { effects: [effect], failures: [] };
}

/** The fault of a Policy that reads from or writes into another namespace. */
export function otherNamespace(action: string, namespace: string): Fault {
  return new Fault(
    `a Policy cannot ${action} ${namespace === "" ? "the whole cluster" : `namespace ${namespace}`}`,
  );
}

/**
 * Kyverno parity: the rule's apiVersion wins over that of the data, the data's kind over the rule's. Pinned
 * by "the rule's apiVersion wins over that of the data, the data's kind over the rule's".
 */
function typed(content: JsonObject, { apiVersion, kind }: KindReference): JsonObject {
  return {
    ...content,
    apiVersion: apiVersion === "" ? content["apiVersion"] ?? "" : apiVersion,
    kind: asString(content["kind"]) || kind,
  };
}

/** A kind in the form of cloneList: `v1/Secret`, `apps/v1/Deployment` or `Secret`. */
export function kindOf(text: string): KindReference {
  const slash = text.lastIndexOf("/");
  return { apiVersion: slash < 0 ? "" : text.slice(0, slash), kind: text.slice(slash + 1) };
}
