/** The variables of the request, which every rule can read. Some have no value for some requests. */
export const requestVariables: readonly string[] = [
  "request",
  "serviceAccountName",
  "serviceAccountNamespace",
  "images",
];
