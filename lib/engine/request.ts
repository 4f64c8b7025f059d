import type { JsonObject } from "../json/mod.ts";
import type { Operation } from "../kube/mod.ts";

/** The user of a request. Roles are read from the cluster's bindings unless they are given. */
export interface Requester {
  readonly username: string;
  readonly groups: readonly string[];
  /** `namespace:name`. */
  readonly roles?: readonly string[];
  readonly clusterRoles?: readonly string[];
}

/**
 * The requester of a cleanup. Kyverno parity: its filters about users and roles match nobody. Pinned by
 * tests/live/cleanup_selection_test.ts.
 */
export const nobody: Requester = { username: "", groups: [], roles: [], clusterRoles: [] };

/** A request to decide: an admission request, or one made by the command line or a scan. */
export interface PolicyRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** `undefined` for DELETE. */
  readonly object: JsonObject | undefined;
  /** `undefined` for CREATE and CONNECT. */
  readonly oldObject: JsonObject | undefined;
  readonly requester: Requester | undefined;
  readonly dryRun: boolean;
  /** The value of `request` in expressions: the AdmissionRequest's JSON. */
  readonly variable: JsonObject;
  /** The format of a payload, which may be any object; absent for requests. Whole numbers of YAML are ints. */
  readonly payload?: "json" | "yaml";
  /** The labels of the Namespace, if the caller has them. */
  readonly namespaceLabels?: JsonObject;
  /** The Namespace for Kyverno's policies in CEL, if the caller has it; null when no file describes it. */
  readonly namespaceObject?: JsonObject | null;
}
