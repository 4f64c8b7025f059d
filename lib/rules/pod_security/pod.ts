import { asList, asString, compareBytes, dig, field, type Json } from "../../json/mod.ts";

/** A container of a pod, of any of the three lists. */
export interface ContainerView {
  readonly name: string;
  readonly image: string;
  /** `spec.initContainers[0]`. */
  readonly path: string;
  readonly value: Json;
  /** Its `securityContext`, when it has one that is not null. */
  readonly security: Json | undefined;
}

/** The parts of a pod that the controls read. */
export interface PodView {
  readonly annotations: Json | undefined;
  readonly spec: Json;
  /** Its `securityContext`, when it has one that is not null. */
  readonly security: Json | undefined;
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly ContainerView[];
  /** Whether it says that it runs on Windows, where some fields cannot be set. */
  readonly windows: boolean;
  /** Whether it runs in a user namespace of its own. */
  readonly hasUserNamespace: boolean;
}

/** Whether looking at all containers takes so long that it is done in stages; no usual pod is. */
export function isLarge({ containers }: PodView): boolean {
  return containers.length > 1_000;
}

/** The lists of containers, in the order in which the controls name their members. */
export const containerLists = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Makes the view of a pod from its metadata and spec. */
export function podView(metadata: Json | undefined, spec: Json): PodView {
  const containers: ContainerView[] = [];
  for (const list of containerLists) {
    asList(field(spec, list)).forEach((value, index) => {
      containers.push({
        name: asString(field(value, "name")) ?? "",
        image: asString(field(value, "image")) ?? "",
        path: `spec.${list}[${index}]`,
        value,
        security: present(field(value, "securityContext")),
      });
    });
  }
  return {
    annotations: field(metadata, "annotations"),
    spec,
    security: present(field(spec, "securityContext")),
    containers,
    windows: dig(spec, "os", "name") === "windows",
    hasUserNamespace: field(spec, "hostUsers") === false,
  };
}

/** A field's value unless it is null: Kubernetes reads null as unset. */
export function present(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}

/** `dig` that takes null for unset. */
export function setting(value: Json | undefined, ...names: string[]): Json | undefined {
  return present(dig(value, ...names));
}

/** `container "a"`, `containers "a", "b"`. */
export function namedContainers(names: readonly string[]): string {
  return `${plural("container", names.length)} ${quoted(names)}`;
}

/** The word, with an `s` unless there is one. */
export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** Items that a text lists; a Pod may have tens of thousands of containers. */
const mostItems = 100;

/** `"a", "b"`; of very many the first ones and a count. */
export function quoted(items: readonly string[]): string {
  return enumerated(items, (item) => `"${item}"`);
}

/** `a, b`; of very many the first ones and a count. */
export function enumerated(items: readonly string[], textOf = (item: string): string => item): string {
  const texts = items.slice(0, mostItems).map(textOf);
  if (items.length > mostItems) texts.push(`${items.length - mostItems} more`);
  return texts.join(", ");
}

/** Items that are sorted. More than these nobody reads, and to sort them takes long. */
const mostSorted = 1_000;

/** Sorted by bytes, each once; of very many each once in their own order. */
export function sortedSet(items: Iterable<string>): string[] {
  const distinct = [...new Set(items)];
  return distinct.length > mostSorted ? distinct : distinct.sort(compareBytes);
}
