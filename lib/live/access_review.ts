import { asString, BoundedCache, dig } from "../json/mod.ts";
import { type Clock, type Cluster, isYounger } from "../ports.ts";

/** A right that a service account needs. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent for all namespaces. */
  readonly namespace?: string;
  /** Absent for objects of any name. */
  readonly name?: string;
}

/** The API server's answer to an access review. */
export interface RightAnswer {
  readonly allowed: boolean;
  /** The authorizer's reason; most often empty. */
  readonly reason: string;
}

/**
 * Reads whether an account has a right (Kubernetes API: SubjectAccessReview); `undefined` when the API server does
 * not answer, because Postern may lack the right to send the review.
 */
async function reviewAccess(
  cluster: Cluster,
  account: string,
  right: Right,
): Promise<RightAnswer | undefined> {
  const [, , namespace = ""] = account.split(":");
  const answer = await cluster.call({
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    body: {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user: account,
        // The groups that the API server gives a service account.
        groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
        resourceAttributes: { ...right },
      },
    },
  });
  if (!answer.ok) return undefined;
  return {
    allowed: dig(answer.body, "status", "allowed") === true,
    reason: asString(dig(answer.body, "status", "reason")) ?? "",
  };
}

/** Whether an account has a right; `undefined` when the API server does not say. */
export async function hasRight(
  cluster: Cluster,
  account: string,
  right: Right,
): Promise<boolean | undefined> {
  return (await reviewAccess(cluster, account, right))?.allowed;
}

/** Milliseconds for which an answer is cached. Rights are seldom revoked, but a missing one is often granted soon. */
const holds = { granted: 60_000, refused: 5_000 };

/** Characters of the queries whose answers are cached, some 5,000: policies come and go. */
const mostCharacters = 1_000_000;

/** Caches answers about rights, for {@link holds} milliseconds. */
export class CachedRights {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #answers = new BoundedCache<{ readonly answer: RightAnswer; readonly at: number }>(
    mostCharacters,
    (_, query) => query.length,
  );

  constructor({ cluster, clock }: { readonly cluster: Cluster; readonly clock: Clock }) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Reads whether an account has a right; `undefined` when the API server does not answer. */
  async review(account: string, right: Right): Promise<RightAnswer | undefined> {
    const key = JSON.stringify([account, right]);
    const cached = this.#answers.get(key);
    if (cached !== undefined && isYounger(this.#clock, cached.at, timeOf(cached.answer))) {
      return cached.answer;
    }
    const now = this.#clock.now();
    const answer = await reviewAccess(this.#cluster, account, right);
    if (answer === undefined) this.#answers.delete(key);
    else this.#answers.set(key, { answer, at: now });
    return answer;
  }
}

/** Milliseconds for which an answer is cached. */
function timeOf({ allowed }: RightAnswer): number {
  return allowed ? holds.granted : holds.refused;
}
