import {
  asObject,
  Fault,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { parseApiVersion, pluralOf } from "../../kube/mod.ts";
import { kindNeed, type LoadTracker, type Need } from "../../context/mod.ts";
import { objectsInCluster } from "../cluster_objects.ts";

/** The objects that are a policy's parameters, and the behaviour when there are none. */
export interface ParameterSource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly selector: JsonObject | undefined;
  readonly whenNotFound: "Allow" | "Deny";
  /** For a Policy, the only namespace that it may read. */
  readonly policyNamespace: string | undefined;
}

/** Reads `paramKind` and `paramRef`; `undefined` when the policy has no parameters. */
export function parameterSource(
  kind: Json | undefined,
  reference: Json | undefined,
  policyNamespace?: string,
): ParameterSource | undefined {
  if (!isObject(kind) || !isObject(reference)) return undefined;
  return {
    apiVersion: textField(kind, "apiVersion"),
    kind: textField(kind, "kind"),
    name: textField(reference, "name"),
    namespace: textField(reference, "namespace"),
    selector: asObject(field(reference, "selector")),
    whenNotFound: field(reference, "parameterNotFoundAction") === "Allow" ? "Allow" : "Deny",
    policyNamespace,
  };
}

/** The right to read the policy's parameters. */
export function parameterNeed({ apiVersion, kind, name }: ParameterSource): Need {
  return name === ""
    ? kindNeed({ apiVersion, kind }, ["list"])
    : kindNeed({ apiVersion, kind, name }, ["get"]);
}

/** The problems of a `paramRef`, by the field that has the problem. */
export function parameterProblems(
  reference: Json | undefined,
): readonly { field: string; message: string }[] {
  if (!isObject(reference)) return [];
  const { name, selector, parameterNotFoundAction: action } = reference;
  const isNamed = name !== undefined && name !== "";
  const isSelected = selector !== undefined && selector !== null;
  return [
    ...(isNamed && isSelected
      ? [{ field: "selector", message: "paramRef has a name, so it cannot have a selector" }]
      : []),
    ...(!isNamed && !isSelected ? [{ field: "name", message: "paramRef needs a name or a selector" }] : []),
    ...(action !== undefined && action !== "Allow" && action !== "Deny"
      ? [{ field: "parameterNotFoundAction", message: "parameterNotFoundAction is Allow or Deny" }]
      : []),
  ];
}

/**
 * Loads the parameters of a request, each once. The list is empty when there are none and the policy allows that. A
 * fault says why there are none, or that they are loading.
 */
export function collectParameters(
  source: ParameterSource,
  tracker: LoadTracker,
  namespace: string,
): readonly JsonObject[] | Fault {
  const scope = kindScope(source, tracker);
  if (isFault(scope)) return scope;
  const within = scope === "namespaced" ? source.namespace || namespace : "";
  const problem = scopeProblem(source, scope, within);
  if (problem !== undefined) return problem;
  const found = scope === "unknown" ? unknownObjects(source) : findObjects(source, tracker, within);
  if (isFault(found) || !("missing" in found)) return found;
  return source.whenNotFound === "Allow" ? [] : new Fault(found.missing);
}

/** The scope of a kind of parameters; `unknown` where parameters cannot be looked up, and no object of it is found. */
type KindScope = "namespaced" | "cluster" | "not served" | "unknown";

function kindScope({ apiVersion, kind }: ParameterSource, tracker: LoadTracker): KindScope | Fault {
  if (!tracker.serves("parameters")) return "unknown";
  return tracker.load(`scope of ${apiVersion} ${kind}`, async (): Promise<KindScope> => {
    const resource = await tracker.ports.cluster.resource(apiVersion, kind);
    return resource === undefined ? "not served" : resource.namespaced ? "namespaced" : "cluster";
  }) as KindScope | Fault;
}

/** Why parameters of a kind with this scope cannot be read in a namespace. */
function scopeProblem(source: ParameterSource, scope: KindScope, within: string): Fault | undefined {
  const { apiVersion, kind } = source;
  // An error whatever parameterNotFoundAction says, as in Kubernetes.
  if (scope === "not served") {
    return new Fault(`failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`);
  }
  if (scope !== "namespaced" && source.namespace !== "") {
    return new Fault("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (scope === "namespaced" && within === "") {
    return new Fault("can't use namespaced paramRef to match cluster-scoped resources");
  }
  return scope === "unknown" ? undefined : outsideOfPolicy(source, within);
}

/** The objects that a `paramRef` means, or why there are none. */
type FoundParameters = readonly JsonObject[] | Fault | { readonly missing: string };

function findObjects(source: ParameterSource, tracker: LoadTracker, namespace: string): FoundParameters {
  const { apiVersion, kind, name, selector } = source;
  const kindReference = { apiVersion, kind, namespace }, clusterObjects = objectsInCluster(tracker);
  if (name !== "") {
    const found = clusterObjects.get({ ...kindReference, name });
    return !isFault(found) && "object" in found ? [found.object] : found;
  }
  const found = clusterObjects.list(selector === undefined ? kindReference : { ...kindReference, selector });
  return isFault(found) || found.length > 0 ? found : { missing: "no params found" };
}

function unknownObjects(source: ParameterSource): FoundParameters {
  return { missing: source.name === "" ? "no params found" : notFound(source) };
}

/**
 * Why a Policy may not read its parameters: whoever writes policies in a namespace need not have the right to read
 * other objects, which expressions could put into messages.
 */
function outsideOfPolicy({ kind, policyNamespace }: ParameterSource, within: string): Fault | undefined {
  if (policyNamespace === undefined || within === policyNamespace) return undefined;
  const where = within === "" ? "of the whole cluster" : `in namespace ${within}`;
  return new Fault(
    `paramRef reads ${pluralOf(kind)} ${where}, and a Policy reads only its namespace ${policyNamespace}`,
  );
}

function notFound({ apiVersion, kind, name }: ParameterSource): string {
  const { group } = parseApiVersion(apiVersion);
  return `${pluralOf(kind)}${group === "" ? "" : `.${group}`} "${name}" not found`;
}
