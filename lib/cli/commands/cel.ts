import { command } from "../command.ts";

const shared = {
  input: { type: "text", short: "i", value: "file", about: "YAML or JSON that expressions see as object" },
  variables: {
    type: "text",
    value: "file",
    about:
      "YAML or JSON whose fields are further variables: oldObject, request, params, namespaceObject, variables",
  },
} as const;

export const celEval = command({
  name: "cel eval",
  about: "Evaluate expressions of the Common Expression Language on an object",
  operands: [{ form: "<expression...>", about: "expressions in CEL, each in quotes" }],
  options: { ...shared, cost: { type: "flag", about: "say what the evaluation costs" } },
  examples: [
    {
      does: "evaluate an expression on an object",
      line: "cel eval -i pod.yaml 'object.spec.containers.all(c, has(c.resources))'",
    },
    {
      does: "use a function of Kubernetes",
      line: "cel eval \"quantity('1Gi').isGreaterThan(quantity('500Mi'))\" --cost",
    },
  ],
  async run(expressions, options, terminal) {
    const { celEval } = await import("../cel.ts");
    return await celEval({ ...options, expressions }, terminal);
  },
});

export const celCheck = command({
  name: "cel check",
  about: "Say the types of expressions, or what is wrong with them",
  operands: [{ form: "<expression...>", about: "expressions in CEL, each in quotes" }],
  options: shared,
  examples: [
    { does: "check an expression", line: "cel check 'object.metadata.name.startsWith(\"a\")'" },
    {
      does: "check one with variables",
      line: "cel check 'params.maxReplicas > 3' --variables variables.yaml",
    },
  ],
  async run(expressions, options, terminal) {
    const { celCheck } = await import("../cel.ts");
    return await celCheck({ ...options, expressions }, terminal);
  },
});
