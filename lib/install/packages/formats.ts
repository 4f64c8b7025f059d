import { helmChart } from "./helm_chart.ts";
import { kustomizeBase } from "./kustomize_base.ts";
import type { PackageFormat } from "./package.ts";

/** Every format of an installation's folder. */
export const packageFormats: readonly PackageFormat[] = [helmChart, kustomizeBase];
