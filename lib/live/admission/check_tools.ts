import type { Cluster, Discovery } from "../../ports.ts";
import { hasRight } from "../access_review.ts";
import type { Accounts } from "../installation.ts";
import type { CheckTools } from "./check.ts";
import type { PublishedTypes } from "./published_types.ts";

/** The ports and the installation of {@link checkTools}. */
export interface ReviewTools {
  readonly cluster: Cluster;
  readonly discovery: Discovery;
  readonly accounts: Accounts;
  readonly types: PublishedTypes;
}

/** The most rights that are looked up for one policy. It may name thousands of kinds, and most name one. */
const mostRights = 100;

/** Makes the tools for the checks of one object. */
export async function checkTools(
  { cluster, discovery, accounts, types }: ReviewTools,
): Promise<CheckTools> {
  const discovered = await discovery.resources();
  const answers = new Map<string, Promise<boolean | undefined>>();
  return {
    served: discovered.ok ? discovered.resources : [],
    accounts,
    types,
    // No policy is refused for missing rights that were not looked up, or when the API server does not answer: its
    // status names them.
    hasRight: async (account, right) => {
      const key = JSON.stringify([account, right]);
      const answer = answers.get(key) ??
        (answers.size < mostRights ? hasRight(cluster, account, right) : undefined);
      if (answer !== undefined) answers.set(key, answer);
      return await answer ?? true;
    },
  };
}
