/** The names that identify a policy or an exception. */
export interface PolicyName {
  readonly name: string;
  /** Absent or empty for cluster-wide kinds, and where the document names no namespace. */
  readonly namespace: string | undefined;
}

/** The key of a policy or an exception in messages, references and webhook paths: `name`, or `namespace/name`. */
export function policyKey({ name, namespace = "" }: PolicyName): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** The namespace of the policy with a key; `undefined` for cluster-wide ones. */
export function namespaceOfKey(key: string): string | undefined {
  const slash = key.indexOf("/");
  return slash < 0 ? undefined : key.slice(0, slash);
}
