/** Deeper arguments would overflow the stack where they are validated, copied and stored. */
export const maxArgumentDepth = 256;

/**
 * Whether the arguments of a tool call are nested deeper than {@link maxArgumentDepth} objects and
 * arrays.
 */
export function isTooDeep(input: unknown): boolean {
  return isDeeper(input, maxArgumentDepth);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((part) => isDeeper(part, levels - 1));
}
