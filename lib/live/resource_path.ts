import type { ServedResource } from "../ports.ts";

/** The path of a resource's collection, in all namespaces or in one (Kubernetes API conventions). */
export function resourcePath(
  { group, version, plural }: Pick<ServedResource, "group" | "version" | "plural">,
  namespace = "",
): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${plural}`;
}
