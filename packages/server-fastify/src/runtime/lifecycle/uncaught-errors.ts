const events = ['uncaughtException', 'unhandledRejection'] as const;

/** Of all servers in this process. */
const ownListeners = new Set<unknown>();

/** The part of `process` that is used here; tests replace it. */
interface ErrorSource {
  on(event: (typeof events)[number], listener: (error: unknown) => void): unknown;
  off(event: (typeof events)[number], listener: (error: unknown) => void): unknown;
  listeners(event: string): readonly unknown[];
  exit(code: number): void;
}

export interface UncaughtErrorOptions {
  readonly close: () => Promise<void>;
  readonly log: (error: unknown, message: string) => void;
  readonly source?: ErrorSource | undefined;
}

/**
 * Closes on the first error that nobody handles, and then ends the process with code 1. Without
 * this, Node ends it at once, with all requests and streams. An app that handles the event itself
 * keeps control: nothing happens here.
 *
 * @returns a function that stops listening.
 */
export function onUncaughtError({ close, log, source = process }: UncaughtErrorOptions): () => void {
  let isClosing = false;
  const isOfApp = (listener: unknown): boolean => !ownListeners.has(listener);
  const end = async (): Promise<void> => {
    try {
      await close();
    } finally {
      source.exit(1);
    }
  };
  const stops = events.map((event) => {
    const listener = (error: unknown): void => {
      if (source.listeners(event).some(isOfApp)) return;
      log(error, `Nothing handles this error (${event}): the server closes, and the process ends`);
      if (isClosing) return;
      isClosing = true;
      void end();
    };
    ownListeners.add(listener);
    source.on(event, listener);
    return () => {
      source.off(event, listener);
      ownListeners.delete(listener);
    };
  });
  return () => {
    for (const stop of stops) stop();
  };
}
