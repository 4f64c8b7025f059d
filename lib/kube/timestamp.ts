/** A time in milliseconds since 1970 as the API writes it: whole seconds in UTC (Kubernetes API: Time). */
export function formatTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** A time in milliseconds since 1970 with the six digits of Leases and Events (Kubernetes API: MicroTime). */
export function formatMicroTimestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}
