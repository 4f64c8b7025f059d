import type { FieldViolation, Violation } from "./control.ts";
import { foundValues } from "./control.ts";
import { containerLists, type ContainerView, type PodView } from "./pod.ts";

/** What an entry of `exclude` lets pass, compiled. */
export interface Exclusion {
  readonly controlName: string;
  /** Whether an image is among those named; `undefined` for an entry about the pod itself. */
  readonly image: ((image: string) => boolean) | undefined;
  /** The only field meant, with `*` for indexes; all when empty. */
  readonly restrictedField: string;
  /** Whether a value is among those let pass; `undefined` lets all pass. */
  readonly value: ((value: string) => boolean) | undefined;
}

/** What an exclusion needs to look at a pod. */
export interface ExclusionInput {
  readonly pod: PodView;
  /** The controls, to see what a reduced pod would violate. */
  readonly judge: (pod: PodView) => readonly Violation[];
}

/**
 * Takes excluded violations away. The reference judges a reduced pod (without its containers, or only with those whose
 * image is named) and then drops, for each excluded violation there, one violation of the whole pod at the same field
 * and, for a container's field, of a container of the same name.
 *
 * Kyverno parity: an entry without images judges the pod with one empty stand-in for all containers, so it also takes
 * away the first missing setting of a container; and the last violation of a control moves into the gap.
 */
export function withoutExcluded(
  violations: readonly Violation[],
  exclusions: readonly Exclusion[],
  input: ExclusionInput,
): readonly Violation[] {
  let left = violations;
  for (const exclusion of exclusions) left = applyExclusion(left, exclusion, input);
  return left;
}

function applyExclusion(
  violations: readonly Violation[],
  exclusion: Exclusion,
  { pod, judge }: ExclusionInput,
): readonly Violation[] {
  const { image, controlName, restrictedField } = exclusion;
  const reduced = image === undefined ? withStandIn(pod) : onlyImages(pod, image);
  const left = new Map(violations.map((violation) => [violation.control, [...violation.fields]]));
  for (const { name, control, fields } of judge(reduced)) {
    const own = left.get(control);
    if (name !== controlName || own === undefined) continue;
    for (const excluded of fields) {
      const place = placeOf(excluded);
      if (restrictedField !== "" && restrictedField !== place) continue;
      if (!allValuesPass(excluded, exclusion)) continue;
      const owner = image === undefined ? undefined : containerAt(reduced, excluded.path)?.name;
      const index = own.findIndex((violation) =>
        placeOf(violation) === place &&
        (image === undefined || containerAt(pod, violation.path)?.name === owner)
      );
      if (index >= 0) removeAt(own, index);
    }
  }
  return violations.flatMap((violation) => {
    const fields = left.get(violation.control)!;
    // A control that tells no fields stays: there is nothing that an exclusion could take away.
    return fields.length === 0 && violation.fields.length > 0 ? [] : [{ ...violation, fields }];
  });
}

function allValuesPass(excluded: FieldViolation, { value }: Exclusion): boolean {
  return value === undefined || foundValues(excluded).every(value);
}

/** The path with `*` for each number. */
function placeOf({ path }: FieldViolation): string {
  return path.replace(/\d+/g, "*");
}

function containerAt(pod: PodView, path: string): ContainerView | undefined {
  return pod.containers.find((container) => path.startsWith(`${container.path}.`));
}

function removeAt(fields: FieldViolation[], index: number): void {
  const last = fields.pop()!;
  if (index < fields.length) fields[index] = last;
}

function withStandIn(pod: PodView): PodView {
  const standIn = { name: "fake", image: "", path: "spec.containers[0]", value: {}, security: undefined };
  return { ...pod, containers: [standIn] };
}

/** Kyverno parity: the pod's own settings and annotations are gone, so its containers cannot inherit from it. */
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
    ownUsers: false,
  };
}
