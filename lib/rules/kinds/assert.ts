import { field, isObject } from "../../json/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { RuleKind } from "../rule_kind.ts";
import { type AssertBody, compileAssertRule } from "../validate_assert.ts";

/** The descriptions of the fields of `validate.assert`. */
export const assertNotes: FieldNotes = {
  "assert": "An assertion tree: the shape that the object must have, with expressions.",
};

/** `validate.assert`: an assertion tree over the request. */
export const validateAssert: RuleKind<AssertBody> = {
  kind: "assert",
  section: "validate",
  shape: { assert: "open" },
  recognises: (validate) => field(validate, "assert") !== undefined,
  read: (validate) => ({ kind: "assert", tree: field(validate, "assert")! }),
  carryOver: ({ assert }, wrap) =>
    isObject(assert)
      ? {
        assert: Object.fromEntries(
          Object.entries(assert).map(([name, value]) =>
            [name, name === "object" || name === "oldObject" ? wrap(value) : value] as const
          ),
        ),
      }
      : undefined,
  type: "validate",
  name: "assert",
  compile: compileAssertRule,
};
