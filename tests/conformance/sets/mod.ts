import type { ConformanceSet } from "../set.ts";
import { duration } from "./duration.ts";
import { image } from "./image.ts";
import { labelSelector } from "./label_selector.ts";
import { patterns } from "./patterns.ts";
import { podSecurity, podSecurityFixtures } from "./podsecurity.ts";
import { quantity } from "./quantity.ts";
import { semver } from "./semver.ts";
import { wildcard } from "./wildcard.ts";

/** Every set that the runner knows; a new one is a file here and one line below. */
export const sets: readonly ConformanceSet[] = [
  duration,
  image,
  labelSelector,
  patterns,
  podSecurity,
  podSecurityFixtures,
  quantity,
  semver,
  wildcard,
];
