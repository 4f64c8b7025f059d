import type { JsonObject } from "../../json/mod.ts";
import { labelsOf, nameOf } from "../../kube/mod.ts";
import { admissionPolicyKinds, ObjectKeeper, type ObjectKeeperOptions } from "../object_keeper.ts";
import type { Generation } from "./wanted.ts";

/** What {@link GeneratedPolicies} works with. */
export interface GeneratedPoliciesOptions extends Omit<ObjectKeeperOptions, "kinds" | "about" | "isOwn"> {
  /** Runs a task after some milliseconds. */
  readonly after: (milliseconds: number, task: () => void) => void;
  /** Called when the API server enforces others than before. */
  readonly changed: () => void;
}

/** Milliseconds after which the API server enforces admission policies that were written: it looks at them every second. */
const takesEffect = 2_500;

/** Keeps the admission policies that are made from Kyverno's, and knows which of them the API server enforces by now. */
export class GeneratedPolicies {
  readonly #options: GeneratedPoliciesOptions;
  readonly #keeper: ObjectKeeper;
  #enforced: ReadonlySet<string> = new Set();
  /** Counts what was written, so that only the last round comes to count. */
  #round = 0;

  /** Begins to watch the admission policies of the cluster. */
  constructor(options: GeneratedPoliciesOptions) {
    this.#options = options;
    this.#keeper = new ObjectKeeper({
      ...options,
      kinds: admissionPolicyKinds,
      about: "admission policy",
      isOwn: isGenerated,
    });
  }

  /** All admission policies and bindings of the cluster, also others' ones. */
  all(): JsonObject[] {
    return this.#keeper.objects();
  }

  /** Resolves when those of the cluster are known. */
  ready(): Promise<void> {
    return this.#keeper.ready();
  }

  /** Whether the API server enforces it. Until then its policy keeps its webhook, so that nothing passes in between. */
  isEnforced(generation: Generation): boolean {
    return generation.objects.length > 0 && this.#enforced.has(textOf(generation));
  }

  /** Writes all, and deletes others that were made before. One that the API server refuses comes back as not made. */
  async write(generations: readonly Generation[]): Promise<Generation[]> {
    const round = ++this.#round;
    const kept = await this.#keeper.keep(generations.flatMap(({ objects }) => objects));
    const left = [...kept];
    const made = generations.map((each): Generation => {
      const failed = left.splice(0, each.objects.length).find(({ state }) => state === "failed");
      return failed?.state === "failed" ? { ...each, objects: [], message: failed.reason } : each;
    });
    const present = new Set(made.filter(({ objects }) => objects.length > 0).map(textOf));
    if (present.symmetricDifference(this.#enforced).size === 0) return made;
    // What goes is asked about at once.
    this.#enforced = present.intersection(this.#enforced);
    this.#options.after(kept.some(({ state }) => state === "written") ? takesEffect : 0, () => {
      if (round !== this.#round) return;
      this.#enforced = present;
      this.#options.changed();
    });
    return made;
  }

  /** Ends the watch. */
  close(): Promise<void> {
    return this.#keeper.close();
  }
}

/** The same text means that the API server enforces the same. */
function textOf({ objects }: Generation): string {
  return JSON.stringify(objects);
}

/** Admission policies that were made from Kyverno's: others are their authors'. */
function isGenerated(object: JsonObject): boolean {
  return labelsOf(object)["app.kubernetes.io/managed-by"] === "kyverno" &&
    /^[cvm]pol-/.test(nameOf(object));
}
