import type { Logger } from '@halyard/contracts';

interface Leveled {
  isLevelEnabled(level: string): boolean;
}

/** Whether a logger writes lines of this level. Of one that cannot tell, everything but `debug` counts as written. */
export function isEnabled(log: object, level: keyof Logger): boolean {
  return isLeveled(log) ? log.isLevelEnabled(level) : level !== 'debug';
}

function isLeveled(log: object): log is Leveled {
  return 'isLevelEnabled' in log && typeof log.isLevelEnabled === 'function';
}
