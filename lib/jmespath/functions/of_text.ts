import { type Apply, type FunctionRecord, parameter, type PlainFunction } from "./record.ts";

type Described = Pick<FunctionRecord, "name" | "returns">;

/** A function of one text. */
export function ofText(
  record: Described & Pick<PlainFunction, "cost" | "steps">,
  compute: (text: string) => ReturnType<Apply>,
): FunctionRecord {
  return {
    kind: "plain",
    parameters: [parameter("text", "string")],
    apply: ([text]) => compute(text as string),
    ...record,
  };
}
