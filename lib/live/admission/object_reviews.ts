import { celExceptionProblems, type CompileOptions, exceptionProblems } from "../../engine/mod.ts";
import { asString, clipped, documentPathText, type JsonObject } from "../../json/mod.ts";
import {
  type AdmissionRequest,
  isBeingDeleted,
  labelsOf,
  parseServiceAccount,
  type UserInfo,
} from "../../kube/mod.ts";
import { isHeavy, isTooHeavy, tooHeavy } from "../../policy/mod.ts";
import type { Cluster, Discovery, Scheduler } from "../../ports.ts";
import type { AdmissionResponse } from "../../report/mod.ts";
import { ttlProblem } from "../cleanup/ttl.ts";
import type { Accounts } from "../installation.ts";
import { exceptionCounts } from "../policy_objects.ts";
import type { CheckedObject, Findings } from "./check.ts";
import { checkTools, type ReviewTools } from "./check_tools.ts";
import { cleanupProblems } from "./cleanup_checks.ts";
import { type ExistingPolicies, missingTargets } from "./exception_warnings.ts";
import { globalContextProblems } from "./global_context_checks.ts";
import { policyFindings } from "./policy_findings.ts";
import { PublishedTypes } from "./published_types.ts";
import { SlowLane } from "./slow_lane.ts";

/** The ports and options with which objects of policy kinds are reviewed. */
export interface ObjectReviewsOptions {
  readonly cluster: Cluster;
  readonly discovery: Discovery;
  readonly accounts: Accounts;
  readonly compiling: CompileOptions;
  /** Lets other requests have their turns while a policy is compiled; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  /** The namespace whose exceptions have an effect: `*` for all, empty for none. */
  readonly exceptionNamespace: string;
  /** The policies that exceptions can name; without them nobody is warned of wrong names. */
  readonly existing?: ExistingPolicies;
  /** Returns the reason why an object has no room in memory; `undefined` when it has. */
  readonly roomProblem: (object: JsonObject, former: JsonObject | undefined) => string | undefined;
}

type Review = (checked: CheckedObject, options: ObjectReviewsOptions & ReviewTools) => Promise<Findings>;

/** The path of the review of objects of any kind; those of all other reviews are kept in memory. */
const anyKind = "/verifyttl";

/** The review at each path. */
const reviews: Readonly<Record<string, Review>> = {
  "/policyvalidate": policyFindings,
  "/exceptionvalidate": async (checked, options) => ({
    errors: exceptionProblems(checked.object).map(({ message }) => message),
    warnings: exceptionWarnings(checked, options),
  }),
  "/celexception/validate": async (checked, options) => ({
    errors: celExceptionProblems(checked.object, options.compiling)
      .map(({ path, message }) => `${documentPathText(path)}: ${message}`),
    warnings: exceptionWarnings(checked, options),
  }),
  "/globalcontextvalidate": async (checked) => errors(globalContextProblems(checked)),
  "/cleanupvalidate": async (checked, options) =>
    errors(await cleanupProblems(checked, await checkTools(options), options.compiling)),
  [anyKind]: async ({ object }) => {
    const problem = ttlProblem(asString(labelsOf(object)["cleanup.kyverno.io/ttl"]) ?? "");
    return { errors: [], warnings: problem === undefined ? [] : [problem] };
  },
};

/** Reviews objects of policy kinds, and refuses those that Kyverno refuses, with the reason. */
export class ObjectReviews {
  readonly #options: ObjectReviewsOptions & ReviewTools;
  readonly #largePolicies = new SlowLane({ most: mostLarge });
  readonly #policies = new SlowLane({ most: mostWaiting });

  constructor(options: ObjectReviewsOptions) {
    this.#options = { ...options, types: new PublishedTypes(options.cluster) };
  }

  /** Returns the review for a path; `undefined` for another path. */
  find(path: string): ((request: AdmissionRequest) => Promise<AdmissionResponse>) | undefined {
    const review = Object.hasOwn(reviews, path) ? reviews[path] : undefined;
    if (review === undefined) return undefined;
    const kept: Review = path === anyKind ? review : async (checked, options) => {
      const full = options.roomProblem(checked.object, checked.former);
      return full === undefined ? await review(checked, options) : errors([full]);
    };
    return (request) => this.#answer(request, kept);
  }

  async #answer(
    { uid, object, oldObject, userInfo }: AdmissionRequest,
    review: Review,
  ): Promise<AdmissionResponse> {
    if (object === null || isBeingDeleted(object)) {
      return { uid, allowed: true };
    }
    const findings = (): Promise<Findings> => this.#findings(object, oldObject ?? undefined, review);
    const isLarge = isHeavy(object["spec"]) || isHeavy(oldObject?.["spec"]), owner = ownerOf(userInfo);
    const found = await (isLarge ? this.#largePolicies.run(owner, findings) : this.#inTurn(owner, findings));
    if (found === undefined) return busy(uid);
    const { errors, warnings } = found;
    const noticed = warnings.length > 0 ? { warnings: shortened(warnings) } : {};
    if (errors.length === 0) return { uid, allowed: true, ...noticed };
    const message = shortened(errors).join("; ");
    return { uid, allowed: false, status: { status: "Failure", message, code: 400 }, ...noticed };
  }

  /**
   * Begins a review when it is its owner's turn; `undefined` when there was no room for it. As soon as a review begins
   * it compiles its policy, which takes slices of the event loop. While it waits for the API server others begin.
   */
  async #inTurn(owner: string, findings: () => Promise<Findings>): Promise<Findings | undefined> {
    const begun = await this.#policies.run(owner, () => Promise.resolve({ findings: findings() }));
    return await begun?.findings;
  }

  /** Refuses a spec that is too large before it is compiled: compiling it would exhaust the process's memory. */
  async #findings(object: JsonObject, former: JsonObject | undefined, review: Review): Promise<Findings> {
    if (isTooHeavy(object["spec"])) return errors([tooHeavy]);
    const comparable = former === undefined || isTooHeavy(former["spec"]) ? undefined : former;
    return await review({ object, former: comparable }, this.#options);
  }
}

/** The most reviews of large policies at once, and of other ones that wait for their turn. */
const mostLarge = 8, mostWaiting = 200;

/** The user, or the namespace of a service account: who may make one account there may make many. */
function ownerOf({ username }: UserInfo): string {
  const account = parseServiceAccount(username);
  return account === undefined ? username : `system:serviceaccounts:${account.namespace}`;
}

function busy(uid: string): AdmissionResponse {
  const message = "many other policies are being reviewed: try again in some seconds";
  return { uid, allowed: false, status: { status: "Failure", message, code: 429 } };
}

/** The first texts, each cut to a readable length: a policy may have thousands of problems. */
function shortened(texts: readonly string[]): string[] {
  const first = texts.slice(0, mostTexts).map((text) => clipped(text, longestText));
  const more = texts.length - first.length;
  return more > 0 ? [...first, `and ${more} more`] : first;
}

const mostTexts = 20, longestText = 1_000;

/** Warnings for the author of an exception that has no effect. */
function exceptionWarnings(
  { object }: CheckedObject,
  { exceptionNamespace, existing }: ObjectReviewsOptions,
): string[] {
  if (exceptionCounts(object, exceptionNamespace)) {
    return existing === undefined ? [] : missingTargets(object, existing);
  }
  return [
    exceptionNamespace === ""
      ? "exceptions are switched off: this one has no effect until they are switched on"
      : `only exceptions in namespace ${exceptionNamespace} have an effect`,
  ];
}

function errors(problems: readonly string[]): Findings {
  return { errors: problems, warnings: [] };
}
