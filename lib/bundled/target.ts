/** A platform that `bundle` can make a bundle for. */
export interface BundleTarget {
  /** Its name on the command line. */
  readonly name: string;
  /** The runtime or service that runs the file. */
  readonly about: string;
  /** The name of the file's export that the platform calls. */
  readonly exported: "default" | "handler";
  /** The ending of a file that the platform reads as an ES module, whatever stands beside it. */
  readonly extension: ".js" | ".mjs";
  /**
   * Whether work continues after an answer: `runs` if the process continues or the platform waits for it, `stops` if
   * the platform freezes it.
   */
  readonly afterAnswer: "runs" | "stops";
  /** Returns the command line that starts a file of this name for a trial. */
  tryIt(file: string): string;
}
