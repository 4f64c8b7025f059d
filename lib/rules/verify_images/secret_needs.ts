import type { Need } from "../../context/mod.ts";
import { type AttestorSet, type ImageVerification, publicKeySecret } from "../../policy/mod.ts";

/** The Secrets that entries of `verifyImages` read: public keys, and credentials for registries. */
export function secretNeeds(entries: readonly ImageVerification[]): Need[] {
  return entries.flatMap(({ attestors, attestations, credentials }) => [
    ...[attestors, ...attestations.map((each) => each.attestors)].flatMap(keySecretNeeds),
    ...(credentials.secrets ?? []).map(loginNeed),
  ]);
}

/** The Secrets with the public keys of attestors. */
export function keySecretNeeds(sets: readonly AttestorSet[]): Need[] {
  return sets.flatMap(({ entries }) => entries).flatMap((entry): Need[] => {
    if (entry.kind === "set") return keySecretNeeds([entry.set]);
    return entry.by.kind === "key" ? keyNeed(entry.by.key) : [];
  });
}

/** The need of a key: its text may be the address of a Secret, `k8s://NAMESPACE/NAME`. */
export function keyNeed(key: string): Need[] {
  const name = publicKeySecret(key)?.name;
  return name === undefined ? [] : [secretNeed(name, "Secret with a public key")];
}

/** The need of a name among `imageRegistryCredentials.secrets`: `NAME` or `NAMESPACE/NAME`. */
export function loginNeed(written: string): Need {
  return secretNeed(written.slice(written.indexOf("/") + 1), "Secret with a login for a registry");
}

function secretNeed(name: string, what: string): Need {
  return name.includes("{{")
    ? { kind: "unknown", what: `the name of a ${what}` }
    : { kind: "resource", group: "", resource: "secrets", verbs: ["get"], name };
}
