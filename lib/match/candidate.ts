import type { JsonObject, StepBudget } from "../json/mod.ts";

/** The user of a request. Roles are `namespace:name`. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** The object of a request that match and exclude read, with the request's facts. */
export interface Candidate {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
  /** The name of the resource in the API (`pods`), if the request has it. */
  readonly plural?: string | undefined;
  /** CREATE, UPDATE, DELETE or CONNECT. */
  readonly operation: string;
  /** The object that is matched. */
  readonly resource: JsonObject;
  /** The object before the request. */
  readonly oldResource?: JsonObject | undefined;
  /** Labels of the object's namespace; empty for cluster-scoped objects. */
  readonly namespaceLabels: JsonObject;
  /** `undefined` without a user: in background scans, and on the command line without user information. */
  readonly user: User | undefined;
  /** The steps that matching may take; without bound when absent. */
  readonly steps?: StepBudget;
}
