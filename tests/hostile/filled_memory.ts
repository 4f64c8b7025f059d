/** Policies and reviews for tests that fill bounds of memory. */
import type { JsonObject } from "../../lib/json/mod.ts";
import { admissionReview } from "../server/review.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import type { ServerProcess } from "../support/server_process.ts";

/** A ClusterPolicy with one rule about a kind. */
export function policyAbout(
  kind: string,
  rule: string,
  { name = `about-${kind.toLowerCase()}s`, action = "Enforce" } = {},
): string {
  return `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  validationFailureAction: ${action}
  background: false
  rules:
  - name: rule
    match: {any: [{resources: {kinds: [${kind}]}}]}
    ${rule}
`;
}

/** A ClusterPolicy that denies Pods unless a service answers "yes". */
export function policyCalling(url: string, action: string): string {
  const rule = `context: [{name: answer, apiCall: {method: GET, service: {url: "${url}"}}}]
    validate:
      message: not allowed
      deny: {conditions: {all: [{key: "{{ answer }}", operator: NotEquals, value: "yes"}]}}`;
  return policyAbout("Pod", rule, { name: "calling", action });
}

/** A review of the creation of an object whose spec is this text of JSON. */
export function reviewOf(kind: string, uid: string, spec: string): string {
  const object: JsonObject = {
    apiVersion: "v1",
    kind,
    metadata: { name: uid, namespace: "default", uid },
    spec: "HERE",
  };
  const resource = `${kind.toLowerCase()}s`;
  return JSON.stringify(admissionReview({ uid, kind, resource, object })).replace('"HERE"', spec);
}

/** A spec with about so many characters of empty maps, which take twenty times as much memory as their text. */
export function emptyMaps(characters: number): string {
  return `{"tolerations":[${"{},".repeat(characters / 3)}{}]}`;
}

/** Sends a review over a connection of its own, and returns the status of the answer. */
export async function statusOf(server: ServerProcess, path: string, body: string): Promise<number> {
  using connection = await RawConnection.open(server.port);
  await connection.write(postBytes(path, body));
  return (await connection.answer()).status;
}
