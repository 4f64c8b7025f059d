import type { ConformanceSet } from "../set.ts";
import { duration } from "./duration.ts";
import { podSecurity, podSecurityFixtures } from "./podsecurity.ts";
import { quantity } from "./quantity.ts";
import { semver } from "./semver.ts";
import { wildcard } from "./wildcard.ts";

/** Every set that the runner knows; a new one is a file here and one line below. */
export const sets: readonly ConformanceSet[] = [
  duration,
  podSecurity,
  podSecurityFixtures,
  quantity,
  semver,
  wildcard,
];
