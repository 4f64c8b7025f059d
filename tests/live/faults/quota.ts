/** A rule that generates one object for a namespace, and that namespace. */
import type { JsonObject } from "../../../lib/json/mod.ts";
import { policies } from "../../background/setting.ts";

export const quota = policies(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: quotas}
spec:
  rules:
  - name: quota
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate: {apiVersion: v1, kind: ConfigMap, name: c, namespace: team, data: {data: {a: b}}}
`);

export const team: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "team", uid: "u-team" },
};
