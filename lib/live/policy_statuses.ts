import type { CompiledPolicy, Snapshot } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Clock, Cluster, Log } from "../ports.ts";
import { KnownRights } from "./access.ts";
import type { Generation } from "./admission_policies/wanted.ts";
import { celStatus } from "./cel_status.ts";
import { classicStatus } from "./classic_status.ts";
import type { PolicyObject } from "./policy_objects.ts";
import { missingRights } from "./reporting_rights.ts";
import { StatusWriter } from "./status.ts";

/** What {@link PolicyStatuses} works with. */
export interface PolicyStatusesOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** The account whose rights to read count for reports. */
  readonly account: string;
  /** Called when a right is missing: no watch shows when it is granted. */
  readonly lookAgain: () => void;
}

/** What statuses say about policies. */
export interface Told {
  readonly snapshot: Snapshot;
  /** Whether the webhook configurations are written. */
  readonly configured: boolean;
  readonly generated: readonly Generation[];
}

/** Writes the statuses of policies. */
export class PolicyStatuses {
  /** Writes the statuses of all kinds. */
  readonly writer: StatusWriter;
  readonly #rights: KnownRights;
  readonly #options: PolicyStatusesOptions;

  constructor(options: PolicyStatusesOptions) {
    this.#options = options;
    this.writer = new StatusWriter(options);
    this.#rights = new KnownRights(options);
  }

  /** Writes the statuses that say something new. */
  async tell(objects: readonly PolicyObject[], told: Told): Promise<void> {
    const policies = new Map(
      told.snapshot.policies.map((compiled) => [identityOf(compiled.policy.document), compiled]),
    );
    for (const { kind, object } of objects) {
      const compiled = policies.get(identityOf(object));
      if (compiled === undefined) continue;
      const status = await this.#statusOf(compiled, kind.role, told);
      if (status !== undefined) await this.writer.write(kind, object, status);
    }
  }

  async #statusOf(
    compiled: CompiledPolicy,
    role: PolicyObject["kind"]["role"],
    { configured, generated: all }: Told,
  ): Promise<JsonObject | undefined> {
    const generation = all.find((each) => each.compiled === compiled);
    const generated = (generation?.objects.length ?? 0) > 0;
    switch (role) {
      case "classic":
        return classicStatus(compiled, {
          configured,
          admissionPolicy: { generated, message: generation?.message ?? "" },
        });
      case "cel":
        return celStatus(compiled, {
          configured,
          generated,
          missingRights: await this.#missingRights(compiled),
        });
      case "deleting":
        return celStatus(compiled, { configured, generated, missingRights: [] });
      default:
        return undefined;
    }
  }

  async #missingRights(compiled: CompiledPolicy): Promise<string[]> {
    const { account, lookAgain } = this.#options;
    const missing = await missingRights(compiled, (right) => this.#rights.review(account, right));
    if (missing.length > 0) lookAgain();
    return missing;
  }
}

function identityOf(object: JsonObject): string {
  return `${object["kind"]} ${namespaceOf(object)}/${nameOf(object)}`;
}
