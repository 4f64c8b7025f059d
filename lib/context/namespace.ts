import { Fault, type Json } from "../json/mod.ts";
import type { LoadTracker } from "./load_tracker.ts";
import { readPath } from "./read_path.ts";

/** A Namespace of the cluster, loaded once in a request; an empty object when it does not exist (yet). */
export function loadNamespace(name: string, tracker: LoadTracker): Json | Fault {
  const path = `/api/v1/namespaces/${encodeURIComponent(name)}`;
  return readPath(tracker, { name: `Namespace ${name}`, path }, (answer) => {
    if (answer.ok) return answer.body;
    return answer.status === 404 ? {} : new Fault(`failed to read namespace ${name}: ${answer.message}`);
  });
}
