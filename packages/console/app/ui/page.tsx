import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { useTabTitle } from './tab-title.ts';
import styles from './page.module.css';

interface PageProps {
  readonly title: ReactNode;
  /** The title of the browser's tab, if the title is not a text. */
  readonly tabTitle?: string;
  /** Beside the title: how many there are, a state. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Below the title: filters, tabs. */
  readonly bar?: ReactNode;
  /** The content fills the window and scrolls inside, as lists do. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
}

/** The frame of each page: one title, its actions, and the content. */
export function Page({ title, tabTitle, about, actions, bar, isFilled = false, children }: PageProps): ReactNode {
  useTabTitle(tabTitle ?? (typeof title === 'string' ? title : 'Console'));
  return (
    <main className={classes(styles.page, isFilled && styles.filled)} id="content">
      <header className={styles.header}>
        <h1 dir="auto">{title}</h1>
        {about !== undefined && <div className={styles.about}>{about}</div>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {bar !== undefined && <div className={styles.bar}>{bar}</div>}
      <div className={styles.content}>{children}</div>
    </main>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={styles.section}>
      <header>
        <h2>{title}</h2>
        {about !== undefined && <span className={styles.about}>{about}</span>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}
