import {
  type DocumentEvent,
  type Event,
  EVENT_ID,
  getScalarValue,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from "js-yaml";
import { isList, isObject, type Json, type JsonObject, setField, sortedKeys } from "../json/mod.ts";
import { type Anchored, type AnchorOffsets, DocumentAnchors } from "./document_anchors.ts";
import type { Events } from "./events.ts";
import { type Booleans, keyText, resolveScalar, resolveTagged, type Scalar } from "./scalar.ts";

/** A key that occurs twice in one map; the later value counts. */
export interface DuplicateKey {
  readonly key: string;
  readonly offset: number;
}

/** The value of one document. */
export interface Constructed {
  readonly value: Json;
  readonly duplicates: readonly DuplicateKey[];
}

const yamlTags = "tag:yaml.org,2002:";

/**
 * Builds the JSON value of the document that starts at an event. Throws a YAMLException where Kubernetes refuses the
 * document: keys that are not strings, infinite numbers, and aliases that are undefined, recursive or excessive.
 */
export function construct(parsed: Events, start: number, booleans: Booleans = "1.1"): Constructed {
  const constructor = new Constructor(parsed, start, booleans);
  return { value: constructor.document(), duplicates: constructor.duplicates };
}

class Constructor {
  readonly duplicates: DuplicateKey[] = [];
  readonly #source: string;
  readonly #events: readonly Event[];
  readonly #handles: ReadonlyMap<string, string>;
  readonly #booleans: Booleans;
  readonly #anchors: DocumentAnchors;
  #at: number;
  #nodes = 0;

  constructor({ source, events }: Events, start: number, booleans: Booleans) {
    this.#booleans = booleans;
    this.#source = source;
    this.#anchors = new DocumentAnchors(source);
    this.#events = events;
    const { directives } = events[start] as DocumentEvent;
    this.#handles = new Map(
      directives.flatMap((each): [string, string][] =>
        each.kind === "tag" ? [[each.handle, each.prefix]] : []
      ),
    );
    this.#at = start + 1;
  }

  document(): Json {
    return this.#events[this.#at]?.type === EVENT_ID.POP ? null : this.#node();
  }

  #node(): Json {
    const event = this.#events[this.#at]!;
    switch (event.type) {
      case EVENT_ID.ALIAS:
        return this.#alias(event).value;
      case EVENT_ID.SCALAR: {
        this.#at++;
        this.#nodes++;
        const scalar = this.#scalar(event), value = this.#toJson(scalar, event);
        return this.#remember(event, {
          value,
          size: 1,
          ...(event.anchorStart >= 0 && { key: keyText(scalar) }),
        });
      }
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING: {
        const before = this.#nodes++;
        this.#anchors.set(event, undefined);
        this.#at++;
        const value = event.type === EVENT_ID.SEQUENCE ? this.#sequence() : this.#mapping();
        return this.#remember(event, { value, size: this.#nodes - before });
      }
      default:
        return this.#fail(0, "unexpected end of the document");
    }
  }

  #sequence(): Json {
    const list: Json[] = [];
    while (this.#events[this.#at]!.type !== EVENT_ID.POP) list.push(this.#node());
    this.#at++;
    return list;
  }

  #mapping(): Json {
    const map: { [key: string]: Json } = {};
    // The map may override a key that a merge added; that is not a duplicate.
    const merged = new Set<string>();
    while (this.#events[this.#at]!.type !== EVENT_ID.POP) {
      const event = this.#events[this.#at]!;
      if (event.type === EVENT_ID.SCALAR && this.#isMerge(event)) {
        this.#at++;
        for (const key of this.#merge(map, event.valueStart)) merged.add(key);
        continue;
      }
      const offset = offsetOf(event);
      const key = this.#key();
      if (Object.hasOwn(map, key) && !merged.has(key)) this.duplicates.push({ key, offset });
      setField(map, key, this.#node());
    }
    this.#at++;
    return map;
  }

  #isMerge(event: ScalarEvent): boolean {
    if (event.valueEnd - event.valueStart !== 2 || !this.#source.startsWith("<<", event.valueStart)) {
      return false;
    }
    return event.tagStart < 0 ? event.style === SCALAR_STYLE.PLAIN : this.#tag(event) === "merge";
  }

  /** Merges the node after `<<` into the map. It replaces keys that the map already has, as yaml.v2 does. */
  #merge(map: { [key: string]: Json }, offset: number): string[] {
    const value = this.#node();
    const sources = isList(value) ? value.toReversed() : [value];
    const keys: string[] = [];
    for (const source of sources) {
      if (!isObject(source)) this.#fail(offset, "map merge requires map or sequence of maps as the value");
      for (const [key, each] of Object.entries(source)) {
        setField(map, key, each);
        keys.push(key);
      }
    }
    return keys;
  }

  /** Reads a key as text. The key may be an alias. */
  #key(): string {
    const event = this.#events[this.#at]!;
    if (event.type === EVENT_ID.SCALAR) {
      if (this.#spansLines(event)) this.#fail(event.valueStart, "a key must be on one line");
      this.#at++;
      this.#nodes++;
      const scalar = this.#scalar(event);
      const key = keyText(scalar) ??
        this.#fail(event.valueStart, `unsupported map key of type ${scalar.type}`);
      this.#remember(event, { value: scalar.type === "str" ? key : resolvedJson(scalar), size: 1, key });
      return key;
    }
    const offset = offsetOf(event);
    // A number as JSON has no longer the digits of its key.
    const node: Pick<Anchored, "value" | "key"> = event.type === EVENT_ID.ALIAS
      ? this.#alias(event)
      : { value: this.#node() };
    const { value, key } = node;
    if (key !== undefined) return key;
    if (typeof value === "object") {
      const shape = value === null
        ? "unsupported map key of type null"
        : `invalid map key: ${shapeOf(value)}`;
      return this.#fail(offset, shape);
    }
    return this.#fail(offset, `unsupported map key ${value}`);
  }

  /** Whether a key without `?` spans lines. YAML 1.1 has no such keys; usually a comma is missing. */
  #spansLines(event: ScalarEvent): boolean {
    const { valueStart, valueEnd, style } = event;
    if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK) return false;
    return this.#source.slice(valueStart, valueEnd).includes("\n") &&
      !this.#source.slice(0, offsetOf(event)).trimEnd().endsWith("?");
  }

  #scalar(event: ScalarEvent): Scalar {
    const text = this.#text(event);
    if (event.tagStart < 0) {
      return event.style === SCALAR_STYLE.PLAIN
        ? resolveScalar(text, this.#booleans)
        : { type: "str", value: text };
    }
    const tag = this.#tag(event);
    const scalar = resolveTagged(tag, text);
    return typeof scalar === "string" ? this.#fail(event.valueStart, scalar) : scalar;
  }

  /** The scalar's text. As in yaml.v2, a block scalar in which the source ends has no final newline. */
  #text(event: ScalarEvent): string {
    const text = getScalarValue(this.#source, event);
    if (!text.isWellFormed()) this.#fail(event.valueStart, "an escape is half of a character");
    const isBlock = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    if (!isBlock || event.valueEnd < this.#source.length || !text.endsWith("\n")) return text;
    const lastLine = this.#source.slice(this.#source.lastIndexOf("\n") + 1);
    return lastLine.trim() === "" ? text : text.slice(0, -1);
  }

  /** Returns the tag without YAML's prefix: `int` for `!!int`; a local tag keeps its `!`. */
  #tag(event: ScalarEvent): string {
    const text = this.#source.slice(event.tagStart, event.tagEnd);
    if (text.startsWith("!<")) return withoutPrefix(text.slice(2, -1));
    const end = text.indexOf("!", 1) + 1;
    const handle = end > 0 ? text.slice(0, end) : "!";
    const prefix = this.#handles.get(handle) ?? (handle === "!!" ? yamlTags : handle);
    return withoutPrefix(prefix + text.slice(handle.length));
  }

  #toJson(scalar: Scalar, event: ScalarEvent): Json {
    if (scalar.type === "float" && !Number.isFinite(scalar.value)) {
      const name = Number.isNaN(scalar.value) ? "NaN" : scalar.value > 0 ? "+Inf" : "-Inf";
      return this.#fail(event.valueStart, `json: unsupported value: ${name}`);
    }
    return resolvedJson(scalar);
  }

  /** Takes an alias, and returns the node that it stands for. */
  #alias(event: AnchorOffsets): Anchored {
    this.#at++;
    const found = this.#anchors.resolve(event, this.#nodes);
    if (typeof found === "string") return this.#fail(event.anchorStart, found);
    this.#nodes += found.size + 1;
    return found;
  }

  #remember(event: AnchorOffsets, anchored: Anchored): Json {
    this.#anchors.set(event, anchored);
    return anchored.value;
  }

  #fail(offset: number, message: string): never {
    return YAMLException.throwAt(this.#source, offset, message);
  }
}

function withoutPrefix(tag: string): string {
  return tag.startsWith(yamlTags) ? tag.slice(yamlTags.length) : tag;
}

function resolvedJson(scalar: Scalar): Json {
  switch (scalar.type) {
    case "null":
      return null;
    case "int":
      return Number(scalar.value);
    default:
      return scalar.value;
  }
}

function shapeOf(value: JsonObject | readonly Json[]): string {
  return isList(value) ? "a list" : `a map of ${sortedKeys(value).join(", ")}`;
}

/** Returns the offset in the source at which a node starts. */
export function offsetOf(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return quoted(event) ? event.valueStart - 1 : event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    default:
      return 0;
  }
}

function quoted(event: ScalarEvent): boolean {
  return event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
}
