import { Fault } from "../../json/mod.ts";

/** Why a registry sent nothing. */
export class RegistryFault extends Fault {
  /** The HTTP status of its answer; `undefined` when there was no answer, or none that can be used. */
  readonly status: number | undefined;
  /** Whether the registry was reached, so that another scheme would not help. */
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
