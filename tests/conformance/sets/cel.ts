import { join } from "node:path";
import {
  admissionRequestType,
  type CelEnvironment,
  createEnvironment,
  dynType,
  formatCelError,
  isCelFault,
  kubernetesLibraries,
  namespaceType,
  typeName,
  type Value,
} from "../../../lib/cel/mod.ts";
import { parseExactJson } from "../../cel/exact_json.ts";
import { typed } from "../../cel/typed.ts";
import { type Check, type ConformanceSet, jsonLines, type Row } from "../set.ts";

interface CelRow {
  readonly expression: string;
  readonly inputs: string;
  readonly type?: string;
  readonly result?: unknown;
  readonly compileError?: string;
  readonly runtimeError?: string;
  readonly kind?: string;
  readonly cost?: number;
}

type Inputs = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** CEL in the environment of Kubernetes' admission policies: results, error kinds, types and costs. */
export const cel: ConformanceSet = {
  name: "matrix/cel",
  goals: { result: 0.995, type: 0.99, cost: 0.95, "compile message": 0.9 },
  *rows(corpus): Iterable<Row> {
    const text = Deno.readTextFileSync(join(corpus, "matrix/cel_inputs.json"));
    const inputs = parseExactJson(text) as unknown as Inputs;
    const environment = admissionEnvironment();
    for (const { line, row } of jsonLines<CelRow>(join(corpus, "matrix/cel.jsonl"))) {
      const input = `${row.expression} (${row.inputs})`;
      yield { id: String(line), input, check: () => checkRow(row, environment, inputs[row.inputs]!) };
    }
  },
};

function checkRow(
  row: CelRow,
  environment: CelEnvironment,
  inputs: Readonly<Record<string, Value>>,
): Check[] {
  const compiled = environment.compile(row.expression);
  if (!compiled.ok) {
    const actual = `compilation failed: ${compiled.errors.map(formatCelError).join("\n")}`;
    const wanted = row.compileError !== undefined;
    const expected = row.compileError ?? JSON.stringify(row.result ?? row.runtimeError);
    const result = { aspect: "result", agree: wanted, expected, actual };
    if (!expected.startsWith("compilation failed: ")) return [result];
    return [result, { aspect: "compile message", agree: expected === actual, expected, actual }];
  }
  const { program } = compiled;
  const { value, cost } = program.measure((name) => inputs[name]);
  const actual = isCelFault(value) ? `${value.kind} error: ${value.message}` : canonical(typed(value));
  if (row.compileError !== undefined) {
    return [{ aspect: "result", agree: false, expected: row.compileError, actual }];
  }
  const expected = row.kind === undefined ? canonical(row.result) : `${row.kind} error: ${row.runtimeError}`;
  const agree = row.kind === undefined ? expected === actual : isCelFault(value) && value.kind === row.kind;
  const checks: Check[] = [{ aspect: "result", agree, expected, actual }];
  if (row.type !== undefined) {
    const type = typeName(program.type);
    checks.push({ aspect: "type", agree: type === row.type, expected: row.type, actual: type });
  }
  if (row.cost !== undefined) {
    const close = cost === row.cost;
    checks.push({ aspect: "cost", agree: close, expected: String(row.cost), actual: String(cost) });
  }
  return checks;
}

/** Object keys in one order, so that only what is inside counts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    const entries = Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1);
    // The recorded answers write an empty map as null.
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, key === "v" && inner === null ? [] : inner]),
    );
  });
}

/** The environment of a validating admission policy: untyped objects, a typed request and namespace. */
function admissionEnvironment(): CelEnvironment {
  return createEnvironment({
    variables: {
      object: dynType,
      oldObject: dynType,
      params: dynType,
      request: admissionRequestType,
      namespaceObject: namespaceType,
    },
    libraries: kubernetesLibraries,
    literals: "homogeneous",
  });
}
