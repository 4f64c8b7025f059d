import { asList, compareBytes, dig, field, type Json, textField } from "../../json/mod.ts";
import { containerLists } from "../../kube/mod.ts";

/** A container from any of the three lists of a pod. */
export interface ContainerView {
  readonly name: string;
  readonly image: string;
  /** `spec.initContainers[0]`. */
  readonly path: string;
  readonly value: Json;
  /** The `securityContext`, unless it is absent or null. */
  readonly security: Json | undefined;
}

/** The parts of a pod that the controls read. */
export interface PodView {
  readonly annotations: Json | undefined;
  readonly spec: Json;
  /** The `securityContext`, unless it is absent or null. */
  readonly security: Json | undefined;
  /** Init containers, containers and ephemeral containers, in this order. */
  readonly containers: readonly ContainerView[];
  /** Whether the pod declares that it runs on Windows, where some fields cannot be set. */
  readonly windows: boolean;
  /** Whether it runs in a separate user namespace. */
  readonly hasUserNamespace: boolean;
}

/** Whether checking all containers takes so long that it is done in stages. Usual pods are smaller. */
export function isLarge({ containers }: PodView): boolean {
  return containers.length > 1_000;
}

/** Makes the view of a pod from its metadata and spec. */
export function podView(metadata: Json | undefined, spec: Json): PodView {
  const containers: ContainerView[] = [];
  for (const list of containerLists) {
    asList(field(spec, list)).forEach((value, index) => {
      containers.push({
        name: textField(value, "name"),
        image: textField(value, "image"),
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

/** A field's value; `undefined` for null, which Kubernetes reads as unset. */
export function present(value: Json | undefined): Json | undefined {
  return value === null ? undefined : value;
}

/** As `dig`, but null counts as unset. */
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

/** The most items in a text: a Pod may have tens of thousands of containers. */
const mostItems = 100;

/** `"a", "b"`; for many items the first ones and a count. */
export function quoted(items: readonly string[]): string {
  return enumerated(items, (item) => `"${item}"`);
}

/** `a, b`; for many items the first ones and a count. */
export function enumerated(items: readonly string[], textOf = (item: string): string => item): string {
  const texts = items.slice(0, mostItems).map(textOf);
  if (items.length > mostItems) texts.push(`${items.length - mostItems} more`);
  return texts.join(", ");
}

/** The most items that are sorted: sorting more takes long, and nobody reads them. */
const mostSorted = 1_000;

/** The distinct items sorted by bytes; many items stay in their order. */
export function sortedSet(items: Iterable<string>): string[] {
  const distinct = [...new Set(items)];
  return distinct.length > mostSorted ? distinct : distinct.sort(compareBytes);
}
