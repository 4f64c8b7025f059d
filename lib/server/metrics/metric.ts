import type { Stages } from "../../json/mod.ts";
import type { SeriesRoom } from "./series_room.ts";

/** The type of a metric in Prometheus' text format. */
type MetricType = "counter" | "gauge" | "histogram";

/** The name of a metric, and the labels of its series, in the order of their values. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * A metric with its series. A series is found by its label values in one look-up; series are written in the order in
 * which they first occurred.
 */
abstract class Metric<Series> {
  readonly #options: MetricOptions;
  readonly #type: MetricType;
  readonly #room: SeriesRoom;
  readonly #series = new Map<string, Series>();
  /** The key of the series that takes no room. */
  readonly #keyOfOther: string;
  /** The lines of a series, and the characters of each without labels' values. */
  readonly #shape: { readonly lines: number; readonly characters: number };

  constructor(type: MetricType, { options, room, lines }: MetricShape) {
    this.#type = type;
    this.#options = options;
    this.#room = room;
    const { name, labels } = options;
    this.#keyOfOther = seriesKey(labels.map(() => other));
    this.#shape = { lines, characters: name.length + labels.join('="",').length + 32 };
  }

  /** The number of series. */
  get size(): number {
    return this.#series.size;
  }

  /** Deletes all series. */
  reset(): void {
    for (const key of this.#series.keys()) this.#giveBack(key);
    this.#series.clear();
  }

  /** Deletes the series of labels that are gone, one in each stage, and returns their number. */
  *drop(isGone: (labels: Readonly<Record<string, string>>) => boolean): Stages<number> {
    const { labels } = this.#options;
    let dropped = 0;
    for (const key of this.#series.keys()) {
      yield;
      const values = key.split(separator);
      if (!isGone(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""])))) continue;
      this.#series.delete(key);
      this.#giveBack(key);
      dropped++;
    }
    return dropped;
  }

  #giveBack(key: string): void {
    if (key !== this.#keyOfOther) this.#room.take(-this.#charactersOf(key), this.#namespaceOf(key));
  }

  #namespaceOf(key: string): string | undefined {
    return key.split(separator)[this.#options.labels.indexOf("policy_namespace")];
  }

  #charactersOf(key: string): number {
    return this.#shape.lines * (this.#shape.characters + key.length);
  }

  /** The lines of the text format. */
  text(): string {
    const { name, help, labels } = this.#options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${this.#type}`];
    for (const [key, series] of this.#series) {
      const values = labels.length === 0 ? [] : key.split(separator);
      const written = labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`);
      for (const { suffix, extra, value } of this.samples(series)) {
        const all = extra === undefined ? written : [...written, extra];
        lines.push(`${name}${suffix}${all.length === 0 ? "" : `{${all.join(",")}}`} ${value}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  protected series(values: readonly string[], fresh: () => Series): Series {
    return this.seriesAt(seriesKey(values), fresh);
  }

  /** The series of a {@link seriesKey}. */
  protected seriesAt(wanted: string, fresh: () => Series): Series {
    let key = wanted;
    let series = this.#series.get(key);
    if (series !== undefined) return series;
    const isFull = this.#series.size >= mostSeries;
    if (isFull || !this.#room.take(this.#charactersOf(key), this.#namespaceOf(key))) {
      key = this.#keyOfOther;
      series = this.#series.get(key);
    }
    if (series === undefined) {
      series = fresh();
      this.#series.set(key, series);
    }
    return series;
  }

  protected abstract samples(series: Series): Iterable<Sample>;
}

interface MetricShape {
  readonly options: MetricOptions;
  readonly room: SeriesRoom;
  /** The lines of a series. */
  readonly lines: number;
}

interface Sample {
  readonly suffix: string;
  /** A label besides those of the metric. */
  readonly extra?: string;
  readonly value: number;
}

/** The most series of a metric; later ones are counted as "other". Policies come and go, and with them label values. */
const mostSeries = 20_000;

/** The value of all labels of the series that counts what has no room. */
export const other = "other";

/** Separates label values in a key; no name in Kubernetes contains it. */
const separator = "\u0000";

/** The key of a series, from the values of its labels. */
export function seriesKey(values: readonly string[]): string {
  return values.length === 1 ? values[0]! : values.join(separator);
}

/** Prometheus' text format, version 0.0.4. */
function escaped(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

/** The value of one series. */
export interface SeriesValue {
  value: number;
}

/** A number that only grows. */
export class Counter extends Metric<SeriesValue> {
  constructor(options: MetricOptions, room: SeriesRoom) {
    super("counter", { options, room, lines: 1 });
  }

  /** Adds 1 to the series of label values. */
  increment(...values: readonly string[]): void {
    this.at(...values).value++;
  }

  /** The series of label values, which the caller keeps and counts up. */
  at(...values: readonly string[]): SeriesValue {
    return this.series(values, zero);
  }

  protected override samples({ value }: SeriesValue): Sample[] {
    return [{ suffix: "", value }];
  }
}

/** A number that can go up and down. */
export class Gauge extends Metric<SeriesValue> {
  constructor(options: MetricOptions, room: SeriesRoom) {
    super("gauge", { options, room, lines: 1 });
  }

  /** Sets the series of label values. */
  set(value: number, ...values: readonly string[]): void {
    this.series(values, zero).value = value;
  }

  /** Sets the series of these keys to 1, and deletes all others. */
  setOnly(keys: readonly string[]): void {
    this.reset();
    for (const key of keys) this.seriesAt(key, zero).value = 1;
  }

  protected override samples({ value }: SeriesValue): Sample[] {
    return [{ suffix: "", value }];
  }
}

function zero(): SeriesValue {
  return { value: 0 };
}

/** The numbers of one series of a histogram. */
export interface Distribution {
  /** The observations between the previous bound and this one. */
  readonly counts: number[];
  sum: number;
}

/** The distribution of numbers over buckets. */
export class Histogram extends Metric<Distribution> {
  readonly #bounds: readonly number[];

  constructor(
    { bounds, ...options }: MetricOptions & { readonly bounds: readonly number[] },
    room: SeriesRoom,
  ) {
    super("histogram", { options, room, lines: bounds.length + 3 });
    this.#bounds = bounds;
  }

  /** Adds an observation to the series of label values. */
  observe(value: number, ...values: readonly string[]): void {
    this.add(value, this.at(...values));
  }

  /** The series of label values, for {@link add}. */
  at(...values: readonly string[]): Distribution {
    return this.series(values, () => ({
      counts: new Array<number>(this.#bounds.length + 1).fill(0),
      sum: 0,
    }));
  }

  /** Adds an observation to a series that the caller keeps. */
  add(value: number, series: Distribution): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > this.#bounds[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += value;
  }

  protected override *samples({ counts, sum }: Distribution): Generator<Sample> {
    let count = 0;
    for (const [index, bound] of [...this.#bounds, Infinity].entries()) {
      count += counts[index]!;
      const le = bound === Infinity ? "+Inf" : String(bound);
      yield { suffix: "_bucket", extra: `le="${le}"`, value: count };
    }
    yield { suffix: "_sum", value: sum };
    yield { suffix: "_count", value: count };
  }
}
