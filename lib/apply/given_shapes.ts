import type { Shape } from "../shape/mod.ts";

const header = { apiVersion: "text", kind: "text", metadata: "open" } as const satisfies Shape;

/** The fields of a Values file of cli.kyverno.io. */
export const valuesShape: Shape = {
  ...header,
  globalValues: "open",
  policies: [{
    name: "text",
    resources: [{ name: "text", values: "open" }],
    rules: [{ name: "text", values: "open", foreachValues: "open" }],
  }],
  namespaceSelector: [{ name: "text", labels: "open" }],
  namespaces: ["open"],
  subresources: [{ subresource: "open", parentResource: "open" }],
};

/** The fields of a UserInfo file of cli.kyverno.io. */
export const userInfoShape: Shape = {
  ...header,
  roles: ["text"],
  clusterRoles: ["text"],
  userInfo: { username: "text", uid: "text", groups: ["text"], extra: "open" },
};
