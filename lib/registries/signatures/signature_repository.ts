import { Fault, isFault } from "../../json/mod.ts";
import { parseReference, type RegistryReference } from "../registry/reference.ts";

/** Parses the repository that a policy names for signatures. */
export function signatureRepository(text: string): RegistryReference | Fault {
  const reference = parseReference(text);
  // A colon before the last slash is that of a port.
  const hasTag = text.lastIndexOf(":") > text.lastIndexOf("/");
  if (!isFault(reference) && !text.includes("@") && !hasTag) return reference;
  const allowed = "`abcdefghijklmnopqrstuvwxyz0123456789_-./`";
  return new Fault(
    `failed to parse signature repository ${text}: repository can only contain the characters ${allowed}: ${text}`,
  );
}
