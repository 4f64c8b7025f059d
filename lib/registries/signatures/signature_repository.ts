import { Fault, isFault } from "../../json/mod.ts";
import { parseReference, type RegistryReference } from "../registry/reference.ts";

/** Parses the repository that a policy names for signatures. */
export function signatureRepository(text: string): RegistryReference | Fault {
  const reference = parseReference(text);
  if (!isFault(reference) && !text.includes("@") && !/:[^/]*$/.test(text.replace(/^[^/]*\//, ""))) {
    return reference;
  }
  const allowed = "`abcdefghijklmnopqrstuvwxyz0123456789_-./`";
  return new Fault(
    `failed to parse signature repository ${text}: repository can only contain the characters ${allowed}: ${text}`,
  );
}
