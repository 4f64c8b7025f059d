import type { JsonObject } from "../../json/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { type Kept, ObjectKeeper, type ObjectKeeperOptions } from "../object_keeper.ts";
import {
  type AdmissionPolicyKind,
  admissionPolicyKinds,
  admissionPolicyPaths,
  admissionPolicyVersion,
} from "./admission_policy_kind.ts";
import { type Conversion, isGenerated, notConverted } from "./conversions.ts";

/** The ports and listeners of {@link GeneratedPolicies}. */
export interface GeneratedPoliciesOptions
  extends Omit<ObjectKeeperOptions, "kinds" | "about" | "isMadeByPostern"> {
  /** Runs a task after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** Called when the set of enforced policies changes. */
  readonly changed: () => void;
}

/** The admission policies of a kind and their bindings, watched in one version. */
interface Followed {
  readonly apiVersion: string;
  readonly keeper: ObjectKeeper;
}

/**
 * Milliseconds after which the API server enforces admission policies that were written: it reads them every second.
 */
const activationMs = 2_500;

/** Milliseconds until the next attempt after a failure. */
const retryDelay = 2_000;

/**
 * Keeps the admission policies that are made from Kyverno's policies, and tracks which of them the API server
 * enforces already.
 */
export class GeneratedPolicies {
  readonly #options: GeneratedPoliciesOptions;
  readonly #followed = new Map<AdmissionPolicyKind, Followed>();
  #enforced: ReadonlySet<string> = new Set();
  /** Counts the rounds of writing; only the last round's timer has an effect. */
  #round = 0;

  constructor(options: GeneratedPoliciesOptions) {
    this.#options = options;
  }

  /** Watches the admission policies in the versions that the cluster serves now. Resolves when they are listed. */
  async follow(served: readonly ServedResource[]): Promise<void> {
    for (const kind of admissionPolicyKinds) {
      const apiVersion = admissionPolicyVersion(kind, served);
      const former = this.#followed.get(kind);
      if (apiVersion === undefined || apiVersion === former?.apiVersion) continue;
      const keeper = new ObjectKeeper({
        ...this.#options,
        kinds: admissionPolicyPaths(kind, apiVersion),
        about: "admission policy",
        isMadeByPostern: isGenerated,
      });
      this.#followed.set(kind, { apiVersion, keeper });
      await former?.keeper.close();
      await keeper.ready();
    }
  }

  /** All admission policies and bindings of the cluster, also those of others. */
  all(): JsonObject[] {
    return [...this.#followed.values()].flatMap(({ keeper }) => keeper.objects());
  }

  /**
   * Whether the API server enforces the admission policy already. Until then its policy keeps its webhook, so that no
   * request passes unchecked.
   */
  isEnforced(conversion: Conversion): boolean {
    return conversion.objects.length > 0 && this.#enforced.has(conversion.text);
  }

  /**
   * Writes all admission policies, and deletes former ones. A policy that the API server refuses is returned as not
   * made.
   */
  async write(conversions: readonly Conversion[]): Promise<Conversion[]> {
    const round = ++this.#round;
    const kept = await this.#keep(conversions.flatMap(({ objects }) => objects));
    const made = conversions.map((each): Conversion => {
      const failed = each.objects.map((object) => kept.get(object)).find((state) =>
        state?.state === "failed"
      );
      return failed?.state === "failed" ? notConverted(each.compiled, failed.reason) : each;
    });
    const isMissing = [...kept.values()].some((each) => each.state === "failed" && each.retryable);
    if (isMissing) this.#options.after(retryDelay, () => this.#options.changed());
    const present = new Set(made.filter(({ objects }) => objects.length > 0).map(({ text }) => text));
    if (present.symmetricDifference(this.#enforced).size === 0) return made;
    // The webhook must be called again at once for a policy whose admission policy is deleted.
    this.#enforced = present.intersection(this.#enforced);
    const isNew = [...kept.values()].some(({ state }) => state === "written");
    this.#options.after(isNew ? activationMs : 0, () => {
      if (round !== this.#round) return;
      this.#enforced = present;
      this.#options.changed();
    });
    return made;
  }

  /** Ends the watches. */
  async close(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ keeper }) => keeper.close()));
  }

  /** Writes the objects, and returns the result for each. */
  async #keep(objects: readonly JsonObject[]): Promise<ReadonlyMap<JsonObject, Kept>> {
    const kept = new Map<JsonObject, Kept>();
    for (const [kind, { keeper }] of this.#followed) {
      const ofKind = objects.filter((each) => each["kind"] === kind || each["kind"] === `${kind}Binding`);
      const states = await keeper.keep(ofKind);
      for (const [index, each] of ofKind.entries()) kept.set(each, states[index]!);
    }
    return kept;
  }
}
