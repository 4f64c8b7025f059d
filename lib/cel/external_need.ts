/** A text argument as far as it is constant: the whole text, or its beginning. */
export interface ConstantText {
  readonly text: string;
  readonly isWhole: boolean;
}

/**
 * A resource, address or registry that a call reads from outside the request, as far as its constant arguments show
 * it. Fields that only a request determines are absent.
 */
export type ExternalNeed =
  | {
    readonly kind: "resource";
    readonly verb: "get" | "list" | "create";
    readonly apiVersion: string | undefined;
    readonly plural: string | undefined;
    readonly name?: string;
  }
  /** A service by its URL, or by the URL's beginning. */
  | { readonly kind: "service"; readonly url: string; readonly isWhole: boolean }
  | { readonly kind: "globalEntry" }
  | { readonly kind: "registry" }
  | { readonly kind: "accessReview" };

/** The need of a call to a service, whose arguments begin with its URL. */
export function serviceNeed([url]: readonly ConstantText[]): ExternalNeed {
  return { kind: "service", url: url?.text ?? "", isWhole: url?.isWhole ?? false };
}

/** The need of a resource function's call, whose arguments begin with apiVersion and plural. */
export function resourceNeed(
  verb: "get" | "list" | "create",
  [apiVersion, plural, ...rest]: readonly ConstantText[],
): ExternalNeed {
  const whole = (argument: ConstantText | undefined): string | undefined =>
    argument?.isWhole ? argument.text : undefined;
  // The name is the last argument; a namespace precedes it where the policy may choose one.
  const name = verb === "get" ? whole(rest.at(-1)) : undefined;
  return {
    kind: "resource",
    verb,
    apiVersion: whole(apiVersion),
    plural: whole(plural),
    ...(name !== undefined && { name }),
  };
}

/** The need of a resource function's call with a GroupVersionResource, which only a request determines. */
export function unknownResourceNeed(verb: "get" | "list" | "create"): ExternalNeed {
  return { kind: "resource", verb, apiVersion: undefined, plural: undefined };
}
