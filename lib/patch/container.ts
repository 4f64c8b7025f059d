import { Fault, isFault, isList, isObject, type Json, type JsonObject, setField } from "../json/mod.ts";

/** What a step of a pointer goes into. */
export type Container = JsonObject | readonly Json[];

/** The value as a container; `undefined` for scalars, null and what is not there. */
export function asContainer(value: Json | undefined): Container | undefined {
  return isObject(value) || isList(value) ? value : undefined;
}

/** A whole number as Go's `strconv.Atoi` reads it: a sign and leading zeros are allowed. */
export function parseIndex(token: string): number | undefined {
  if (!/^[+-]?[0-9]{1,18}$/.test(token)) return undefined;
  return Number(token);
}

/**
 * What a token names: `undefined` when an object has no such key, a fault when a list has no such element.
 * Negative indices count from the end, -1 being the last element.
 */
export function childOf(container: Container, token: string): Json | undefined | Fault {
  if (!isList(container)) return Object.hasOwn(container, token) ? container[token] : undefined;
  const index = indexIn(container, token);
  return index instanceof Fault ? index : container[index];
}

/** The position of an existing element. */
function indexIn(list: readonly Json[], token: string): number | Fault {
  const index = parseIndex(token);
  if (index === undefined) return notANumber(token);
  const position = index < 0 ? index + list.length : index;
  return position < 0 || position >= list.length ? noSuchIndex(index) : position;
}

/** Go's complaint about a token that is no number. */
function notANumber(token: string): Fault {
  return new Fault(`strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`);
}

/** The reference's complaint about an index outside the list. */
export function noSuchIndex(index: number): Fault {
  return new Fault(`Unable to access invalid index: ${index}: invalid index referenced`);
}

/** A copy of the object with one key set. */
function withKey(object: JsonObject, key: string, value: Json): JsonObject {
  const copy: Record<string, Json> = { ...object };
  setField(copy, key, value);
  return copy;
}

/** A copy of the object without one key; the object itself when it has no such key. */
export function withoutKey(object: JsonObject, key: string): JsonObject {
  if (!Object.hasOwn(object, key)) return object;
  const { [key]: _removed, ...rest } = object;
  return rest;
}

/** Adds a member: sets an object's key, or makes room in a list. */
export function insert(container: Container, token: string, value: Json): Container | Fault {
  if (!isList(container)) return withKey(container, token, value);
  if (token === "-") return [...container, value];
  const index = parseIndex(token);
  if (index === undefined) {
    return because(`value was not a proper array index: '${token}'`, notANumber(token));
  }
  const position = index < 0 ? index + container.length + 1 : index;
  return position < 0 || position > container.length
    ? noSuchIndex(index)
    : container.toSpliced(position, 0, value);
}

/** Replaces an existing element of a list, or sets an object's key. */
export function set(container: Container, token: string, value: Json): Container | Fault {
  if (!isList(container)) return withKey(container, token, value);
  const index = indexIn(container, token);
  return isFault(index) ? index : container.with(index, value);
}

/** Removes a member; without it the container stays as it is. */
export function removeMember(container: Container, token: string): Container | Fault {
  if (!isList(container)) return withoutKey(container, token);
  if (parseIndex(token) === undefined) return notANumber(token);
  const index = indexIn(container, token);
  return isFault(index) ? container : container.toSpliced(index, 1);
}

/** Puts the place in front of a fault's reason. */
export function because<T>(where: string, outcome: T | Fault): T | Fault {
  return isFault(outcome) ? new Fault(`${where}: ${outcome.message}`) : outcome;
}
