/** Groups items by a key, in their order, as `Map.groupBy` does, which Node 20 lacks. */
export function groupBy<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
): ReadonlyMap<string, readonly T[]> {
  return groupByKeys(items, (item) => [keyOf(item)]);
}

/** Groups items by keys, in their order. An item with several keys is in several groups, and once in each. */
export function groupByKeys<T>(
  items: Iterable<T>,
  keysOf: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    for (const key of new Set(keysOf(item))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [item]);
      else group.push(item);
    }
  }
  return groups;
}
