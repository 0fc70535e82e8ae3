/** The execution ids `run-0`, `run-1` and so on. */
export function countTo(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `run-${index}`);
}
