import type { BundleTarget } from "../target.ts";
import { target as deno } from "./deno.ts";
import { target as lambda } from "./lambda.ts";
import { target as node } from "./node.ts";
import { target as workerd } from "./workerd.ts";

/** All platforms. The file of each platform has the platform's name. */
export const bundleTargets: readonly BundleTarget[] = [deno, workerd, node, lambda];
