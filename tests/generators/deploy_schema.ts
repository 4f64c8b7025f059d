/**
 * Writes `tests/deploy/schema.txt`: the types of the Kubernetes API that `deploy.yaml` is made of, from the API
 * server's OpenAPI description. One line a type: its name, then its fields as `name:type`, `name!:type` for one that is
 * required.
 *
 * deno run --allow-read --allow-write=tests/deploy tests/generators/deploy_schema.ts
 * ../shared/corpus/schema/swagger.json
 */

interface Property {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: Property;
  readonly additionalProperties?: Property;
}

interface Definition extends Property {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
}

const kinds = [
  "v1/ConfigMap",
  "v1/Namespace",
  "v1/Secret",
  "v1/Service",
  "v1/ServiceAccount",
  "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
  "apps/v1/Deployment",
  "policy/v1/PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1/ClusterRole",
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
  "rbac.authorization.k8s.io/v1/Role",
  "rbac.authorization.k8s.io/v1/RoleBinding",
];

const swagger: { definitions: Record<string, Definition> } = JSON.parse(
  await Deno.readTextFile(Deno.args[0]!),
);
const lines: string[] = [];
const queue: string[] = [];
const seen = new Set<string>();

for (const kind of kinds) {
  const found = Object.entries(swagger.definitions).find(([, definition]) =>
    definition["x-kubernetes-group-version-kind"]?.some((each) =>
      [each.group, each.version, each.kind].filter((part) => part !== "").join("/") === kind
    )
  );
  if (found === undefined) throw new Error(`the description has no ${kind}`);
  lines.push(`${kind} = ${reach(found[0])}`);
}
for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
  const { properties = {}, required = [] } = swagger.definitions[name]!;
  const fields = Object.entries(properties).filter(([field]) =>
    field !== "status" && field !== "managedFields"
  ).map(
    ([field, property]) => `${field}${required.includes(field) ? "!" : ""}:${typeText(property)}`,
  );
  lines.push([`${short(name)}:`, ...fields].join(" "));
}
await Deno.writeTextFile(
  new URL("../deploy/schema.txt", import.meta.url),
  `${lines.join("\n")}\n`,
);

function typeText(property: Property): string {
  if (property.items !== undefined) return `[]${typeText(property.items)}`;
  if (property.additionalProperties !== undefined) return `{}${typeText(property.additionalProperties)}`;
  if (property.$ref === undefined) return property.format === "byte" ? "base64" : property.type ?? "any";
  const name = property.$ref.split("/").at(-1)!;
  const { properties, type, format } = swagger.definitions[name]!;
  if (properties !== undefined) return reach(name);
  return format === "int-or-string" || /Quantity$/.test(name)
    ? "int-or-string"
    : type === "string"
    ? "string"
    : "any";
}

function reach(name: string): string {
  if (!seen.has(name)) {
    seen.add(name);
    queue.push(name);
  }
  return short(name);
}

function short(name: string): string {
  return name.replace(/^io\.k8s\.(?:api|apimachinery\.pkg\.apis)\./, "");
}
