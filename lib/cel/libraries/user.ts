import { objectType, stringType } from "../types/mod.ts";
import type { PlainMap } from "../values/mod.ts";
import { type Library, type Overload, overload } from "./library.ts";

const serviceAccountType = objectType("user.ServiceAccount", { Name: stringType, Namespace: stringType });
const prefix = "system:serviceaccount:";

/** Both parts are empty for users that are not service accounts. */
function parse(username: string): PlainMap {
  const rest = username.startsWith(prefix) ? username.slice(prefix.length) : "";
  const colon = rest.indexOf(":");
  return colon < 0
    ? { Name: "", Namespace: "" }
    : { Name: rest.slice(colon + 1), Namespace: rest.slice(0, colon) };
}

const overloads: readonly Overload[] = [
  overload({
    id: "parse_service_account_string",
    takes: [stringType],
    gives: serviceAccountType,
    call: parse,
  }),
];

/** Users: `user.parseServiceAccount(name)`, also without `user.`. */
export const userLibrary: Library = {
  name: "kyverno.user",
  functions: [{ name: "parseServiceAccount", overloads }, { name: "user.parseServiceAccount", overloads }],
};
