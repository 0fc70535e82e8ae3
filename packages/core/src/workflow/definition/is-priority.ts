/** Whether it can be the priority of executions. */
export function isPriority(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= 1_000;
}
