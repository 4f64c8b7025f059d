import { asList, asString, dig, field, type Json, type JsonObject } from "../json/mod.ts";
import { builtinKinds, formatApiVersion, namespaceOf, pluralOf, typeOf } from "../kube/mod.ts";
import type { ApiResource } from "../ports.ts";

/** A kind that the embedded cluster serves. */
export interface ServedKind extends ApiResource {
  readonly subresources: readonly string[];
  /** Whether it is a kind of Kubernetes: their lists leave out kind and apiVersion of each item. */
  readonly builtin: boolean;
}

/** The groups whose requests are answered and not stored. */
const reviewGroups = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

/** The kinds that an API server serves by default: no alpha and no beta versions. */
const builtins: readonly ServedKind[] = builtinKinds
  .filter(({ group, version }) => /^v\d+$/.test(version) && !reviewGroups.has(group))
  .filter(({ kind, group }) => !(group === "" && (kind === "Binding" || kind === "ComponentStatus")))
  .map((kind) => ({ ...kind, builtin: true }));

/** The key under which objects of a kind are stored, whatever their version. */
export function storageKey(kind: { readonly group: string; readonly plural: string }): string {
  return `${kind.group}/${kind.plural}`;
}

/**
 * The kinds that a cluster serves: those of Kubernetes, those of its CustomResourceDefinitions, and for objects
 * without a definition kinds with a guessed plural and scope.
 */
export class Kinds {
  readonly #byPath = new Map<string, ServedKind>();
  readonly #byType = new Map<string, ServedKind>();

  constructor() {
    for (const kind of builtins) this.#add(kind);
  }

  /** The kind of namespaces. */
  get namespaces(): ServedKind {
    return this.ofType("v1", "Namespace")!;
  }

  /** The kind at `/apis/GROUP/VERSION/PLURAL`. */
  atPath(group: string, version: string, plural: string): ServedKind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The kind with that apiVersion and name. */
  ofType(apiVersion: string, kind: string): ServedKind | undefined {
    return this.#byType.get(`${apiVersion}/${kind}`);
  }

  /** Every kind, in the order of registration. */
  all(): ServedKind[] {
    return [...this.#byPath.values()];
  }

  /** The kind of an object. A kind without a definition is served from now on. */
  learn(object: JsonObject): ServedKind {
    const { group, version, kind } = typeOf(object);
    const served = this.ofType(formatApiVersion({ group, version }), kind);
    if (served !== undefined) return served;
    // A beta version of a built-in kind, or another version of a custom one, keeps plural and scope.
    const sibling = this.all().find((each) => each.group === group && each.kind === kind) ??
      builtinKinds.find((each) => each.group === group && each.kind === kind);
    const guess: ServedKind = {
      group,
      version,
      kind,
      plural: sibling?.plural ?? pluralOf(kind),
      namespaced: sibling?.namespaced ?? namespaceOf(object) !== "",
      subresources: sibling?.subresources ?? ["status"],
      builtin: sibling !== undefined &&
        builtinKinds.some((each) => each.group === group && each.kind === kind),
    };
    this.#add(guess);
    return guess;
  }

  /** Serves the kinds of a CustomResourceDefinition. */
  define(definition: Json): void {
    for (const kind of kindsOf(definition)) this.#add(kind);
  }

  /** Stops serving a definition; returns the storage key of its objects. */
  undefine(definition: Json): string | undefined {
    const kinds = kindsOf(definition);
    for (const kind of kinds) {
      this.#byPath.delete(`${kind.group}/${kind.version}/${kind.plural}`);
      this.#byType.delete(`${formatApiVersion(kind)}/${kind.kind}`);
    }
    return kinds[0] === undefined ? undefined : storageKey(kinds[0]);
  }

  #add(kind: ServedKind): void {
    this.#byPath.set(`${kind.group}/${kind.version}/${kind.plural}`, kind);
    this.#byType.set(`${formatApiVersion(kind)}/${kind.kind}`, kind);
  }
}

/** The kinds of a CustomResourceDefinition, one for each served version. */
function kindsOf(definition: Json): ServedKind[] {
  const spec = field(definition, "spec");
  const group = asString(field(spec, "group")), kind = asString(dig(spec, "names", "kind"));
  const plural = asString(dig(spec, "names", "plural"));
  if (group === undefined || kind === undefined || plural === undefined) return [];
  return asList(field(spec, "versions")).flatMap((each) => {
    const version = asString(field(each, "name"));
    if (version === undefined || field(each, "served") === false) return [];
    const subresources = Object.keys(field(each, "subresources") ?? {});
    const namespaced = field(spec, "scope") !== "Cluster";
    return [{ group, version, kind, plural, namespaced, subresources, builtin: false }];
  });
}
