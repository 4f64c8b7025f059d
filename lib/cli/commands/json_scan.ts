import { command } from "../command.ts";

export const jsonScan = command({
  name: "json scan",
  about: "Apply ValidatingPolicies of json.kyverno.io to any YAML or JSON",
  options: {
    payload: {
      type: "text",
      value: "file",
      about: "what is evaluated; a list is several values",
      required: true,
    },
    policy: { type: "list", value: "path", about: "files and folders of policies", required: true },
    preProcess: {
      type: "list",
      value: "expression",
      about: "JMESPath expressions applied to the payload first",
    },
    labels: { type: "list", value: "selector", about: "only policies whose labels are selected" },
    bindings: {
      type: "text",
      value: "file",
      about: "YAML or JSON whose fields expressions see as $NAME",
    },
    output: {
      type: "text",
      value: "format",
      about: "for people or for programs",
      choices: ["text", "json"],
      default: "text",
    },
  },
  examples: [
    { does: "check a Terraform plan", line: "json scan --payload plan.json --policy policy.yaml" },
    {
      does: "check a part of it",
      line:
        "json scan --payload plan.json --policy policy.yaml --pre-process planned_values.root_module.resources",
    },
  ],
  async run(_, { policy: policies, preProcess: preprocessors, ...options }, terminal) {
    const { jsonScan } = await import("../json_scan.ts");
    return await jsonScan({ ...options, policies, preprocessors }, terminal);
  },
});
