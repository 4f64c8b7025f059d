import {
  accessUserOf,
  Authorizer,
  authorizerType,
  type CelType,
  resourceCheckType,
  type Value,
} from "../../cel/mod.ts";
import { asString, dig, type JsonObject } from "../../json/mod.ts";

/** The variables that check the requester's rights, with their types. */
export const authorizerVariables: Readonly<Record<string, CelType>> = {
  authorizer: authorizerType,
  "authorizer.requestResource": resourceCheckType,
};

/** The value of such a variable for an AdmissionRequest; `undefined` for other names. */
export function authorizerValue(name: string, request: JsonObject): Value | undefined {
  if (name !== "authorizer" && name !== "authorizer.requestResource") return undefined;
  const userInfo = dig(request, "userInfo");
  const authorizer = new Authorizer(accessUserOf(userInfo as JsonObject | undefined ?? {}));
  if (name === "authorizer") return authorizer;
  const text = (...path: string[]): string => asString(dig(request, ...path)) ?? "";
  return authorizer.requestResource({
    group: text("resource", "group"),
    resource: text("resource", "resource"),
    ...(text("subResource") !== "" && { subresource: text("subResource") }),
    namespace: text("namespace"),
    name: text("name"),
  });
}
