import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Snapshot } from "../engine/mod.ts";
import { hasRules } from "../policy/mod.ts";
import { isAdmissionPolicy } from "./resource_request.ts";
import type { Values } from "./values.ts";

/** Warnings about policies whose requests do not have the operation that the values give. */
export function ignoredOperations({ policies }: Snapshot, values: Values): readonly Diagnostic[] {
  return policies.map(({ policy }) => policy).filter(({ kind }) => !hasRules(kind)).flatMap(
    ({ kind, name }): readonly Diagnostic[] => {
      const isCreate = isAdmissionPolicy(kind);
      const isGiven = values.givesOperation(name) || isCreate && (values.operation ?? "CREATE") !== "CREATE";
      if (!isGiven) return [];
      const message = isCreate
        ? `${kind} "${name}" is evaluated for a CREATE, whatever operation the values give`
        : `${kind} "${name}" does not read the operation of an object or of --set`;
      const hint = isCreate ? undefined : "write request.operation into globalValues of a values file";
      return [{ severity: "warning", code: "ignored-value", message, ...(hint !== undefined && { hint }) }];
    },
  );
}
