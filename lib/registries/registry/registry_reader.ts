import type { QueryMemory } from "./content_memory.ts";
import type { RegistryReference } from "./reference.ts";
import type { RegistryFault } from "./registry_fault.ts";
import type { Login } from "./token.ts";

/** An image in a registry, and the login with which to read it. */
export interface RegistryAccess {
  readonly reference: RegistryReference;
  readonly login: Login | undefined;
  readonly allowInsecure: "yes" | "no";
  /** The memory of the query that reads. */
  readonly memory: QueryMemory;
}

/** One read from a registry: `/v2/REPOSITORY/PATH`. */
export interface Reading {
  readonly path: string;
  readonly accept: string;
  /** The most bytes of the answer; the connection's bound when absent. */
  readonly maxBytes?: number | undefined;
  /** The deadline, a time of `elapsedOn`; the connection's timeout applies in any case. */
  readonly until?: number | undefined;
}

/** The body and the headers of a registry's successful answer. */
export interface Content {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly headers: Headers;
}

/** Reads from registries over HTTP, or from their recorded answers. */
export interface RegistryReader {
  read(access: RegistryAccess, reading: Reading): Promise<Content | RegistryFault>;
}
