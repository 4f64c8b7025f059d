import { compareBytes } from "../../json/mod.ts";
import type { Check, Control, Level, Revision, Standard } from "./control.ts";
import { controls } from "./controls/mod.ts";

/** A control with the revision for a version. */
export interface SelectedControl {
  readonly control: Control;
  readonly check: Check;
}

/** The minor version of `v1.N`, infinity for `latest` and the empty text; `undefined` for any other text. */
export function minorVersion(version: string): number | undefined {
  if (version === "" || version === "latest") return Infinity;
  const digits = /^v1\.(0|[1-9][0-9]*)$/.exec(version)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The controls of a level in a version, in the order of their violations. */
export function selectControls(level: Level, minor: number, standard: Standard): readonly SelectedControl[] {
  if (level === "privileged") return [];
  const candidates = controls.filter((control) => level === "restricted" || control.level === "baseline");
  return standard === "kubernetes"
    ? selectAsKubernetes(candidates, minor)
    : candidates.flatMap((control) => selected(control, revisionAsKyverno(control, minor)));
}

/** Baseline before restricted, each by id, without the baseline controls that a restricted one replaces. */
function selectAsKubernetes(candidates: readonly Control[], minor: number): SelectedControl[] {
  const chosen = candidates.flatMap((control) => selected(control, latest(control, minor, "kubernetes")));
  const replaced = new Set(chosen.flatMap(({ control }) => control.replaces ?? []));
  return chosen
    .filter(({ control }) => !replaced.has(control.id))
    .sort((a, b) =>
      compareBytes(a.control.level, b.control.level) || compareBytes(a.control.id, b.control.id)
    );
}

function selected(control: Control, revision: Revision | undefined): SelectedControl[] {
  return revision === undefined ? [] : [{ control, check: revision.check }];
}

function latest(control: Control, minor: number, standard: Standard): Revision | undefined {
  return revisionsOf(control, standard).findLast(({ since }) => since <= minor);
}

/**
 * Kyverno parity: before a control's first version its first revision runs already. Pinned by "runs early controls".
 */
function revisionAsKyverno(control: Control, minor: number): Revision | undefined {
  return latest(control, minor, "kyverno") ?? revisionsOf(control, "kyverno")[0];
}

function revisionsOf({ revisions }: Control, standard: Standard): readonly Revision[] {
  return revisions.filter((revision) => revision.standard === undefined || revision.standard === standard);
}
