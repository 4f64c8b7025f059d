import type { Context } from "../context/mod.ts";
import {
  asTexts,
  dig,
  type DocumentPath,
  type Fault,
  isFault,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { compileTemplate } from "../template/mod.ts";
import type { KindReference } from "./cluster_objects.ts";
import { downstreamNeeds } from "./downstream_needs.ts";
import {
  type DownstreamOptions,
  DownstreamPlanner,
  failed,
  kindOf,
  otherNamespace,
  type Plan,
} from "./downstream_plan.ts";
import type { RuleTools } from "./rule_kind.ts";

/** The object to generate: `data`, or copies of other objects. The texts are templates; absent ones are empty. */
export interface GeneratePatternSpec {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly data: Json | undefined;
  readonly clone: { readonly name: string; readonly namespace: string } | undefined;
  readonly cloneList:
    | {
      readonly namespace: string;
      /** `v1/Secret`. */
      readonly kinds: readonly string[];
      readonly selector: JsonObject | undefined;
    }
    | undefined;
}

/** A compiled `data`, `clone` or `cloneList`, with the position of its target. */
export interface GeneratePattern {
  plan(context: Context, options: DownstreamOptions): Plan;
  /** The kinds of the objects that it generates. */
  kinds(context: Context): readonly KindReference[] | Fault;
}

/**
 * The bytes that a generated object takes besides its text: the look-up of the object that it replaces, its labels, the
 * effect. A list of a Pod has more elements than there could be objects.
 */
const bytesOfObject = 4_096;

/** Compiles the pattern of a generate rule, or of one of its foreach entries. */
export function compileGeneratePattern(
  pattern: GeneratePatternSpec,
  tools: RuleTools,
  path: DocumentPath,
): GeneratePattern {
  const template = compileTemplate(documentOf(pattern));
  tools.variables(template.uses, path);
  for (const need of downstreamNeeds(typesOf(pattern))) tools.need(need);
  const { namespace } = tools.policy;
  for (const message of patternProblems(pattern, namespace)) {
    tools.report({ severity: "error", code: "bad-generate", message, path });
  }
  return {
    plan(context, options) {
      const rendered = template.render(context, context.environment);
      if (isFault(rendered)) return failed(rendered);
      const tooLarge = context.tracker.countWritten(rendered, bytesOfObject);
      return tooLarge ? failed(tooLarge) : new DownstreamPlanner(options, namespace).plan(rendered);
    },
    kinds(context) {
      const rendered = template.render(context, context.environment);
      if (isFault(rendered)) return rendered;
      const kinds = asTexts(dig(rendered, "cloneList", "kinds"));
      if (kinds.length > 0) return kinds.map(kindOf);
      return [{ apiVersion: textField(rendered, "apiVersion"), kind: textField(rendered, "kind") }];
    },
  };
}

/** The types of the objects that a pattern generates. */
export function typesOf({ apiVersion, kind, cloneList }: GeneratePatternSpec): readonly KindReference[] {
  return cloneList !== undefined && cloneList.kinds.length > 0
    ? cloneList.kinds.map(kindOf)
    : [{ apiVersion, kind }];
}

/** A pattern as one document in which variables are replaced. */
function documentOf({ data, clone, cloneList, ...target }: GeneratePatternSpec): JsonObject {
  return {
    ...target,
    ...(data !== undefined && { data }),
    ...(clone !== undefined && { clone }),
    ...(cloneList !== undefined && {
      cloneList: {
        namespace: cloneList.namespace,
        kinds: cloneList.kinds,
        ...(cloneList.selector !== undefined && { selector: cloneList.selector }),
      },
    }),
  };
}

/** The problems of a pattern that do not depend on its variables. */
function patternProblems(pattern: GeneratePatternSpec, onlyNamespace: string | undefined): string[] {
  const problems: string[] = [];
  const { namespace, clone, cloneList } = pattern;
  if (cloneList === undefined || cloneList.kinds.length === 0) {
    for (const name of ["kind", "name"] as const) {
      if (pattern[name] === "") problems.push(`generate needs a ${name}`);
    }
  }
  if (onlyNamespace === undefined) return problems;
  const written = [
    { action: "generate into", namespace },
    ...[clone, cloneList].filter((source) => source !== undefined).map((source) => ({
      action: "clone from",
      namespace: source.namespace,
    })),
  ];
  const outside = written.filter(({ namespace }) => namespace !== onlyNamespace && !namespace.includes("{{"));
  return [...problems, ...outside.map(({ action, namespace }) => otherNamespace(action, namespace).message)];
}
