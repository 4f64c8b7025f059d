import type { Dialect } from "../kube/mod.ts";

/** The texts of a simulation. Each is YAML or JSON with any number of documents; an empty text has none. */
export interface SimulationTexts {
  /** Policies of all kinds. */
  readonly policies: string;
  /** Objects, AdmissionReviews, or any JSON for policies about JSON. */
  readonly resources: string;
  /** Objects of the cluster. If there is at least one, ConfigMaps and API calls are loaded from them. */
  readonly cluster: string;
  /** PolicyExceptions. */
  readonly exceptions: string;
  /** A Values document of cli.kyverno.io. */
  readonly values: string;
  /** A UserInfo document of cli.kyverno.io. */
  readonly user: string;
  /** `apiCallResponses` and `globalContextEntries` as in a Test document, and `images` as in a Context document. */
  readonly answers: string;
}

/** The name of a text. Diagnostics give it as their file. */
export type TextName = keyof SimulationTexts;

/** The options for reading the texts. */
export interface SimulationOptions {
  /** `classic`, the default, or `current`; see `loadPolicies`. */
  readonly dialect?: Dialect;
}

/** Empty texts. */
export const noTexts: SimulationTexts = {
  policies: "",
  resources: "",
  cluster: "",
  exceptions: "",
  values: "",
  user: "",
  answers: "",
};
