/** Ids of executions. */
export function countTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `run-${index}`);
}
