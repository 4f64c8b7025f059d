import { asList, asString, asTexts, isObject, type Json, type JsonObject } from "../../json/mod.ts";
import { compileWildcard, nameOf, namespaceOf } from "../../kube/mod.ts";

/** Fields of some kinds that are not compared; both may have wildcards. */
interface FieldSet {
  readonly kinds: readonly string[];
  readonly fields: readonly string[];
}

/** The fields that clusters, tools and the API server write into every object. */
const everywhere: readonly string[] = [
  "status",
  ...[
    "namespace",
    "labels.app.kubernetes.io/instance",
    "managedFields.*",
    "resourceVersion",
    "selfLink",
    "finalizers*",
    "creationTimestamp",
    "uid",
    "generation",
    "annotations.namespace",
    "annotations.control-plane.alpha.kubernetes.io/leader",
    "annotations.kubectl.kubernetes.io/last-applied-configuration",
    "annotations.deprecated.daemonset.template.generation",
    "annotations.deployment.kubernetes.io/revision",
  ].map((field) => `metadata.${field}`),
  ...[
    "containers.*.imagePullPolicy",
    "containers.*.terminationMessagePath",
    "containers.*.terminationMessagePolicy",
    "dnsPolicy",
    "restartPolicy",
    "schedulerName",
    "terminationGracePeriodSeconds",
  ].map((field) => `spec.${field}`),
];

/**
 * Fields that are never compared. Kyverno parity: Kyverno's list, and that of its library for manifests. Pinned by
 * "changed in a field that the API server sets".
 */
const builtin: readonly FieldSet[] = [
  { kinds: ["*"], fields: everywhere },
  {
    kinds: ["Pod"],
    fields: [
      "spec.volumes.*.name",
      "spec.volumes.*.projected.*",
      "spec.volumes.*.configMap.defaultMode",
      "spec.containers.*.volumeMounts.*",
      "spec.tolerations.*",
      "spec.enableServiceLinks",
      "spec.preemptionPolicy",
      "spec.priority",
      "spec.serviceAccount",
    ],
  },
  {
    kinds: ["Deployment"],
    fields: [
      "spec.progressDeadlineSeconds",
      "spec.revisionHistoryLimit",
      "spec.strategy.*",
      "spec.template.metadata.creationTimestamp",
      "spec.containers.*.ports.*.protocol",
      "spec.containers.*.resources",
      "spec.securityContext",
    ],
  },
  { kinds: ["CustomResourceDefinition"], fields: ["spec.conversion.strategy", "spec.names.listKind"] },
  {
    kinds: ["Service"],
    fields: [
      "spec.ports.*.nodePort",
      "spec.clusterIP",
      "spec.clusterIPs.0",
      "spec.sessionAffinity",
      "spec.type",
      "spec.ipFamilies.*",
      "spec.ipFamilyPolicy",
      "spec.internalTrafficPolicy",
    ],
  },
  {
    kinds: ["ClusterPolicy", "Policy"],
    fields: [
      "metadata.annotations.pod-policies.kyverno.io/autogen-controllers",
      "spec.failurePolicy",
      "spec.background",
      "spec.validationFailureAction",
    ],
  },
  { kinds: ["ServiceAccount"], fields: ["secrets.*.name", "imagePullSecrets.*.name"] },
  { kinds: ["Route"], fields: ["spec.host"] },
];

/** Whether a path of an object is not compared. The path has dots between its keys. */
export type Ignores = (path: string) => boolean;

interface FieldRule {
  isFor(object: JsonObject): boolean;
  readonly ignores: Ignores;
}

/**
 * Compiles `ignoreFields` of a rule together with the fields that are never compared; `domain` is that of the rule's
 * annotations.
 */
export function compileIgnoredFields(
  written: Json | undefined,
  domain: string,
): (object: JsonObject) => Ignores {
  const fromPolicy = asList(written).filter(isObject).map((each): FieldRule => {
    const objects = asList(each["objects"]).filter(isObject).map(compileObject);
    return {
      isFor: (object) => objects.some((matches) => matches(object)),
      ignores: compileFields(asTexts(each["fields"])),
    };
  });
  const fromDefaults = builtin.map(({ kinds, fields }): FieldRule => {
    const isKind = kinds.map(compileWildcard);
    return {
      isFor: ({ kind }) => isKind.some((matches) => matches(asString(kind) ?? "")),
      ignores: compileFields(fields),
    };
  });
  const annotations: FieldRule = {
    isFor: () => true,
    ignores: (path) => path.startsWith(`metadata.annotations.${domain}/`),
  };
  return (object) => {
    const rules = [annotations, ...fromDefaults, ...fromPolicy].filter((rule) => rule.isFor(object));
    return (path) => rules.some(({ ignores }) => ignores(path));
  };
}

/** A field stands for itself and everything below it. */
function compileFields(fields: readonly string[]): Ignores {
  const patterns = fields.flatMap((field) => [compileWildcard(field), compileWildcard(`${field}.*`)]);
  return (path) => patterns.some((matches) => matches(path));
}

/** Compiles an entry of `objects`. A field that it does not have matches everything. */
function compileObject(written: JsonObject): (object: JsonObject) => boolean {
  const test = (name: string): (text: string) => boolean => {
    const pattern = asString(written[name]) ?? "";
    return pattern === "" ? () => true : compileWildcard(pattern);
  };
  const kind = test("kind"), name = test("name"), namespace = test("namespace");
  const group = test("group"), version = test("version");
  return (object) => {
    const [objectVersion = "", objectGroup = ""] = (asString(object["apiVersion"]) ?? "").split("/")
      .reverse();
    return kind(asString(object["kind"]) ?? "") && name(nameOf(object)) && namespace(namespaceOf(object)) &&
      group(objectGroup) && version(objectVersion);
  };
}
