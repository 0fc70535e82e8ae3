import type { Logger } from '@halyard/contracts';
import { unrecordedComponent } from './log-records.ts';

/** A logger whose lines are written but not recorded, for the code that does the recording. */
export function unrecorded(logger: Logger): Logger {
  const marked = (fields: object): object => ({ ...fields, component: unrecordedComponent });
  return {
    debug: (fields, message) => logger.debug(marked(fields), message),
    info: (fields, message) => logger.info(marked(fields), message),
    warn: (fields, message) => logger.warn(marked(fields), message),
    error: (fields, message) => logger.error(marked(fields), message),
  };
}
