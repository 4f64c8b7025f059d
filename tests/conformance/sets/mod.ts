import type { ConformanceSet } from "../set.ts";
import { cel } from "./cel.ts";
import { celSpec } from "./cel_spec.ts";
import { admissionSets } from "./admission.ts";
import { conditions, conditionsBlocks } from "./conditions.ts";
import { assertClusterPolicy, assertScan } from "./assert.ts";
import { duration } from "./duration.ts";
import { engineSets } from "./engine.ts";
import { goyaml } from "./goyaml.ts";
import { image } from "./image.ts";
import { jmespathCompliance } from "./jmespath_compliance.ts";
import { json6902 } from "./json6902.ts";
import { kyvernoTestSets } from "./kyverno_tests.ts";
import { labelSelector } from "./label_selector.ts";
import { matrixJmespath } from "./matrix_jmespath.ts";
import { patterns } from "./patterns.ts";
import { podSecurity, podSecurityFixtures } from "./podsecurity.ts";
import { quantity } from "./quantity.ts";
import { semver } from "./semver.ts";
import { strategic } from "./strategic.ts";
import { variables } from "./variables.ts";
import { verifyImagesSets } from "./verify_images.ts";
import { wildcard } from "./wildcard.ts";
import { yaml } from "./yaml.ts";

/** Every set that the runner knows; a new one is a file here and one line below. */
export const sets: readonly ConformanceSet[] = [
  ...admissionSets,
  cel,
  celSpec,
  conditions,
  conditionsBlocks,
  assertClusterPolicy,
  assertScan,
  duration,
  ...engineSets,
  goyaml,
  image,
  jmespathCompliance,
  json6902,
  ...kyvernoTestSets,
  labelSelector,
  matrixJmespath,
  patterns,
  podSecurity,
  podSecurityFixtures,
  quantity,
  semver,
  strategic,
  variables,
  ...verifyImagesSets,
  wildcard,
  yaml,
];
