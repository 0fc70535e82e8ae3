import { constants } from 'node:os';

const names = ['SIGTERM', 'SIGINT'] as const;

/** The part of `process` that is used here; tests replace it. */
export interface ProcessControl {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

/**
 * Closes on the first SIGTERM or SIGINT and lets the process end; a second one ends it at once.
 *
 * @returns a function that stops listening.
 */
export function onStopSignal(close: () => Promise<void>, control: ProcessControl = process): () => void {
  let isClosing = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (isClosing) {
      control.exit(128 + constants.signals[signal]);
      return;
    }
    isClosing = true;
    // The listeners stay, so that a second signal ends the process.
    void close().then(
      () => control.exit(0),
      () => control.exit(1),
    );
  };
  for (const name of names) control.on(name, listener);
  return () => {
    for (const name of names) control.off(name, listener);
  };
}
