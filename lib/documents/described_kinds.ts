import { celGroup, clusterWideKind } from "../policy/mod.ts";
import { policyKindNames } from "../rules/mod.ts";
import type { Shape } from "../shape/mod.ts";
import { celPolicySpecShape } from "./cel_shape.ts";
import { imagePolicySpecShape } from "./image_shape.ts";
import { exceptionSpecShape, policySpecShape } from "./spec_shape.ts";

/** A kind of policy document, its API versions and the shape of its `spec`. */
export interface DescribedKind {
  readonly kind: string;
  /** The first is the one to write. */
  readonly versions: readonly string[];
  readonly spec: Shape;
}

/** The versions of the kinds of a classic policy. */
export const policyVersions: readonly string[] = ["kyverno.io/v1", "kyverno.io/v2beta1"];
/** The versions of exceptions from classic policies. */
export const exceptionVersions: readonly string[] = [
  "kyverno.io/v2",
  "kyverno.io/v2beta1",
  "kyverno.io/v2alpha1",
];
const celVersions = ["v1", "v1beta1", "v1alpha1"].map((version) => `${celGroup}/${version}`);

/** Every kind whose documents have a shape. */
export const describedKinds: readonly DescribedKind[] = /* @__PURE__ */ allKinds();

/** The kinds, made by a call that bundles leave out where nothing uses them. */
function allKinds(): DescribedKind[] {
  return [
    { kind: "ClusterPolicy", versions: policyVersions, spec: policySpecShape },
    { kind: "Policy", versions: policyVersions, spec: policySpecShape },
    { kind: "PolicyException", versions: exceptionVersions, spec: exceptionSpecShape },
    ...policyKindNames(celGroup).map((kind): DescribedKind => ({
      kind,
      versions: celVersions,
      spec: celSpecShapeOf(kind),
    })),
  ];
}

/** The shape of the `spec` of a kind of CEL policy. */
export function celSpecShapeOf(kind: string): Shape {
  return clusterWideKind(kind) === "ImageValidatingPolicy" ? imagePolicySpecShape : celPolicySpecShape;
}

/** The shape of the `spec` of a kind; `open` for a kind without description. */
export function specShapeOf(kind: string): Shape {
  return describedKinds.find((each) => each.kind === kind)?.spec ?? "open";
}
