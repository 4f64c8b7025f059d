/** The container may reach the hosts that the policies call, and no others. */
import assert from "node:assert/strict";
import { asList, asString, dig, field } from "../../lib/json/mod.ts";
import { find, manifestsOf } from "./manifests.ts";
import { context, pattern, policy, type Rule, validation } from "./manifest_policies.ts";

const nets: readonly [what: string, rule: Rule, expected: RegExp][] = [
  [
    "the cluster alone",
    { body: pattern },
    /^--allow-net=0\.0\.0\.0:9443,0\.0\.0\.0:8000,kubernetes\.default\.svc:443$/,
  ],
  [
    "a service",
    context("apiCall: {service: {url: https://checks.tools.svc/v1}}"),
    /:443,checks\.tools\.svc$/,
  ],
  [
    "a service at an address",
    context("apiCall: {service: {url: http://10.0.0.5/v1}}"),
    /:443,10\.0\.0\.5:80$/,
  ],
  [
    "a service without TLS, whose address is called",
    context("apiCall: {service: {url: http://checks.tools.svc/v1}}"),
    /^--allow-net$/,
  ],
  [
    "a service that depends on the request",
    context('apiCall: {service: {url: "https://{{ request.name }}/v1"}}'),
    /^--allow-net$/,
  ],
  ["registries", context("imageRegistry: {reference: x}"), /^--allow-net$/],
];

Deno.test("the container may call the services in expressions", async () => {
  const net = async (expression: string): Promise<string | undefined> => {
    const { objects } = await manifestsOf([validation(expression)]);
    const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
    return asList(field(container, "command")).map(String).find((each) => each.startsWith("--allow-net"));
  };
  assert.match(
    await net('http.Get("https://a.b.svc:8443/x?n=" + object.metadata.name) != null') ?? "",
    /:443,a\.b\.svc$/,
  );
  assert.equal(await net('http.Get("https://a" + object.metadata.name) != null'), "--allow-net");
});

Deno.test("the container may look up the name of a service that a policy calls", async () => {
  const { objects } = await manifestsOf([
    policy("p", [context("apiCall: {service: {url: https://localhost:8443/}}")]),
  ]);
  const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
  const net = asList(field(container, "command")).map(String).find((each) => each.startsWith("--allow-net"))!;
  const module = new URL("../../lib/adapters/addresses_of.ts", import.meta.url).href;
  const program = `import { addressesOf } from "${module}"; console.log(await addressesOf("localhost"));`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, program);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--no-prompt", "--quiet", net, file],
      cwd: import.meta.dirname!,
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    assert.match(text.decode(stdout), /"127\.0\.0\.1"/, text.decode(stderr));
  } finally {
    await Deno.remove(file);
  }
});

for (const [what, rule, expected] of nets) {
  Deno.test(`the container's network permission for ${what}`, async () => {
    const { objects } = await manifestsOf([policy("p", [rule])]);
    const [container] = asList(dig(find(objects, "Deployment"), "spec", "template", "spec", "containers"));
    const net = asList(field(container, "command")).find((each) => asString(each)?.startsWith("--allow-net"));
    assert.match(asString(net) ?? "", expected);
    const flags = asList(field(container, "command")).map(String);
    assert.ok(!flags.some((flag) => /^(-A|--allow-(all|write|run|ffi|sys))/.test(flag)));
  });
}
