/** Admission policies that Postern makes of policies, for a cluster of some versions. */
import type { ServedResource } from "../../lib/ports.ts";

/** The admission policies that an API server serves, the newest version first. */
export function serving(...versions: readonly string[]): ServedResource[] {
  const kinds = [["Validating", ["v1"]], ["Mutating", versions]] as const;
  return kinds.flatMap(([word, served]) =>
    served.flatMap((version, index) =>
      [["y", "ies"], ["yBinding", "ybindings"]].map(([kind, plural]) => ({
        group: "admissionregistration.k8s.io",
        version,
        kind: `${word}AdmissionPolic${kind}`,
        plural: `${word.toLowerCase()}admissionpolic${plural}`,
        namespaced: false,
        verbs: ["list", "watch"],
        subresources: [],
        preferred: index === 0,
      }))
    )
  );
}
