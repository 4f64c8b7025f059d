/** The thread that checks bundles, so that other requests do not wait for the checks. */
import { parentPort } from "node:worker_threads";
import { type BundleAnswer, BundleCheck, type BundleQuery } from "./bundle_check.ts";

/** One query to the worker, with a number that the reply repeats. */
export interface BundleTask {
  readonly id: number;
  readonly query: BundleQuery;
}

/** The worker's first message: its code is loaded, and it checks from now on. */
export interface BundleWorkerReady {
  readonly ready: true;
}

/** The worker's reply to one query. */
export interface BundleReply {
  readonly id: number;
  readonly answer: BundleAnswer;
}

const check = new BundleCheck();

parentPort?.postMessage({ ready: true } satisfies BundleWorkerReady);
parentPort?.on("message", ({ id, query }: BundleTask) => {
  void check.run(query).then((answer) => {
    const reply: BundleReply = { id, answer };
    parentPort?.postMessage(reply);
  });
});
