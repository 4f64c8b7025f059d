/** Strategic merge patches, applied, and containers to patch. */
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { planStrategicMerge } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";

/** Applies a patch to a resource that throws when it is modified; a fault becomes its text. */
export function patched(resource: Json, patch: Json): Json {
  const plan = planStrategicMerge(deepFreeze(patch));
  if (isFault(plan)) return `error: ${plan.message}`;
  const result = plan.apply(deepFreeze(resource) as JsonObject);
  return isFault(result) ? `error: ${result.message}` : result;
}

export const web = { name: "web", image: "nginx:latest" };

export const log = { name: "log", image: "busybox:1" };
