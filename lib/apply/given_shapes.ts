import type { Shape } from "../shape/mod.ts";

// The shapes have no spreads: with one, a bundle keeps a shape that it does not use.

const metadata = {
  name: "text",
  generateName: "text",
  namespace: "text",
  selfLink: "open",
  uid: "open",
  resourceVersion: "open",
  generation: "open",
  creationTimestamp: "open",
  deletionTimestamp: "open",
  deletionGracePeriodSeconds: "open",
  labels: "open",
  annotations: "open",
  ownerReferences: "open",
  finalizers: "open",
  managedFields: "open",
} as const satisfies Shape;

const apiResource = {
  name: "text",
  singularName: "text",
  namespaced: "flag",
  group: "text",
  version: "text",
  kind: "text",
  verbs: "open",
  shortNames: "open",
  categories: "open",
  storageVersionHash: "text",
} as const satisfies Shape;

/** The fields of a Values file of cli.kyverno.io. */
export const valuesShape: Shape = {
  apiVersion: "text",
  kind: "text",
  metadata,
  globalValues: "open",
  policies: [{
    name: "text",
    resources: [{ name: "text", values: "open" }],
    rules: [{ name: "text", values: "open", foreachValues: "open" }],
  }],
  namespaceSelector: [{ name: "text", labels: "open" }],
  namespaces: [{ apiVersion: "text", kind: "text", metadata, spec: { finalizers: "open" }, status: "open" }],
  subresources: [{ subresource: apiResource, parentResource: apiResource }],
};

/** The fields of a UserInfo file of cli.kyverno.io. */
export const userInfoShape: Shape = {
  apiVersion: "text",
  kind: "text",
  metadata,
  roles: ["text"],
  clusterRoles: ["text"],
  userInfo: { username: "text", uid: "text", groups: ["text"], extra: "open" },
};

/** The fields of a Context file of cli.kyverno.io. */
export const contextShape: Shape = {
  apiVersion: "text",
  kind: "text",
  metadata,
  spec: {
    resources: "open",
    images: [{
      image: "text",
      resolvedImage: "text",
      registry: "text",
      repository: "text",
      tag: "text",
      digest: "text",
      imageIndex: "open",
      manifest: "open",
      config: "open",
    }],
  },
};

/** The answers that a test gives in place of services and of the global context. */
export const answersShape: Shape = {
  apiCallResponses: [{
    url: "text",
    urlPath: "text",
    method: "text",
    response: { statusCode: "number", body: "open" },
  }],
  globalContextEntries: [{
    name: "text",
    data: "open",
    resources: "open",
    resourceFiles: ["text"],
    fieldPath: "text",
    projections: [{ name: "text", path: "text" }],
  }],
};

/** The texts and the maps and lists of a Values file that a shape leaves open; `*` stands for each name or index. */
export const valuesTypes: readonly (readonly [path: string, type: "text" | "map" | "list"])[] = [
  ["globalValues", "map"],
  ["policies.*.name", "text"],
  ["policies.*.resources.*.name", "text"],
  ["policies.*.resources.*.values", "map"],
  ["policies.*.rules.*.name", "text"],
  ["policies.*.rules.*.values", "map"],
  ["policies.*.rules.*.foreachValues", "map"],
  ["policies.*.rules.*.foreachValues.*", "list"],
  ["namespaceSelector.*.name", "text"],
  ["namespaceSelector.*.labels", "map"],
  ["namespaceSelector.*.labels.*", "text"],
  ["namespaces.*.metadata.name", "text"],
  ["namespaces.*.metadata.labels", "map"],
  ["namespaces.*.metadata.labels.*", "text"],
  ["namespaces.*.metadata.annotations.*", "text"],
];

/** The same for a UserInfo file. */
export const userInfoTypes: typeof valuesTypes = [
  ["roles", "list"],
  ["clusterRoles", "list"],
  ["userInfo.groups", "list"],
  ["roles.*", "text"],
  ["clusterRoles.*", "text"],
  ["userInfo.username", "text"],
  ["userInfo.uid", "text"],
  ["userInfo.groups.*", "text"],
  ["userInfo.extra", "map"],
  ["userInfo.extra.*", "list"],
];

/** The same for a Context file. */
export const contextTypes: typeof valuesTypes = [
  ["spec", "map"],
  ["spec.resources", "list"],
  ["spec.resources.*", "map"],
  ["spec.images", "list"],
  ["spec.images.*", "map"],
  ["spec.images.*.image", "text"],
];

/** The same for the answers of a test. */
export const answersTypes: typeof valuesTypes = [
  ["apiCallResponses.*.url", "text"],
  ["apiCallResponses.*.urlPath", "text"],
  ["apiCallResponses.*.method", "text"],
  ["globalContextEntries.*.name", "text"],
  ["globalContextEntries.*.data", "map"],
  ["globalContextEntries.*.resources", "list"],
  ["globalContextEntries.*.resources.*", "map"],
  ["globalContextEntries.*.resourceFiles", "list"],
  ["globalContextEntries.*.resourceFiles.*", "text"],
  ["globalContextEntries.*.fieldPath", "text"],
  ["globalContextEntries.*.projections.*.path", "text"],
];
