import { Fault, isFault, isList, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";

/** A value with members that a pointer's token can name. */
export type Container = JsonObject | readonly Json[];

/** Returns the value as a container; `undefined` for scalars, null and missing values. */
export function asContainer(value: Json | undefined): Container | undefined {
  return isObject(value) || isList(value) ? value : undefined;
}

/** Reads a whole number as Go's `strconv.Atoi` does: it may have a sign and leading zeros. */
export function parseIndex(token: string): number | undefined {
  if (!/^[+-]?[0-9]{1,18}$/.test(token)) return undefined;
  return Number(token);
}

/**
 * Returns the member of a container that a token names: `undefined` when an object has no such key, a fault
 * when a list has no such element. Negative indices count from the end; -1 is the last element.
 */
export function childOf(container: Container, token: string): Json | undefined | Fault {
  if (!isList(container)) return Object.hasOwn(container, token) ? container[token] : undefined;
  const index = indexIn(container, token);
  return index instanceof Fault ? index : container[index];
}

/** Returns the position of an existing element; a fault when the list has no such element. */
function indexIn(list: readonly Json[], token: string): number | Fault {
  const index = parseIndex(token);
  if (index === undefined) return notANumber(token);
  const position = index < 0 ? index + list.length : index;
  return position < 0 || position >= list.length ? noSuchIndex(index) : position;
}

/** Go's message for a token that is not a number. */
function notANumber(token: string): Fault {
  return new Fault(`strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`);
}

/** The message of evanphx/json-patch for an index outside the list. */
export function noSuchIndex(index: number): Fault {
  return new Fault(`Unable to access invalid index: ${index}: invalid index referenced`);
}

/** Returns a copy of the object without one key; the object itself when it has no such key. */
export function withoutKey(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: _removed, ...rest } = object;
  return rest;
}

/** Makes containers that the caller may modify, as a `Draft` does. */
export interface Copies {
  writable(map: JsonObject): { [name: string]: Json };
  /** @param moved How many elements the change moves; none when absent. */
  writableList(list: readonly Json[], moved?: number): Json[];
}

/** A change of one member of a container. */
export interface MemberChange {
  readonly token: string;
  readonly value: Json;
}

/** Adds a member: sets an object's key, or inserts an element into a list. */
export function insert(
  container: Container,
  { token, value }: MemberChange,
  copies: Copies,
): Container | Fault {
  if (!isList(container)) return withKey(copies.writable(container), token, value);
  if (token === "-") {
    const list = copies.writableList(container);
    list.push(value);
    return list;
  }
  const index = parseIndex(token);
  if (index === undefined) {
    return because(`value was not a proper array index: '${token}'`, notANumber(token));
  }
  const position = index < 0 ? index + container.length + 1 : index;
  if (position < 0 || position > container.length) return noSuchIndex(index);
  const list = copies.writableList(container, container.length - position);
  list.splice(position, 0, value);
  return list;
}

/** Replaces an existing element of a list, or sets an object's key. */
export function set(container: Container, { token, value }: MemberChange, copies: Copies): Container | Fault {
  if (!isList(container)) return withKey(copies.writable(container), token, value);
  const index = indexIn(container, token);
  if (isFault(index)) return index;
  const list = copies.writableList(container);
  list[index] = value;
  return list;
}

/** Removes a member; a container without this member stays as it is. */
export function removeMember(container: Container, token: string, copies: Copies): Container | Fault {
  if (!isList(container)) {
    if (!Object.hasOwn(container, token)) return container;
    const map = copies.writable(container);
    delete map[token];
    return map;
  }
  if (parseIndex(token) === undefined) return notANumber(token);
  const index = indexIn(container, token);
  if (isFault(index)) return container;
  const list = copies.writableList(container, container.length - index);
  list.splice(index, 1);
  return list;
}

function withKey(map: { [name: string]: Json }, key: string, value: Json): JsonObject {
  setField(map, key, value);
  return map;
}

/** Puts a text, such as the path, in front of a fault's message. */
export function because<T>(where: string, outcome: T | Fault): T | Fault {
  return isFault(outcome) ? new Fault(`${where}: ${outcome.message}`) : outcome;
}
