import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';
import styles from './menu.module.css';

/** A button that opens a panel below it. Escape, a click elsewhere and leaving it close the panel. */
export function Menu({
  label,
  isMarked = false,
  children,
}: {
  readonly label: string;
  /** Whether the panel holds a choice that is not the usual one. */
  readonly isMarked?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event): void => {
      const menu = details.current;
      if (menu?.open !== true) return;
      const isEscape = event instanceof KeyboardEvent && event.key === 'Escape';
      if (isEscape) menu.querySelector('summary')?.focus();
      else if (event instanceof KeyboardEvent || menu.contains(event.target as Node)) return;
      menu.open = false;
    };
    const events = ['pointerdown', 'focusin', 'keydown'] as const;
    for (const name of events) addEventListener(name, close);
    return () => {
      for (const name of events) removeEventListener(name, close);
    };
  }, []);
  return (
    <details ref={details} className={styles.menu}>
      <summary data-marked={isMarked || undefined}>
        {label}
        <Icon name="chevron" size={12} />
      </summary>
      <div className={styles.panel}>{children}</div>
    </details>
  );
}
