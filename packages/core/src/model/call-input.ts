/**
 * The input of a tool call as models receive it back. Providers refuse values other than objects,
 * such as arguments that were not JSON.
 */
export function promptInput(input: unknown): unknown {
  return typeof input === 'object' && input !== null ? input : {};
}
