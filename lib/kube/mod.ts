/**
 * What Kubernetes and Kyverno write as text, read once into values and predicates: quantities, durations, versions,
 * wildcards.
 *
 * @module
 */
export {
  addQuantities,
  compareQuantities,
  divideQuantities,
  formatQuantity,
  multiplyQuantities,
  negateQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  quantityOf,
  quantityProblem,
  quantitySign,
  subtractQuantities,
} from "./quantity.ts";
export { quantityAsFloat, quantityAsInt64, quantityMilliValue, quantityValue } from "./quantity_int64.ts";
export {
  durationOfSeconds,
  durationProblem,
  durationSeconds,
  formatDuration,
  parseDuration,
} from "./duration.ts";
export { compareSemver, formatSemver, parseSemver, type Semver, zeroSemver } from "./semver.ts";
export { compileSemverRange, type SemverRange } from "./semver_range.ts";
export { compileWildcard, hasWildcard, matchWildcard } from "./wildcard.ts";
