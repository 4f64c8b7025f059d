import type { ServedResource } from "../ports.ts";

/** Where all objects of a resource are, or with a namespace those in it (Kubernetes API conventions). */
export function resourcePath(
  { group, version, plural }: Pick<ServedResource, "group" | "version" | "plural">,
  namespace = "",
): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${plural}`;
}
