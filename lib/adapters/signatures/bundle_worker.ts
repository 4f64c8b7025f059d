/** The thread on which bundles are checked, so that requests do not wait for it. */
import { parentPort } from "node:worker_threads";
import { type BundleAnswer, BundleCheck, type BundleQuery } from "./bundle_check.ts";

/** One question to the worker, with a number that its answer carries. */
export interface BundleTask {
  readonly id: number;
  readonly query: BundleQuery;
}

/** One answer of the worker. */
export interface BundleReply {
  readonly id: number;
  readonly answer: BundleAnswer;
}

const check = new BundleCheck();

parentPort?.on("message", ({ id, query }: BundleTask) => {
  void check.run(query).then((answer) => {
    const reply: BundleReply = { id, answer };
    parentPort?.postMessage(reply);
  });
});
