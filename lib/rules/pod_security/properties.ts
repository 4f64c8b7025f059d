import { goJson } from "../../json/mod.ts";
import type { Violation } from "./control.ts";

/** The violations of a rule from which report properties are made. */
export interface ReportInput {
  readonly level: string;
  readonly version: string;
  readonly violations: readonly Violation[];
  /** Returns the full image of a container by name; `undefined` when there is no such container. */
  readonly imageOf: (container: string) => string | undefined;
}

/**
 * The properties of a report's result: `standard`, `version`, `controls` and `controlsJSON`; none without violations.
 */
export function reportProperties(
  { level, version, violations, imageOf }: ReportInput,
): Readonly<Record<string, string>> {
  if (violations.length === 0) return {};
  // The text is written by hand, because Go keeps the order of a struct's fields and goJson sorts keys.
  const controls = violations.map(({ control, name, detail }) => {
    const images = blamedContainers(detail)?.map((container) => imageOf(container) ?? container) ?? null;
    return `{"ID":${goJson(control)},"Name":${goJson(name)},"Images":${goJson(images)}}`;
  });
  return {
    standard: level,
    version,
    controls: violations.map(({ control }) => control).join(","),
    controlsJSON: `[${controls.join(",")}]`,
  };
}

/**
 * Kyverno parity: the containers are read from the detail's text, `containers "a", "b" must …`. Pinned by
 * "reportProperties() names controls and the images of blamed containers".
 */
function blamedContainers(detail: string): string[] | undefined {
  const start = detail.indexOf("container");
  const end = detail.indexOf("must", start);
  if (start < 0 || end < 0) return undefined;
  const names = detail.slice(start + "container".length, end).replace(/^s/, "");
  return names.replaceAll('"', "").replaceAll(/\s/g, "").split(",");
}
