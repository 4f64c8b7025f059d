/** Disturbances that last, or that are not the API server's, with the result and the test that shows it. */
export interface OtherFault {
  readonly name: string;
  readonly words: string;
  readonly file: string;
  readonly title: string;
}

const existing = "tests/background/existing_objects_test.ts",
  missed = "tests/background/missed_effects_test.ts";

export const otherFaults: readonly OtherFault[] = [
  {
    name: "a page of a background scan: 410, 500 or no answer",
    words: "listed again; each report is written once, and none is deleted",
    file: "tests/live/scanner_test.ts",
    title: "the first scan writes each report once, and the second none, despite failures of",
  },
  {
    name: "a page of the existing objects of a new rule: 410, 500 or no answer",
    words: "listed again for a minute, then with the next comparison; each object is evaluated once",
    file: existing,
    title: "generateExisting evaluates all existing objects although their list fails",
  },
  {
    name: "a page of the objects whose effects were missed: 410, 500 or no answer",
    words:
      "listed again for a minute, then with the next comparison, for the time in which effects were missed",
    file: missed,
    title: "is looked up again, for the missed time alone, when the lists failed for a minute",
  },
  {
    name: "a replica that does not lead has no room for the effects of a request, or ends before",
    words:
      "it says on the Lease since when; the leader looks for the objects created since then, within a minute",
    file: "tests/background/leadership_test.ts",
    title:
      "the time since when a replica missed effects reaches the leader within seconds, and elects nobody",
  },
  {
    name: "the leader is killed",
    words:
      "another replica leads within some 12 seconds, and looks for the effects of requests since a minute " +
      "before, also when the write that makes it the leader is late or has no answer",
    file: "tests/background/leadership_test.ts",
    title: "a new leader learns that the former one was killed in spite of writes of the Lease",
  },
  {
    name:
      "the leader renews its Lease too late, as on a busy machine, and leads again before another replica does",
    words: "a comparison with the cluster that broke off meanwhile is made again five seconds later",
    file: missed,
    title: "a comparison that broke off",
  },
  {
    name: "a replica that does not lead is killed while effects wait on it",
    words: "it said so on the Lease; the leader generates what is missing within some 12 seconds; " +
      "where an UpdateRequest keeps the effects, after five minutes",
    file: "tests/background/leadership_test.ts",
    title: "the leader learns since when effects waited on a replica that was killed",
  },
  {
    name:
      "a replica is killed after an effect, and a user undoes the effect before the next leader looks for it",
    words:
      "it is carried out again: the cluster does not distinguish it from one that is missing. The leader looks some 12 " +
      "seconds after the kill, for requests since a minute before",
    file: "tests/background/missed_changes_test.ts",
    title: "an effect that a user undid before it is looked up is carried out again",
  },
  {
    name: "the answer to a patch of a target is lost",
    words:
      "tried again if the stored version, or what the API server noted about Postern's writes, shows that it was " +
      "not stored, or if it changes nothing twice; else the log says that it was left out",
    file: "tests/background/lost_answers_test.ts",
    title: "a patch without an answer is applied once",
  },
  {
    name: "a replica is killed while it generates for existing objects",
    words: "the next one makes what is missing, and changes the targets, none twice",
    file: existing,
    title: "generateExisting begins again when a replica was killed before it had generated all",
  },
  {
    name: "replicas whose clocks are a minute apart",
    words: "one leads at a time; ages of objects are compared by the API server's clock",
    file: "tests/background/leadership_test.ts",
    title: "lead one after the other, and use the API server's time",
  },
  {
    name: "a trigger is deleted while its effects wait",
    words: "nothing is made, and its UpdateRequest is deleted",
    file: "tests/live/update_requests_test.ts",
    title: "an UpdateRequest is deleted when its trigger was deleted while the effects waited",
  },
  {
    name: "an effect goes on failing after its ten tries",
    words: "tried again after 1, 2, 4 and 8 minutes, and at elections; then its UpdateRequest is deleted",
    file: "tests/live/update_request_tries_test.ts",
    title: "an UpdateRequest that fails is tried again after longer and longer pauses, and deleted when",
  },
  {
    name: "another program changes a generated object for ever",
    words: "corrected 20 times, then every five seconds; the log names the user",
    file: "tests/background/background_worker_test.ts",
    title: "an object that another program changes for ever is corrected 20 times, then every five seconds",
  },
  {
    name: "the definition of a matched kind is deleted, or comes later",
    words: "its reports go; when it is served, webhooks and reports follow within seconds",
    file: "tests/live/scan_changes_test.ts",
    title:
      "objects of a kind that is defined later are scanned soon, and their reports go with the definition",
  },
  {
    name: "the connection goes silent without an end, as when a node or a link breaks",
    words:
      "tried again over another connection after five seconds; once that is answered, watches begin there too",
    file: "tests/adapters/broken_link_test.ts",
    title: "a read whose connection went silent is answered over another connection",
  },
  {
    name: "the connection to a service, registry or log of signatures goes silent",
    words: "one call waits for its timeout; later ones take another connection",
    file: "tests/adapters/silent_connections_test.ts",
    title: "after one call without an answer, calls of",
  },
];
