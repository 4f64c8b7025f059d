import { isFault } from "../../json/mod.ts";
import { parseYaml } from "../../yaml/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure } from "../fault.ts";
import { type CelType, dynType, opaqueType, stringType } from "../types/mod.ts";
import { withDoubles } from "./json_value.ts";
import { type Library, method } from "./library.ts";
import { NamespaceValue } from "./namespace_value.ts";

const yamlType: CelType<NamespaceValue> = opaqueType("yaml.Yaml");

/** YAML: `yaml.parse(text)`, the first document of the text. Numbers are doubles. */
export const yamlLibrary: Library = {
  name: "kyverno.yaml",
  constants: { yaml: { type: yamlType, value: new NamespaceValue(yamlType) } },
  functions: [
    {
      name: "parse",
      overloads: [
        method({
          id: "parse_string_dyn",
          takes: [yamlType, stringType],
          gives: dynType,
          effort: readingEffort(600, 1),
          call: (_, text) => {
            const value = parseYaml(text);
            return isFault(value)
              ? failure(`error converting YAML to JSON: ${value.message}`)
              : withDoubles(value);
          },
        }),
      ],
    },
  ],
};
