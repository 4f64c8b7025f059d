import { type Diagnostic, type Locate, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  type DocumentPath,
  field,
  isGiven,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { annotationsOf, nameOf, namespaceOf } from "../kube/mod.ts";
import { parseContext } from "../context/mod.ts";
import {
  type ActionOverride,
  type ClassicPolicy,
  type FailureAction,
  failureActionOfImages,
  isTooHeavy,
  parseMatch,
  policyKey,
  type Rule,
  tooHeavy,
  weightOf,
} from "../policy/mod.ts";
import { bodiesOf, parseBody, type RuleBody } from "../rules/mod.ts";
import { checkShape } from "../shape/mod.ts";
import { autogenRules, type RuleSource } from "./autogen.ts";
import { maxRules, representativeRules } from "./too_many_rules.ts";
import { ruleMistakes } from "./rule_mistakes.ts";
import { policySpecShape } from "./spec_shape.ts";
import { modernSpec } from "./spelling.ts";
import { writtenRules } from "./written_rules.ts";

/** A parsed policy with its problems. */
export interface ParsedPolicy {
  readonly policy: ClassicPolicy<RuleBody>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses a ClusterPolicy or Policy of kyverno.io (v1, v2beta1). A policy with problems is returned as far as it can
 * be parsed: its match decides which requests its failurePolicy answers.
 */
export function parsePolicy(document: JsonObject, locate: Locate): ParsedPolicy {
  const parser = new PolicyParser(locate);
  return { policy: parser.parse(document), diagnostics: parser.diagnostics };
}

class PolicyParser {
  readonly diagnostics: Diagnostic[] = [];
  readonly #locate: Locate;

  constructor(locate: Locate) {
    this.#locate = locate;
  }

  parse(document: JsonObject): ClassicPolicy<RuleBody> {
    const locate = this.#locate;
    const kind = field(document, "kind") === "Policy" ? "Policy" : "ClusterPolicy";
    const name = nameOf(document);
    const namespace = kind === "Policy" ? namespaceOf(document) || "default" : undefined;
    if (name === "") {
      this.#report({ code: "missing-name", message: "A policy needs metadata.name" }, ["metadata"]);
    }

    const spec = this.#spec(asObject(field(document, "spec")));
    const sources = writtenRules(spec);
    const annotations = annotationsOf(document);
    const timeout = dig(spec, "webhookConfiguration", "timeoutSeconds") ?? spec["webhookTimeoutSeconds"];
    const policy: ClassicPolicy<RuleBody> = {
      language: "classic",
      kind,
      name,
      namespace,
      key: keyOf(kind, document),
      annotations,
      failurePolicy: choiceOf(dig(spec, "webhookConfiguration", "failurePolicy") ?? spec["failurePolicy"], [
        "Fail",
        "Ignore",
      ]) ?? "Fail",
      failureAction: actionOf(spec["validationFailureAction"]) ?? "Audit",
      overrides: overridesOf(spec["validationFailureActionOverrides"]),
      admission: spec["admission"] !== false,
      background: spec["background"] !== false,
      emitWarning: spec["emitWarning"] === true,
      applyRules: choiceOf(spec["applyRules"], ["All", "One"]) ?? "All",
      timeoutSeconds: typeof timeout === "number" ? timeout : undefined,
      matchConditions: asList(dig(spec, "webhookConfiguration", "matchConditions")).filter(isObject),
      generateExisting: spec["generateExisting"] === true || spec["generateExistingOnPolicyUpdate"] === true,
      mutateExistingOnPolicyUpdate: spec["mutateExistingOnPolicyUpdate"] === true,
      useServerSideApply: spec["useServerSideApply"] === true,
      rules: [...sources, ...autogenRules(sources, annotations)].map((source) => this.#readRule(source)),
      locate,
      document,
    };
    this.#checkRules(sources);
    return policy;
  }

  /** Replaces the rules of a policy that has too many, or whose spec is too heavy. */
  #bounded(spec: JsonObject): JsonObject {
    // To compile it would exhaust the process. It is broken, and its failurePolicy answers what its rules match.
    const rules = asList(spec["rules"]);
    if (rules.length > maxRules) {
      const message = `spec.rules has ${rules.length} rules; a policy may have ${maxRules}`;
      this.#report({ code: "too-many-rules", message, hint: "split the policy" }, ["spec", "rules"]);
    } else if (isTooHeavy(spec)) {
      this.#report({ code: "too-large", message: tooHeavy, hint: "split the policy" }, ["spec"]);
    } else return spec;
    const settings = Object.entries(spec).filter(([name]) => settingsOfBroken.has(name));
    const light = settings.filter(([, value]) => weightOf(value) < lightSetting);
    return { ...Object.fromEntries(light), rules: representativeRules(rules) };
  }

  /** The spec in the current spelling. */
  #spec(raw: JsonObject | undefined): JsonObject {
    if (raw === undefined) {
      this.#report({ code: "missing-spec", message: "A policy needs a spec with rules" }, []);
    }
    const locate = this.#locate;
    const { spec, diagnostics } = modernSpec(this.#bounded(raw ?? {}), locate);
    this.diagnostics.push(
      ...diagnostics,
      ...checkShape(spec, policySpecShape, { path: ["spec"], locate, stored: true }),
    );
    if (raw !== undefined && writtenRules(spec).length === 0) {
      const message = "spec.rules is empty: the policy does nothing";
      this.#report({ severity: "warning", code: "no-rules", message }, ["spec"]);
    }
    return spec;
  }

  #readRule({ rule, path, generatedFor }: RuleSource): Rule<RuleBody> {
    const validate = asObject(rule["validate"]);
    const ruleAction = validate && Object.hasOwn(validate, "failureAction")
      ? actionOf(validate["failureAction"])
      : undefined;
    const ofImages = validate === undefined ? failureActionOfImages(asList(rule["verifyImages"])) : undefined;
    return {
      name: asString(rule["name"]) ?? "",
      path,
      match: parseMatch(asObject(rule["match"]) ?? {}),
      exclude: isObject(rule["exclude"]) ? parseMatch(rule["exclude"]) : undefined,
      context: parseContext(rule["context"]),
      preconditions: rule["preconditions"],
      celPreconditions: asList(rule["celPreconditions"]).filter(isObject),
      imageExtractors: asObject(rule["imageExtractors"]),
      skipBackgroundRequests: rule["skipBackgroundRequests"] !== false,
      reportProperties: asObject(rule["reportProperties"]),
      ...parseBody(rule),
      failureAction: ruleAction ?? ofImages,
      // The action of a verifyImages entry counts before the policy's overrides for a namespace.
      overrides: ofImages === undefined
        ? overridesOf(validate?.["failureActionOverrides"])
        : [{ action: ofImages, namespaces: [], namespaceSelector: undefined }],
      allowExistingViolations: validate?.["allowExistingViolations"] !== false,
      generatedFor,
    };
  }

  #checkRules(rules: readonly RuleSource[]): void {
    const seen = new Set<string>();
    for (const { rule, path } of rules) {
      const ruleName = asString(rule["name"]);
      if (ruleName === undefined || ruleName === "") {
        this.#report({ code: "missing-name", message: "A rule needs a name" }, path);
      } else if (seen.has(ruleName)) {
        this.#report({ code: "duplicate-rule", message: `Two rules are named "${ruleName}"` }, [
          ...path,
          "name",
        ]);
      }
      if (ruleName !== undefined) seen.add(ruleName);
      const [runs, ...others] = bodiesOf(rule);
      if (others.length > 0) {
        const message = `Of rule "${ruleName ?? ""}" only ${runs} runs, not ${others.join(", ")}`;
        this.#report(
          { severity: "warning", code: "several-bodies", message, hint: "make a rule of each" },
          path,
        );
      }
      for (const mistake of ruleMistakes(rule)) this.#report(mistake, [...path, ...mistake.path]);
    }
  }

  /** Reports a problem; an error unless it has another severity. */
  #report(problem: Omit<Diagnostic, "severity"> & Partial<Diagnostic>, path: DocumentPath): void {
    this.diagnostics.push(withPosition({ severity: "error", ...problem, path }, this.#locate));
  }
}

/** The fields that decide how requests are answered for a policy that is too large to parse. */
const settingsOfBroken: ReadonlySet<string> = new Set([
  "failurePolicy",
  "validationFailureAction",
  "admission",
  "background",
  "webhookTimeoutSeconds",
  "webhookConfiguration",
  "validationFailureActionOverrides",
]);

const lightSetting = 100;

/**
 * Kyverno parity: the key of a Policy whose file names no namespace is its name alone. Pinned by "a Policy without a
 * namespace is in default, and its key is its name".
 */
function keyOf(kind: ClassicPolicy["kind"], document: JsonObject): string {
  return policyKey({
    name: nameOf(document),
    namespace: kind === "Policy" ? namespaceOf(document) : undefined,
  });
}

/** An unreadable action must not allow what it was meant to forbid. */
function actionOf(value: Json | undefined): FailureAction | undefined {
  return isGiven(value) ? choiceOf(value, ["Enforce", "Audit"]) ?? "Enforce" : undefined;
}

function overridesOf(value: Json | undefined): ActionOverride[] {
  return asList(value).filter(isObject).map((entry) => ({
    action: actionOf(entry["action"]) ?? "Audit",
    namespaces: asTexts(entry["namespaces"]),
    namespaceSelector: asObject(entry["namespaceSelector"]),
  }));
}

/** The choice that a text means, in any case; the shape of the spec reports any other spelling. */
function choiceOf<T extends string>(value: Json | undefined, choices: readonly T[]): T | undefined {
  const written = asString(value)?.toLowerCase();
  return choices.find((choice) => choice.toLowerCase() === written);
}
