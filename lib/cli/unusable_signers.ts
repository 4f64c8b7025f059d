import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import { unusableSigner } from "../registries/mod.ts";
import type { CompiledPolicy, Snapshot } from "../engine/mod.ts";

/** Reports signers of policies with unusable texts, such as a key: no signature can ever satisfy them. */
export async function unusableSigners({ written }: Pick<Snapshot, "written">): Promise<Diagnostic[]> {
  const found = await Promise.all(written.map(unusableIn));
  return found.flat();
}

async function unusableIn({ policy, rules }: CompiledPolicy): Promise<Diagnostic[]> {
  // Autogen rules repeat the signers of the rule about Pods.
  const found = new Map<string, Diagnostic>();
  for (const { rule, body } of rules) {
    for (const signer of body.signers ?? []) {
      const why = await unusableSigner(signer);
      if (why === undefined) continue;
      const path = policy.language === "classic" ? [...rule.path, ...signer.path] : signer.path;
      const message = `No signature can satisfy this attestor: ${why}`;
      const problem = {
        severity: "warning",
        code: "never-passes",
        message,
        policy: policy.key,
        path,
      } as const;
      found.set(`${path.join("/")} ${why}`, withPosition(problem, policy.locate));
    }
  }
  return [...found.values()];
}
