import { fixedLimits, type FixedLimits, type Limits, type ServerLimits } from '../admission/limits.ts';

/** The limits that are options, and the others. */
export function splitLimits(
  limits: Partial<ServerLimits>,
): readonly [options: Partial<Limits>, fixed: Partial<FixedLimits>] {
  const isFixed = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(fixedLimits, name);
  const all = Object.entries(limits);
  return [Object.fromEntries(all.filter((limit) => !isFixed(limit))), Object.fromEntries(all.filter(isFixed))];
}
