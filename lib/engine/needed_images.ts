import type { Snapshot } from "./snapshot.ts";

/** Whether the policies look at image registries. */
export function readsImages({ policies }: Snapshot): boolean {
  return policies.some(({ needs, rules }) =>
    [needs, ...rules.map((rule) => rule.needs)].some((list) => list.some(({ kind }) => kind === "registry"))
  );
}
