/** Roles of a user, from bindings. */
import assert from "node:assert/strict";
import { userRoles } from "../../lib/adapters/mod.ts";
import type { Json } from "../../lib/json/mod.ts";

const binding = (subject: Json, kind: string, name: string, namespace?: string): Json => ({
  metadata: { name: "b", ...(namespace === undefined ? {} : { namespace }) },
  subjects: [subject],
  roleRef: { kind, name },
});
const jane = { kind: "User", name: "jane" }, dev = { kind: "Group", name: "dev" };
const bot = { kind: "ServiceAccount", name: "bot", namespace: "ci" };

const table: [
  what: string,
  user: { username: string; groups?: string[]; namespace?: string },
  roleBindings: Json[],
  clusterRoleBindings: Json[],
  roles: string[],
  clusterRoles: string[],
][] = [
  [
    "roles of every namespace, sorted, once",
    { username: "jane", namespace: "a" },
    [
      binding(jane, "Role", "r", "b"),
      binding(jane, "Role", "r", "a"),
      binding(jane, "Role", "r", "a"),
    ],
    [],
    ["a:r", "b:r"],
    [],
  ],
  [
    "cluster roles by role binding in the request's namespace only",
    { username: "jane", namespace: "a" },
    [
      binding(jane, "ClusterRole", "edit", "a"),
      binding(jane, "ClusterRole", "view", "b"),
    ],
    [],
    [],
    ["edit"],
  ],
  ["groups", { username: "x", groups: ["dev"] }, [], [binding(dev, "ClusterRole", "admin")], [], ["admin"]],
  [
    "service accounts",
    { username: "system:serviceaccount:ci:bot" },
    [binding(bot, "Role", "r", "b")],
    [
      binding(bot, "ClusterRole", "c"),
    ],
    ["b:r"],
    ["c"],
  ],
  [
    "service accounts of the binding's own namespace",
    { username: "system:serviceaccount:a:bot" },
    [
      binding({ kind: "ServiceAccount", name: "bot" }, "Role", "r", "a"),
      binding({ kind: "ServiceAccount", name: "bot" }, "Role", "r", "b"),
    ],
    [],
    ["a:r"],
    [],
  ],
  [
    "a user is not a group, nor the other way round",
    { username: "dev", groups: ["jane"] },
    [
      binding(jane, "Role", "r", "a"),
      binding(dev, "Role", "s", "a"),
    ],
    [],
    [],
    [],
  ],
  [
    "bindings without subjects or with strange ones",
    { username: "jane" },
    [
      { metadata: { namespace: "a" }, roleRef: { kind: "Role", name: "r" } },
      binding("jane", "Role", "r", "a"),
      null,
    ],
    [binding(jane, "Role", "r")],
    [],
    [],
  ],
];
for (const [what, user, roleBindings, clusterRoleBindings, roles, clusterRoles] of table) {
  Deno.test(`roles of a user: ${what}`, () => {
    const input = { groups: [], namespace: "", ...user, roleBindings, clusterRoleBindings };
    assert.deepEqual(userRoles(input), { roles, clusterRoles });
  });
}
