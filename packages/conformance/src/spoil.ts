/** Changes everything that is not frozen in a value. */
export function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) spoil(member);
  Reflect.set(value, 'spoilt', true);
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
}
