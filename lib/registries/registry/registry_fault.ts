import { Fault } from "../../json/mod.ts";

/** Why a read from a registry failed. */
export class RegistryFault extends Fault {
  /** The HTTP status of the registry's answer; `undefined` when there was no answer, or none that Postern can use. */
  readonly status: number | undefined;
  /** Whether Postern reached the registry, so that another scheme would not help. */
  readonly reached: boolean;

  constructor(
    message: string,
    { status, reached = status !== undefined }: { readonly status?: number; readonly reached?: boolean } = {},
  ) {
    super(message);
    this.status = status;
    this.reached = reached;
  }
}
