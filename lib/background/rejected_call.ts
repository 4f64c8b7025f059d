import type { Answer } from "../ports.ts";

/**
 * Whether the API server has certainly not carried out a call that failed. Without an answer, or with one of a server
 * that failed, it may have.
 */
export function isRejected({ status }: Extract<Answer, { ok: false }>): boolean {
  return status !== undefined && status < 500;
}
