import type { CompiledPolicy, Snapshot } from "../engine/mod.ts";
import { dig, type JsonObject } from "../json/mod.ts";
import { objectIdentity, uidOf } from "../kube/mod.ts";
import type { Clock, Cluster, Log, Scheduler, ServedResource } from "../ports.ts";
import type { Accounts } from "./installation.ts";
import { CachedRights } from "./access_review.ts";
import type { Conversion } from "./admission_policies/conversions.ts";
import { type CelEnforcement, celStatus } from "./cel_status.ts";
import { classicStatus, type Enforcement } from "./classic_status.ts";
import { type Deletability, deletingRights, deletingStatus } from "./deleting_status.ts";
import { eightAtOnce } from "./eight_at_once.ts";
import { leftOutStatus } from "./left_out_status.ts";
import { missingRules, missingRulesMessage, type PolicyRight, rightsOf } from "./policy_rights.ts";
import type { PolicyObject } from "./policy_objects.ts";
import { missingRights } from "./reporting_rights.ts";
import { StatusWriter } from "./status_writer.ts";

/** The ports and accounts of {@link PolicyStatuses}. */
export interface PolicyStatusesOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** Lets requests have their turns while statuses are made; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  /** Whether this replica may write statuses. */
  readonly leads: () => boolean;
  /** The accounts whose rights are checked. */
  readonly accounts: Accounts;
  /** Called when a right is missing, as no watch shows when it is granted, and when a status could not be written. */
  readonly retryLater: () => void;
}

/** The facts from which statuses are written. */
export interface StatusFacts {
  readonly snapshot: Snapshot;
  /** Whether the API server has the webhooks that review policies before it stores them. */
  readonly configured: boolean;
  /** The policies whose own webhooks are not written, as when the API server refuses one; none when absent. */
  readonly unconfigured?: ReadonlySet<CompiledPolicy>;
  readonly generated: readonly Conversion[];
  /** The resource types that the cluster serves. */
  readonly served: readonly ServedResource[];
}

/** The admission policies by the policies that they are made from. */
type Conversions = ReadonlyMap<CompiledPolicy, Conversion>;

/** The facts of a round. */
type RoundFacts = Omit<StatusFacts, "generated"> & { readonly generated: Conversions };

/** A status that is not made yet, with the facts in it that the policy's text does not have. */
interface WantedStatus {
  readonly enforcement: Enforcement | CelEnforcement | Deletability;
  make(): JsonObject;
}

/** An object whose status is current, and the facts in that status, as JSON. */
interface CurrentStatus {
  readonly object: JsonObject;
  readonly enforcement: string;
}

/** Writes the statuses of policies. */
export class PolicyStatuses {
  /** Writes the statuses of all kinds. */
  readonly writer: StatusWriter;
  readonly #rights: CachedRights;
  /** The policies with current statuses. While nothing changes, no status is made or compared again. */
  readonly #current = new WeakMap<CompiledPolicy, CurrentStatus>();
  readonly #options: PolicyStatusesOptions;

  constructor(options: PolicyStatusesOptions) {
    this.#options = options;
    this.writer = new StatusWriter(options);
    this.#rights = new CachedRights(options);
  }

  /** Writes the statuses that changed, some at a time. The next call must wait for this one. */
  async write(objects: readonly PolicyObject[], facts: StatusFacts): Promise<void> {
    const policies = new Map(
      facts.snapshot.policies.map((compiled) => [objectIdentity(compiled.policy.document), compiled]),
    );
    const generated: Conversions = new Map(facts.generated.map((each) => [each.compiled, each]));
    const leftOut = new Set(facts.snapshot.leftOut.map(({ value }) => objectIdentity(value as JsonObject)));
    const { scheduler, leads } = this.#options, all = { ...facts, generated };
    const writeOne = async (each: PolicyObject): Promise<void> => {
      // A round of thousands of statuses takes long; another replica may lead meanwhile.
      if (!leads()) return;
      const identity = objectIdentity(each.object), compiled = policies.get(identity);
      if (leftOut.has(identity)) await this.#writeLeftOut(each.kind, each.object);
      if (compiled !== undefined) await this.#writeOne(each, compiled, all);
    };
    await eightAtOnce(objects, writeOne, scheduler);
  }

  async #writeOne(
    { kind, object }: PolicyObject,
    compiled: CompiledPolicy,
    facts: RoundFacts,
  ): Promise<void> {
    if (isOfOtherVersion(compiled, object)) return;
    const status = await this.#statusOf(compiled, kind.role, facts);
    if (status === undefined) return;
    const enforcement = JSON.stringify(status.enforcement);
    const current = this.#current.get(compiled);
    if (current?.object === object && current.enforcement === enforcement) return;
    const written = await this.writer.write(kind, object, status.make());
    if (written === "current") this.#current.set(compiled, { object, enforcement });
    if (written === "failed") this.#options.retryLater();
  }

  async #writeLeftOut(kind: PolicyObject["kind"], object: JsonObject): Promise<void> {
    const status = leftOutStatus(kind.role);
    if (status === undefined) return;
    if (await this.writer.write(kind, object, status) === "failed") this.#options.retryLater();
  }

  async #statusOf(
    compiled: CompiledPolicy,
    role: PolicyObject["kind"]["role"],
    { configured: areConfigured, unconfigured, served, generated: all }: RoundFacts,
  ): Promise<WantedStatus | undefined> {
    const configured = areConfigured && unconfigured?.has(compiled) !== true;
    const conversion = all.get(compiled);
    const generated = (conversion?.objects.length ?? 0) > 0, notGenerated = conversion?.message ?? "";
    switch (role) {
      case "classic":
        return classic({
          configured,
          missingRules: await this.#missingRules(rightsOf(compiled, served)),
          admissionPolicy: { generated, message: notGenerated },
        });
      case "cel":
        return cel({
          configured,
          generated,
          notGenerated,
          missingRights: await this.#missingRights(compiled),
          missingRules: await this.#missingRules(rightsOf(compiled, served)),
        });
      case "deleting":
        return deleting({ missingRules: await this.#missingRules(deletingRights(compiled, served)) });
      default:
        return undefined;
    }

    function classic(enforcement: Enforcement): WantedStatus {
      return { enforcement, make: () => classicStatus(compiled, enforcement) };
    }

    function cel(enforcement: CelEnforcement): WantedStatus {
      return { enforcement, make: () => celStatus(compiled, enforcement) };
    }

    function deleting(enforcement: Deletability): WantedStatus {
      return { enforcement, make: () => deletingStatus(compiled, enforcement) };
    }
  }

  async #missingRights(compiled: CompiledPolicy): Promise<string[]> {
    const { accounts, retryLater } = this.#options;
    const missing = await missingRights(compiled, (right) => this.#rights.review(accounts.reports, right));
    if (missing.length > 0) retryLater();
    return missing;
  }

  async #missingRules(rights: readonly PolicyRight[]): Promise<string> {
    const { accounts, retryLater } = this.#options;
    const missing = await missingRules(
      rights,
      (account, right) => this.#rights.review(accounts[account], right),
    );
    if (missing.length > 0) retryLater();
    return missingRulesMessage(missing);
  }
}

/** Whether the policy was compiled from another version of the object, or from a deleted object of the same name. */
function isOfOtherVersion({ policy: { document } }: CompiledPolicy, object: JsonObject): boolean {
  // A policy from a file has no uid.
  return uidOf(document) !== "" &&
    (uidOf(document) !== uidOf(object) ||
      dig(document, "metadata", "generation") !== dig(object, "metadata", "generation"));
}
