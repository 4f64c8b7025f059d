import type { AdmissionRequest } from "../kube/mod.ts";

/** `Pod shop/web (CREATE by ann)`. */
export function reviewText(
  { kind, subResource, namespace, name, operation, userInfo }: AdmissionRequest,
): string {
  const full = subResource === "" ? kind.kind : `${kind.kind}/${subResource}`;
  return `${full} ${namespace === "" ? "" : `${namespace}/`}${name} (${operation} by ${userInfo.username})`;
}
