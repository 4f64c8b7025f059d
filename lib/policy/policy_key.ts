/** What a policy is called by. */
export interface PolicyName {
  readonly name: string;
  /** Of a kind that is in a namespace. */
  readonly namespace: string | undefined;
}

/** How messages, exceptions and addresses call a policy: `name`, or `namespace/name`. */
export function policyKey({ name, namespace }: PolicyName): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
