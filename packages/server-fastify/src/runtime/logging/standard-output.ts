import { type DestinationStream, destination } from 'pino';

/** How much waits for a reader that stalls. Further lines are dropped. */
const maxWaitingBytes = 8 * 1024 * 1024;
/**
 * How often pino tries again after 100 ms, before it waits for the next line or gives up at exit.
 */
const triesInARow = 10;

let opened: (DestinationStream & { flushSync(): void }) | undefined;

/**
 * The standard output of the process, which never waits for its reader, except for a second when
 * the process ends.
 */
export function standardOutput(): DestinationStream {
  return (opened ??= open());
}

function open(): NonNullable<typeof opened> {
  // The first access makes a pipe non-blocking.
  void process.stdout;
  let tries = 0;
  const retryEAGAIN = (): boolean => {
    tries += 1;
    return tries % triesInARow !== 0;
  };
  const output = destination({ dest: 1, sync: false, maxLength: maxWaitingBytes, retryEAGAIN });
  // The disk is full or the reader stalls: the server continues, and tries again with the next
  // line.
  output.on('error', () => {});
  const flush = output.flushSync.bind(output);
  output.flushSync = () => {
    try {
      flush();
    } catch {
      // Pino also calls this at exit, where an error would change the exit code.
    }
  };
  return output;
}
