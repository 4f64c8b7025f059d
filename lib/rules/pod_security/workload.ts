import { dig, Fault, field, type Json, textField } from "../../json/mod.ts";
import { podTemplatePaths } from "../../kube/mod.ts";
import { type PodView, podView } from "./pod.ts";
import { metadataType, podSpecType } from "./pod_type.ts";
import { struct, type Type, typeProblem } from "./typed.ts";

/** The kinds that have a pod or a pod template. */
export const podKinds: readonly string[] = [...podTemplatePaths.keys()];

/** The type of each kind, for the fields that the controls read. */
const types: ReadonlyMap<string, Type> = new Map(
  [...podTemplatePaths].map(([kind, template]) => [kind, typeOf(kind, template)]),
);

/** The pod in a resource. */
export interface ExtractedPod {
  readonly pod: PodView;
  /** Converts a path in the pod to a path in the resource. */
  readonly locate: (path: string) => string;
}

/** The pod of a Pod or of one of the seven controllers; a fault when the object is of another kind or shape. */
export function extractPod(resource: Json): ExtractedPod | Fault {
  const kind = textField(resource, "kind");
  const template = podTemplatePaths.get(kind);
  if (template === undefined) {
    return new Fault("could not find correct resource type");
  }
  const problem = typeProblem(resource, types.get(kind)!);
  if (problem !== undefined) return new Fault(problem);
  const pod = dig(resource, ...template);
  return {
    pod: podView(field(pod, "metadata"), field(pod, "spec") ?? {}),
    locate: (path) => locate(path, template),
  };
}

/**
 * Kyverno parity: `spec` and `metadata` are rewritten wherever they appear in the path, and annotations are reported
 * under the template even for a Pod. Pinned by "reports fields with their paths in the resource".
 */
function locate(path: string, template: readonly string[]): string {
  const spec = [...template, "spec"].join(".");
  return path.replaceAll("spec", spec).replaceAll("metadata", "spec.template.metadata");
}

function typeOf(kind: string, template: readonly string[]): Type {
  let type = struct("PodTemplateSpec", { metadata: metadataType, spec: podSpecType });
  for (const name of [...template].reverse()) {
    type = name === "template"
      ? struct(`${kind}Spec`, { template: type })
      : struct(kind, { metadata: metadataType, [name]: type });
  }
  return type;
}
