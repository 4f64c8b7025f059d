import type { Stages, StepBudget } from "../../json/mod.ts";
import { weightOf } from "../../jmespath/mod.ts";
import { type AnyWildcard, containerLists } from "../../kube/mod.ts";
import type { FieldViolation, Violation } from "./control.ts";
import { foundValues } from "./control.ts";
import type { PodView } from "./pod.ts";
import { PositionQueue } from "./position_queue.ts";

/** A compiled entry of `exclude`. */
export interface Exclusion {
  readonly controlName: string;
  /** Whether the entry names an image; `undefined` for an entry about the pod itself. */
  readonly image: AnyWildcard | undefined;
  /** The only field that is excluded, with `*` for indexes; all fields when empty. */
  readonly restrictedField: string;
  /** Whether the entry excludes a value; `undefined` for all values. */
  readonly value: AnyWildcard | undefined;
}

/** The pod, the function that checks a reduced copy of it, and the steps that this may take. */
export interface ExclusionInput {
  readonly pod: PodView;
  /** The violations of a reduced pod under the controls of a name. */
  readonly violationsOf: (pod: PodView, controlName: string) => Stages<readonly Violation[]>;
  /** The steps of comparing images and values. Beyond them nothing is excluded. */
  readonly steps: StepBudget | undefined;
}

/** The steps of a pod for which each exclusion is a stage: checking it takes more than a tenth of a millisecond. */
const stepsOfStage = 10_000;

/**
 * Removes excluded violations. As Kyverno does, it checks a reduced pod (without its containers, or only with those
 * whose image is named). For each excluded violation of the reduced pod it drops one violation of the whole pod at
 * the same field and, for a container's field, of a container of the same name.
 *
 * Kyverno parity: an entry without images checks the pod with one empty container instead of all containers, so it also
 * removes the first missing setting of a container; the last violation of a control then takes the place of the removed
 * one. Pinned by "an exclusion without images takes away the first missing setting of a container" and "by value
 * removes one violation of the field, whichever it is".
 */
export function* withoutExcluded(
  violations: readonly Violation[],
  exclusions: readonly Exclusion[],
  input: ExclusionInput,
): Stages<readonly Violation[]> {
  const { steps } = input;
  // A pause fills the steps of the rule again, and all exclusions together have those of one rule.
  const budget = { left: steps?.left ?? Infinity };
  let left = violations;
  for (const exclusion of exclusions) {
    const before = budget.left;
    left = yield* applyExclusion(left, exclusion, { ...input, steps: budget });
    if (steps !== undefined) steps.left = budget.left < 0 ? -1 : steps.left - (before - budget.left);
    if (budget.left < 0) break;
  }
  return left;
}

/** The steps of checking a value of the pod once more. */
const stepsOfValue = 4;

/** The violations of one stage. */
const fieldsInStage = 5_000;

function* applyExclusion(
  violations: readonly Violation[],
  exclusion: Exclusion,
  { pod, violationsOf, steps }: ExclusionInput & { readonly steps: StepBudget },
): Stages<readonly Violation[]> {
  const { image, value, controlName, restrictedField } = exclusion;
  if (!violations.some(({ name }) => name === controlName)) return violations;
  const cost = stepsOfValue * weightOf(pod.spec, steps.left);
  if ((steps.left -= cost) < 0) return violations;
  if (cost > stepsOfStage) yield;
  const reduced = image === undefined
    ? withEmptyContainer(pod)
    : onlyImages(pod, (text) => image(text, steps));
  const ownerOf = image === undefined ? () => undefined : containerNames(pod);
  const reducedOwnerOf = image === undefined ? () => undefined : containerNames(reduced);
  const left = new Map<string, RemainingFields>();
  for (const { name, control, fields } of violations) {
    if (name !== controlName) continue;
    const remaining = new RemainingFields();
    left.set(control, remaining);
    for (const field of fields) {
      if (remaining.add(field, ownerOf(field)) % fieldsInStage === 0) yield;
    }
  }
  let looked = 0;
  for (const { control, fields } of yield* violationsOf(reduced, controlName)) {
    const remaining = left.get(control);
    if (remaining === undefined) continue;
    for (const excluded of fields) {
      if (++looked % fieldsInStage === 0) yield;
      const fieldPath = fieldPathOf(excluded);
      if (restrictedField !== "" && restrictedField !== fieldPath) continue;
      if (value !== undefined && !foundValues(excluded).every((each) => value(each, steps))) continue;
      remaining.remove(fieldPath, reducedOwnerOf(excluded));
    }
  }
  return violations.flatMap((violation) => {
    const fields = left.get(violation.control)?.fields;
    if (fields === undefined) return [violation];
    // A control that reports no fields stays, because an exclusion removes fields.
    return fields.length === 0 && violation.fields.length > 0 ? [] : [{ ...violation, fields }];
  });
}

/** The path with `*` for each number. */
function fieldPathOf({ path }: FieldViolation): string {
  return path.replace(/\d+/g, "*");
}

/** The name of the container that a field is in. */
function containerNames({ containers }: PodView): (field: FieldViolation) => string | undefined {
  const names = new Map(containers.map(({ path, name }) => [path, name]));
  return ({ path }) => names.get(path.slice(0, path.indexOf("]") + 1));
}

/** The fields of a control that no exclusion has removed, found by path and container's name. */
class RemainingFields {
  readonly fields: FieldViolation[] = [];
  readonly #keys: string[] = [];
  readonly #positions = new Map<string, PositionQueue>();

  /** Adds a field of a container; returns the number of fields. */
  add(field: FieldViolation, owner: string | undefined): number {
    this.#keys.push(keyOf(fieldPathOf(field), owner));
    this.#put(this.fields.push(field) - 1);
    return this.fields.length;
  }

  /** Removes the first field at the path; the last field takes its position. */
  remove(fieldPath: string, owner: string | undefined): void {
    // A position beyond the end belongs to a field that was moved.
    const first = this.#positions.get(keyOf(fieldPath, owner))?.takeBelow(this.fields.length);
    if (first === undefined) return;
    const field = this.fields.pop()!, key = this.#keys.pop()!;
    if (first === this.fields.length) return;
    this.fields[first] = field;
    this.#keys[first] = key;
    this.#put(first);
  }

  #put(index: number): void {
    const key = this.#keys[index]!;
    let positions = this.#positions.get(key);
    if (positions === undefined) this.#positions.set(key, positions = new PositionQueue());
    positions.put(index);
  }
}

function keyOf(fieldPath: string, owner: string | undefined): string {
  return owner === undefined ? fieldPath : `${fieldPath} ${owner}`;
}

function withEmptyContainer(pod: PodView): PodView {
  const empty = { name: "fake", image: "", path: "spec.containers[0]", value: {}, security: undefined };
  return { ...pod, containers: [empty] };
}

/**
 * Kyverno parity: the reduced pod has no settings and annotations of its own. Pinned by "an exclusion by
 * image does not reach the settings of the Pod".
 */
function onlyImages(pod: PodView, image: (image: string) => boolean): PodView {
  const containers = containerLists.flatMap((list) =>
    pod.containers
      .filter((container) => container.path.startsWith(`spec.${list}[`) && image(container.image))
      .map((container, index) => ({ ...container, path: `spec.${list}[${index}]` }))
  );
  return {
    annotations: undefined,
    spec: {},
    security: undefined,
    containers,
    windows: false,
    hasUserNamespace: false,
  };
}
