import { type ReactNode, useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

const shownMs = 6_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says what an action has done. A failure stays until the person closes it. */
export function notify(text: string, { isFailure = false } = {}): void {
  const toast = { id: nextId++, text, isFailure };
  setToasts([...toasts.slice(-3), toast]);
  if (!isFailure) setTimeout(() => dismiss(toast.id), shownMs);
}

export function notifyFailure(error: Error): void {
  notify(error.message, { isFailure: true });
}

function dismiss(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id));
}

export function Toasts(): ReactNode {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {shown.map(({ id, isFailure, text }) => (
        <p key={id} className={classes(styles.toast, isFailure && styles.failure)}>
          {text}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </p>
      ))}
    </div>
  );
}
