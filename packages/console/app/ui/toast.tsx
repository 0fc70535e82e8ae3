import { type ReactNode, useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import styles from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
  readonly action: ToastAction | undefined;
}

interface ToastAction {
  readonly name: string;
  readonly run: () => void;
}

const usualMs = 6_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says what an action has done. A failure stays until the person closes it. */
export function notify(
  text: string,
  {
    action,
    isFailure = false,
    shownMs = usualMs,
  }: { readonly isFailure?: boolean; readonly action?: ToastAction; readonly shownMs?: number } = {},
): void {
  const toast = { id: nextId++, text, isFailure, action };
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
      {shown.map(({ action, id, isFailure, text }) => (
        <p key={id} className={classes(styles.toast, isFailure && styles.failure)}>
          {text}
          {action !== undefined && (
            <Button
              look="quiet"
              onClick={() => {
                action.run();
                dismiss(id);
              }}
            >
              {action.name}
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </p>
      ))}
    </div>
  );
}
