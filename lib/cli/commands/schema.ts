import { command } from "../command.ts";

export const schema = command({
  name: "schema",
  about: "Print the JSON Schema of a kind of policy, for editors; without a kind, the names of all",
  operands: [{
    form: "[kind]",
    about: "a kind of policy, such as ClusterPolicy",
    choices: async () => (await import("../schema.ts")).schemaKinds(),
  }],
  options: {
    output: {
      type: "text",
      short: "o",
      value: "folder",
      about: "write the schemas of all kinds to this folder",
    },
  },
  examples: [
    { does: "print the schema of ClusterPolicy", line: "schema ClusterPolicy" },
    { does: "write all schemas for an editor", line: "schema -o .schemas" },
  ],
  async run([kind], { output }, terminal) {
    const { schema } = await import("../schema.ts");
    return await schema({ kind, output }, terminal);
  },
});
