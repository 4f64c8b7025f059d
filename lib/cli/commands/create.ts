import { command } from "../command.ts";

const output = {
  output: { type: "text", short: "o", value: "file", about: "where to write it; standard output otherwise" },
} as const;

export const createTest = command({
  name: "create test",
  about: "Write a test of policies, from what is expected or from recorded reviews",
  options: {
    ...output,
    name: { type: "text", short: "n", value: "name", about: "name of the test", default: "test-name" },
    policy: { type: "list", short: "p", value: "path", about: "policies" },
    resource: { type: "list", short: "r", value: "path", about: "resources" },
    values: { type: "text", short: "f", value: "file", about: "values for variables" },
    pass: { type: "texts", value: "policy,rule,resource[,[namespace,]kind]", about: "what passes" },
    fail: { type: "texts", value: "policy,rule,resource[,[namespace,]kind]", about: "what fails" },
    skip: { type: "texts", value: "policy,rule,resource[,[namespace,]kind]", about: "what is skipped" },
    review: {
      type: "list",
      value: "path",
      about:
        "recorded AdmissionReviews; the test expects what the policies say of them, and --output is its folder",
    },
  },
  examples: [
    {
      does: "write a test with two results",
      line:
        "create test -p policy.yaml -r pods.yaml --pass require-team,team,good --fail require-team,team,bad",
    },
    {
      does: "make a test of recorded requests",
      line: "create test -p policy.yaml --review reviews -o tests/recorded",
    },
  ],
  async run(_, options, terminal) {
    const { createTest } = await import("../create/test.ts");
    return await createTest(options, terminal);
  },
});

export const createValues = command({
  name: "create values",
  about: "Write a values file",
  options: {
    ...output,
    nsSelector: {
      type: "texts",
      short: "n",
      value: "namespace,label=value…",
      about: "labels of a namespace",
    },
    global: { type: "list", short: "g", value: "name=value", about: "values for everything" },
    rule: { type: "texts", value: "policy,rule,name=value…", about: "values for a rule" },
    resource: { type: "texts", value: "policy,resource,name=value…", about: "values for an object" },
  },
  examples: [
    { does: "give an operation to everything", line: "create values -g request.operation=UPDATE" },
    {
      does: "label a namespace and give a rule its value",
      line: "create values -n shop,team=web --rule require-team,team,owner.name=me",
    },
  ],
  async run(_, options, terminal) {
    const { createValues } = await import("../create/values.ts");
    return await createValues(options, terminal);
  },
});

export const createUserInfo = command({
  name: "create user-info",
  about: "Write a user information file",
  options: {
    ...output,
    username: { type: "text", short: "u", value: "name", about: "name of the user" },
    role: { type: "list", short: "r", value: "namespace:name", about: "roles" },
    clusterRole: { type: "list", short: "c", value: "name", about: "cluster roles" },
    group: { type: "list", short: "g", value: "name", about: "groups" },
  },
  examples: [
    { does: "describe an administrator", line: "create user-info -u ann -g system:masters -c cluster-admin" },
    {
      does: "describe a service account",
      line: "create user-info -u system:serviceaccount:shop:ci -o user.yaml",
    },
  ],
  async run(_, options, terminal) {
    const { createUserInfo } = await import("../create/user.ts");
    return await createUserInfo(options, terminal);
  },
});

export const createException = command({
  name: "create exception",
  about: "Write a PolicyException",
  operands: [{ form: "<name>", about: "the name of the PolicyException" }],
  options: {
    ...output,
    namespace: { type: "text", value: "name", about: "its namespace", default: "default" },
    background: { type: "flag", short: "b", about: "not for background scans", default: true },
    policyRules: { type: "texts", value: "policy,rule…", about: "a policy and its rules" },
    any: {
      type: "texts",
      value: "filter",
      about: "objects, of which one filter must hold: kind=Pod,name=a-*,namespace=shop,operation=CREATE",
    },
    all: { type: "texts", value: "filter", about: "objects, for which every filter must hold" },
  },
  examples: [
    {
      does: "except one Deployment from a rule",
      line:
        "create exception legacy --policy-rules require-team,team --any kind=Deployment,name=legacy,namespace=shop",
    },
    {
      does: "write it to a file",
      line: "create exception legacy --policy-rules require-team,* --any kind=Pod -o exception.yaml",
    },
  ],
  async run([name = ""], options, terminal) {
    const { createException } = await import("../create/exception.ts");
    return await createException(name, options, terminal);
  },
});
