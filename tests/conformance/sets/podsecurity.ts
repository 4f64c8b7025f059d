import { join } from "node:path";
import { load } from "js-yaml";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { compilePodSecurity, type Standard } from "../../../lib/rules/pod_security/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines, type Row } from "../set.ts";

interface Answer {
  readonly allowed: boolean;
  readonly forbiddenReasons: readonly string[];
  readonly forbiddenDetails: readonly string[];
}

interface Case extends Answer {
  readonly level: string;
  readonly version: string;
  readonly pod: JsonObject;
  readonly kyvernoFork?: Answer;
}

/**
 * Compares decisions about pods with Kubernetes' pod security evaluator; where Kyverno links another version, with
 * that version.
 */
export const podSecurity: ConformanceSet = {
  name: "matrix/podsecurity",
  goals: { reasons: 0.98, details: 0.98 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<Case>(join(corpus, "matrix/podsecurity.jsonl"))) {
      const input = `${row.level} ${row.version} ${JSON.stringify(row.pod)}`;
      yield {
        id: String(line),
        input,
        check: () => [
          ...answers(row, row, "kubernetes"),
          // Kyverno's rules run controls that its evaluator leaves out, so only the verdict compares.
          ...(row.kyvernoFork === undefined ? [] : [
            checkText(
              "forkAllowed",
              String(row.kyvernoFork.allowed),
              String(verdictOf(row, "kyverno").allowed),
            ),
          ]),
        ],
      };
    }
  },
};

/** The fixtures of Pod Security admission: every pod under `pass` is allowed, every one under `fail` is not. */
export const podSecurityFixtures: ConformanceSet = {
  name: "matrix/podsecurity-fixtures",
  goals: {},
  *rows(corpus) {
    const root = join(corpus, "matrix/podsecurity");
    for (const level of names(root)) {
      for (const version of names(join(root, level))) {
        for (const outcome of names(join(root, level, version))) {
          for (const file of names(join(root, level, version, outcome))) {
            yield fixture(join(root, level, version, outcome, file), { level, version, outcome });
          }
        }
      }
    }
  },
};

function fixture(path: string, at: { level: string; version: string; outcome: string }): Row {
  const { level, version, outcome } = at;
  return {
    id: path.split("/").slice(-4).join("/"),
    input: path,
    check: () => {
      const pod = load(Deno.readTextFileSync(path)) as JsonObject;
      const expected = outcome === "pass" ? "true" : "false";
      const row = { level, version, pod };
      return [
        checkText("allowed", expected, String(verdictOf(row, "kubernetes").allowed)),
      ];
    },
  };
}

function answers(expected: Answer, row: Case, standard: Standard): readonly Check[] {
  const actual = verdictOf(row, standard);
  return [
    checkText("allowed", String(expected.allowed), String(actual.allowed)),
    checkText("reasons", JSON.stringify(expected.forbiddenReasons), JSON.stringify(actual.forbiddenReasons)),
    checkText("details", JSON.stringify(expected.forbiddenDetails), JSON.stringify(actual.forbiddenDetails)),
  ];
}

function verdictOf(
  { level, version, pod }: Pick<Case, "level" | "version" | "pod">,
  standard: Standard,
): Answer {
  const compiled = compilePodSecurity({ level, version }, standard);
  const verdict = isFault(compiled) ? compiled : compiled.check(pod as Json);
  if (isFault(verdict)) {
    return { allowed: false, forbiddenReasons: [verdict.message], forbiddenDetails: [verdict.message] };
  }
  return {
    allowed: verdict.allowed,
    forbiddenReasons: verdict.violations.map(({ reason }) => reason),
    forbiddenDetails: verdict.violations.map(({ detail }) => detail),
  };
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}
