/**
 * URLs of an API server that take turns, some requests each. The speed of a machine that others share changes within
 * seconds, by more than what a webhook adds: so each URL is compared with another one in the same round.
 */
/** A URL with the milliseconds of its requests, round by round. */
export interface Alternated {
  readonly name: string;
  readonly rounds: readonly (readonly number[])[];
}

/** The URLs by their names, and the request that each of them gets. */
export interface AlternationOrder {
  readonly urls: Readonly<Record<string, string>>;
  readonly bodyFile: string;
  /** The status of a good answer. */
  readonly status: number;
  /** PEM files of a client certificate and its key. */
  readonly client: { readonly cert: string; readonly key: string };
  readonly rounds: number;
  /** Requests to a URL in a round. */
  readonly each: number;
}

/** Sends the requests; one that fails ends the benchmark. */
export async function alternate(
  generator: string,
  { urls, bodyFile, status, client, rounds, each }: AlternationOrder,
): Promise<ReadonlyMap<string, Alternated>> {
  const args = [
    "alternate",
    `-body=${bodyFile}`,
    `-status=${status}`,
    `-cert=${client.cert}`,
    `-key=${client.key}`,
    `-rounds=${rounds}`,
    `-each=${each}`,
    ...Object.entries(urls).map(([name, url]) => `${name}=${url}`),
  ];
  const { success, stdout } = await new Deno.Command(generator, { args, stderr: "inherit" }).output();
  if (!success) throw new Error("the requests that take turns failed");
  const found: readonly Alternated[] = JSON.parse(new TextDecoder().decode(stdout));
  return new Map(found.map((each) => [each.name, each]));
}

/** The time within which a share of all requests are answered, in milliseconds. */
export function quantile({ rounds }: Alternated, share: number): number {
  return atShare(rounds.flat(), share);
}

/**
 * Returns by how much the time within which a share of all requests are answered is longer than that of another URL.
 * Each time counts as its distance from the other URL's median in the same round, so that the machine's speed counts
 * alike.
 */
export function added(one: Alternated, other: Alternated, share: number): number {
  const middles = other.rounds.map((times) => atShare(times, 0.5));
  const distances = ({ rounds }: Alternated): number[] =>
    rounds.flatMap((times, round) => times.map((time) => time - middles[round]!));
  return atShare(distances(one), share) - atShare(distances(other), share);
}

function atShare(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
