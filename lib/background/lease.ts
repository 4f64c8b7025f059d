import { asObject, asString, dig, field, type Json, type JsonObject } from "../json/mod.ts";
import { formatMicroTimestamp } from "../kube/mod.ts";

/** A holder of the Lease, with the times of its renewal. */
export interface Holding {
  /** The identity of the holder; empty for a Lease that is given back. */
  readonly holder: string;
  /** The time of the renewal, in milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds for which the Lease lasts without a further renewal. */
  readonly lasts: number;
}

/** The identity of the holder; empty when nobody holds the Lease. */
export function holderOf(lease: Json): string {
  return asString(dig(lease, "spec", "holderIdentity")) ?? "";
}

/** Identifies a renewal of the Lease. Its version does not: replicas that do not lead write annotations. */
export function renewalOf(lease: Json): string {
  return JSON.stringify([holderOf(lease), dig(lease, "spec", "renewTime")]);
}

/** The Lease with other annotations. */
export function annotated(lease: Json, annotations: JsonObject): JsonObject {
  return { ...asObject(lease), metadata: { ...asObject(field(lease, "metadata")), annotations } };
}

/** The Lease as its holder renews it or gives it back. */
export function renewed(lease: JsonObject, { holder, now, lasts }: Holding): JsonObject {
  const { holderIdentity, ...former } = asObject(field(lease, "spec")) ?? {};
  const renewTime = formatMicroTimestamp(now);
  const isNew = holderIdentity !== holder;
  const spec = {
    ...former,
    // The API allows a Lease without a holder, but not an empty holder.
    ...(holder !== "" && { holderIdentity: holder }),
    leaseDurationSeconds: Math.ceil(lasts / 1000),
    renewTime,
    ...(isNew && {
      acquireTime: renewTime,
      leaseTransitions: Number(field(former, "leaseTransitions") ?? -1) + 1,
    }),
  };
  return { ...lease, spec };
}
