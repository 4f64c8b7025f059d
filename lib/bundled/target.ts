/** A platform that a bundle can be made for. */
export interface BundleTarget {
  /** Its name on the command line. */
  readonly name: string;
  /** The runtime or service that runs the file. */
  readonly about: string;
  /** The name under which the file exports what the platform calls. */
  readonly exported: "default" | "handler";
  /**
   * Whether work goes on after an answer: `runs` where the process lives on or the platform waits for it, `stops`
   * where it is frozen.
   */
  readonly afterAnswer: "runs" | "stops";
  /** How the file is tried: the command line for a file of this name. */
  tryIt(file: string): string;
}
