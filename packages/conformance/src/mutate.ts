/** Changes everything that is not frozen in a value. */
export function mutate(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) mutate(member);
  Reflect.set(value, 'mutated', true);
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
}
