/** A certificate with its key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  readonly caBundle?: string | undefined;
}

/** The source of certificates. The listener keeps the former certificate when it cannot use a new one. */
export interface KeyPairs {
  current(): Promise<
    | { readonly certificate: KeyPair; readonly problem?: string }
    | { readonly certificate: undefined; readonly problem: string }
  >;
}
