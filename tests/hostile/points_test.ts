/** The table of README.md: attacks, and the tests that fail without the mends. Each title in it exists. */
import assert from "node:assert/strict";
import { join } from "node:path";

const tests = new URL("../", import.meta.url).pathname;

interface Point {
  readonly attack: string;
  /** The files below `tests`, each with parts of the titles of its tests. */
  readonly shownBy: Readonly<Record<string, readonly string[]>>;
}

const points: readonly Point[] = [
  {
    attack: "Expressions of callers of `/scan`",
    shownBy: {
      "hostile/scan_test.ts": ["expressions of callers neither end the process nor hold it"],
      "jmespath/hostile_test.ts": ["the step budget ends it in the community dialect"],
    },
  },
  {
    attack: "Declared lengths and bodies that never end",
    shownBy: {
      "hostile/bodies_test.ts": [
        "bodies that are announced and do not come cost nothing, and end with 408",
        "many reviews of 3 MB at once are all answered, within the bound",
      ],
    },
  },
  {
    attack: "Forged reviews",
    shownBy: {
      "background/forged_review_test.ts": ["has no effect"],
      "e2e/forged_review_test.ts": ["forged reviews and refused requests change nothing in a real cluster"],
      "hostile/access_test.ts": [
        "below a secret path reviews are answered",
        "with --client-ca reviews are taken",
      ],
    },
  },
  {
    attack: "A review that holds the event loop",
    shownBy: {
      "hostile/stall_test.ts": ["a review of 3 MB keeps neither probes nor other requests waiting"],
      "hostile/stretch_test.ts": ["lets others work while it looks at a Pod of 3 MB"],
      "patch/draft_list_test.ts": ["takes linear time"],
      "server/pauses_test.ts": ["a long review is read in stages"],
      "kube/wildcard_test.ts": ["long patterns of few different characters are compared in linear time"],
    },
  },
  {
    attack: "Memory by counts instead of bytes",
    shownBy: {
      "hostile/queues_test.ts": [
        "large reviews that wait for effects and audits are bounded in bytes",
        "kinds and namespaces that are no names are refused, and leave nothing behind",
        "audits that wait for a service which never answers hold up no others",
      ],
      "host/review_recorder_test.ts": [
        "a review that nests deeply takes no more room in its record than it had",
      ],
      "host/probes_test.ts": ["long metrics are not written anew for each caller"],
      "live/slow_lane_test.ts": ["of many large policies some are reviewed and the others refused for now"],
      "policy/policy_budget_test.ts": ["20,000 policies beyond the limit are left out"],
      "adapters/live_collections_test.ts": ["objects that do not fit are left out"],
    },
  },
  {
    attack: "Certificates, and the end of the listener",
    shownBy: {
      "hostile/certificates_test.ts": ["20 certificates follow each other", "leaves the former in place"],
      "hostile/shutdown_test.ts": ["an open body does not keep the process beyond its grace period"],
    },
  },
  {
    attack: "Faults that counted as empty texts",
    shownBy: {
      "condition/conditions_test.ts": [
        "classic: a variable without a value is an empty string",
        "is a fault, not an empty string",
      ],
    },
  },
  {
    attack: "Files that are half-written, emptied, renamed, moved",
    shownBy: {
      "sources/policy_files_test.ts": [
        "the former version of a file stays in force",
        "a file is followed through two replacements by rename",
        "a change without an event is found by comparing",
      ],
    },
  },
  {
    attack: "Planned shutdowns",
    shownBy: {
      "hostile/shutdown_test.ts": [
        "from SIGTERM on each answer ends its connection",
        "a client that goes on while the server ends sees no failure until the port is closed",
      ],
    },
  },
  {
    attack: "Effects that starve others, or get lost",
    shownBy: {
      "background/background_worker_test.ts": [
        "requests of one namespace that wait for their next try do not keep out those of others",
        "a hanging look-up delays only its namespace",
      ],
      "background/upkeep_test.ts": [
        "a new replica makes downstream objects again that were deleted while none ran",
        "changed data of a rule reaches its downstream objects",
        "is found again when the worker had no room for it",
      ],
    },
  },
  {
    attack: "Policies that end the process at load",
    shownBy: {
      "patch/json_patch_test.ts": ["copies that double a list again and again are refused"],
      "engine/large_policies_test.ts": ["is refused with a diagnostic"],
    },
  },
  {
    attack: "Calls to the server's machine, and of namespaced policies",
    shownBy: {
      "adapters/http_test.ts": ["service call: "],
      "hostile/queues_test.ts": [
        "policies do not reach services of the server's own machine",
        "policies of namespaces call no services, unless the operator lets them",
      ],
    },
  },
  {
    attack: "Overload",
    shownBy: {
      "hostile/overload_test.ts": [
        "health is answered without TLS beside callers who begin a handshake and stay silent",
        "of a thousand callers at once each is answered",
      ],
    },
  },
  {
    attack: "Label values of metrics",
    shownBy: {
      "server/metrics_test.ts": ["ever new label values end in one series"],
      "server/routes_test.ts": [
        "each kind that policies name has a metric series; all other kinds share one",
      ],
    },
  },
  {
    attack: "Secrets in the log",
    shownBy: {
      "hostile/queues_test.ts": ["no value of a Secret is in the log, whatever level it has"],
      "host/tracing_test.ts": ["the span of a rule that fails for a Secret says that it fails"],
      "host/review_recorder_test.ts": ["the record holds keys and no values"],
    },
  },
  {
    attack: "Secret paths that are none",
    shownBy: {
      "hostile/access_test.ts": ["on a public address is refused", "and no log shows the path"],
    },
  },
  {
    attack: "A missing `--policies` path",
    shownBy: { "cli/serve_test.ts": ["serve ends with code 2 when a path of --policies is not there"] },
  },
  {
    attack: "A lone surrogate in a namespace",
    shownBy: { "hostile/access_test.ts": ["half a surrogate pair in a namespace is that request's 400"] },
  },
  {
    attack: "Bundles that differ",
    shownBy: { "cli/bundle_test.ts": ["the same policies make the same bytes, minified too"] },
  },
  {
    attack: "Scales and image volumes",
    shownBy: {
      "policies/policies_test.ts": [
        "replicas that are set through deployments/scale count too",
        "does what its test says",
      ],
    },
  },
  {
    attack: "Paths of unknown policies, and bare paths",
    shownBy: {
      "server/routes_test.ts": [
        "the path of a policy that is not loaded answers as its failurePolicy says",
        "a policy with match conditions is evaluated at its path, and where every policy is evaluated",
      ],
    },
  },
  {
    attack: "An API server that hangs",
    shownBy: {
      "server/routes_test.ts": ["when the API server hangs the message names the look-up that was slow"],
    },
  },
  {
    attack: "Role bindings without need",
    shownBy: { "deploy/manifests_test.ts": ["roles are looked up in bindings"] },
  },
  {
    attack: "Autogen of nested `foreach`",
    shownBy: { "policy/autogen_test.ts": ["loops inside a mutating loop are moved"] },
  },
  {
    attack: "`\\$(./../x)` in mutate rules",
    shownBy: { "rules/mutate_escapes_test.ts": ["an escaped reference in a merge"] },
  },
  {
    attack: "URLs of services in messages",
    shownBy: { "hostile/queues_test.ts": ["the URL stands there once"] },
  },
  {
    attack: "Policies in force that nobody can tell",
    shownBy: {
      "deploy/manifests_test.ts": ["other policies change the pod template, the same policies do not"],
      "hostile/access_test.ts": ["names what is in force"],
    },
  },
  {
    attack: "Audit lines",
    shownBy: { "server/audit_test.ts": ["an audit line names the request once, even if many rules failed"] },
  },
  {
    attack: "Starting in a container",
    shownBy: {
      "hostile/access_test.ts": ["as in a container, shows nobody how to send reviews"],
      "deploy/manifests_test.ts": ["a pod is first probed a second after its start"],
    },
  },
  {
    attack: "Installing before a replica is ready",
    shownBy: {
      "install/webhook_registration_test.ts": [
        "nothing is registered while no replica is ready",
        "switch the webhooks on once nodes can know them",
      ],
    },
  },
];

function table(): string {
  const rows = points.map(({ attack, shownBy }, index) => {
    const files = Object.entries(shownBy).map(([file, titles]) => `\`${file}\`: ${titles.join("; ")}`);
    return `| ${index + 1} | ${attack} | ${files.join("<br>")} |`;
  });
  return ["| Point | Attack | Shown by |", "| --- | --- | --- |", ...rows].join("\n");
}

for (const { attack, shownBy } of points) {
  Deno.test(`the tests that show "${attack}" exist`, () => {
    for (const [file, titles] of Object.entries(shownBy)) {
      const text = Deno.readTextFileSync(join(tests, file));
      assert.ok(titles.length > 0, file);
      for (const title of titles) assert.ok(text.includes(title), `${file} has no test "${title}"`);
    }
  });
}

Deno.test("README.md has the table", () => {
  const page = join(tests, "hostile/README.md");
  const text = `# Attacks

Each point was tried and got through once; its tests fail without the mend. \`points_test.ts\` makes this table
(\`UPDATE_GOLDEN=1\`) and finds titles that are gone. Registries and signatures: \`images_*_test.ts\`.

<!-- deno-fmt-ignore-start -->
${table()}
<!-- deno-fmt-ignore-end -->
`;
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(page, text);
  assert.equal(Deno.readTextFileSync(page), text);
});
