import type { JsonObject } from "../json/mod.ts";
import type { PolicyObjectRole } from "../policy/mod.ts";
import type { StatusCondition } from "./status_writer.ts";

/** The reason and the message of a policy that is left out. */
const leftOut = {
  status: "False",
  reason: "TooManyPolicies",
  message:
    "left out: all policies together do not fit into memory. Requests that it may be about are denied, " +
    "unless its failurePolicy is Ignore. Delete or shorten policies, or give Postern a larger memory limit",
} as const;

/** The status of a policy that is left out of the policies in force; `undefined` for a kind without conditions. */
export function leftOutStatus(role: PolicyObjectRole): JsonObject | undefined {
  switch (role) {
    case "classic":
      return { conditions: [condition("Ready")] };
    case "cel":
    case "deleting":
      return {
        conditionStatus: {
          ready: false,
          message: leftOut.message,
          conditions: [condition("WebhookConfigured")],
        },
      };
    default:
      return undefined;
  }
}

function condition(type: string): JsonObject {
  return { ...{ type, ...leftOut } satisfies StatusCondition };
}
