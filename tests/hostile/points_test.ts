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
      "hostile/scan_test.ts": [
        "expressions of callers neither end the process nor block it",
        "payloads that take much more memory than their text do not end the process",
      ],
      "jmespath/hostile_test.ts": ["the step budget ends it in the community dialect"],
    },
  },
  {
    attack: "Declared lengths and bodies that never end",
    shownBy: {
      "hostile/bodies_test.ts": [
        "announced bodies that never arrive take no memory, and end with 408",
        "many large reviews at once are answered within the memory bound",
        "bodies of a thousand connections that stop in the middle take bounded memory",
      ],
      "hostile/access_test.ts": ["answers reviews below it, rejects others unread"],
      "listener/listener_test.ts": [
        "a small body that arrives as a whole does not wait for those that stop in the middle",
        "small bodies that stop in the middle give way to those that wait for their bytes",
      ],
    },
  },
  {
    attack: "Forged reviews",
    shownBy: {
      "background/forged_review_test.ts": ["has no effect"],
      "e2e/forged_review_test.ts": ["forged reviews and denied requests change nothing in a real cluster"],
      "hostile/access_test.ts": [
        "a server with a secret path answers reviews below it",
        "with --client-ca only callers with a certificate may send reviews",
      ],
      "listener/listener_test.ts": ["a caller whose client certificate is"],
      "hostile/certificates_test.ts": ["the file of --client-ca is followed"],
    },
  },
  {
    attack: "A review that holds the event loop",
    shownBy: {
      "hostile/stall_test.ts": ["a review of 3 MB delays neither probes nor other requests"],
      "hostile/stretch_test.ts": ["lets other requests run while it evaluates a Pod of 3 MB"],
      "hostile/wildcards_test.ts": ["of 3 MB take more steps than a rule may take, which is an error"],
      "engine/steps_test.ts": ["a loop's precondition that takes too many steps is an error"],
      "engine/request_steps_test.ts": [
        "rules that take too many steps together are errors in the end",
        "rules that look at few fields decide also after the steps of the request are used up",
      ],
      "patch/draft_list_test.ts": ["takes linear time"],
      "patch/diff_test.ts": [
        "the alignment of many lists has one bound for all together",
        "lists in lists are not compared as a whole at each level",
      ],
      "server/pauses_test.ts": ["the server parses a long review in stages"],
      "adapters/event_slices_test.ts": ["a long event is parsed and measured in stages"],
      "adapters/body_stream_test.ts": ["the pieces of a long line are read once"],
      "kube/wildcard_test.ts": [
        "long patterns of few different characters are compared in linear time",
        "a pattern of a request with a million stars or characters is compared without making its runs",
      ],
      "condition/hostile_test.ts": ["parsing a text of megabytes that may be"],
      "pattern/hostile_test.ts": ["takes steps before it is compiled, and is an error without them"],
      "jmespath/wide_objects_test.ts": ["truth of wide objects ends at the step budget"],
      "jmespath/hostile_test.ts": ["steps for each element of a list"],
      "cel/text_work_test.ts": ["patterns of random texts that a request brings end at the cost limit"],
    },
  },
  {
    attack: "Memory by counts instead of bytes",
    shownBy: {
      "hostile/unread_test.ts": ["answers that nobody reads take bounded memory"],
      "hostile/handshakes_test.ts": ["thousands of connections take bounded memory that send "],
      "hostile/pipelines_test.ts": ["without an end, and read no answer, take bounded memory"],
      "hostile/queues_test.ts": [
        "the queues of effects and audits limit the bytes of large reviews",
        "kinds and namespaces that are no names are rejected, and leave no state",
        "audits that wait for a service which never answers delay no others",
      ],
      "rules/assertion/rule_assertion_test.ts": ["stops at thousands of violations"],
      "hostile/density_test.ts": [
        "a Pod of many small values that",
        "a text of many small values that",
        "for each element of a Pod's list is answered within the memory bound",
        "a Pod of which a rule mutates each of ",
        "reviews that take much more memory than their text do not end the process",
        "audits that wait for a service",
        "short reviews that wait for a service",
      ],
      "hostile/wide_objects_test.ts": ["that 30 policies mutate is answered within the memory bound"],
      "engine/superseded_objects_test.ts": ["only the last result keeps the object"],
      "hostile/cut_texts_test.ts": [
        "keeps no more of it than it shows, in 20 rules",
        "a Pod of 2.5 MB is answered within the memory bound beside 60 rules",
      ],
      "report/answer_room_test.ts": ["with a field of the object has a bound"],
      "hostile/waiting_texts_test.ts": [
        "events that wait keep no object",
        "rows that wait keep no object",
        "rows that wait have a bound together",
      ],
      "hostile/budgets_test.ts": ["all budgets of memory full at once leave the process alive"],
      "hostile/full_heap_test.ts": [
        "reviews of 3 MB beside policies and short reviews at their bounds do not end the process",
      ],
      "hostile/answers_test.ts": [
        "the memory of large answers is bounded",
        "requests that load little are answered beside those that load much",
        "the memory of answers of services is bounded",
        "the memory of many short answers is bounded that wait for another call",
        "the memory of the answers is bounded that a loop loads one after the other",
      ],
      "adapters/answers_test.ts": [
        "however calls end, and whenever evaluations do, no memory is held in the end",
      ],
      "host/review_recorder_test.ts": [
        "the record of a deeply nested review is not larger than the review",
      ],
      "host/probes_test.ts": ["callers share one text of a long metrics page"],
      "live/slow_lane_test.ts": [
        "of many large policies some are reviewed and the others refused for now",
        "a user who sends many large policies keeps no other user's policy from its review",
      ],
      "policy/policy_budget_test.ts": ["leaving out 20,000 policies takes no longer than reading them"],
      "live/report_store_test.ts": [
        "rows that no scan can find are read when they would take too much memory",
      ],
      "adapters/live_collections_test.ts": ["objects above the limit are left out"],
      "adapters/entries_bounds_test.ts": ["the answers of all calls have a bound together"],
    },
  },
  {
    attack: "Certificates, and the end of the listener",
    shownBy: {
      "hostile/certificates_test.ts": [
        "20 certificates replace each other",
        "leave the former certificate in place",
        "leaves the former in place",
      ],
      "hostile/shutdown_test.ts": ["an unfinished body does not keep the process beyond its grace period"],
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
        "policies are reloaded after replacement by rename",
        "polling finds a change without an event",
      ],
    },
  },
  {
    attack: "Planned shutdowns",
    shownBy: {
      "hostile/shutdown_test.ts": [
        "after SIGTERM each answer ends its connection",
        "a client that continues while the server stops sees no failure until the port is closed",
      ],
    },
  },
  {
    attack: "Effects that starve others, or get lost",
    shownBy: {
      "live/scan_changes_test.ts": [
        "a Policy that turns its kinds off and on lists the cluster's objects once",
        "a Policy that changes all the time does not begin the scan of other namespaces again",
        "a scan ends before another begins for the policies that changed meanwhile",
      ],
      "background/forged_labels_test.ts": [
        " hide no object that lost its ",
        "of too many objects with a rule's labels those of the namespace with the most are left out",
      ],
      "background/worker_queue_test.ts": [
        "requests of one namespace that wait for a retry do not block those of others",
        "a hanging look-up delays only its namespace",
      ],
      "background/upkeep_test.ts": [
        "a new replica makes downstream objects again that were deleted while none ran",
      ],
      "background/changed_rules_test.ts": [
        "changed data of a rule reaches its downstream objects",
      ],
      "background/missed_effects_test.ts": [
        "is found again when the worker had no room for it",
      ],
    },
  },
  {
    attack: "Policies that end the process at load",
    shownBy: {
      "live/namespaced_webhooks_test.ts": [
        "webhooks: the conditions of a namespaced policy refuse nothing in other namespaces",
        "webhooks: namespaced policies share webhooks when their conditions would make the configuration too large",
        "are about all resources",
      ],
      "deploy/manifest_webhooks_test.ts": ["the conditions of a Policy refuse nothing in other namespaces"],
      "patch/json_patch_test.ts": ["copies that double a list again and again are refused"],
      "engine/large_policies_test.ts": ["is refused with a diagnostic"],
    },
  },
  {
    attack: "Calls to the server's machine; calls and effects of namespaced policies",
    shownBy: {
      "adapters/http_test.ts": ["service call: "],
      "hostile/queues_test.ts": [
        "policies cannot call services on the server's machine",
        "policies of namespaces cannot call services, unless the operator allows it",
      ],
      "background/namespaced_policies_test.ts": [
        "a namespaced policy changes nothing outside its namespace",
      ],
      "live/cleanup_test.ts": ["deletes neither its Namespace nor objects of others"],
    },
  },
  {
    attack: "Overload",
    shownBy: {
      "adapters/call_turns_test.ts": ["drops no calls that come meanwhile"],
      "adapters/scheduler_test.ts": [
        "lanes take turns, however many evaluations one of them has",
        "of a lane in which many evaluations wait new ones wait until one ends",
      ],
      "hostile/heads_test.ts": ["a head of spaces does not hold the webhook's port, nor that of probes"],
      "hostile/handshakes_test.ts": [
        "handshakes that stop in the middle give way to those of other callers, and end",
      ],
      "hostile/overload_test.ts": [
        "health without TLS is answered beside callers that begin a handshake and stay silent",
        "health on the webhook's port does not wait for the reviews that wait for their turn",
        "reviews that would be late for their callers get 503",
      ],
      "engine/parallel_loads_test.ts": [
        "a request reads from a bounded number of registries at the same time",
      ],
      "adapters/flood_watch_test.ts": [
        "that sends interim answers without an end are ended before their time is over",
      ],
      "adapters/hostile_servers_test.ts": [
        "a service that never answers takes a bounded number of connections",
      ],
    },
  },
  {
    attack: "Label values of metrics",
    shownBy: {
      "server/metrics_test.ts": [
        "label values beyond the limit share one series",
        "the series of a rule's results go with the rule, although its policy stays",
        "the policies of one namespace leave room for the series of others",
      ],
      "server/routes_test.ts": [
        "each kind in the policies has a metric series; all other kinds share one",
      ],
    },
  },
  {
    attack: "Secrets in the log",
    shownBy: {
      "hostile/queues_test.ts": ["the log has no value of a Secret, at any level"],
      "host/tracing_test.ts": ["the span of a rule that fails for a Secret has the failure"],
      "host/review_recorder_test.ts": ["has keys and no values"],
    },
  },
  {
    attack: "Secret paths that are none",
    shownBy: {
      "hostile/access_test.ts": ["serve refuses a secret path of", "and never logs the path"],
    },
  },
  {
    attack: "A missing `--policies` path",
    shownBy: {
      "cli/serve_test.ts": [
        "serve ends with code 2 when a path of --policies does not exist",
        "serve ends with code 2 when a path of --policies is a link to itself, and names it",
      ],
    },
  },
  {
    attack: "A lone surrogate in a namespace",
    shownBy: { "hostile/access_test.ts": ["a lone surrogate in a namespace is answered with 417"] },
  },
  {
    attack: "Bundles that differ",
    shownBy: { "cli/bundle_test.ts": ["the same policies give the same bytes, minified too"] },
  },
  {
    attack: "Scales and image volumes",
    shownBy: {
      "policies/policies_test.ts": [
        "require-replicas also limits deployments/scale",
        "passes its test in the",
      ],
    },
  },
  {
    attack: "Paths of unknown policies, and bare paths",
    shownBy: {
      "server/routes_test.ts": [
        "the path of a policy that is not loaded answers by its failurePolicy",
        "a policy with match conditions is evaluated at its path and at the path of all policies",
      ],
    },
  },
  {
    attack: "An API server that hangs",
    shownBy: {
      "adapters/live_collections_test.ts": ["200 with a page of a proxy"],
      "adapters/clock_set_back_test.ts": ["a clock that is set back does not keep"],
      "server/routes_test.ts": ["when the API server hangs, the message names the slow look-up"],
      "adapters/cluster_turns_test.ts": ["without an answer leave room for others"],
    },
  },
  {
    attack: "Role bindings without need",
    shownBy: { "deploy/manifest_rights_test.ts": ["rights include role bindings"] },
  },
  {
    attack: "Autogen of nested `foreach`",
    shownBy: { "documents/autogen_test.ts": ["loops inside a mutating loop are moved"] },
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
      "deploy/manifests_test.ts": ["changed policies change the pod template, equal policies do not"],
      "hostile/access_test.ts": ["and logs its policies' checksum"],
    },
  },
  {
    attack: "Audit lines",
    shownBy: { "server/audit_test.ts": ["an audit line names the request once, even when many rules fail"] },
  },
  {
    attack: "Starting with the policies of a cluster",
    shownBy: {
      "hostile/start_test.ts": [
        "a replica that has not read the cluster's policies admits nothing and is not ready",
      ],
    },
  },
  {
    attack: "A log that nobody reads",
    shownBy: {
      "hostile/log_reader_test.ts": [
        "requests are answered while nobody reads the log, which goes on without a gap when somebody does",
        "the server ends while nobody reads the log",
      ],
      "adapters/line_batch_test.ts": ["those beyond a megabyte that nobody reads are lost and counted"],
    },
  },
  {
    attack: "Starting in a container",
    shownBy: {
      "hostile/access_test.ts": ["as in a container, prints no request to try"],
      "deploy/manifests_test.ts": [
        "probes begin a second after a pod's start, and it has a minute to become live",
      ],
    },
  },
  {
    attack: "Bytes of no use to TLS, and none",
    shownBy: {
      "hostile/handshakes_test.ts": [
        "first messages that TLS refuses before all that arrived was read do not end the process",
        "connections that are reset before their handshake begins leave no file open",
      ],
      "listener/handshakes_test.ts": [
        "begins with all that has arrived, in one piece",
        "a new handshake from the address of another ends that one",
      ],
    },
  },
  {
    attack: "Texts of objects that act on a terminal, or are commands of a pipeline",
    shownBy: {
      "cli/workflow_commands_test.ts": ["names of files and keys of a change are no commands of a pipeline"],
      "adapters/log_test.ts": ["texts of callers neither act on a terminal nor change the order"],
      "cli/terminal_test.ts": ["is shown on a terminal as it is written"],
    },
  },
  {
    attack: "Installing before a replica is ready",
    shownBy: {
      "install/webhook_registration_test.ts": [
        "webhooks are not registered while no replica is ready",
        "lead to registered webhooks after nodes had time to see them",
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

Each point was tried and got through once; its mend was undone, and its tests failed. \`points_test.ts\` makes
this table (\`UPDATE_GOLDEN=1\`) and finds titles that are gone. Registries and signatures: \`images_*_test.ts\`.

<!-- deno-fmt-ignore-start -->
${table()}
<!-- deno-fmt-ignore-end -->
`;
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(page, text);
  assert.equal(Deno.readTextFileSync(page), text);
});
