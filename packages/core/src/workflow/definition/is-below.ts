/** Whether a path is inside a step: one of its inner steps, loop items or decisions. */
export function isBelow(path: string, step: string): boolean {
  if (!path.startsWith(step)) return false;
  const next = path.charAt(step.length);
  return next === '/' || next === ':' || next === '#' || (step === '' && next !== '');
}
