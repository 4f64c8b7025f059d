/**
 * Replaces the bound on calls in bundles. An edge platform bounds calls itself. It may also stop a request before its
 * calls end, and their turns would never come free.
 */
class CallTurns {
  run<T>(_server: string, _call: unknown, make: () => Promise<T>): Promise<T> {
    return make();
  }
}

const groupOf = (_path: string): string => "";

export { CallTurns, groupOf };
